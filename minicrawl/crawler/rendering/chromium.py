"""Find, start and restart a Chromium without network, limit its memory and CPU, and take its screenshots.

All requests of a page go to a function of ours. Everything that could bypass that (redirects, web sockets, WebRTC,
workers) finds no network, as Chromium is in a cage, see there. It also resolves no name, has an unreachable proxy, and
hides from pages the means to speak UDP: without a cage, this is the only protection. The only module that imports
playwright; it speaks with Chromium over a pipe.
"""

import asyncio
import base64
import contextlib
import os
import re
import shutil
import signal
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from importlib import util
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from minicrawl import installed, log
from minicrawl.crawler.rendering.page_requests import PageRequests, Resource
from minicrawl.errors import FetchError, SettingError
from minicrawl.model import Fetched
from minicrawl.sandbox import cage
from minicrawl.settings import CrawlSettings
from minicrawl.system import memory
from minicrawl.timing import STANDARD
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.http.transport import Parts
from minicrawl.web.urls.keys import politeness_key

with contextlib.suppress(ImportError):  # an extra: see `find_chromium`
    from playwright.async_api import (
        Browser,
        BrowserContext,
        CDPSession,
        Error,
        Page,
        Playwright,
        Request,
        Route,
        WebSocketRoute,
        async_playwright,
    )
    from playwright.async_api import TimeoutError as TimeIsUp

VIEW, FULL_PAGE, THUMBNAIL = "view", "fullPage", "thumbnail"
MEDIA_TYPE = "image/webp"
Screenshot = tuple[str, str, bytes]
"""Its name, media type and bytes."""
_WIDTH, _HEIGHT = 1280, 720
_THUMBNAIL_SCALE = 0.25
_HIGHEST = 10_000
"""Pixels of a page that are shown; Chromium draws about 16,000 at most."""
_MOST_BYTES = 16 * 2**20
_SECONDS = 20.0
"""For all screenshots of a page."""
_QUALITY = 80


class Process(NamedTuple):
    """A process of a browser. kind: as Chromium says, such as browser or renderer. seconds: of CPU so far."""

    number: int
    kind: str
    seconds: float


class Caps(Struct, frozen=True, kw_only=True):
    """Bounds of a process of the browser. Each page has one of its own, a renderer, which ends with it.

    memory   bytes that it has in memory
    cpu      seconds that a page's may take
    every    seconds between two looks
    """

    memory: int = 2**30
    cpu: float = 60.0
    every: float = 0.25


async def watch(processes: Callable[[], Awaitable[Iterable[Process]]], caps: Caps) -> None:
    """Kill processes that exceed their limits, until cancelled."""
    while True:
        await asyncio.sleep(caps.every)
        for process in await processes():
            resident = memory(process.number) or 0
            if resident > caps.memory:
                why = f"{resident / 2**20:.0f} MB of memory"
            elif process.kind == "renderer" and process.seconds > caps.cpu:
                why = f"{process.seconds:.0f} s of CPU"
            else:
                continue
            with contextlib.suppress(OSError):
                os.kill(process.number, signal.SIGKILL)
                log.event("chromium-killed", kind=process.kind, why=why)


