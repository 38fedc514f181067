"""What a crawl asks for pages: the protocol of those that fetch and parse."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from minicrawl.model import Fetched, Located, PageRequest, ParsedPage, SitemapAnswer

GiveUrls = Callable[[list[str], bool, dict[str, float]], None]
"""Takes URLs from a sitemap, whether they are those of further sitemaps, and lastmod (Unix seconds) of some URLs of it,
these or others, where pages are fetched again."""


class Wait(NamedTuple):
    """A page that has come and waits for a process: the "parser" of large pages, or the "hooks". `since`: on the clock
    of the loop."""

    waits_for: str
    since: float


class PageSource(Protocol):
    """Answers requests for pages, robots.txt files and sitemaps, any number of them side by side."""

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        """The answer for a normalised URL, without its body, and what the page says."""

    def waits(self) -> Mapping[str, Wait]:
        """Pages that have come and wait, by URL."""

    async def robots(self, url: str) -> Fetched:
        """The answer for a robots.txt, or for what one redirects to."""

    async def locate(self, url: str) -> Located:
        """The IP address that requests for a normalised URL go to."""

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        """The answer for a sitemap. Its normalised URLs, of pages or of further sitemaps, are given as they are read,
        some 1,000 at a time."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
