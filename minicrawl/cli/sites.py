"""Sites for people, as 'top --sites' and 'rank --by sites' print them."""

from collections.abc import Sequence

from minicrawl.analysis.sites import SiteRow
from minicrawl.cli.output import document, printable


def site_table(rows: Sequence[SiteRow]) -> list[str]:
    """One line per site."""
    is_expected = any(row.expected is not None for row in rows)
    expected = f"  {'expected':>10}" if is_expected else ""
    lines = [
        f"{'importance':>10}{expected}  {'pagerank':>10}  {'known':>9}  {'read':>9}  {'linking domains':>15}  site",
    ]
    for row in rows:
        expected = f"  {row.expected or 0.0:>10.3g}" if is_expected else ""
        pages = f"{row.known:>9,}  {row.read:>9,}  {row.linking_domains:>15,}"
        lines.append(f"{row.importance:>10.3g}{expected}  {row.pagerank:>10.3g}  {pages}  {printable(row.site)}")
    return lines


def site_documents(rows: Sequence[SiteRow]) -> str:
    """The same as JSON."""
    return document([row._asdict() for row in rows])
