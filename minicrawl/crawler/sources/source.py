"""Where parsed pages come from: fetched and parsed in this process, or in worker processes.

What crosses a process border is small: a page's answer without its body, and its normalised outlinks.
"""

import asyncio
import contextlib
import logging
import socket
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field, fields, replace
from multiprocessing.connection import Connection
from operator import attrgetter
from types import TracebackType
from typing import Any, Protocol, Self

from minicrawl.crawler.html.fingerprint import Identity
from minicrawl.crawler.html.link_header import canonicals
from minicrawl.crawler.http.exchange import Capture
from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.crawler.http.transport import Transport
from minicrawl.crawler.http.unread import PARSER_FAILED, unread
from minicrawl.crawler.net.open_files import Room
from minicrawl.crawler.robots.rules import MAX_BYTES
from minicrawl.crawler.sitemaps.reading import SitemapReader
from minicrawl.crawler.sources.large_pages import LargePages, PageDiedError, is_large, read_page
from minicrawl.crawler.urls.keys import authority
from minicrawl.crawler.urls.parameters import stripped, without_parameters
from minicrawl.model import Fetched, Located, PageRequest, ParsedPage, SitemapAnswer, Wanted
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing

GiveUrls = Callable[[list[str], bool], None]
"""Takes URLs from a sitemap; the second argument says whether they are those of further sitemaps."""
LOGGED = 0
"""The number, which no request has, of what a worker logs."""
_log = logging.getLogger("minicrawl")
_URLS_AT_ONCE = 1_000


