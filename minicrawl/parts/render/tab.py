"""A tab of a browser for the pages of one origin, one after another, in a context of its own.

Between two pages it is emptied, so that none finds anything of the one before: the document is left, and with it all
that runs; the browser forgets cookies, databases and caches; and the next document begins without a name, session
storage or history.
"""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable

from minicrawl.errors import FetchError
from minicrawl.parts.render.page_requests import Resource
from minicrawl.web.urls.keys import origin_of, site_of
from minicrawl.web.urls.normalise import is_route, normalise_route

with contextlib.suppress(ImportError):  # an extra: see `installed.find_chromium`
    from playwright.async_api import (
        Browser,
        BrowserContext,
        CDPSession,
        Error,
        Frame,
        Page,
        Request,
        Route,
        WebSocketRoute,
    )

Answer = Callable[[str, str, str, str, dict[str, str]], Awaitable[Resource | None]]
"""The answer to a request: URL of the document that asks, kind, method, URL and header fields. None: there is none."""
LAST_WORD = 10.0
"""Seconds for a page to say what it shows when its time is up, and to close."""
MOST_PAGES = 50
"""Pages of one tab, whose process grows."""
_BLANK = "about:blank"
_QUIET, _LOOK = 0.5, 0.1
"""Seconds for which a page that is ready shows the same; and between two looks."""
_MOST_HELD = 6
"""Times its time that a page may take with the turns for which its requests wait; and that scrolling it may take."""
_STEPS, _STILL, _AT_END = 40, 2, 0.3
"""Steps in which a page is scrolled, at most; looks at its end that bring nothing, after which that is its end; and
seconds without requests before each. On a busy machine a wait for so many seconds alone found 10 of 40 links."""
_MOST_ROUTES = 2
"""Routes of a page that are tried."""
_POLLED = 2
"""Requests to a path from which on the next is a poll, for which no page waits."""
_OWN_KINDS = frozenset({"script", "fetch", "xhr", "document"})
"""Kinds of requests that may change what a page shows."""
# No way to speak UDP, none back to the empty document, and nothing that a tab keeps for the next one of an origin.
_AT_START = """
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name]
for (const name of ['back', 'forward', 'go']) History.prototype[name] = () => undefined
if (self === top) { self.name = ''; try { sessionStorage.clear() } catch {} }"""
# What is inside an element as it is shown: its open shadow root, with what it takes of the element in its slots; or the
# document of a frame of the same origin.
_INSIDE = """
const inside = node => {
    if (node.nodeName === 'SLOT' && node.assignedNodes().length) return node.assignedNodes({flatten: true})
    if (node.nodeName !== 'IFRAME' && node.nodeName !== 'FRAME') return (node.shadowRoot ?? node).childNodes
    try { return node.contentDocument?.body?.childNodes ?? [] } catch { return [] }
}"""
# Resolves once the page has shown as many words and links for so many ms, and in as many looks as these have: on a busy
# machine time passes in which the page does nothing. False if they still change after so many. Attributes, clocks and
# animations change neither number.
_QUIET_FOR = f"""(async (long, most) => {{{_INSIDE}
    const unseen = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE'])
    let words, links
    const visit = node => {{
        if (node.nodeType === Node.TEXT_NODE) words += (node.data.match(/[\\p{{L}}\\p{{N}}]+/gu) ?? []).length
        if (node.nodeType !== Node.ELEMENT_NODE || unseen.has(node.nodeName)) return
        links += node.nodeName === 'A' && node.hasAttribute('href')
        inside(node).forEach(visit)
    }}
    const count = () => {{
        [words, links] = [0, 0]
        visit(document.documentElement)
        return words + ' ' + links
    }}
    const began = performance.now()
    let shown = count(), changed = began, looks = 0
    while (performance.now() - began < most) {{
        await new Promise(done => setTimeout(done, 50))
        const now = count()
        if (now !== shown) [shown, changed, looks] = [now, performance.now(), 0]
        else if (++looks * 50 >= long && performance.now() - changed >= long) return true
    }}
    return performance.now() - changed >= long
}})(%d, %d)"""
# The links that a page shows, by URL, each as HTML.
_LINKS = f"""{_INSIDE}
const links = root => {{
    const found = new Map(), inert = document.implementation.createHTMLDocument('')
    const visit = node => {{
        if (node.nodeName === 'A' && node.hasAttribute('href')) {{
            const link = inert.createElement('a')
            link.setAttribute('href', node.href)
            link.textContent = node.textContent
            found.set(node.href, link.outerHTML)
        }}
        inside(node).forEach(visit)
    }}
    visit(root)
    return found
}}"""
# Notes the links that a page shows, and scrolls on: the window, and each box that has links in it. Says how many there
# were so far, and whether the end of each is shown, and all of it. The page hears of it with the next frame, which is
# late on a busy machine: rows that it never got to show would be lost.
_SCROLL = f"""(async () => {{{_LINKS}
    const seen = globalThis.seen ??= new Map(), root = document.documentElement
    links(root).forEach((link, url) => seen.set(url, link))
    const hidden = box => box.scrollHeight - box.clientHeight - 2
    const boxes = new Set([document.scrollingElement ?? root])
    const has = node => {{
        let found = node.nodeName === 'A' && node.hasAttribute('href')
        for (const child of inside(node)) found = has(child) || found
        if (found && hidden(node) > 0 && /auto|scroll/.test(getComputedStyle(node).overflowY)) boxes.add(node)
        return found
    }}
    has(document.body ?? root)
    const long = [...boxes].filter(box => hidden(box) > 0)
    for (const box of long) box.scrollBy({{top: .8 * box.clientHeight, behavior: 'instant'}})
    const found = [seen.size, long.every(box => box.scrollTop >= hidden(box)), !long.length]
    if (long.length) await new Promise(done => {{
        requestAnimationFrame(() => requestAnimationFrame(done))
        setTimeout(done, 1000)
    }})
    return found
}})()"""
# The fragments of links to another place of the page, once each.
_ROUTES = f"""(() => {{{_LINKS}
    const shown = location.href, here = shown.split('#')[0] + '#', urls = [...links(document.documentElement).keys()]
    return urls.filter(url => url.startsWith(here) && url !== shown).map(url => url.slice(here.length - 1))
}})()"""
# The HTML of the page, and behind it links that scrolling took out of it; with shadow roots or frames to read that of a
# copy in which they are elements, made in a document where nothing runs.
_HTML = f"""(most => {{{_LINKS}
    const root = document.documentElement
    let is_plain = true
    const look = node => {{
        is_plain &&= !node.shadowRoot && !(/^I?FRAME$/.test(node.nodeName) && inside(node).length)
        node.childNodes.forEach(look)
    }}
    const inert = document.implementation.createHTMLDocument('')
    const copied = (node, own) => {{
        const copy = inert.importNode(node, node.nodeName === 'TEMPLATE')
        if (own && node.href?.startsWith?.('http')) copy.setAttribute('href', node.href)
        const into = /^(I?FRAME|SLOT)$/.test(node.nodeName) ? inert.createElement('div') : copy
        if (node.nodeName !== 'TEMPLATE')
            for (const child of inside(node)) into.append(copied(child, own || /FRAME$/.test(node.nodeName)))
        return into
    }}
    if (root) look(root)
    const html = (root ? is_plain ? root : copied(root, false) : {{outerHTML: ''}}).outerHTML
    const seen = globalThis.seen ?? new Map(), here = seen.size ? links(root) : seen
    return (html + [...seen].map(([url, link]) => here.has(url) ? '' : link).join('')).slice(0, most)
}})(%d)"""


