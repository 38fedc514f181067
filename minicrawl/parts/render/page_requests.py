"""Answer the requests of a page's scripts by the crawl's own fetcher (docs/render.md says which).

A request to another origin than the page's carries no secret: an origin for which the user has given a password or a
secret header is not asked. A redirect to another origin is followed here, invisible to the browser, so its CORS fields
are checked here too.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple
from weakref import WeakValueDictionary

from msgspec import Struct, field

from minicrawl.crawler.hosts.clocks import HostDelays
from minicrawl.model import Exchange, Fetched, PageRequest
from minicrawl.parts.part import own
from minicrawl.parts.render import RenderSettings
from minicrawl.settings import CrawlSettings
from minicrawl.web.http.fetch import Exchanged, Fetcher
from minicrawl.web.http.response_fields import REDIRECTS, Field
from minicrawl.web.http.transport import Parts
from minicrawl.web.robots.rules import MAX_BYTES, MAX_REDIRECTS, RobotsState, judged
from minicrawl.web.urls.keys import origin_of, politeness_key
from minicrawl.web.urls.normalise import normalise

_MANY = 1000
"""Hosts from which on those are forgotten that may get a request at once."""


class _Turns(Struct):
    """The turns at a host. `ready_at`: when the next may begin, by the clock."""

    ready_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Pace:
    """Request times of hosts, by politeness key. delays: seconds from an answer to the next request."""

    def __init__(self, delays: HostDelays, clock: Callable[[], float]) -> None:
        self._delays = delays
        self._clock = clock
        self._hosts: dict[str, _Turns] = {}

    def note_asked(self, host: str) -> None:
        """Record a request that was made elsewhere."""
        self._of(host).ready_at = self._clock() + self._delays.of(host)

    @asynccontextmanager
    async def turn(self, host: str, crawl_delay: float = 0.0, page: Parts | None = None) -> AsyncIterator[None]:
        """Wait for a turn at a host, and hold it. crawl_delay: seconds that its robots.txt asks for. page: its own."""
        turns, delay, waiting = self._of(host), self._delays.of(host), page or Parts()
        longer = self._delays.of(host, crawl_delay) - delay
        with contextlib.ExitStack() as held:
            waiting.held += 1
            held.callback(waiting.let_go)
            async with turns.lock:
                await asyncio.sleep(max(turns.ready_at + longer - self._clock(), 0.0))
                held.close()
                try:
                    yield
                finally:
                    turns.ready_at = self._clock() + delay

    def _of(self, host: str) -> _Turns:
        if host not in self._hosts and len(self._hosts) >= _MANY:
            now = self._clock()
            self._hosts = {
                name: turns for name, turns in self._hosts.items() if turns.lock.locked() or turns.ready_at > now
            }
        return self._hosts.setdefault(host, _Turns())


_LIFETIME = 3600.0
"""Seconds: what is older is requested again."""
_MOST = 256 * 2**20
"""Bytes that are kept."""
_MAX_AGE = re.compile(r'\bmax-age\s*=\s*"?(\d{1,9})')
_NEVER = re.compile(r"\bno-(?:store|cache)\b")


class Resource(NamedTuple):
    """A response to a request of a page. `headers`: names in lower case. `url`: after redirects. `hops`: all exchanges
    that it took, none without a capture. `sets_cookie`: it is for one visitor."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    hops: tuple[Exchange, ...] = ()
    sets_cookie: bool = False

    @property
    def size(self) -> int:
        """Bytes of memory, roughly."""
        return len(self.body) + sum(len(exchange.body) for exchange in self.hops)


def lifetime_of_data(found: Resource) -> float:
    """Seconds for which other pages have the answer that a script has fetched (RFC 9111, 4.2). What says nothing on its
    age is as old as a script may be."""
    rules = found.headers.get("cache-control", found.headers.get("pragma", "")).lower()
    if found.sets_cookie or _NEVER.search(rules) or found.headers.get("vary", "").strip() == "*":
        return 0.0
    if (age := _MAX_AGE.search(rules)) is not None:
        return min(float(age[1]), _LIFETIME)
    return 0.0 if "expires" in found.headers else _LIFETIME


