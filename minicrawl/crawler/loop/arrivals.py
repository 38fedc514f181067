"""What has come and waits to be taken in: answers, parts of them, and commands."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial

from minicrawl.crawler.loop.books_thread import BooksThread
from minicrawl.crawler.requests.request import Arrival


class Arrivals:
    """A queue, and a bell that rings when something comes, or `ring` is called.

    at_once: links that are taken in before others go on; what leads to more of them is taken in
    in the thread.
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
        """Something has changed."""
        self._has_rung = True
        self._bell.set()

    async def take(self) -> bool:
        """Take in what has come; returns whether that was all, or the rest must wait until others have gone on."""
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
        """Whether nothing has come, and no bell rings, once others have gone on."""
        self._has_rung = False
        await asyncio.sleep(0)
        return not (self._waiting or self._has_rung)

    async def rings_within(self, seconds: float) -> bool:
        """Wait for the bell, so long at most; whether it has rung by then."""
        if not self._has_rung:
            self._bell.clear()  # it may have been the alarm before this one
            alarm = asyncio.get_running_loop().call_later(seconds, self._bell.set)
            await self._bell.wait()
            alarm.cancel()
        return self._has_rung
