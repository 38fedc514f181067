"""Where parsed pages come from: fetched and parsed in this process, or in worker processes.

What crosses a process border is small: a page's answer without its body, and its normalised outlinks.
"""

import asyncio
import socket
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Protocol, Self

from minicrawl.crawl.digest import identity_of
from minicrawl.crawl.fetch import Fetcher
from minicrawl.crawl.outcome import REDIRECTS
from minicrawl.crawl.parse import parse_html
from minicrawl.crawl.robots import MAX_BYTES, MAX_REDIRECTS
from minicrawl.crawl.urls import authority, normalise
from minicrawl.model import Fetched, ParsedPage
from minicrawl.settings import CrawlSettings


class PageSource(Protocol):
    """Answers requests for pages and robots.txt files, any number of them side by side."""

    async def page(self, url: str) -> tuple[Fetched, ParsedPage]:
        """The answer for a normalised URL, without its body, and what the page says."""

    async def robots(self, site: str) -> Fetched:
        """The answer for the robots.txt of scheme://host[:port], behind at most 5 redirects (RFC 9309 2.3.1.2)."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class LocalSource:
    """Fetches and parses in this process."""

    def __init__(self, settings: CrawlSettings, transport: Any = None) -> None:
        self._fetcher = Fetcher(settings, transport)
        self._concurrency = settings.concurrency

    async def page(self, url: str) -> tuple[Fetched, ParsedPage]:
        fetched = await self._fetcher.fetch(url)
        if not fetched.body:
            return fetched, ParsedPage()
        identity = identity_of(fetched.body, url)._asdict()
        return replace(fetched, body=b"", **identity), parse_html(fetched.body, url, fetched.content_type)

    async def robots(self, site: str) -> Fetched:
        url = f"{site}/robots.txt"
        for _ in range(1 + MAX_REDIRECTS):
            fetched = await self._fetcher.fetch(url, any_type=True, at_least=MAX_BYTES)
            target = normalise(fetched.location, url) if fetched.location else None
            if fetched.status not in REDIRECTS or target is None:
                break
            url = target
        return fetched

    async def __aenter__(self) -> Self:
        # Looking up names blocks a thread each, some seconds where a name server is silent.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._concurrency, "names"))
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._fetcher.__aexit__(kind, error, trace)


@dataclass
class _Worker:
    """A worker process, the line to it, and who waits for its answers."""

    process: subprocess.Popen[bytes]
    line: Connection
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)


class WorkerSource:
    """Fetches and parses in `settings.workers` processes; a host is always asked by the same one.

    A worker that dies is replaced, and what it was doing becomes an answer with the reason "worker-died".
    """

    def __init__(self, settings: CrawlSettings) -> None:
        self._settings = settings
        self._workers: list[_Worker] = []
        self._asked = 0

    async def page(self, url: str) -> tuple[Fetched, ParsedPage]:
        answer: tuple[Fetched, ParsedPage] | None = await self._ask("page", url)
        return answer or (Fetched(url, reason="worker-died"), ParsedPage())

    async def robots(self, site: str) -> Fetched:
        answer: Fetched | None = await self._ask("robots", site)
        return answer or Fetched(f"{site}/robots.txt", reason="worker-died")

    async def __aenter__(self) -> Self:
        self._workers = [self._started(number) for number in range(self._settings.workers)]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            asyncio.get_running_loop().remove_reader(worker.line.fileno())
            worker.line.close()  # tells the worker to end
            worker.process.terminate()
            worker.process.wait()

    async def _ask(self, what: str, url: str) -> Any:
        """The answer of the worker for this URL's host, or None if it died over it."""
        worker = self._workers[zlib.crc32(authority(f"{url}/").encode()) % len(self._workers)]
        self._asked += 1
        number = self._asked
        answer = worker.waiting[number] = asyncio.get_running_loop().create_future()
        try:
            worker.line.send((number, what, url))
            return await answer
        except OSError:
            return None  # it has just died; whoever reads its line will notice, too
        finally:
            worker.waiting.pop(number, None)

    def _started(self, number: int) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "minicrawl.crawl.worker", str(theirs.fileno())], pass_fds=[theirs.fileno()]
            )
        worker = _Worker(process, Connection(ours.detach()))
        worker.line.send(self._settings)
        asyncio.get_running_loop().add_reader(worker.line.fileno(), self._read, number)
        return worker

    def _read(self, number: int) -> None:
        worker = self._workers[number]
        try:
            request, answer = worker.line.recv()
        except (EOFError, OSError):
            self._replace(number)
            return
        waiting = worker.waiting.get(request)
        if waiting is not None and not waiting.done():
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
