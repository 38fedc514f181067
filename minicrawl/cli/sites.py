"""Output of sites, for 'top --sites'."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minicrawl.cli.output import document, lines_of
from minicrawl.errors import counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.sites import SiteRow
    from minicrawl.store.sites import TrustedSite


def site_table(rows: "Sequence[SiteRow]") -> list[str]:
    """One line per site, as wide as the terminal."""
    has_trust = any(row.trust is not None for row in rows)
    numbers = _number_columns(rows, has_trust)
    cells = ([name, *column] for name, column in numbers.items())
    lines = zip(*([f"{cell:>{max(map(len, column))}}" for cell in column] for column in cells), strict=True)
    mirrored = [[f"with a mirror of {row.mirror_of}"] if row.mirror_of else [] for row in rows]
    reasons = [trust_reasons(row) + mirror for row, mirror in zip(rows, mirrored, strict=True)]
    titles = ["", *(printable(", ".join(each)) for each in reasons)] if any(reasons) else []
    return lines_of(["  ".join(line) for line in lines], ["site", *(printable(row.site) for row in rows)], titles)


def _number_columns(rows: "Sequence[SiteRow]", has_trust: bool) -> dict[str, list[str]]:
    """The numbers of sites as text, by the heading of their column."""
    numbers = {
        "trust": [f"{row.trust or 0.0:.3g}" for row in rows],
        "importance": [f"{row.importance:.3g}" for row in rows],
        "known": [f"{row.known:,}" for row in rows],
        "read": [f"{row.read:,}" for row in rows],
        "linking domains": [f"{row.linking_domains:,}" for row in rows],
    }
    without = "linking domains" if has_trust else "trust"
    return {name: column for name, column in numbers.items() if name != without}


def trust_reasons(site: "SiteRow | TrustedSite", seed: str = "seed") -> list[str]:
    """Reasons for a site's trust: "seed", "trusted by 14 sites, first docs.python.org"."""
    who = [f"trusted by {counted(site.trusted_by, 'site')}, first {site.trusted_first}"] if site.trusted_by else []
    return [seed, *who] if site.is_seed else who


def site_documents(rows: "Sequence[SiteRow]") -> str:
    """The sites as JSON."""
    return document([row._asdict() for row in rows])
