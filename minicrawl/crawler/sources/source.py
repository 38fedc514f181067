"""The interface of page sources, which fetch and parse."""

from collections.abc import Callable
from typing import Protocol

from minicrawl.model import Fetched, Located, PageRequest, ParsedPage, SitemapAnswer

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
