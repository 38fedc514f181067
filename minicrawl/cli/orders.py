"""What `minicrawl lab orders` prints: the orders below each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minicrawl.lab.orders import Compared


def table(found: "Sequence[Compared]") -> list[str]:
    """A line an order: its area, and what it gains over greedy on the same sets of seeds."""
    has_trees = any(one.of_trees is not None for one in found)
    heads = f"{'order':<20} {'area':>6} {'at 10 %':>8} {'at 30 %':>8} {'gain':>8} {'sd':>7} {'sets better':>12}"
    lines = [heads + ("  of what trees gain" if has_trees else "")]
    for one in found:
        line = f"{one.order:<20} {one.area:>6.4f} {one.at_10:>8.3f} {one.at_30:>8.3f} {one.gain:>+8.4f}"
        line += f" {one.deviation:>7.4f} {f'{one.better} of {one.sets}':>12}"
        lines.append(line + ("" if one.of_trees is None else f"{one.of_trees:>20.0%}"))
    return lines
