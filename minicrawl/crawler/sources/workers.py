"""Fetch and parse pages in worker processes, whose number may change while the crawl runs.

Little crosses a process border: a page's response without its body, and its normalised outlinks. A host is always asked
by the same worker, the one with the highest hash of its number and the host (rendezvous hashing), so another number of
workers moves few hosts.
"""

import asyncio
import contextlib
import json
import logging
import pickle
import selectors
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import chain
from typing import Any, Self, TypeVar  # Any: messages

from msgspec import Struct, field

from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.crawler.sources.source import GiveUrls, Wait
from minicrawl.errors import ConfigError, StoreError
from minicrawl.model import Fetched, Located, PageRequest, ParsedPage, SitemapAnswer, WorkerStatus
from minicrawl.sandbox.child import LENGTH, decoder, framed
from minicrawl.system import is_unread, memory, started_over_socket
from minicrawl.web.urls.keys import authority

_AT_ONCE = 1 << 16
_LONGEST = 1 << 32
"""Bytes of a message. A longer one is a fault of the other end."""


class Line:
    """One end of a line. A message is bytes behind their length: from the crawl a pickle, to it MessagePack."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._came = bytearray()

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: bytes) -> None:
        """Send a message. Blocks while the other end does not read."""
        rest = memoryview(framed(message))
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:  # a loop that watches a socket makes it one that does not block
                with selectors.DefaultSelector() as selector:
                    selector.register(self._socket, selectors.EVENT_WRITE)
                    selector.select()

    @property
    def is_unread(self) -> bool:
        """True if the other end has yet to read something."""
        return is_unread(self._socket)

    def receive(self) -> list[bytes]:
        """All messages that have come, none if the next one is not complete yet. Blocks until something comes. Raises
        EOFError after the last message of an end that was closed, or at one that is too long."""
        piece = self._socket.recv(_AT_ONCE)
        if not piece:
            raise EOFError
        self._came += piece
        messages, start = [], 0
        with memoryview(self._came) as came:
            while start + LENGTH.size <= len(came):
                begin = start + LENGTH.size
                (length,) = LENGTH.unpack_from(came, start)
                if length > _LONGEST:
                    raise EOFError
                end = begin + length
                if end > len(came):
                    break
                messages.append(bytes(came[begin:end]))
                start = end
        del self._came[:start]
        return messages

    def close(self) -> None:
        self._socket.close()


class News(IntEnum):
    """What a worker says."""

    ANSWER = 0
    """The answer to a request."""
    SOME = 1
    """Some URLs of a sitemap, whether they are of further sitemaps, and lastmods; the answer is still to come."""
    FAILED = 2
    """The worker failed over a request."""
    REFUSED = 3
    """The ConfigError or StoreError over a request, which ends the crawl: its class and its message."""
    LOGGED = 4
    """A log record, as JSON."""
    BEAT = 5
    """Every few seconds: the CPU seconds used, and the pages that wait in the worker, with what for and how long."""


Said = tuple[int, News, bytes]
"""The number of a request or 0, and what a worker says, encoded: only who asked knows the type of its answer."""
_PAGE: type[tuple[Fetched, ParsedPage]] = tuple[Fetched, ParsedPage]
_SOME = tuple[list[str], bool, dict[str, float]]
_BEAT = tuple[float, dict[str, tuple[str, float]]]
_ERRORS = {error.__name__: error for error in (ConfigError, StoreError)}
Answer = TypeVar("Answer")
Asked = str | tuple[Any, ...]
"""A URL, or the fields of a `PageRequest`. Plain tuples cross the line faster than values of other classes."""


class _Worker(Struct, eq=False):
    """A worker process, the line to it, what is to be asked in this turn of the loop, and who waits for answers."""

    number: int
    process: subprocess.Popen[bytes]
    line: Line
    heard: float
    doing: str = "starting"
    since: float = field(default_factory=time.time)
    pages: int = 0
    bytes: int = 0
    cpu: float = 0.0
    waits: dict[str, Wait] = field(default_factory=dict)
    requests: list[tuple[int, str, Asked]] = field(default_factory=list)
    waiting: dict[int, tuple[asyncio.Future[Any], Any]] = field(default_factory=dict)
    """Futures of answers, and their types."""
    taking: dict[int, GiveUrls] = field(default_factory=dict)

    def does(self, what: str) -> None:
        if self.doing not in (what, "leaving"):
            self.doing, self.since = what, time.time()

    def status(self) -> WorkerStatus:
        facts = self.doing, self.since, len(self.waiting), self.pages, self.bytes, self.cpu
        return WorkerStatus(self.number, self.process.pid, *facts, memory(self.process.pid))


class Source:
    """Fetches and parses in this process, or in as many worker processes as the settings in the spec say at first.

    A worker that dies, or from which nothing is heard for so long that it must hang, is replaced, and what it was doing
    becomes an answer with the reason "worker-died". A worker, or a source in this process, that is to go is closed once
    all its requests are answered, and not before.
    """

    def __init__(self, spec: SourceSpec, local: Callable[[], LocalSource] | None = None) -> None:
        """local: makes the source in this process. Raises SettingError."""
        self._spec = spec
        self._timing = spec.timing
        self._make_local = local or partial(LocalSource, spec)
        self._local = None if spec.settings.workers else self._make_local()
        self._asked_here: Counter[LocalSource] = Counter()
        self._closing: set[asyncio.Task[None]] = set()
        self._workers: dict[int, _Worker] = {}
        self._leaving: set[_Worker] = set()
        self._ending: list[subprocess.Popen[bytes]] = []
        self._number_for = lru_cache(maxsize=100_000)(lambda host: chosen(host, self._workers))
        self._asked = 0
        self._watching: asyncio.TimerHandle | None = None
        self._is_over = False

    async def set_workers(self, number: int) -> None:
        """Change the number of workers; 0: fetch in this process. New ones start one by one, while the crawl continues;
        surplus ones end after their last answer. Raises SettingError."""
        self._spec = replace(self._spec, settings=replace(self._spec.settings, workers=number))
        if not number and self._local is None:
            local = self._make_local()
            await local.__aenter__()
            self._local = local
        for new in range(number):
            if self._is_over:  # the crawl has ended meanwhile
                return
            if new not in self._workers:
                self._workers[new] = self._started(new)
                self._number_for.cache_clear()
                if (before := self._local) is not None:
                    self._local = None
                    self._close_if_idle(before)
                await asyncio.sleep(0)
        for old in [old for old in self._workers if old >= number]:
            worker = self._workers.pop(old)
            worker.does("leaving")
            self._leaving.add(worker)
            self._end_if_idle(worker)
        self._number_for.cache_clear()

    def workers(self) -> tuple[WorkerStatus, ...]:
        """The status of each worker, those that are leaving last."""
        return tuple(worker.status() for worker in (*self._workers.values(), *self._leaving))

    def worker_of(self, url: str) -> int | None:
        """The number of the worker that fetches a URL; None if this process fetches."""
        return self._number_for(authority(url)) if self._workers else None

    def waits(self) -> dict[str, Wait]:
        """Pages that have come and wait, by URL; those in workers as of their last beats."""
        waits = [worker.waits for worker in (*self._workers.values(), *self._leaving)]
        return dict(chain.from_iterable(some.items() for some in (*waits, *(one.waits() for one in self._asked_here))))

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        answer = await self._ask("page", request.url, request, _PAGE)
        return answer or (Fetched(request.url, reason="worker-died"), ParsedPage())

    async def robots(self, url: str) -> Fetched:
        return await self._ask("robots", url, url, Fetched) or Fetched(url, reason="worker-died")

    async def locate(self, url: str) -> Located:
        return await self._ask("locate", url, url, tuple[str, str | None]) or ("", "worker-died")

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        answer = await self._ask("sitemap", url, url, SitemapAnswer, give)
        return answer or SitemapAnswer(Fetched(url, reason="worker-died"))

    async def __aenter__(self) -> Self:
        if self._local is not None:
            await self._local.__aenter__()
        else:
            await self.set_workers(self._spec.settings.workers)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_over = True
        if self._watching is not None:
            self._watching.cancel()
        for worker in (*self._workers.values(), *self._leaving):
            self._hang_up(worker)
        for process in self._ending:
            process.terminate()
            process.wait()
        await asyncio.gather(*self._closing)
        for source in filter(None, {self._local, *self._asked_here}):
            await source.__aexit__()

    async def _ask(
        self, what: str, url: str, asked: str | PageRequest, kind: type[Answer], give: GiveUrls | None = None
    ) -> Answer | None:
        """The answer of this process, or of the worker that fetches a URL; None if it died over it. give: takes
        what is known before the answer."""
        if (source := self._local) is None:
            return await self._ask_worker(self._workers[self._number_for(authority(url))], what, asked, kind, give)
        self._asked_here[source] += 1
        try:
            answer: Answer = await getattr(source, what)(asked, *filter(None, [give]))
            return answer
        finally:
            self._asked_here[source] -= 1
            self._close_if_idle(source)

    def _close_if_idle(self, source: LocalSource) -> None:
        if source is not self._local and not self._asked_here[source] and not self._is_over:
            del self._asked_here[source]
            closing = asyncio.get_running_loop().create_task(source.__aexit__())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def _ask_worker(
        self, worker: _Worker, what: str, asked: str | PageRequest, kind: type[Answer], give: GiveUrls | None
    ) -> Answer | None:
        self._asked += 1
        number = self._asked
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer | None] = loop.create_future()
        worker.waiting[number] = answer, kind
        if give is not None:
            worker.taking[number] = give
        if not worker.requests:
            loop.call_soon(self._send, worker)
        worker.requests.append((number, what, asked if isinstance(asked, str) else tuple(asked)))
        if worker.doing == "idle":
            worker.does("fetching")
        try:
            return await answer
        finally:
            worker.waiting.pop(number, None)
            worker.taking.pop(number, None)
            if not worker.waiting:
                self._end_if_idle(worker)

    def _send(self, worker: _Worker) -> None:
        with contextlib.suppress(OSError):  # it has just died; whoever reads its line will notice
            worker.line.send(pickle.dumps(worker.requests))
        worker.requests.clear()

    def _started(self, number: int) -> _Worker:
        process, ours = started_over_socket("minicrawl.crawler.sources.worker")
        loop = asyncio.get_running_loop()
        worker = _Worker(number, process, Line(ours), loop.time() + self._timing.start)
        worker.line.send(pickle.dumps(self._spec))
        loop.add_reader(worker.line.fileno(), self._read, worker)
        if self._watching is None:
            self._watching = loop.call_later(self._timing.beat, self._watch)
        return worker

    def _end_if_idle(self, worker: _Worker) -> None:
        """Mark a worker as idle, or end it if it is leaving."""
        if worker not in self._leaving:
            worker.does("idle")
        elif not worker.waiting:
            self._leaving.discard(worker)
            self._hang_up(worker)

    def _hang_up(self, worker: _Worker) -> None:
        """Close the line to a worker, which tells it to end."""
        asyncio.get_running_loop().remove_reader(worker.line.fileno())
        worker.line.close()
        self._ending.append(worker.process)

    def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        for worker in (*self._workers.values(), *self._leaving):
            if loop.time() - worker.heard > self._timing.hang:
                self._replace(worker)
        self._ending = [process for process in self._ending if process.poll() is None]
        self._watching = loop.call_later(self._timing.beat, self._watch)

    def _read(self, worker: _Worker) -> None:
        try:
            messages = worker.line.receive()
        except (EOFError, OSError, MemoryError):  # what did not fit into memory is lost, and somebody waits for it
            self._replace(worker)
            return
        worker.heard = asyncio.get_running_loop().time()
        if worker.doing == "starting":
            worker.does("fetching" if worker.waiting else "idle")
        try:
            for said in chain.from_iterable(map(decoder(list[Said]), messages)):
                self._take(worker, *said)
        except ValueError:  # what it says is of no type that we know: it is broken
            self._replace(worker)

    def _take(self, worker: _Worker, request: int, news: News, value: bytes) -> None:
        """Act on what a worker says. Raises ValueError if it is not valid."""
        if news == News.LOGGED:
            logging.getLogger("minicrawl").handle(logging.makeLogRecord(json.loads(decoder(str)(value))))
        elif news == News.BEAT:
            worker.cpu, ages = decoder(_BEAT)(value)
            worker.waits = {url: (what, worker.heard - age) for url, (what, age) in ages.items()}
        elif news == News.SOME:
            if request in worker.taking:
                worker.taking[request](*decoder(_SOME)(value))
        elif request in worker.waiting and not (waiting := worker.waiting[request])[0].done():
            future, kind = waiting
            if news == News.REFUSED:
                name, message = decoder(tuple[str, str])(value)
                future.set_exception(_ERRORS[name](message))
                return
            answer = None if news == News.FAILED else decoder(kind)(value)
            if kind is _PAGE and answer is not None:
                worker.pages += 1
                worker.bytes += answer[0].size
            future.set_result(answer)

    def _replace(self, dead: _Worker) -> None:
        """Replace a worker that died or hangs, unless it is leaving."""
        self._leaving.discard(dead)
        dead.process.kill()
        self._hang_up(dead)
        dead.process.wait()
        if self._workers.get(dead.number) is dead:
            self._workers[dead.number] = self._started(dead.number)
        for waiting, _ in dead.waiting.values():
            if not waiting.done():
                waiting.set_result(None)


def chosen(host: str, numbers: Iterable[int]) -> int:
    """The worker for a host, by rendezvous hashing."""
    name = host.encode()
    return max(numbers, key=lambda number: blake2b(b"%d %b" % (number, name), digest_size=8).digest())
