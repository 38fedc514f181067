"""Renders pages that are made by scripts: a page as it was fetched goes in, what it shows comes out as HTML."""

import asyncio
import re
from dataclasses import replace
from functools import partial

from minicrawl import log
from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.crawler.rendering.cache import Resource
from minicrawl.crawler.rendering.chromium import Chromium, RenderError, find_chromium
from minicrawl.crawler.rendering.page_requests import MOST, PageRequests
from minicrawl.crawler.rendering.watch import Caps
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings

_SHOWN = 1000
"""Characters of what Chromium says."""


class Renderer:
    """Which pages are rendered, and by what; one browser, started when the first of them has come.

    fetcher: answers what pages ask for. Raises SettingError where there is no Chromium.
    """

    def __init__(self, settings: CrawlSettings, fetcher: Fetcher) -> None:
        self._patterns = [re.compile(pattern) for pattern in settings.render]
        self._seconds, self._most = settings.render_timeout, settings.max_size
        self._requests = PageRequests(fetcher, settings)
        self._room = asyncio.Semaphore(settings.render_pages)
        # Of CPU more than of time: who has one thread runs out of time first, however busy the machine is.
        caps = Caps(cpu=2 * settings.render_timeout)
        self._chromium = Chromium(find_chromium(settings.chromium), settings.agent, caps)

    def renders(self, url: str) -> bool:
        """Whether pages at a URL are rendered, if they are HTML."""
        return any(pattern.search(url) for pattern in self._patterns)

    async def rendered(self, fetched: Fetched) -> Fetched:
        """A page with the body that its scripts have made of it, in UTF-8; or the reason why there is none.

        Without its validators: they say whether the page has changed, not what its scripts have asked for.
        """
        self._requests.pace.note_asked(politeness_key(fetched.url))
        asked = 0

        async def answer(kind: str, method: str, url: str, headers: dict[str, str]) -> Resource | None:
            nonlocal asked
            asked += 1
            if asked > MOST:
                return None
            return await self._requests.answer(fetched.url, kind, method, url, headers)

        shown = partial(self._chromium.shown, fetched.url, fetched.body, fetched.content_type or "text/html", answer)
        try:
            async with self._room:
                html = await shown(self._seconds, self._most)
        except RenderError as error:
            log.page_not_rendered(url=fetched.url, reason=error.reason, why=str(error)[:_SHOWN])
            return Fetched(fetched.url, reason=error.reason, size=fetched.size, seconds=fetched.seconds)
        body = html.encode("utf-8", "replace")
        is_cut = len(body) >= self._most
        return replace(
            fetched,
            body=body[: self._most],
            etag=None,
            last_modified=None,
            truncated=fetched.truncated or is_cut,
        )

    async def aclose(self) -> None:
        await self._chromium.aclose()
