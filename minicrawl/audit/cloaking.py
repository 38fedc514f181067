"""Pages that browsers get another one for. An owner may not know of it: who breaks into a site leaves such pages."""

from collections.abc import Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule


@rule(
    "cloaked",
    Severity.ERROR,
    why="Browsers get another page than crawlers do, and search engines drop sites for that.",
    how="Answer all User-Agents alike. If nobody of yours has set this up, somebody else can change the site.",
    needs=Need.COPIES,
)
def cloaked(crawled: Crawled) -> Iterator[Fault]:
    signs = crawled.store.spam_signs.all()
    return (Fault(row.page, row.told) for row in signs if row.sign == "cloaked" and crawled.is_ours[row.page])
