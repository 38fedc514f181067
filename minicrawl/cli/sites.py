"""Sites for people, as 'top --sites' and 'rank --by sites' print them."""

from collections.abc import Sequence

from minicrawl.analysis.sites import SiteRow
from minicrawl.cli.fitting import cells, fitted, terminal_columns
from minicrawl.cli.output import document, lines_of, printable

_LEAST_FOR_SITES = 24
_SPARE = ("linking domains", "pagerank", "known")
"""Columns that a narrow terminal does without, in this order."""


def site_table(rows: Sequence[SiteRow]) -> list[str]:
    """One line per site, as wide as the terminal."""
    numbers = {
        "importance": [f"{row.importance:.3g}" for row in rows],
        "expected": [f"{row.expected or 0.0:.3g}" for row in rows],
        "pagerank": [f"{row.pagerank:.3g}" for row in rows],
        "known": [f"{row.known:,}" for row in rows],
        "read": [f"{row.read:,}" for row in rows],
        "linking domains": [f"{row.linking_domains:,}" for row in rows],
    }
    if all(row.expected is None for row in rows):
        del numbers["expected"]
    columns = terminal_columns()
    widths = {name: max(len(name), 10 if name in ("importance", "expected", "pagerank") else 9) for name in numbers}
    if columns is not None:
        widths = {name: max(map(cells, [name, *column])) for name, column in numbers.items()}
    left_out = []
    for name in _SPARE:
        if columns is not None and sum(widths.values()) + 2 * len(widths) + _LEAST_FOR_SITES > columns:
            left_out.append(name)
            del widths[name]
    lines = zip(*(_set([name, *numbers[name]], width) for name, width in widths.items()), strict=True)
    found = lines_of(["  ".join(line) for line in lines], ["site", *(printable(row.site) for row in rows)])
    return [*found, *(fitted([f"Left out here: {', '.join(left_out)}; see --wide."]) if left_out else [])]


def _set(column: Sequence[str], width: int) -> list[str]:
    return [f"{cell:>{width}}" for cell in column]


def site_documents(rows: Sequence[SiteRow]) -> str:
    """The same as JSON."""
    return document([row._asdict() for row in rows])