Answer = Callable[[str, str, str, str, dict[str, str]], Awaitable[Resource | None]]
"""The answer to a request: URL of the document that asks, kind, method, URL and header fields. None: there is none."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SWITCHES = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://nowhere.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--blink-settings=lazyLoadEnabled=false",  # a page that nobody scrolls has all its pictures
    "--disable-site-isolation-trials",  # frames are in the process of their page, which is watched
)
_NO_UDP = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name]"
_SENTENCES = {
    cage.NAMESPACE: "Chromium has no network (a namespace of its own), and its sandbox",
    cage.FILTER: "Chromium has no network: the system refuses it a namespace, so it is refused sockets (seccomp)",
    cage.OPEN: "only Chromium's own switches keep it off the network: the system has neither namespaces nor seccomp",
}
_NO_SANDBOX = "; without its sandbox, as root has none: crawl as another user"
_OUTER_HTML = "most => document.documentElement.outerHTML.slice(0, most)"
_LAST_WORD = 10.0
"""Seconds for a page to say what it shows when its time is up, and to close."""


def find_chromium(chosen: Path | None) -> Path:
    """The Chromium to use. Raises SettingError where there is none, or nothing to speak with it."""
    if util.find_spec("playwright") is None:
        raise SettingError(f"--render needs playwright; run: {installed.adding('render')}")
    if chosen is not None:
        if not os.access(chosen, os.X_OK) or not chosen.is_file():
            raise SettingError(f"--chromium {chosen} is not a program; name the file of a Chromium")
        return chosen
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise SettingError(
            f"--render needs a Chromium, and there is no {', '.join(NAMES[:3])} on the PATH; install one, or name it: "
            "--chromium FILE"
        )
    return Path(found)


class Chromium:
    """One browser. program: its file. user_agent: what pages see as that."""

    def __init__(self, program: Path, user_agent: str, caps: Caps) -> None:
        self._program = program
        self._user_agent = user_agent
        self._caps = caps
        self._turn = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._watch: asyncio.Task[None] | None = None

    async def shown(
        self, page: Resource, answer: Answer, seconds: float, most: int, *, pictures: bool = False
    ) -> tuple[str, list[Screenshot]]:
        """Render a page until it makes no more requests or its time is up. Returns its HTML and screenshots. page: the
        response for it. most: characters of HTML. pictures: take screenshots. Raises FetchError."""
        try:
            browser = await self._started()
            context = await browser.new_context(
                user_agent=self._user_agent, service_workers="block", accept_downloads=False
            )
        except Error as error:
            await self._stop()
            raise FetchError("render-crashed", str(error)) from error
        requests = _Requests(page, answer)
        try:
            html, browser_page = await _read(context, requests, seconds, most)
            return html, await taken(browser_page) if pictures else []
        except Error as error:
            raise FetchError("render-killed" if requests.has_crashed else "render-crashed", str(error)) from error
        except TimeoutError as error:
            raise FetchError("render-timeout") from error
        finally:
            await requests.cancel()
            await self._closed(context)

    async def aclose(self) -> None:
        async with self._turn:
            await self._stop()

    async def _started(self) -> "Browser":
        async with self._turn:
            if self._browser is not None and self._browser.is_connected():
                return self._browser
            await self._stop()
            self._playwright = await async_playwright().start()
            with cage.caged(self._program, 2 * self._caps.memory) as program:
                browser = await self._playwright.chromium.launch(
                    executable_path=program,
                    args=_SWITCHES,
                    ignore_default_args=["--disable-popup-blocking"],
                    chromium_sandbox=cage.has_cages() or os.geteuid() != 0,  # the cage knows better
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
            session = await browser.new_browser_cdp_session()
            kind = cage.cage_of(next(one.number for one in await _processes(session) if one.kind == "browser"))
            sentence = _SENTENCES[kind] + (_NO_SANDBOX if kind != cage.NAMESPACE and os.geteuid() == 0 else "")
            is_caged = kind == cage.NAMESPACE
            log.event("chromium-caged" if is_caged else "chromium-exposed", kind=kind, sentence=sentence)
            self._browser = browser

            async def of_pages() -> list[Process]:
                """All processes while pages are open; none after the browser has ended."""
                with contextlib.suppress(Error):
                    return await _processes(session) if browser.contexts else []
                return []

            self._watch = asyncio.create_task(watch(of_pages, self._caps))
            return browser

    async def _closed(self, context: "BrowserContext") -> None:
        """Close a page's context. A browser that cannot do that is restarted."""
        try:
            async with asyncio.timeout(_LAST_WORD):
                await context.close()
        except (Error, TimeoutError):
            if self._browser is context.browser:
                await self._stop()

    async def _stop(self) -> None:
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        if self._watch is not None:
            self._watch.cancel()
        if browser is not None:
            with contextlib.suppress(Error, TimeoutError):
                async with asyncio.timeout(_LAST_WORD):
                    await browser.close()
        if playwright is not None:
            with contextlib.suppress(Error):
                await playwright.stop()


async def _processes(session: "CDPSession") -> list[Process]:
    """The processes of a browser, by its own account."""
    found = await session.send("SystemInfo.getProcessInfo")
    return [Process(one["id"], one["type"], one["cpuTime"]) for one in found["processInfo"]]


