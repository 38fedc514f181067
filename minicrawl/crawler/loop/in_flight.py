"""The requests in flight, a task each, and the room for more; their answers, and the thread for long work."""

import asyncio
from collections import deque
from collections.abc import Callable, Container, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from itertools import islice
from typing import Any, TypeVar  # Any: callables

from minicrawl.crawler.requests.request import Request
from minicrawl.crawler.sources.source import Wait
from minicrawl.model import InFlightNow
from minicrawl.system import busy_seconds
from minicrawl.web.net.open_files import Room

_ATTEMPTS_AT_ONCE = 8  # each takes about half a millisecond
_FEWEST, _BUSY, _LOOKS_APART = 2, 0.9, 0.1

Task = asyncio.Task[None]


class Slots:
    """The slots that crawls of one process have in common: those in use, and who waits for one.

    `begun`, `slotless`, `attempts`: numbers of requests in flight of all, see InFlight. `most`: slots that may be in
    use. While the thread is busy, answers would wait for it: fewer requests cost no time then, and as the next page is
    chosen later, it is a better one. look_at: Unix time at which `most` changes.
    """

    def __init__(self) -> None:
        self.begun = self.slotless = self.attempts = 0
        self.most = float(_FEWEST)
        self.look_at = self._busy = 0.0
        self._waiting: dict[Callable[[], None], None] = {}  # in the order of their coming

    def wait(self, ring: Callable[[], None]) -> None:
        """Ring when there may be a slot. Whoever does not use it lets the next one know by `pass_on`."""
        self._waiting[ring] = None

    def adapt(self, now: float, busy: Callable[[], float], room: int) -> None:
        """Adapt `most` to the seconds for which the thread was busy. room: most slots of all."""
        if now >= self.look_at:
            was_busy, self._busy = self._busy, busy()
            is_busy = self._busy - was_busy > _BUSY * (now - self.look_at + _LOOKS_APART)
            self.most = max(min(self.most, room) * (0.75 if is_busy else 1.25), _FEWEST)
            self.look_at = now + _LOOKS_APART

    def pass_on(self) -> None:
        """Let the next one know that there may be a slot."""
        for ring in self._waiting:
            del self._waiting[ring]
            ring()
            return


