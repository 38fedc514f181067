"""How much of all importance the partitions of a crawl have read, by what each of them says."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from minicrawl.opic.coverage import CoverageSums, bound_of_all

Carried = Sequence[tuple[int, int, int]]
"""Of other partitions the number, and what was sent to it and taken of it in all, in units of the ledger."""


class Covered(NamedTuple):
    """What a partition says as of one of its commits."""

    sums: CoverageSums
    carried: Carried


def covered_by_all(each: Mapping[int, Covered]) -> float:
    """The bound of coverage of all partitions, by number, of which each speaks of a moment of its own."""
    sent = {(source, home): units for source, of in each.items() for home, units, _ in of.carried}
    taken = {(source, home): units for home, of in each.items() for source, _, units in of.carried}
    on_the_way = sum(max(units - taken.get(way, 0), 0) for way, units in sent.items())
    return bound_of_all([of.sums for of in each.values()], on_the_way)
