"""A tab of a browser for the pages of one origin, one after another, in a context of its own.

Between two pages it is emptied, so that none finds anything of the one before: the document is left, and with it all
that runs; the browser forgets cookies, databases and caches; and the next document begins without a name, session
storage or history.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from minicrawl.crawler.rendering.page_requests import Resource
from minicrawl.errors import FetchError
from minicrawl.web.urls.keys import origin_of

with contextlib.suppress(ImportError):  # an extra: see `chromium.find_chromium`
    from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Page, Request, Route, WebSocketRoute
    from playwright.async_api import TimeoutError as TimeIsUp

Answer = Callable[[str, str, str, str, dict[str, str]], Awaitable[Resource | None]]
"""The answer to a request: URL of the document that asks, kind, method, URL and header fields. None: there is none."""
LAST_WORD = 10.0
"""Seconds for a page to say what it shows when its time is up, and to close."""
MOST_PAGES = 50
"""Pages of one tab, whose process grows."""
_BLANK = "about:blank"
# No way to speak UDP, none back to the empty document, and nothing that a tab keeps for the next one of an origin.
_AT_START = """
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name]
for (const name of ['back', 'forward', 'go']) History.prototype[name] = () => undefined
if (self === top) { self.name = ''; try { sessionStorage.clear() } catch {} }"""
_OUTER_HTML = "most => document.documentElement.outerHTML.slice(0, most)"


class TabRequests:
    """The requests of one page: for itself first, then those of its scripts."""

    def __init__(self, page: Resource, answer: Answer) -> None:
        self.url = page.url
        self._page: Resource | None = page
        self._answer = answer
        self._tasks: set[asyncio.Task[Resource | None]] = set()
        self.had_frames_of_others = False

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
        found = None if task.cancelled() else task.result()
        if found is not None and request.is_navigation_request() and origin_of(request.url) != origin_of(self.url):
            self.had_frames_of_others = True
        return found

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


class Tab:
    """One tab. origin: of its pages. page: as playwright has it."""

    def __init__(self, origin: str, context: "BrowserContext", page: "Page", session: "CDPSession") -> None:
        self.origin, self.page = origin, page
        self._context, self._session = context, session
        self._pages = 0
        self._requests: TabRequests | None = None
        self.has_crashed = False

    @property
    def browser(self) -> "Browser | None":
        return self._context.browser

    @classmethod
    async def opened(cls, browser: "Browser", origin: str, user_agent: str) -> "Tab":
        """A new tab. Raises playwright's Error."""
        context = await browser.new_context(user_agent=user_agent, service_workers="block", accept_downloads=False)
        await context.add_init_script(_AT_START)
        page = await context.new_page()
        tab = cls(origin, context, page, await context.new_cdp_session(page))
        page.on("crash", tab._on_crash)
        context.on("page", _close)
        await context.route("**/*", tab._on_request)
        await context.route_web_socket("**/*", _refuse)
        return tab

    async def read(self, requests: TabRequests, seconds: float, most: int) -> str:
        """Open a page, and wait until it makes no more requests or its time is up. Returns its HTML. most: characters
        of it. Raises FetchError, TimeoutError and playwright's Error."""
        self._pages += 1
        self._requests = requests
        end = asyncio.get_running_loop().time() + seconds

        def left() -> float:
            return max(end - asyncio.get_running_loop().time(), 0.001) * 1000.0

        async with asyncio.timeout(seconds + LAST_WORD):
            with contextlib.suppress(TimeIsUp):
                await self.page.goto(requests.url, wait_until="commit", timeout=left())
                await self.page.wait_for_load_state("networkidle", timeout=left())
            html = await self.page.evaluate(_OUTER_HTML, most)
        if not isinstance(html, str) or origin_of(self.page.url) != self.origin:
            raise FetchError("render-timeout", "the page has left, or changed how it is read")
        return html[:most]

    async def emptied(self) -> bool:
        """Leave the page, and forget all that it stored. False if the tab must not have another one."""
        requests, self._requests = self._requests, None
        if self.has_crashed or self._pages >= MOST_PAGES or requests is None or requests.had_frames_of_others:
            return False
        try:
            async with asyncio.timeout(LAST_WORD):
                await self.page.goto(_BLANK, wait_until="commit")
                await asyncio.gather(
                    self._session.send("Storage.clearDataForOrigin", {"origin": self.origin, "storageTypes": "all"}),
                    self._context.clear_cookies(),
                    self._session.send("Page.resetNavigationHistory"),
                )
        except (Error, TimeoutError):
            return False
        return True

    async def close(self) -> None:
        """Raises playwright's Error, TimeoutError."""
        async with asyncio.timeout(LAST_WORD):
            await self._context.close()

    async def _on_request(self, route: "Route") -> None:
        if self._requests is not None:
            await self._requests.on_request(route)
        else:
            with contextlib.suppress(Error):
                await route.abort("aborted")

    def _on_crash(self, page: "Page") -> None:
        self.has_crashed = True


async def _close(page: "Page") -> None:
    """Close a window that a script has opened."""
    with contextlib.suppress(Error):
        await page.close()


async def _refuse(socket: "WebSocketRoute") -> None:
    await socket.close()
