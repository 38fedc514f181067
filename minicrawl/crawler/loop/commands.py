"""Commands to a running crawl: carried out between two answers, confirmed once a commit holds them.

A stream of events for several readers at once: a slow one loses the oldest events, and is told how many.
"""

import asyncio
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
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
        """Make a change, which is called with the time, wait for the commit that holds it, and return its result.

        links: its work in URLs; long work is done in the thread. hurries: commit at once, not when a commit is due.
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
        """True if changes were made since the last commit."""
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


_LATEST = 200


class EventReader:
    """Events from now on, for `async for`; ends with the crawl. room: most events that wait to be read."""

    def __init__(self, room: int, clock: Callable[[], float], *, is_over: bool = False) -> None:
        self._clock = clock
        self._events: deque[Event] = deque(maxlen=room)
        self._put = self._read = 0
        self._bell = asyncio.Event()
        self._is_over = is_over

    def __aiter__(self) -> "EventReader":
        return self

    async def __anext__(self) -> Event:
        while not self._events:
            if self._is_over:
                raise StopAsyncIteration
            self._bell.clear()
            await self._bell.wait()
        dropped = self._put - self._read - len(self._events)
        if dropped > 0:  # the thread of the books may not have counted its last event yet
            self._read += dropped
            return EventsDropped(self._clock(), dropped)
        self._read += 1
        return self._events.popleft()

    def put(self, event: Event) -> None:
        """Add an event. May be called in another thread; `wake` then."""
        self._events.append(event)
        self._put += 1

    def wake(self) -> None:
        if self._events:
            self._bell.set()

    def end(self) -> None:
        """End the stream."""
        self._is_over = True
        self._bell.set()


class EventStream:
    """Readers, held weakly; and the latest events, from the first call of `latest` on."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._readers: tuple[weakref.ref[EventReader], ...] = ()
        self._latest: deque[tuple[int, Event]] | None = None
        self._number = 0
        self._is_over = False

    @property
    def has_readers(self) -> bool:
        return bool(self._readers)

    @property
    def is_followed(self) -> bool:
        """True if events are read by anybody."""
        return bool(self._readers) or self._latest is not None

    def reader(self, room: int) -> EventReader:
        reader = EventReader(room, self._clock, is_over=self._is_over)
        # A new tuple: another thread may be iterating over the old one.
        self._readers = (*(known for known in self._readers if known() is not None), weakref.ref(reader, self._forget))
        return reader

    def latest(self, after: int) -> list[tuple[int, Event]]:
        """The latest events with numbers above `after`, some hundred at most, without those of the whole crawl. Numbers
        rise by one, so a gap shows missed events. Events are kept from the first call on."""
        if self._latest is None:
            self._latest = deque(maxlen=_LATEST)
        return [(number, event) for number, event in self._latest.copy() if number > after]

    def tell(self, event: Event, *, is_look: bool = False) -> None:
        """Add an event for all readers; `wake` them then. May be called in the thread of the books. is_look: it
        describes the crawl as a whole, and is soon replaced by the next."""
        if self._latest is not None and not is_look:
            self._number += 1
            self._latest.append((self._number, event))
        for known in self._readers:
            if (reader := known()) is not None:
                reader.put(event)

    def wake(self) -> None:
        """Wake readers that wait for an event."""
        for known in self._readers:
            if (reader := known()) is not None:
                reader.wake()

    def end(self) -> None:
        self._is_over = True
        for known in self._readers:
            if (reader := known()) is not None:
                reader.end()

    def _forget(self, reader: weakref.ref[EventReader]) -> None:
        self._readers = tuple(known for known in self._readers if known is not reader)
