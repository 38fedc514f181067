"""Pages that deceive. An owner may not know of it: who breaks into a site leaves such texts, links and pages."""

from collections.abc import Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule


def _told(crawled: Crawled, sign: str) -> Iterator[Fault]:
    signs = crawled.store.spam_signs.all()
    return (Fault(row.page, row.told) for row in signs if row.sign == sign and crawled.is_ours[row.page])


@rule(
    "text-stuffed",
    Severity.WARNING,
    why="A text repeats or lists words as no writer does, and search engines may take the page for spam.",
    how="Write sentences for readers in its place.",
    needs=Need.FACTS,
)
def text_stuffed(crawled: Crawled) -> Iterator[Fault]:
    return _told(crawled, "stuffed")


@rule(
    "text-hidden",
    Severity.ERROR,
    why="A text that no reader sees is there for search engines alone, which may drop the site for it.",
    how="Remove it. If nobody of yours has put it there, somebody else can change the site.",
    needs=Need.FACTS,
)
def text_hidden(crawled: Crawled) -> Iterator[Fault]:
    return _told(crawled, "hidden")


@rule(
    "cloaked",
    Severity.ERROR,
    why="Browsers get another page than crawlers do, and search engines drop sites for that.",
    how="Answer all User-Agents alike. If nobody of yours has set this up, somebody else can change the site.",
    needs=Need.COPIES,
)
def cloaked(crawled: Crawled) -> Iterator[Fault]:
    return _told(crawled, "cloaked")
