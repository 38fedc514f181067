"""Reads pages as their scripts make them."""

import asyncio
from collections import Counter
from functools import partial

from msgspec.structs import replace

from minicrawl import installed, log
from minicrawl.crawler.sources.source import Parse
from minicrawl.errors import FetchError
from minicrawl.model import Fetched, PageRequest, ParsedPage, Wanted
from minicrawl.parts.part import own
from minicrawl.parts.render import RenderSettings
from minicrawl.parts.render.choice import Choice
from minicrawl.parts.render.chromium import Caps, Chromium, Shown
from minicrawl.parts.render.comparison import are_pages, compared, scripts_before
from minicrawl.parts.render.page_requests import PageRequests, Resource
from minicrawl.parts.render.tab import LAST_WORD, TabRequests
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD
from minicrawl.web.html.page_headers import SOON, with_refresh
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.http.transport import Parts
from minicrawl.web.urls.keys import origin_of, politeness_key
from minicrawl.web.urls.normalise import normalise, normalise_route

_SHOWN = 1000
"""Characters of Chromium's message in the log."""

_OPEN = 4
"""Most pages that one Chromium has open."""

_TRIED = 2
"""Pages of an origin whose links to routes have shown nothing, after which it has none."""


class Renderer(Chromium):
    """Renders the pages that the settings select, in one browser, started for the first of them. fetcher: answers the
    requests of pages. seconds: for the scripts of a page. Raises SettingError if there is no Chromium."""

    def __init__(self, settings: CrawlSettings, fetcher: Fetcher, seconds: float = STANDARD.render) -> None:
        self._seconds, ours = seconds, own(settings, RenderSettings)
        self.choice = Choice(ours.render)
        self._most = settings.max_size
        self._takes_pictures = ours.screenshots
        self._is_whole = ours.screenshots or settings.requisites
        self._requests = PageRequests(fetcher, settings)
        self._with_routes = set[str]()
        self._tried = Counter[str]()
        """Origins with routes; and of others the pages that were tried."""
        self._room = asyncio.Semaphore(_OPEN)
        # More CPU than time, so that a page with one thread runs out of time first, however busy the machine is.
        caps = Caps(cpu=max(60.0, 2 * seconds), within=max(60.0, seconds + LAST_WORD))
        super().__init__(installed.find_chromium(ours.chromium), settings.agent, caps)

    def may_render(self, url: str) -> bool:
        return self.choice.is_auto or self.choice.renders(url)

    def renders(self, url: str) -> bool:
        return self.choice.renders(url)

    async def read(
        self, asked: PageRequest, sent: Fetched, plain: tuple[Fetched, ParsedPage], wanted: Wanted, parse: Parse
    ) -> tuple[Fetched, ParsedPage, Parts | None]:
        fetched, parsed = plain
        if not self.renders(sent.url):
            if self.choice.is_auto:
                parsed = parsed._replace(scripts=scripts_before(sent, parsed))
            if not self.choice.is_due(asked.render, parsed):
                return fetched, parsed, None
        plain, scripts = (sent, parsed), parsed.scripts
        began = asyncio.get_running_loop().time()
        if asked.render.routes:
            self.note_routes(sent.url)
        page, parts = await self.rendered(sent, scrolls=asked.render.scrolls and scripts is not None)
        seconds = asyncio.get_running_loop().time() - began
        is_rendered = page.body is not sent.body
        if is_rendered:  # the archive has what Chromium requested
            wanted = replace(wanted, requisites=False, routes=self.has_routes(page.url))
        fetched, parsed = await parse(page, wanted, is_rendered=is_rendered)
        if page.location is not None:
            soon = SOON if is_rendered else 0
            parsed = with_refresh(parsed, (page.location, soon), page.body, places=wanted.places)
        if scripts is not None:
            added = compared(plain, (page, parsed), seconds)
            parsed = parsed._replace(scripts=added._replace(scrolled=parts.scrolled, posts=parts.posts))
        return fetched, parsed._replace(is_shell=False), parts

    async def rendered(self, fetched: Fetched, *, scrolls: bool = False) -> tuple[Fetched, Parts]:
        """The page with its rendered body in UTF-8; or as it was sent, with the reason why it could not be rendered,
        or if it has become another page; and its parts. location: where its scripts lead to. Validators are dropped,
        as they are those of the page without the resources of its scripts."""
        self._requests.pace.note_asked(politeness_key(fetched.url))
        parts = Parts()
        document = Resource(fetched.url, 200, {"content-type": fetched.content_type or "text/html"}, fetched.body)
        fetched = fetched._replace(etag=None, last_modified=None, location=None)
        try:
            async with self._room:
                shown, requests = await self._shown(document, parts, scrolls=scrolls)
        except FetchError as error:
            log.event("page-not-rendered", url=fetched.url, reason=error.reason, why=str(error)[:_SHOWN])
            return fetched._replace(unrendered=error.reason), parts
        parts.scrolled, parts.posts = requests.scrolled, requests.posts
        self._judge_routes(fetched.url, shown)
        parts.made, body = shown.screenshots, shown.html.encode("utf-8", "replace")
        spelled = normalise_route if "#" in fetched.url else normalise
        target = spelled(shown.moved_to or shown.led_to)
        fetched = fetched._replace(location=None if target == fetched.url else target)
        if shown.moved_to:  # what it shows is that of another page
            return fetched, parts
        is_cut = len(body) >= self._most
        unrendered = "" if shown.is_ready else "render-timeout"
        is_cut = fetched.truncated or is_cut
        return fetched._replace(body=body[: self._most], truncated=is_cut, unrendered=unrendered), parts

    def has_routes(self, url: str) -> bool:
        """True if the links of a rendered page to routes of its application, such as #/x, lead to pages: a route of its
        origin was asked for, or has shown a text of its own beside the page that links to it."""
        return origin_of(url) in self._with_routes

    def note_routes(self, url: str) -> None:
        """Take it that routes of the origin of a URL show pages."""
        self._with_routes.add(origin_of(url))

    def _tries_routes(self, url: str) -> bool:
        return not self.has_routes(url) and self._tried[origin_of(url)] < _TRIED

    def _judge_routes(self, url: str, shown: Shown) -> None:
        if "#" in url or (shown.routes and are_pages(shown.html, shown.routes)):
            self.note_routes(url)
        elif shown.routes:
            self._tried[origin_of(url)] += 1

    async def _shown(self, document: Resource, parts: Parts, *, scrolls: bool) -> tuple[Shown, TabRequests]:
        """What a page shows, and its requests; after a crash, which may be that of another page, at the second try."""
        for _ in range(2):
            requests = TabRequests(document, partial(self._requests.answer, parts), lambda: parts.held > 0)
            requests.scrolls, requests.tries_routes = scrolls, self._tries_routes(document.url)
            try:
                shown = await self.shown(
                    requests, self._seconds, self._most, pictures=self._takes_pictures, whole=self._is_whole
                )
                return shown, requests
            except FetchError as error:
                if error.reason != "render-crashed":
                    raise
                crash = error
        raise crash