class PageSource(Protocol):
    """Answers requests for pages, robots.txt files and sitemaps, any number of them side by side."""

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        """The answer for a normalised URL, without its body, and what the page says."""

    async def robots(self, url: str) -> Fetched:
        """The answer for a robots.txt, or for what one redirects to."""

    async def locate(self, url: str) -> Located:
        """The IP address that requests for a normalised URL go to."""

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        """The answer for a sitemap. Its normalised URLs, of pages or of further sitemaps, are given as they are read,
        some 1,000 at a time."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class LocalSource:
    """Fetches and parses in this process; what takes long to parse, in another. seed_origins, capture: see Fetcher."""

    def __init__(
        self,
        settings: CrawlSettings,
        transport: Transport | None = None,
        timing: Timing = STANDARD,
        files: Room | None = None,
        seed_origins: Set[str] = frozenset(),
        wanted: Wanted = Wanted(),  # noqa: B008 (frozen)
        capture: Capture | None = None,
    ) -> None:
        self._fetcher = Fetcher(settings, transport, timing, files, seed_origins, capture)
        self._large_pages = LargePages(timing.parse)
        self._wanted = wanted
        # Anchors of home pages tell pages from soft 404s; those of all pages would take 2 % of the time for a page.
        self._wanted_of_home_pages = replace(wanted, anchors=True)
        self._keeps_parameters = settings.keep_parameters

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        fetched = await self._fetcher.fetch(request)
        try:
            return await self._parsed(fetched)
        except PageDiedError:
            return Fetched(request.url, reason="worker-died"), ParsedPage()
        except Exception as error:
            return unread(fetched, error), ParsedPage()

    async def _parsed(self, fetched: Fetched) -> tuple[Fetched, ParsedPage]:
        parsed = ParsedPage()
        if fetched.body:
            parsed, identity = await self._read(fetched)
            fetched = replace(fetched, body=b"", **identity._asdict())
        if fetched.link is not None:
            named = canonicals(fetched.link, fetched.url)
            parsed = replace(parsed, canonicals=tuple(dict.fromkeys((*parsed.canonicals, *named))))
        return (fetched, parsed) if self._keeps_parameters else without_parameters(fetched, parsed)

    async def _read(self, page: Fetched) -> tuple[ParsedPage, Identity]:
        is_home = page.url.count("/") == page.url.endswith("/") + 2
        wanted = self._wanted_of_home_pages if is_home else self._wanted
        if is_large(page.body):
            return await self._large_pages.read(page.body, page.url, page.content_type, wanted)
        return read_page(page.body, page.url, page.content_type, wanted)

    async def robots(self, url: str) -> Fetched:
        return await self._fetcher.fetch(PageRequest(url), any_type=True, at_least=MAX_BYTES)

    async def locate(self, url: str) -> Located:
        return await self._fetcher.locate(url)

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        reader = SitemapReader(url)
        gathered: list[str] = []

        def gather(urls: Iterable[str]) -> None:
            gathered.extend(urls if self._keeps_parameters or reader.is_index else map(stripped, urls))

        async def take(piece: bytes) -> bool:
            for urls in reader.feed(piece):
                gather(urls)
                if len(gathered) >= _URLS_AT_ONCE:
                    give(gathered.copy(), reader.is_index)
                    gathered.clear()
                await asyncio.sleep(0)  # others go on after every step
            return not reader.is_over

        fetched = await self._fetcher.fetch(PageRequest(url), take=take)
        try:
            if fetched.reason != PARSER_FAILED:
                for urls in reader.close(truncated=fetched.truncated or fetched.status is None):
                    gather(urls)
        except Exception as error:
            fetched = unread(fetched, error)
        if gathered:
            give(gathered, reader.is_index)
        return SitemapAnswer(fetched, fetched.reason or reader.reason, reader.found)

    async def __aenter__(self) -> Self:
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._large_pages.aclose()
        await self._fetcher.__aexit__(kind, error, trace)


_fetched_fields = attrgetter(*(field.name for field in fields(Fetched)))
_parsed_fields = attrgetter(*(field.name for field in fields(ParsedPage)))


def taken_apart(page: tuple[Fetched, ParsedPage]) -> tuple[Any, Any]:
    """A page as it crosses the line from a worker: plain tuples, as dataclasses take pickle three times as long."""
    fetched, parsed = page
    return _fetched_fields(fetched), _parsed_fields(parsed)


@dataclass
class _Worker:
    """A worker process, the line to it, what is to be asked in this turn of the loop, and who waits for answers."""

    process: subprocess.Popen[bytes]
    line: Connection
    heard: float
    requests: list[tuple[int, str, PageRequest | str]] = field(default_factory=list)
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    taking: dict[int, GiveUrls] = field(default_factory=dict)


class WorkerSource:
    """Fetches and parses in `settings.workers` processes; a host is always asked by the same one.

    A worker that dies, or from which nothing is heard for so long that it must hang, is replaced, and what it was doing
    becomes an answer with the reason "worker-died".
    """

    def __init__(
        self,
        settings: CrawlSettings,
        timing: Timing = STANDARD,
        seed_origins: Set[str] = frozenset(),
        wanted: Wanted = Wanted(),  # noqa: B008 (frozen)
        capture: Callable[[], Capture] | None = None,
    ) -> None:
        """capture: says in each worker process who is shown every exchange there; it can be pickled."""
        self._settings = settings
        self._capture = capture
        self._timing = timing
        self._seed_origins = seed_origins
        self._wanted = wanted
        self._workers: list[_Worker] = []
        self._asked = 0
        self._watching: asyncio.TimerHandle

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        answer = await self._ask("page", request.url, request=request)
        if answer is None:
            return Fetched(request.url, reason="worker-died"), ParsedPage()
        fetched, parsed = answer
        return Fetched(*fetched), ParsedPage(*parsed)

    async def robots(self, url: str) -> Fetched:
        answer: Fetched | None = await self._ask("robots", url)
        return answer or Fetched(url, reason="worker-died")

    async def locate(self, url: str) -> Located:
        answer: Located | None = await self._ask("locate", url)
        return answer or Located(reason="worker-died")

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        answer: SitemapAnswer | None = await self._ask("sitemap", url, give=give)
        return answer or SitemapAnswer(Fetched(url, reason="worker-died"))

    async def __aenter__(self) -> Self:
        self._workers = [self._started(number) for number in range(self._settings.workers)]
        self._watch()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watching.cancel()
        for worker in self._workers:
            asyncio.get_running_loop().remove_reader(worker.line.fileno())
            worker.line.close()  # tells the worker to end
            worker.process.terminate()
            worker.process.wait()

    async def _ask(
        self, what: str, url: str, *, request: PageRequest | None = None, give: GiveUrls | None = None
    ) -> Any:
        """The answer of the worker for this URL's host, or None if it died over it.

        request: what is asked for, if that is not just the URL. give: takes what the worker sends before the answer.
        """
        worker = self._workers[zlib.crc32(authority(url).encode()) % len(self._workers)]
        self._asked += 1
        number = self._asked
        loop = asyncio.get_running_loop()
        answer = worker.waiting[number] = loop.create_future()
        if give is not None:
            worker.taking[number] = give
        if not worker.requests:
            loop.call_soon(self._send, worker)
        worker.requests.append((number, what, request or url))
        try:
            return await answer
        finally:
            worker.waiting.pop(number, None)
            worker.taking.pop(number, None)

    def _send(self, worker: _Worker) -> None:
        with contextlib.suppress(OSError):  # it has just died; whoever reads its line will notice
            worker.line.send(worker.requests)
        worker.requests.clear()

    def _started(self, number: int) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "minicrawl.crawler.sources.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                process_group=0,  # so that Ctrl-C reaches the crawl alone, which decides what it means
            )
        loop = asyncio.get_running_loop()
        worker = _Worker(process, Connection(ours.detach()), loop.time() + self._timing.start)
        worker.line.send((self._settings, self._timing, self._seed_origins, self._wanted, self._capture))
        loop.add_reader(worker.line.fileno(), self._read, number)
        return worker

    def _watch(self) -> None:
        """Replace workers that hang."""
        loop = asyncio.get_running_loop()
        for number, worker in enumerate(self._workers):
            if loop.time() - worker.heard > self._timing.hang:
                self._replace(number)
        self._watching = loop.call_later(self._timing.beat, self._watch)

    def _read(self, number: int) -> None:
        worker = self._workers[number]
        try:
            answers = worker.line.recv()
        except (EOFError, OSError, MemoryError):  # what did not fit into memory is lost, and somebody waits for it
            self._replace(number)
            return
        worker.heard = asyncio.get_running_loop().time()
        for request, answer in answers:
            if request == LOGGED:
                _log.log(*answer)
            elif isinstance(answer, list):  # some URLs of a sitemap; the answer is still to come
                if request in worker.taking:
                    worker.taking[request](*answer)
            elif (waiting := worker.waiting.get(request)) is not None and not waiting.done():
                waiting.set_result(answer)

    def _replace(self, number: int) -> None:
        dead = self._workers[number]
        asyncio.get_running_loop().remove_reader(dead.line.fileno())
        dead.line.close()
        dead.process.kill()
        dead.process.wait()
        self._workers[number] = self._started(number)
        for waiting in dead.waiting.values():
            if not waiting.done():
                waiting.set_result(None)
