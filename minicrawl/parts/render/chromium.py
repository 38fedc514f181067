"""Start and restart a Chromium without network, limit its memory and CPU, and give pages its tabs.

All requests of a page go to a function of ours. Everything that could bypass that (redirects, web sockets, WebRTC,
workers) finds no network, because Chromium is in a cage, see there. It also resolves no name, has an unreachable proxy,
and hides from pages the means to speak UDP: without a cage, this is the only protection. It speaks with Chromium over a
pipe.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from minicrawl import log
from minicrawl.errors import FetchError
from minicrawl.parts.render.screenshots import Screenshot, taken
from minicrawl.parts.render.tab import LAST_WORD, Tab, TabRequests
from minicrawl.sandbox import cage
from minicrawl.system import memory
from minicrawl.web.urls.keys import origin_of

with contextlib.suppress(ImportError):  # an extra: see `installed.find_chromium`
    from playwright.async_api import Browser, CDPSession, Error, Playwright, async_playwright


class Process(NamedTuple):
    """A process of a browser. kind: as Chromium says, such as browser or renderer. seconds: of CPU so far."""

    number: int
    kind: str
    seconds: float


class Caps(Struct, frozen=True, kw_only=True):
    """Bounds of a process of the browser. Each tab has one of its own, a renderer, which ends with it.

    memory   bytes that it has in memory
    cpu      seconds that a renderer may take
    within   seconds in which these count, at least those that a page may take: a renderer has many pages
    every    seconds between two looks
    """

    memory: int = 2**30
    cpu: float = 60.0
    within: float = 60.0
    every: float = 0.25


async def watch(processes: Callable[[], Awaitable[Iterable[Process]]], caps: Caps) -> None:
    """Kill processes that exceed their limits, until cancelled."""
    looks: dict[int, deque[tuple[float, float]]] = {}
    while True:
        await asyncio.sleep(caps.every)
        found, now = list(await processes()), time.monotonic()
        looks = {one.number: looks.get(one.number) or deque([(now, 0.0)]) for one in found}
        for process in found:
            earlier = looks[process.number]
            earlier.append((now, process.seconds))
            while earlier[0][0] < now - caps.within:
                earlier.popleft()
            seconds = process.seconds - earlier[0][1]
            resident = memory(process.number) or 0
            if resident > caps.memory:
                why = f"{resident / 2**20:.0f} MB of memory"
            elif process.kind == "renderer" and seconds > caps.cpu:
                why = f"{seconds:.0f} s of CPU"
            else:
                continue
            with contextlib.suppress(OSError):
                os.kill(process.number, signal.SIGKILL)
                log.event("chromium-killed", kind=process.kind, why=why)


_SWITCHES = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://nowhere.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--blink-settings=lazyLoadEnabled=false",  # a page that nobody scrolls has all its pictures
    "--disable-site-isolation-trials",  # frames are in the process of their page, which is watched
)
_SENTENCES = {
    cage.NAMESPACE: "Chromium has no network (a namespace of its own), and its sandbox",
    cage.FILTER: "Chromium has no network: the system refuses a namespace, so seccomp refuses sockets",
    cage.OPEN: "only Chromium's own switches block the network: the system has neither namespaces nor seccomp",
}
_NO_SANDBOX = "; without its sandbox, as root has none: crawl as another user"
_MOST_TABS = 8
"""Tabs that are kept; those of a page are open in any case."""


class Shown(NamedTuple):
    """What a page shows. is_ready: it did so in time. moved_to: the URL that it has then, if another. led_to: where its
    scripts have led to in place of it. routes: what it shows at some of its links to routes."""

    html: str
    is_ready: bool
    moved_to: str
    led_to: str
    screenshots: list[Screenshot]
    routes: list[str]


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
        self._idle: list[Tab] = []
        """Empty tabs, that which waits longest first."""
        self._busy = 0

    async def shown(
        self, requests: TabRequests, seconds: float, most: int, *, pictures: bool = False, whole: bool = False
    ) -> Shown:
        """Render a page until it is ready or its time is up. requests: its own. most: characters of HTML. pictures:
        take screenshots. whole: wait for all that the page asks for. Raises FetchError."""
        try:
            tab = await self._tab(origin_of(requests.url))
        except Error as error:
            await self._stop()
            raise FetchError("render-crashed", str(error)) from error
        self._busy += 1
        is_sound = False
        try:
            shown = await _unless_it_dies(tab, _read(tab, requests, seconds, most, pictures=pictures, whole=whole))
            is_sound = True
            return shown
        except Error as error:
            raise FetchError("render-killed" if tab.has_crashed else "render-crashed", str(error)) from error
        except TimeoutError as error:
            raise FetchError("render-timeout") from error
        finally:
            self._busy -= 1
            await requests.cancel()
            if is_sound and await tab.emptied():
                self._idle.append(tab)
            else:
                await self._closed(tab)

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
                    return await _processes(session) if self._busy else []
                return []

            self._watch = asyncio.create_task(watch(of_pages, self._caps))
            return browser

    async def _tab(self, origin: str) -> Tab:
        """A tab for a page of an origin: an empty one that had pages of it, or a new one. Raises playwright's Error."""
        browser = await self._started()
        for tab in [tab for tab in self._idle if tab.has_crashed]:
            self._idle.remove(tab)
            await self._closed(tab)
        for tab in self._idle:
            if tab.origin == origin:
                self._idle.remove(tab)
                return tab
        while self._idle and len(self._idle) + self._busy >= _MOST_TABS:
            await self._closed(self._idle.pop(0))
        return await Tab.opened(browser, origin, self._user_agent)

    async def _closed(self, tab: Tab) -> None:
        """Close a tab. A browser that cannot do that is restarted."""
        try:
            await tab.close()
        except (Error, TimeoutError):
            if self._browser is not None and self._browser is tab.browser:
                await self._stop()

    async def _stop(self) -> None:
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        self._idle.clear()
        if self._watch is not None:
            self._watch.cancel()
        if browser is not None:
            with contextlib.suppress(Error, TimeoutError):
                async with asyncio.timeout(LAST_WORD):
                    await browser.close()
        if playwright is not None:
            with contextlib.suppress(Error):
                await playwright.stop()


async def _read(  # noqa: PLR0913 - as `Chromium.shown`
    tab: Tab, requests: TabRequests, seconds: float, most: int, *, pictures: bool, whole: bool
) -> Shown:
    html, is_ready, moved_to = await tab.read(requests, seconds, most, whole=whole)
    screenshots = await taken(tab.page) if pictures else []
    led_to = requests.led_to
    routes = await tab.routes(requests, seconds, most) if requests.tries_routes and not moved_to else []
    return Shown(html, is_ready, moved_to, led_to, screenshots, routes)


async def _unless_it_dies(tab: Tab, reading: Coroutine[None, None, Shown]) -> Shown:
    """What a tab shows. Raises FetchError as soon as the process of its page has died."""
    task = asyncio.ensure_future(reading)
    tab.on_crash = task.cancel
    try:
        return await task
    except asyncio.CancelledError as error:
        current = asyncio.current_task()
        if tab.has_crashed and not (current is not None and current.cancelling()):
            raise FetchError("render-killed", "its process has died") from error
        raise


async def _processes(session: "CDPSession") -> list[Process]:
    """The processes of a browser, by its own account."""
    found = await session.send("SystemInfo.getProcessInfo")
    return [Process(one["id"], one["type"], one["cpuTime"]) for one in found["processInfo"]]