class TabRequests:
    """The requests of one page: for itself first, then those of its scripts. is_held: whether one of them waits for its
    turn at its host, which is no fault of the page."""

    def __init__(self, page: Resource, answer: Answer, is_held: Callable[[], bool] = lambda: False) -> None:
        self.url = page.url
        self.is_held = is_held
        self.scrolls, self.tries_routes = False, False
        """The page is scrolled to its end; what it shows at routes is looked at."""
        self.scrolled = 0
        """Links that scrolling has brought."""
        self.pending = 0
        """Those under way that may change what the page shows."""
        self.answered = 0.0
        """When the last one was, by the loop's clock."""
        self._asked = Counter[str]()
        self._page: Resource | None = page
        self._answer = answer
        self._tasks: set[asyncio.Task[Resource | None]] = set()
        self.had_frames_of_others = False
        self.frame: Frame | None = None
        """That of the page itself."""
        self.led_to = ""
        """Where its scripts have led to first, in place of the page."""
        self.posts = 0
        """Its scripts' requests by POST to its own site, which have no answer."""

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

    def must_come(self, *, whole: bool) -> bool:
        """True while an answer is to come that may change what the page shows. whole: or any other, such as a
        picture's."""
        return self.pending > 0 or (whole and bool(self._tasks))

    async def _found(self, route: "Route") -> Resource | None:
        request = route.request
        if request.is_navigation_request() and not _is_of_frame(request):  # where scripts lead to, never
            page, self._page = self._page, None
            if page is None and request.method == "GET":
                with contextlib.suppress(Error):  # it is of a window that a script has opened
                    self.led_to = self.led_to or (request.url if request.frame == self.frame else "")
            return page
        is_post = request.method == "POST" and request.resource_type in ("fetch", "xhr")
        self.posts += is_post and site_of(request.url) == site_of(self.url)
        task = asyncio.ensure_future(
            self._answer(
                self._asking(request), request.resource_type, request.method, request.url, await request.all_headers()
            )
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        path = request.url.partition("?")[0]
        self._asked[path] += 1
        counts = request.resource_type in _OWN_KINDS and self._asked[path] <= _POLLED
        self.pending += counts
        await asyncio.wait({task})
        self.pending -= counts
        if counts:
            self.answered = asyncio.get_running_loop().time()
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
        self._pages, self._frame, self._world = 0, "", 0
        self._requests: TabRequests | None = None
        self.has_crashed = False
        self.on_crash: Callable[[], object] = lambda: None
        """Called when the process of the page has died: what it was asked for will not come."""

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
        tab._frame = (await tab._session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        page.on("crash", tab._on_crash)
        context.on("page", _close)
        await context.route("**/*", tab._on_request)
        await context.route_web_socket("**/*", _refuse)
        return tab

    async def read(
        self, requests: TabRequests, seconds: float, most: int, *, whole: bool = False
    ) -> tuple[str, bool, str]:
        """Open a page, and wait until it is ready or its time is up. Returns its HTML, whether it was ready, and the
        URL that it then has, if that is another page's. most: characters of HTML. whole: wait for its pictures, too.
        Raises FetchError, TimeoutError, playwright's Error."""
        self._pages += 1
        self._requests = requests
        requests.frame = self.page.main_frame
        async with asyncio.timeout(_last_word(seconds)):
            response = await self.page.goto(requests.url, wait_until="commit", timeout=0)
            made = await self._session.send("Page.createIsolatedWorld", {"frameId": self._frame})
            self._world = made["executionContextId"]
        is_ready = await self._wait(requests, seconds, whole=whole)
        if is_ready and requests.scrolls:
            requests.scrolled = await self._scroll(requests, seconds)
        async with asyncio.timeout(_last_word(seconds)):
            html = await self._said(_HTML % most)
        if not isinstance(html, str) or origin_of(self.page.url) != self.origin:
            raise FetchError("render-timeout", "the page has left")
        own = response.url if response is not None else requests.url
        if "#" in requests.url:
            has_moved = normalise_route(self.page.url) != requests.url
        else:
            has_moved = self.page.url.partition("#")[0] != own.partition("#")[0]
        return html, is_ready, self.page.url if has_moved else ""

    async def routes(self, requests: TabRequests, seconds: float, most: int) -> list[str]:
        """The HTML of the page at the first routes to which it links; empty for one that does not get ready."""
        shown = list[str]()
        try:
            async with asyncio.timeout(_last_word(seconds)):
                found = await self._said(_ROUTES)
            for route in filter(is_route, found if isinstance(found, list) else []):
                if len(shown) == _MOST_ROUTES:
                    break
                async with asyncio.timeout(_last_word(seconds)):
                    await self._said(f"location.hash = {json.dumps(route)}")
                await self._wait(requests, seconds, whole=False)
                async with asyncio.timeout(_last_word(seconds)):
                    html = await self._said(_HTML % most)
                shown.append(html if isinstance(html, str) else "")
        except (FetchError, TimeoutError, Error):
            shown.append("")  # it tells nothing of this one, and others may take as long
        return shown

    async def _wait(self, requests: TabRequests, seconds: float, *, whole: bool) -> bool:
        """Wait until a page is ready: for half a second neither the number of its words nor that of its links changes,
        and no request is pending that may change them. False if only such a request is left when its time is up. Raises
        FetchError if they change to the end."""
        clock, spent = asyncio.get_running_loop().time, 0.0
        requests.answered = clock()
        end = requests.answered + _MOST_HELD * seconds
        while spent < seconds and clock() < end:
            began = clock()
            quiet = max(_QUIET - (began - requests.answered), _LOOK)
            async with asyncio.timeout(seconds - spent + _last_word(seconds)):
                is_quiet = await self._said(_QUIET_FOR % (1000 * quiet, 1000 * (seconds - spent)))
            spent += clock() - began
            if not is_quiet:
                raise FetchError("render-timeout", "its words and links keep changing")
            if not requests.must_come(whole=whole) and clock() - requests.answered >= _QUIET:
                return True
            while requests.must_come(whole=whole) and spent < seconds and clock() < end:
                await asyncio.sleep(_LOOK)
                spent += 0.0 if requests.is_held() else _LOOK
        return not requests.pending

    async def _scroll(self, requests: TabRequests, seconds: float) -> int:
        """Scroll a page to its end, or until its time is up. Returns the number of links that this has brought.
        seconds: for a step."""
        clock, first, links, still = asyncio.get_running_loop().time, 0, 0, 0
        end = clock() + _MOST_HELD * seconds
        for step in range(_STEPS):
            async with asyncio.timeout(_last_word(seconds)):
                found = await self._said(_SCROLL)
            now, is_end, is_all = found if isinstance(found, list) else (links, True, True)
            first = first if step else now
            still = still + 1 if is_end and step and now == links else 0
            if still == _STILL or (is_all and not step) or clock() >= end:
                break
            links = now
            await asyncio.sleep(_AT_END if is_end else _LOOK)
            waited = 0.0
            while requests.must_come(whole=False) and waited < seconds and clock() < end:
                await asyncio.sleep(_LOOK)
                waited += 0.0 if requests.is_held() else _LOOK
        return links - first

    async def _said(self, script: str) -> object:
        """What a script of ours says in the page, out of reach of the page's own. Raises playwright's Error."""
        asked = {"expression": script, "contextId": self._world, "returnByValue": True, "awaitPromise": True}
        return (await self._session.send("Runtime.evaluate", asked))["result"].get("value")

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
        self.on_crash()


def _last_word(seconds: float) -> float:
    """Seconds for a page to say what it shows: at least as many as it has to get ready."""
    return max(seconds, LAST_WORD)


async def _close(page: "Page") -> None:
    """Close a window that a script has opened."""
    with contextlib.suppress(Error):
        await page.close()


async def _refuse(socket: "WebSocketRoute") -> None:
    await socket.close()