class ResourceCache:
    """Responses by URL, or more where that has several; those go first that were kept first."""

    def __init__(self, clock: Callable[[], float], most: int = _MOST) -> None:
        self._clock = clock
        self._most = most
        self._kept: dict[str, tuple[float, Resource]] = {}
        self.size = 0

    def get(self, url: str) -> Resource | None:
        until, found = self._kept.get(url, (0.0, None))
        return found if found is not None and self._clock() < until else None

    def put(self, url: str, resource: Resource, seconds: float = _LIFETIME) -> None:
        """Keep a response with status 200 for some time, unless it is no-store."""
        if resource.status != 200 or not seconds or "no-store" in resource.headers.get("cache-control", "").lower():
            return
        self._drop(url)
        while self._kept and self.size + resource.size > self._most:
            self._drop(next(iter(self._kept)))
        if resource.size <= self._most:
            self._kept[url] = self._clock() + seconds, resource
            self.size += resource.size

    def _drop(self, url: str) -> None:
        _, dropped = self._kept.pop(url, (0.0, None))
        if dropped is not None:
            self.size -= dropped.size


MOST = 100
"""Requests that one page may make; and those of all kinds, and the bytes that it may take for the archive."""
_MOST_HOPS = 10
_MOST_ORIGINS = 1000
_EMPTY_STYLE = Resource("", 200, {"content-type": "text/css", "access-control-allow-origin": "*"}, b"")
_MOST_OF_ALL_KINDS = 500
_FETCHED_KINDS = frozenset({"script", "fetch", "xhr"})
_SHOWN_KINDS = frozenset({"stylesheet", "image", "font", "media", "document"})
_CACHED_KINDS = frozenset({"script", "stylesheet", "image", "font", "document"})
_DATA_KINDS = frozenset({"fetch", "xhr"})
# A frame behind a redirect to another origin would pass for one of the page's own.
_READABLE_KINDS = frozenset({"fetch", "xhr", "font", "document"})
# What concerns one connection or one body as it was sent, or would make the browser keep or ask for something.
_LEFT_OUT = {
    *("connection", "keep-alive", "transfer-encoding", "content-encoding", "content-length", "trailer", "upgrade"),
    *("set-cookie", "link", "alt-svc", "refresh", "strict-transport-security", "report-to", "nel"),
    *("reporting-endpoints", "clear-site-data"),
}
# Fields that a script may have set, and that go to its server; a browser's own are ours, or nobody's.
_PASSED_ON = frozenset({"accept", "accept-language", "origin", "x-requested-with"})


