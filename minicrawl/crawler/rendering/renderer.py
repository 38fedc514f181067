"""Render pages that scripts make: a fetched page goes in, its document after rendering comes out as HTML."""

import asyncio
import re
from functools import partial

from minicrawl import log
from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.crawler.http.transport import Parts
from minicrawl.crawler.rendering.chromium import Caps, Chromium, RenderError, find_chromium
from minicrawl.crawler.rendering.page_requests import PageRequests, Resource
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD

_SHOWN = 1000
"""Characters of Chromium's message in the log."""

_OPEN = 4
"""Most pages that one Chromium has open."""


class Renderer:
    """Renders the pages that the settings select, in one browser, started for the first of them.

    fetcher: answers the requests of pages. seconds: for the scripts of a page. Raises SettingError if there is no
    Chromium.
    """

    def __init__(self, settings: CrawlSettings, fetcher: Fetcher, seconds: float = STANDARD.render) -> None:
        self._seconds = seconds
        self._patterns = [re.compile(pattern) for pattern in settings.render]
        self._most = settings.max_size
        self._takes_pictures = settings.screenshots
        self._requests = PageRequests(fetcher, settings)
        self._room = asyncio.Semaphore(_OPEN)
        # More CPU than time, so that a page with one thread runs out of time first, however busy the machine is.
        caps = Caps(cpu=2 * seconds)
        self._chromium = Chromium(find_chromium(settings.chromium), settings.agent, caps)

    def renders(self, url: str) -> bool:
        """True if the page at a URL is to be rendered, if it is HTML."""
        return any(pattern.search(url) for pattern in self._patterns)

    async def rendered(self, fetched: Fetched) -> tuple[Fetched, Parts]:
        """The page with its rendered body in UTF-8, or with the reason if it could not be rendered; and its parts.

        Validators are dropped, as they are those of the page alone, without the resources of its scripts.
        """
        self._requests.pace.note_asked(politeness_key(fetched.url))
        parts = Parts()
        document = Resource(fetched.url, 200, {"content-type": fetched.content_type or "text/html"}, fetched.body)
        try:
            async with self._room:
                html, parts.made = await self._chromium.shown(
                    document,
                    partial(self._requests.answer, parts),
                    self._seconds,
                    self._most,
                    pictures=self._takes_pictures,
                )
        except RenderError as error:
            log.event("page-not-rendered", url=fetched.url, reason=error.reason, why=str(error)[:_SHOWN])
            return Fetched(fetched.url, reason=error.reason, size=fetched.size, seconds=fetched.seconds), parts
        body = html.encode("utf-8", "replace")
        is_cut = len(body) >= self._most
        rendered = fetched._replace(
            body=body[: self._most],
            etag=None,
            last_modified=None,
            truncated=fetched.truncated or is_cut,
        )
        return rendered, parts

    async def aclose(self) -> None:
        await self._chromium.aclose()
