"""The loop that joins the stages: frontier -> fetch -> parse -> absorb -> commit.

Fetching and parsing run side by side, one task per request in flight; taking in and committing happen one at a time.
The crawl is over when nothing waits, nothing is in flight and nothing is left to take in.

What may take long, a page of very many links or a commit, is done in a thread, and waited for: sockets, timers and
signals are attended to meanwhile. Only that thread touches the books then, so what comes of it is the same.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.loop.arrivals import Arrivals
from minicrawl.crawler.loop.books_thread import BooksThread
from minicrawl.crawler.loop.clock import SteadyClock
from minicrawl.crawler.loop.in_flight import InFlight
from minicrawl.crawler.loop.limits import limit_reached
from minicrawl.crawler.net.open_files import OPEN_FILES, Room, room
from minicrawl.crawler.progress import RunProgress
from minicrawl.crawler.requests.due import DueRequests
from minicrawl.crawler.requests.outage_watch import OutageWatch
from minicrawl.crawler.requests.request import Arrival, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Progress
from minicrawl.settings import CrawlSettings
from minicrawl.store.rows import MetaValue
from minicrawl.timing import STANDARD, Timing

_OVER = object()
_BATCH = 256


class Engine:
    """One run of a crawl.

    It knows no kind of request: `requests` chooses them, they ask for themselves, and take in their answers. When the
    crawl has all its pages, what comes of others is dropped, and they wait for the next run.

    Clocks of hosts are committed with their answers, so a kill loses those of the hosts that were just asked. But
    no request leaves later than a lease after the commit before it: until then, the next run takes it, any may have.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        absorber: Absorber,
        requests: DueRequests,
        source: PageSource,
        settings: CrawlSettings,
        *,
        timing: Timing = STANDARD,
        files: Room | None = None,
        clock: Callable[[], float] | None = None,
        started: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """started: Unix seconds from which on the crawl's time counts; None: now."""
        self._absorber = absorber
        self._requests = requests
        self._frontier = absorber.frontier
        self._source = source
        self._settings = settings
        self._timing = timing
        self._clock = clock or SteadyClock()
        self._on_progress = on_progress
        self._thread = BooksThread()
        self._arrivals = Arrivals(self._clock, self._thread, timing.links_at_once)
        self._in_flight = InFlight(
            files or room(None, settings.concurrency),
            soon=None if settings.pages is None else timing.soon,
            one_by_one=settings.concurrency == 1,
            on_change=self._arrivals.ring,
        )
        self._outages = OutageWatch(absorber.liveness, absorber.hosts.answered, timing, self._absorb)
        self._asked_until = 0.0
        self._last_commit = self._clock()
        self.progress = RunProgress(absorber, self._clock, self._last_commit if started is None else started)
        self._progress_at = self._last_commit + timing.progress
        self.reason: str | None = None
        self.is_aborted = False

    @property
    def unanswered(self) -> Counter[str]:
        """Why requests got no usable answer."""
        return self._requests.unanswered

    def stop(self, reason: str) -> None:
        """Hand out no more pages; those in flight are finished, but nothing else is worth waiting for."""
        self.reason = self.reason or reason
        self._in_flight.stop(has_enough=self._has_enough())
        self._arrivals.ring()

    def abort(self) -> None:
        """Stop at once: pages in flight will wait for their turn in the next run."""
        self.stop("interrupted")
        self.is_aborted = True
        self._in_flight.abort()

    def deliver(self, arrival: Arrival) -> None:
        """Let the loop take something in, an answer or a command, one after the other."""
        self._arrivals.add(arrival)

    async def run(self, start: Iterable[None] = ()) -> None:
        """Crawl until there is a reason to stop; everything absorbed is committed then.

        start: makes the seeds known, step by step, see Absorber.starting.
        A bug that breaks off absorbing leaves the batch uncommitted: half a visit must not reach the store.
        """
        try:
            await self._start(iter(start))
            while True:
                if not await self._arrivals.take():
                    await asyncio.sleep(0)
                    continue
                now = self._clock()
                self._check_limits(now)
                if self.reason is None and now >= self._asked_until:
                    await self._thread.do(self._commit)
                has_more = self.reason is None and self._dispatch(now)
                has_more = self._clear_up(now, has_more=has_more) or has_more
                if self._is_commit_due(now):
                    await self._thread.do(partial(self._commit_and_settle, now))
                await self._show_progress(now)
                if self._in_flight.failure is not None:
                    await self._thread.do(self._commit)
                    raise self._in_flight.failure
                if not self._in_flight and not self._arrivals and (self.reason or self._requests.is_empty()):
                    if self.reason or not await self._thread.do(partial(self._finds_more, now)):
                        break
                    continue
                await (asyncio.sleep(0) if has_more else self._wait())
            self.stop("nothing-left")
            await self._thread.do(self._commit)
        except asyncio.CancelledError:
            self._commit()  # cancelled while it waited: what was absorbed is whole
            raise
        finally:
            self._in_flight.abort()
            self._thread.end()

    async def _start(self, steps: Iterator[None]) -> None:
        """Take in the seeds, which may be millions: the crawl can be stopped after every step."""
        while self.reason is None and await self._thread.do(partial(self._has_stepped, steps)):
            now = self._clock()
            self._check_limits(now)
            await self._show_progress(now)

    def _has_stepped(self, steps: Iterator[None]) -> bool:
        """Make one step more and commit it; False if there was none."""
        is_over = next(steps, _OVER) is _OVER
        self._commit()
        return not is_over

    # Deciding and asking.

    def _dispatch(self, now: float) -> bool:
        """Begin requests for as long as there is room and a host on offer.

        Returns whether more could be begun at once: turns that need no request fill a batch without waiting.
        """
        if self._outages.ask_at is not None:
            self._check_life(now)
            return False
        flying, most = self._in_flight, self._settings.pages
        flying.begin_attempts()
        while flying.has_room:
            if most is not None and self.progress.fetched + flying.pages >= most:
                return False
            if self._absorber.turns_in_batch >= 2 * _BATCH:
                return True
            request = self._requests.next(now, attempts=flying.has_room_for_attempts)
            if request is None:
                return flying.may_begin_more_attempts
            self._begin(request, now)
        return False

    def _begin(self, request: Request, now: float) -> bool:
        """Ask for what a turn is due, or what must come before it; False if there is nothing to ask for."""
        begun = self._requests.begun(request, now)
        if begun is not None:
            self._in_flight.spawn(self._ask(begun), begun)
        return begun is not None

    def _check_life(self, now: float) -> None:
        """Ask whether anybody answers, if it is time for that."""
        check = self._outages.check(now)
        if check is not None and self._begin(check, now):
            self._outages.checking()

    async def _ask(self, request: Request) -> None:
        await request.ask(self._source, self.deliver)
        self.deliver(Arrival(request.links, partial(self._take, request)))

    def _clear_up(self, now: float, *, has_more: bool) -> bool:
        """Decide what becomes of failed requests; returns whether there may be more to dispatch."""
        is_idle = not (has_more or self._in_flight or self._arrivals) and self._requests.next_ready() is None
        return self._outages.clear_up(now, is_idle=is_idle, is_over=self.reason is not None)

    def _finds_more(self, now: float) -> bool:
        """Whether there is something left after all."""
        self._commit()
        return self._requests.on_nothing_left(now)

    def _has_enough(self) -> bool:
        return self._settings.pages is not None and self.progress.fetched >= self._settings.pages

    # Taking in.

    def _take(self, request: Request, now: float) -> None:
        """Take in that a request is over."""
        if request.is_page and self._has_enough():
            request.put_back(0.0, now)
            return
        if request.failure is not None and request.reason != OPEN_FILES:
            self.unanswered[request.failure] += 1
        self._outages.take(request, now, is_over=self.reason is not None)

    def _absorb(self, request: Request, now: float) -> None:
        """Take in an answer, or that there is none."""
        if request.is_page:
            self.progress.add(request.fetched)
        if request.reason is not None and request.page is not None:
            self._absorber.guesses.doubt(request.page, request.reason, now)
        request.on_answer(now)

    # Committing.

    def _is_commit_due(self, now: float) -> bool:
        is_late = now - self._last_commit >= self._timing.batch
        return is_late or self._absorber.turns_in_batch >= _BATCH or self._absorber.hosts.is_urgent

    def _commit_and_settle(self, now: float) -> None:
        self._commit()
        if self.reason is None:
            self._requests.on_commit(now)
        if self._absorber.settling.is_due:
            self._absorber.settling.settle()

    def _commit(self) -> None:
        self._asked_until = self._clock() + self._timing.lease
        self._absorber.commit(self.meta())
        self._last_commit = self._clock()

    def meta(self) -> dict[str, MetaValue]:
        """What the store keeps of this run."""
        return self.progress.meta(self._outages.silence, self.reason, self._asked_until)

    # Waiting and stopping.

    def _check_limits(self, now: float) -> None:
        progress, accounts = self.progress, self._absorber.accounts
        coverage = 0.0 if self._settings.until_coverage is None else accounts.coverage.bound()
        limit = limit_reached(self._settings, progress.fetched, progress.bytes, now - progress.started, coverage)
        if limit is not None:
            self.stop(limit)

    async def _wait(self) -> None:
        """Until something arrives, a host's time comes or a commit is due."""
        if not await self._arrivals.is_quiet():
            return
        until = self._last_commit + self._timing.batch
        if self.reason is None:
            if self._settings.time is not None:
                until = min(until, self.progress.started + self._settings.time)
            next_ready = self._outages.ask_at if self._outages.ask_at is not None else self._requests.next_ready()
            until = until if next_ready is None else min(until, next_ready)
        pause = until - self._clock()
        if await self._arrivals.rings_within(min(pause, self._timing.idle)) or pause <= self._timing.idle:
            return
        # Nothing happens for a while: a good time to commit, and for virtual visits.
        if self._absorber.turns_in_batch:
            await self._thread.do(self._commit)
        if not await self._thread.do(self._absorber.settling.settle):
            await self._arrivals.rings_within(until - self._clock())

    async def _show_progress(self, now: float) -> None:
        if self._on_progress is not None and now >= self._progress_at:
            self._on_progress(await self._thread.do(partial(self.progress.now, self._outages.silence)))
            # A look at millions of pages takes a while: a twentieth of the time at most goes into looking.
            self._progress_at = now + max(self._timing.progress, self._timing.looks_apart * (self._clock() - now))