class InFlight:
    """Tasks of requests, by the limits that they count toward.

    Requests to hosts that have not answered yet, or not the last time, are attempts. They take no slot from others, as
    silent hosts would hold all slots; many may be in flight, because they cost only a connection. A few begin at a
    time, so that answers are absorbed in between and hosts that answer are asked for more. An attempt without an answer
    within `soon` seconds, unless that is None, no longer counts among the pages to fetch.

    slots: those of all crawls of this process. on_change: called when a task has ended, or counts no longer.
    one_by_one: requests of all kinds count alike.
    """

    def __init__(
        self, slots: Slots, room: Room, *, soon: float | None, one_by_one: bool, on_change: Callable[[], None]
    ) -> None:
        self.adjust(room, soon=soon, one_by_one=one_by_one)
        self._on_change = on_change
        self._slots = slots
        self._begun: dict[Task, tuple[float, str]] = {}  # all tasks, the oldest first
        self._pages: set[Task] = set()  # pages expected to be fetched
        self._beside: set[Task] = set()  # requests for no page
        self._slotless: set[Task] = set()  # requests to the name server
        self._attempts: set[Task] = set()
        self._most_attempts = 0
        self.failure: BaseException | None = None

    def adjust(self, room: Room, *, soon: float | None, one_by_one: bool) -> None:
        """Change the limits, as in __init__; requests in flight continue."""
        self._room = room
        self._soon = soon
        self._one_by_one = one_by_one

    def __bool__(self) -> bool:
        return bool(self._begun)

    @property
    def pages(self) -> int:
        """Number of pages in flight that are expected to be fetched."""
        return len(self._pages)

    @property
    def has_room(self) -> bool:
        """True if one more request may be made; if not, `on_change` is called when one may be."""
        slots = self._slots
        taken = slots.begun if self._one_by_one else slots.begun - slots.slotless - slots.attempts
        if taken < min(self._room.requests, slots.most):
            return True
        slots.wait(self._on_change)
        return False

    @property
    def has_room_at(self) -> float | None:
        """Unix time at which there may be room, although no request has ended; None if never."""
        return self._slots.look_at if self._slots.most < self._room.requests else None

    def begin_attempts(self, now: float) -> None:
        """Allow a few more attempts, and as many requests as the thread keeps up with."""
        self._slots.adapt(now, busy_seconds, self._room.requests)
        self._most_attempts = min(self._room.attempts, self._slots.attempts + _ATTEMPTS_AT_ONCE)

    @property
    def has_room_for_attempts(self) -> bool:
        """True if one more attempt may begin now."""
        return self._slots.attempts < self._most_attempts

    @property
    def may_begin_more_attempts(self) -> bool:
        """True if no more attempts may begin now, but soon."""
        return self._slots.attempts == self._most_attempts < self._room.attempts

    def pass_on(self) -> None:
        """Leave a free slot, if there is one, to the next crawl that waits for it."""
        if self.has_room:
            self._slots.pass_on()

    def spawn(self, asking: Coroutine[Any, Any, None], request: Request) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(asking)
        self._begun[task] = loop.time(), request.url
        self._slots.begun += 1
        (self._pages if request.is_page else self._beside).add(task)
        if not request.takes_slot:
            self._slotless.add(task)
            self._slots.slotless += 1
        elif not request.host.answers:
            self._attempts.add(task)
            self._slots.attempts += 1
            if request.is_page and self._soon is not None:
                doubt = loop.call_later(self._soon, self._expect_no_more, task)
                task.add_done_callback(lambda _: doubt.cancel())
        task.add_done_callback(self._ended)

    def stop(self, *, has_enough: bool) -> None:
        """Cancel requests for no page; and if there are enough pages, attempts."""
        for task in self._beside | (self._attempts if has_enough else set()):
            task.cancel()

    def end_waits(self, urls: Container[str]) -> None:
        for task, (_, url) in self._begun.items():
            if url in urls:
                task.cancel()

    def abort(self) -> None:
        for task in self._begun:
            task.cancel()

    def _expect_no_more(self, task: Task) -> None:
        self._pages.discard(task)
        self._on_change()

    def oldest(self, number: int, waits: Mapping[str, Wait]) -> tuple[InFlightNow, ...]:
        """The requests that have been in flight for the longest. waits: requests that wait with their answer, by
        URL."""
        now = asyncio.get_running_loop().time()
        found = []
        for begun, url in islice(self._begun.values(), number):
            wait = waits.get(url)
            found.append(InFlightNow(url, now - wait[1], wait[0]) if wait else InFlightNow(url, now - begun))
        return tuple(found)

    def _ended(self, task: Task) -> None:
        del self._begun[task]
        self._slots.begun -= 1
        self._slots.slotless -= task in self._slotless
        self._slots.attempts -= task in self._attempts
        for kind in (self._pages, self._beside, self._slotless, self._attempts):
            kind.discard(task)
        self._slots.pass_on()
        if not task.cancelled() and task.exception() is not None:
            self.failure = task.exception()
        self._on_change()


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
        self._waiting: deque[tuple[int, Callable[[float], None]]] = deque()
        self._bell = asyncio.Event()
        self._has_rung = False

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, links: int, take: Callable[[float], None]) -> None:
        self._waiting.append((links, take))
        self.ring()

    def ring(self) -> None:
        """Ring the bell: something has changed. It sounds later, as a request leaves its slot after its delivery."""
        if not self._has_rung:
            self._has_rung = True
            asyncio.get_running_loop().call_soon(self._bell.set)

    async def take(self) -> bool:
        """Absorb arrivals; returns False if the rest must wait until other tasks have gone on."""
        links = 0
        while self._waiting:
            if links > self._at_once:
                return False
            more, take = self._waiting.popleft()
            links += more
            if more > self._at_once:
                await self._thread.do(partial(take, self._clock()))
            else:
                take(self._clock())
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
