"""Answers, parts of answers and commands on their way into the crawl, and the thread for long work on the books."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from minicrawl.crawler.requests.request import Arrival

_T = TypeVar("_T")


class BooksThread:
    """One thread for long changes of the books, so that sockets, timers and signals are served meanwhile.

    Runs in one process may share it.
    """

    def __init__(self) -> None:
        # Not the loop's executor, all of whose threads a slow name server may occupy.
        self._thread = ThreadPoolExecutor(1, "minicrawl-books")

    async def do(self, work: Callable[[], _T]) -> _T:
        """Do some work, in the caller's context, and return its result. A cancellation takes effect after it."""
        done = asyncio.get_running_loop().run_in_executor(self._thread, copy_context().run, work)
        cancelled: asyncio.CancelledError | None = None
        while not done.done():
            try:
                await asyncio.wait([done])
            except asyncio.CancelledError as error:
                cancelled = error
        result = done.result()
        if cancelled is not None:
            raise cancelled
        return result

    def end(self) -> None:
        self._thread.shutdown()


class Arrivals:
    """A queue, and a bell that rings on arrivals and by `ring`.

    at_once: links absorbed before other tasks go on; an arrival with more links is absorbed in the thread.
    """

    def __init__(self, clock: Callable[[], float], thread: BooksThread, at_once: int) -> None:
        self._clock = clock
        self._thread = thread
        self._at_once = at_once
        self._waiting: deque[Arrival] = deque()
        self._bell = asyncio.Event()
        self._has_rung = False

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, arrival: Arrival) -> None:
        self._waiting.append(arrival)
        self.ring()

    def ring(self) -> None:
        """Ring the bell: something has changed."""
        self._has_rung = True
        self._bell.set()

    async def take(self) -> bool:
        """Absorb arrivals; returns False if the rest must wait until other tasks have gone on."""
        links = 0
        while self._waiting:
            if links > self._at_once:
                return False
            arrival = self._waiting.popleft()
            links += arrival.links
            take = partial(arrival.take, self._clock())
            if arrival.links > self._at_once:
                await self._thread.do(take)
            else:
                take()
        return links <= self._at_once

    async def is_quiet(self) -> bool:
        """True if nothing arrives and the bell does not ring while other tasks go on."""
        self._has_rung = False
        await asyncio.sleep(0)
        return not (self._waiting or self._has_rung)

    async def rings_within(self, seconds: float) -> bool:
        """Wait for the bell, `seconds` at most; True if it has rung."""
        if not self._has_rung:
            self._bell.clear()  # it may have been the alarm before this one
            alarm = asyncio.get_running_loop().call_later(seconds, self._bell.set)
            await self._bell.wait()
            alarm.cancel()
        return self._has_rung
