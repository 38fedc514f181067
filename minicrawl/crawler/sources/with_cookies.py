"""Add cookies to requests for pages, and accept those of the responses.

The jar is in the crawl's own process, so a cookie of a domain reaches its hosts whichever process asks them. An answer
keeps its `set_cookies` only if the same request would be sent with other cookies now.
"""

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from minicrawl.crawler.http.cookies import CookieJar
from minicrawl.crawler.outcomes.outcome import REDIRECTS
from minicrawl.crawler.sources.source import GiveUrls, PageSource, Wait
from minicrawl.model import Fetched, Located, PageRequest, ParsedPage, SitemapAnswer

MOST_SENT = 10_000
"""Redirected requests whose cookies are remembered, the latest ones."""


class WithCookies:
    """A source around another one."""

    def __init__(
        self,
        source: PageSource,
        jar: CookieJar,
        sent: dict[str, str | None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """sent: takes the cookies of the latest requests that were redirected, by URL."""
        self._source, self._jar, self._clock = source, jar, clock
        self._sent = sent

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        value = self._jar.header(request.url, self._clock())
        if value is not None:
            request = request._replace(headers=(*request.headers, ("Cookie", value)))
        fetched, parsed = await self._source.page(request)
        if fetched.status in REDIRECTS:
            self._sent[request.url] = value
            if len(self._sent) > MOST_SENT:
                del self._sent[next(iter(self._sent))]
        if fetched.set_cookies:
            self._jar.take(request.url, fetched.set_cookies, self._clock())
            if self._jar.header(request.url, self._clock()) == value:
                fetched = fetched._replace(set_cookies=())
        return fetched, parsed

    def waits(self) -> Mapping[str, Wait]:
        return self._source.waits()

    # Without cookies: robots.txt files and sitemaps need no login.

    async def robots(self, url: str) -> Fetched:
        return await self._source.robots(url)

    async def locate(self, url: str) -> Located:
        return await self._source.locate(url)

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        return await self._source.sitemap(url, give)

    async def __aenter__(self) -> Self:
        await self._source.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._source.__aexit__(kind, error, trace)
