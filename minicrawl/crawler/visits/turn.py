"""The turn of a page, as it passes from step to step."""

from collections.abc import Sequence
from dataclasses import dataclass

from minicrawl.crawler.admission.traps.traps import NO_CONTENT, PageContent
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.pages import LastAnswer

NOT_FOUND = ("http-404", "http-410")


@dataclass(slots=True)
class Turn:
    """An answer for a page, and its results.

    not_before: Unix seconds before which the page has no other turn. content: that of a page read for the first time.
    targets, anchors: the pages that it links to, with the texts of these links. reinstated: pages that stand for
    themselves again. last: the answer before this one, if the page was there then. is_withheld: the page forbids a use
    that the crawl respects.
    """

    page: int
    fetched: Fetched
    parsed: ParsedPage
    outcome: Outcome
    now: float
    not_before: float = 0.0
    content: PageContent = NO_CONTENT
    targets: Sequence[int] = ()
    anchors: Sequence[str] = ()
    reinstated: Sequence[int] = ()
    last: LastAnswer | None = None
    is_withheld: bool = False