class PageRequests:
    """Answers what pages ask for, of all pages of one process."""

    def __init__(self, fetcher: Fetcher, settings: CrawlSettings) -> None:
        self._fetcher = fetcher
        self._user_agent = settings.user_agent
        self._asks_robots = not settings.ignore_robots
        shows = own(settings, RenderSettings).screenshots or settings.requisites
        self._kinds = _FETCHED_KINDS | (_SHOWN_KINDS if shows else set())
        self._most = _MOST_OF_ALL_KINDS if shows else MOST
        # A script may read images, too, and redirects to another origin are followed here.
        self._unread = {"script"} if settings.allow_private else self._kinds - _READABLE_KINDS
        self.pace = Pace(HostDelays.by_rules(settings.delay, settings.host_delay), time.monotonic)
        self._cache = ResourceCache(time.monotonic)
        self._under_way = WeakValueDictionary[str, asyncio.Lock]()
        """By key of the cache: pages of a site ask for the same at once."""
        self._robots: dict[str, RobotsState] = {}
        self._robots_turns: dict[str, asyncio.Lock] = {}

    async def answer(  # noqa: PLR0913 - a page, and what Chromium says of a request
        self, page: Parts, by: str, kind: str, method: str, url: str, headers: dict[str, str]
    ) -> Resource | None:
        """The answer to a request; None if there is to be none. by: URL of the document that asks, the page or a frame
        in it. kind: as Chromium calls it."""
        if kind == "stylesheet" and kind not in self._kinds:
            return _EMPTY_STYLE
        asked = normalise(url)
        is_own_frame = kind == "document" and asked is not None and origin_of(asked) == origin_of(by)
        if (kind not in self._kinds and not is_own_frame) or method != "GET" or asked is None:
            return None
        page.asked += 1
        if page.asked > self._most:
            return None
        passed = _passed_on(headers)
        if kind not in _CACHED_KINDS | _DATA_KINDS:
            return await self._fetched(page, by, kind, asked, passed)
        key = asked if kind in _CACHED_KINDS else f"{asked} {origin_of(by)} {passed}"
        is_poll = kind in _DATA_KINDS and key in page.data  # it waits for another answer
        page.data.add(key)
        lock = self._under_way.setdefault(key, asyncio.Lock())
        with contextlib.ExitStack() as held:
            page.held += 1
            held.callback(page.let_go)
            async with lock:
                held.close()
                found = None if is_poll else self._cache.get(key)
                if found is not None:
                    return found if page.keeps(found.hops) else None
                found = await self._fetched(page, by, kind, asked, passed)
                if found is not None and not self._fetcher.sends_secrets_to(origin_of(found.url)):
                    self._cache.put(key, found, lifetime_of_data(found) if kind in _DATA_KINDS else _LIFETIME)
                return found

    async def _fetched(
        self, page: Parts, by: str, kind: str, asked: str, headers: tuple[tuple[str, str], ...]
    ) -> Resource | None:
        """The server's answer; None if there is none, or the page may not read it."""
        hops: list[Exchange] = []
        found = await self._followed(page, by, asked, headers, hops)
        is_kept = page.keeps(hops)
        if found is None or not is_kept or (kind not in self._unread and not _may_be_read(found, asked, by)):
            return None
        return found

    async def _followed(
        self, page: Parts, by: str, url: str, headers: tuple[tuple[str, str], ...], hops: list[Exchange]
    ) -> Resource | None:
        """The answer at the end of all redirects. hops: where all exchanges are put."""
        sets_cookie = False
        for _ in range(_MOST_HOPS):
            origin = origin_of(url)
            if origin != origin_of(by) and self._fetcher.sends_secrets_to(origin):
                return None
            if self._asks_robots and (await self._robots_of(page, origin)).refusal(self._user_agent, url) is not None:
                return None
            fetched, exchange, fields = await self._asked(page, url, headers)
            if fetched.status is None or fetched.truncated or fetched.reason is not None:
                return None
            if exchange is not None:
                hops.append(exchange)
            sets_cookie |= any(name.lower() == b"set-cookie" for name, _ in fields)
            if fetched.status not in REDIRECTS:
                return Resource(url, fetched.status, _headers(fields), fetched.body, tuple(hops), sets_cookie)
            target = normalise(fetched.location, url) if fetched.location else None
            if target is None:
                return None
            url = target
        return None

    async def _asked(
        self, page: Parts, url: str, headers: tuple[tuple[str, str], ...] = (), at_least: int = 0
    ) -> Exchanged:
        robots = self._robots.get(origin_of(url))
        delay = 0.0 if robots is None else robots.crawl_delay(self._user_agent)
        async with self.pace.turn(politeness_key(url), delay, page):
            return await self._fetcher.exchanged(PageRequest(url, headers=headers), any_type=True, at_least=at_least)

    async def _robots_of(self, page: Parts, origin: str) -> RobotsState:
        """The robots.txt of an origin, fetched as often as by the crawl."""
        while len(self._robots_turns) > _MOST_ORIGINS:
            oldest = next(iter(self._robots_turns))
            del self._robots_turns[oldest]
            self._robots.pop(oldest, None)
        async with self._robots_turns.setdefault(origin, asyncio.Lock()):
            known = self._robots.get(origin)
            if known is None or known.expires <= time.time():
                attempts = 0 if known is None else known.attempts
                known = self._robots[origin] = judged(await self._robots_txt(page, origin), time.time(), attempts)
            return known

    async def _robots_txt(self, page: Parts, origin: str) -> Fetched:
        """The answer for robots.txt at the end of its redirects (RFC 9309 2.3.1.2)."""
        url = f"{origin}/robots.txt"
        for _ in range(MAX_REDIRECTS + 1):
            fetched, exchange, _ = await self._asked(page, url, at_least=MAX_BYTES)
            if exchange is not None:
                page.robots.append(exchange)
            target = normalise(fetched.location, url) if fetched.status in REDIRECTS and fetched.location else None
            if target is None:
                break
            url = target
        return fetched


def _passed_on(headers: dict[str, str]) -> tuple[tuple[str, str], ...]:
    passed = ((name, value) for name, value in headers.items() if name.lower() in _PASSED_ON)
    return tuple((name, value) for name, value in passed if value.isascii() and value.isprintable())


def _headers(fields: Sequence[Field]) -> dict[str, str]:
    """Header fields for the browser, those with equal names joined."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in fields:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name not in _LEFT_OUT:
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _may_be_read(found: Resource, asked: str, by: str) -> bool:
    """True if a script may read a response behind redirects, as the browser knows only the first URL. by: of the
    document with the script."""
    if origin_of(found.url) == origin_of(asked):
        return True  # the browser itself looks at it
    return found.headers.get("access-control-allow-origin", "") in ("*", origin_of(by))
