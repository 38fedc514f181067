"""Sites for people, as 'top --sites' and 'rank --by sites' print them."""

from collections.abc import Sequence

from minicrawl.analysis.sites import SiteRow
from minicrawl.cli.output import document, printable


def site_table(rows: Sequence[SiteRow]) -> list[str]:
    """One line per site."""
    lines = [f"{'importance':>10}  {'pagerank':>10}  {'known':>9}  {'read':>9}  {'linking domains':>15}  site"]
    lines += [
        f"{row.importance:>10.3g}  {row.pagerank:>10.3g}  {row.known:>9,}  {row.read:>9,}  {row.linking_domains:>15,}  "
        f"{printable(row.site)}"
        for row in rows
    ]
    return lines


def site_documents(rows: Sequence[SiteRow]) -> str:
    """The same as JSON."""
    return document([row._asdict() for row in rows])
