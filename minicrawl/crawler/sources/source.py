"""The interface of page sources, which fetch and parse."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from minicrawl.model import Fetched, Located, PageRequest, ParsedPage, SitemapAnswer, Wanted
from minicrawl.web.http.transport import Parts

GiveUrls = Callable[[list[str], bool, dict[str, float]], None]
"""Receives URLs of a sitemap, True if they are further sitemaps, and lastmod (Unix seconds) by URL, possibly of other
URLs of it; dates are given only to crawls that fetch pages again."""


Wait = tuple[str, float]
"""A fetched page waits for a child process: the "parser" of large pages, or the "hooks"; since when, by the loop's
clock."""


class PageSource(Protocol):
    """Answers any number of concurrent requests for pages, robots.txt files and sitemaps."""

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        """Fetch and parse a normalised URL. The `Fetched` is without body."""

    async def robots(self, url: str) -> Fetched:
        """Fetch a robots.txt, or the target of its redirect."""

    async def locate(self, url: str) -> Located:
        """Look up the IP address for a normalised URL."""

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        """Fetch a sitemap. Its normalised URLs are passed to `give` as they are read, some 1,000 at a time."""


Parse = Callable[..., Awaitable[tuple[Fetched, ParsedPage]]]
"""Parses a page with its body, as (page, wanted, is_rendered=True): that is then in UTF-8."""


class Renderer(Protocol):
    """Reads pages of HTML as their scripts make them."""

    def may_render(self, url: str) -> bool:
        """True if it may do so with the page at a URL."""

    def renders(self, url: str) -> bool:
        """True if it does so with the page at a URL, whatever that says as it was sent."""

    async def read(
        self, asked: PageRequest, sent: Fetched, plain: tuple[Fetched, ParsedPage], wanted: Wanted, parse: Parse
    ) -> tuple[Fetched, ParsedPage, Parts | None]:
        """The page, and what rendering it took; `plain` and None if it is not rendered. plain: the page parsed as it
        was sent; nothing if `renders` says so."""

    async def aclose(self) -> None:
        """End what it has started."""
