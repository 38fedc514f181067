"""Output of sites, for 'top --sites' and 'rank --by sites'."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from minicrawl.cli.fitting import fitted, terminal_columns
from minicrawl.cli.output import document, lines_of
from minicrawl.errors import counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.sites import SiteRow
    from minicrawl.store.read.site_table import TrustedSite

_LEAST_FOR_SITES = 24
_SPARE = ("linking domains", "pagerank", "known", "importance")
"""Columns left out on a narrow terminal, in this order."""
_SHARES = ("trust", "importance", "pagerank")
_LINKED = ("pagerank", "linking domains")
"""Columns replaced by trust."""


def site_table(rows: "Sequence[SiteRow]") -> list[str]:
    """One line per site, as wide as the terminal."""
    has_trust = any(row.trust is not None for row in rows)
    numbers = _number_columns(rows, has_trust)
    widths, left_out = _fitting_widths(numbers)
    lines = zip(*(_set([name, *numbers[name]], width) for name, width in widths.items()), strict=True)
    mirrored = [[f"with a mirror of {row.mirror_of}"] if row.mirror_of else [] for row in rows]
    reasons = [trust_reasons(row) + mirror for row, mirror in zip(rows, mirrored, strict=True)]
    titles = ["", *(printable(", ".join(each)) for each in reasons)] if any(reasons) else []
    found = lines_of(["  ".join(line) for line in lines], ["site", *(printable(row.site) for row in rows)], titles)
    return [*found, *(fitted([f"Left out here: {', '.join(left_out)}; a pipe has all."]) if left_out else [])]


def _number_columns(rows: "Sequence[SiteRow]", has_trust: bool) -> dict[str, list[str]]:
    """The numbers of sites as text, by the heading of their column."""
    numbers = {
        "trust": [f"{row.trust or 0.0:.3g}" for row in rows],
        "importance": [f"{row.importance:.3g}" for row in rows],
        "pagerank": [f"{row.pagerank:.3g}" for row in rows],
        "known": [f"{row.known:,}" for row in rows],
        "read": [f"{row.read:,}" for row in rows],
        "linking domains": [f"{row.linking_domains:,}" for row in rows],
    }
    without = {*(_LINKED if has_trust else ["trust"])}
    return {name: column for name, column in numbers.items() if name not in without}


def _fitting_widths(numbers: dict[str, list[str]]) -> tuple[dict[str, int], list[str]]:
    """Widths of the columns that fit the terminal, and the columns left out."""
    columns = terminal_columns()
    widths = {name: max(len(name), 10 if name in _SHARES else 9) for name in numbers}
    if columns is not None:
        widths = {name: max(map(cell_len, [name, *column])) for name, column in numbers.items()}
    left_out = []
    for name in _SPARE:
        if columns is not None and sum(widths.values()) + 2 * len(widths) + _LEAST_FOR_SITES > columns:
            left_out.append(name)
            del widths[name]
    return widths, left_out


def trust_reasons(site: "SiteRow | TrustedSite", seed: str = "seed") -> list[str]:
    """Reasons for a site's trust: "seed", "trusted by 14 sites, first docs.python.org"."""
    who = [f"trusted by {counted(site.trusted_by, 'site')}, first {site.trusted_first}"] if site.trusted_by else []
    return [seed, *who] if site.is_seed else who


def _set(column: Sequence[str], width: int) -> list[str]:
    return [f"{cell:>{width}}" for cell in column]


def site_documents(rows: "Sequence[SiteRow]") -> str:
    """The sites as JSON."""
    return document([row._asdict() for row in rows])