class _Requests:
    """The requests of one page: for itself first, then those of its scripts."""

    def __init__(self, page: Resource, answer: Answer) -> None:
        self.url = page.url
        self._page: Resource | None = page
        self._answer = answer
        self._tasks: set[asyncio.Task[Resource | None]] = set()
        self.has_crashed = False

    def on_crash(self, page: "Page") -> None:
        self.has_crashed = True

    async def on_request(self, route: "Route") -> None:
        with contextlib.suppress(Error):  # the page has gone
            found = await self._found(route)
            if found is None:
                await route.abort("aborted")
            else:
                await route.fulfill(status=found.status, headers=found.headers, body=found.body)

    async def cancel(self) -> None:
        """Cancel the requests in flight, and wait for their end."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _found(self, route: "Route") -> Resource | None:
        request = route.request
        if request.is_navigation_request() and not _is_of_frame(request):  # where scripts lead to, never
            page, self._page = self._page, None
            return page
        task = asyncio.ensure_future(
            self._answer(
                self._asking(request), request.resource_type, request.method, request.url, await request.all_headers()
            )
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.wait({task})
        return None if task.cancelled() else task.result()

    def _asking(self, request: "Request") -> str:
        """The URL of the document that makes a request: a frame of the web, or else the page."""
        with contextlib.suppress(Error):
            if not request.is_navigation_request() and request.frame.url.startswith(("http://", "https://")):
                return request.frame.url
        return self.url


def _is_of_frame(request: "Request") -> bool:
    try:
        return request.frame.parent_frame is not None
    except Error:  # of a window that a script has opened
        return False


async def _read(context: "BrowserContext", requests: _Requests, seconds: float, most: int) -> "tuple[str, Page]":
    end = asyncio.get_running_loop().time() + seconds

    def left() -> float:
        return max(end - asyncio.get_running_loop().time(), 0.001) * 1000.0

    async with asyncio.timeout(seconds + _LAST_WORD):
        await context.add_init_script(_NO_UDP)
        page = await context.new_page()
        page.on("crash", requests.on_crash)
        context.on("page", _close)
        await context.route("**/*", requests.on_request)
        await context.route_web_socket("**/*", _refuse)
        with contextlib.suppress(TimeIsUp):
            await page.goto(requests.url, wait_until="commit", timeout=left())
            await page.wait_for_load_state("networkidle", timeout=left())
        html = await page.evaluate(_OUTER_HTML, most)
    if not isinstance(html, str):
        raise FetchError("render-timeout", "the page has changed how it is read")
    return html[:most], page


async def _close(page: "Page") -> None:
    """Close a window that a script has opened."""
    with contextlib.suppress(Error):
        await page.close()


async def _refuse(socket: "WebSocketRoute") -> None:
    await socket.close()


async def taken(page: "Page") -> list[Screenshot]:
    """The screenshots of a page as it is now; fewer if Chromium fails, takes too long or makes too large ones."""
    found: list[Screenshot] = []
    try:
        async with asyncio.timeout(_SECONDS):
            session = await page.context.new_cdp_session(page)
            height = int((await session.send("Page.getLayoutMetrics"))["cssContentSize"]["height"])
            view = await _drawn(session, _HEIGHT)
            found.append((VIEW, MEDIA_TYPE, view))
            found.append((THUMBNAIL, MEDIA_TYPE, await _drawn(session, _HEIGHT, _THUMBNAIL_SCALE)))
            whole = view if height <= _HEIGHT else await _drawn(session, min(height, _HIGHEST))
            found.append((FULL_PAGE, MEDIA_TYPE, whole))
    except (Error, TimeoutError, KeyError) as error:
        log.event("page-not-pictured", url=page.url, why=str(error) or f"it takes more than {_SECONDS:.0f} s")
    return [one for one in found if len(one[2]) <= _MOST_BYTES]


async def _drawn(session: "CDPSession", height: int, scale: float = 1.0) -> bytes:
    """A picture of the top of a page. height: in pixels of the page."""
    clip = {"x": 0, "y": 0, "width": _WIDTH, "height": height, "scale": scale}
    asked = {"format": "webp", "quality": _QUALITY, "clip": clip, "captureBeyondViewport": height > _HEIGHT}
    return base64.b64decode((await session.send("Page.captureScreenshot", asked))["data"])


_SHOWN = 1000
"""Characters of Chromium's message in the log."""

_OPEN = 4
"""Most pages that one Chromium has open."""


class Renderer(Chromium):
    """Renders the pages that the settings select, in one browser, started for the first of them. fetcher: answers the
    requests of pages. seconds: for the scripts of a page. Raises SettingError if there is no Chromium."""

    def __init__(self, settings: CrawlSettings, fetcher: Fetcher, seconds: float = STANDARD.render) -> None:
        self._seconds = seconds
        self._patterns = [re.compile(pattern) for pattern in settings.render]
        self._most = settings.max_size
        self._takes_pictures = settings.screenshots
        self._requests = PageRequests(fetcher, settings)
        self._room = asyncio.Semaphore(_OPEN)
        # More CPU than time, so that a page with one thread runs out of time first, however busy the machine is.
        caps = Caps(cpu=2 * seconds)
        super().__init__(find_chromium(settings.chromium), settings.agent, caps)

    def renders(self, url: str) -> bool:
        """True if the page at a URL is to be rendered, if it is HTML."""
        return any(pattern.search(url) for pattern in self._patterns)

    async def rendered(self, fetched: Fetched) -> tuple[Fetched, Parts]:
        """The page with its rendered body in UTF-8, or with the reason if it could not be rendered; and its parts.
        Validators are dropped, as they are those of the page without the resources of its scripts."""
        self._requests.pace.note_asked(politeness_key(fetched.url))
        parts = Parts()
        document = Resource(fetched.url, 200, {"content-type": fetched.content_type or "text/html"}, fetched.body)
        try:
            async with self._room:
                html, parts.made = await self.shown(
                    document,
                    partial(self._requests.answer, parts),
                    self._seconds,
                    self._most,
                    pictures=self._takes_pictures,
                )
        except FetchError as error:
            log.event("page-not-rendered", url=fetched.url, reason=error.reason, why=str(error)[:_SHOWN])
            return Fetched(fetched.url, reason=error.reason, size=fetched.size, seconds=fetched.seconds), parts
        body = html.encode("utf-8", "replace")
        is_cut = len(body) >= self._most
        rendered = fetched._replace(
            body=body[: self._most], etag=None, last_modified=None, truncated=fetched.truncated or is_cut
        )
        return rendered, parts
