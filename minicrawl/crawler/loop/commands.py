"""Commands to a running crawl: carried out between two answers, confirmed once a commit holds them.

A stream of events for several readers at once: a slow one loses the oldest events, and is told how many.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any, TypeVar  # Any: callables

from minicrawl.crawler.requests.request import Deliver
from minicrawl.errors import CrawlEndedError, MinicrawlError
from minicrawl.events import Event, EventsDropped

_T = TypeVar("_T")
_ENDED = "the crawl has ended; start it again to change it"


class Commands:
    """Changes to the crawl, and the callers that wait for them. Invariant: a confirmed change is in the store; a failed
    one has changed nothing."""

    def __init__(self, deliver: Deliver) -> None:
        """deliver: hands an arrival to the loop."""
        self._deliver = deliver
        self._waiting: set[asyncio.Future[Any]] = set()
        self._made: list[tuple[asyncio.Future[Any], Callable[[], None]]] = []
        self.wait_for_commit = False
        """True if a caller waits for a commit at once."""
        self._is_over = False

    async def done(self, change: Callable[[float], _T], links: int = 0, *, hurries: bool = True) -> _T:
        """Make a change by calling it with the time, wait for its commit, and return its result. links: its work in
        URLs; long work runs in the thread. hurries: commit at once, not when a commit is due.
        Raises MinicrawlError if the change does; CrawlEndedError if the crawl ends before.
        """

        def make(answer: asyncio.Future[_T], now: float) -> None:
            try:
                tell = partial(answer.set_result, change(now))
            except MinicrawlError as error:
                tell = partial(answer.set_exception, error)
            self._made.append((answer, tell))
            self.wait_for_commit |= hurries

        return await self._answer(make, links)

    async def seen(self, look: Callable[[float], _T], links: int = 0) -> _T:
        """The result of a look, which changes nothing: taken between two answers, without waiting for a commit."""

        def tell(answer: asyncio.Future[_T], found: _T) -> None:
            if not answer.done():  # the caller may have gone
                answer.set_result(found)

        def run(answer: asyncio.Future[_T], now: float) -> None:
            answer.get_loop().call_soon_threadsafe(tell, answer, look(now))

        return await self._answer(run, links)

    @property
    def has_made(self) -> bool:
        return bool(self._made)

    def committed(self) -> None:
        """Confirm all changes made so far: they are in the store."""
        made, self._made = self._made, []
        self.wait_for_commit = False
        for answer, tell in made:
            if not answer.done():  # the caller may have gone
                tell()

    def end(self, failure: BaseException | None = None) -> None:
        """Refuse all further commands: the crawl has ended, or has failed."""
        self._is_over = True
        for answer in self._waiting:
            if not answer.done():
                answer.set_exception(failure or CrawlEndedError(_ENDED))

    async def _answer(self, run: Callable[[asyncio.Future[_T], float], None], links: int) -> _T:
        if self._is_over:
            raise CrawlEndedError(_ENDED)
        answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._waiting.add(answer)
        self._deliver(links, partial(run, answer))
        try:
            return await answer
        finally:
            self._waiting.discard(answer)


_LATEST, _MOST = 200, 10_000


class EventStream:
    """The last events, for any number of readers, each with its place among them; kept from the first reader on, or the
    first call of `latest`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.has_readers = self.is_over = False
        self.told = 0
        self.bell = asyncio.Event()
        self._is_kept = False
        self._events: deque[tuple[int, Event]] = deque(maxlen=_MOST)
        self._number = 0
        self._lock = Lock()

    @property
    def is_followed(self) -> bool:
        return self.has_readers or self._is_kept

    def reader(self, room: int) -> "EventReader":
        self.has_readers = True
        return EventReader(self, min(room, _MOST))

    def after(self, read: int, room: int) -> Event | int:
        """The event told after so many others; or how many were dropped, if more than `room` were told since."""
        with self._lock:
            dropped = self.told - read - room
            return dropped if dropped > 0 else self._events[read - self.told][1]

    def latest(self, after: int) -> list[tuple[int, Event]]:
        """The latest events with numbers above `after`, some hundred at most, without those of the whole crawl. Numbers
        rise by one, so a gap shows missed events."""
        self._is_kept = True
        with self._lock:
            return [(number, event) for number, event in self._events if number > max(after, self._number - _LATEST)]

    def tell(self, event: Event, *, is_look: bool = False) -> None:
        """Add an event; `wake` the readers then. May be called in the thread of the books. is_look: it describes the
        crawl as a whole, and is soon replaced by the next."""
        if self.is_followed:
            with self._lock:
                self._number += not is_look
                self._events.append((-1 if is_look else self._number, event))
                self.told += 1

    def wake(self) -> None:
        self.bell.set()

    def end(self) -> None:
        self.is_over = True
        self.wake()


class EventReader:
    """Events from now on, for `async for`; ends with the crawl. room: most events that wait, 10,000 at most."""

    def __init__(self, stream: EventStream, room: int) -> None:
        self._stream, self._room, self._read = stream, room, stream.told

    def __aiter__(self) -> "EventReader":
        return self

    async def __anext__(self) -> Event:
        stream = self._stream
        while self._read == stream.told:
            if stream.is_over:
                raise StopAsyncIteration
            stream.bell.clear()
            await stream.bell.wait()
        found = stream.after(self._read, self._room)
        if isinstance(found, int):
            self._read += found
            return EventsDropped(stream.clock(), found)
        self._read += 1
        return found
