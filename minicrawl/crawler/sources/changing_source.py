"""Who is asked for pages, which may change while the crawl runs: this process, or any number of workers."""

import asyncio
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Self

from minicrawl.crawler.sources.local import LocalSource
from minicrawl.crawler.sources.source import PageSource, Wait
from minicrawl.crawler.sources.workers import WorkerSource
from minicrawl.run_look import WorkerStatus


class ChangingSource:
    """The source that requests are put to now.

    Invariant: a source that was replaced is closed once it has answered all that it was asked, and not before.
    """

    def __init__(
        self, workers: int, local: Callable[[], LocalSource], in_workers: Callable[[int], WorkerSource]
    ) -> None:
        """workers: how many there are at first. local, in_workers: make a source without, and with so many."""
        self._local = local
        self._in_workers = in_workers
        self._workers = in_workers(workers) if workers else None
        self._now: PageSource = self._workers or local()
        self._asked: Counter[PageSource] = Counter()
        self._leaving: set[PageSource] = set()
        self._closing: set[asyncio.Task[None]] = set()

    def workers(self) -> tuple[WorkerStatus, ...]:
        """What every worker process does, but for those of a source that was replaced."""
        return tuple(self._workers.workers()) if self._workers is not None else ()

    def waits(self) -> dict[str, Wait]:
        """Pages that have come and wait, by URL."""
        return {url: wait for source in (*self._leaving, self._now) for url, wait in source.waits().items()}

    async def set_workers(self, number: int) -> None:
        """Put requests to so many workers from now on; with 0, to this process."""
        if bool(number) != (self._workers is not None):
            workers = self._in_workers(1) if number else None
            now: PageSource = workers or self._local()
            await now.__aenter__()
            before, self._now, self._workers = self._now, now, workers
            self._leaving.add(before)
            self._close_if_idle(before)
        if self._workers is not None:
            await self._workers.set_workers(number)

    def begin(self) -> PageSource:
        """Whom to put a request to; `end` when it is over."""
        self._asked[self._now] += 1
        return self._now

    def end(self, source: PageSource) -> None:
        self._asked[source] -= 1
        if self._leaving:
            self._close_if_idle(source)

    async def __aenter__(self) -> Self:
        await self._now.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*self._closing)
        for source in (self._now, *self._leaving):
            await source.__aexit__(kind, error, trace)

    def _close_if_idle(self, source: PageSource) -> None:
        if source in self._leaving and not self._asked[source]:
            self._leaving.discard(source)
            del self._asked[source]
            closing = asyncio.get_running_loop().create_task(source.__aexit__(None, None, None))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
