"""The loop that joins the stages: frontier -> fetch -> parse -> absorb -> commit.

Fetching and parsing run side by side, one task per request in flight; taking in and committing happen one at a time.
The crawl is over when nothing waits, nothing is in flight and nothing is left to take in.

Long work, a page of very many links or a commit, runs in a thread while the loop serves sockets, timers and signals.
Only that thread touches the books then, so the results are the same.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any  # Any: JSON

from minicrawl import log
from minicrawl.crawler.due_requests import DueRequests
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.loop.commands import Commands, EventStream
from minicrawl.crawler.loop.in_flight import Arrivals, BooksThread, InFlight
from minicrawl.crawler.loop.limits import Limits
from minicrawl.crawler.loop.together import Together
from minicrawl.crawler.progress import RunProgress
from minicrawl.crawler.requests.outage_watch import OutageWatch
from minicrawl.crawler.requests.request import Request
from minicrawl.crawler.sources.workers import Source
from minicrawl.events import PageFetched, Paused, Progressed, Resumed, Stopping
from minicrawl.model import InFlightNow, Progress, RunState
from minicrawl.settings import CrawlSettings
from minicrawl.store.declaration import MetaValue
from minicrawl.system import is_short_of_room
from minicrawl.web.net.open_files import OPEN_FILES


class Commits:
    """`last`: time of the last one. `asked_until`: time until which requests may leave without another one."""

    def __init__(
        self,
        intake: Intake,
        commands: Commands,
        thread: BooksThread,
        clock: Callable[[], float],
        meta: Callable[[], dict[str, MetaValue]],
    ) -> None:
        self._intake, self._state = intake, intake.state
        self._commands = commands
        self._thread = thread
        self._clock = clock
        self._timing = intake.state.timing
        self._meta = meta
        self.last = clock()
        self.asked_until = 0.0
        self._had_news = True

    @property
    def has_news(self) -> bool:
        """True if a request has ended or a change was made since the last commit but one: the last may have left
        something to the next."""
        return self._had_news or self._is_news

    @property
    def _is_news(self) -> bool:
        return self._intake.has_news or self._commands.has_made

    def late_at(self, *, is_asking: bool) -> float:
        """Unix seconds from which the next one is late. is_asking: requests are in flight."""
        batch = self._timing.batch
        return self.last + (batch if is_asking or self.has_news else max(self._timing.quiet, batch))

    def is_due(self, now: float, *, is_asking: bool) -> bool:
        is_late = now >= self.late_at(is_asking=is_asking)
        is_full = self._intake.turns_in_batch >= self._intake.turns_per_commit
        is_awaited = self._commands.wait_for_commit or self._intake.ranking.is_coverage_old
        return is_late or is_full or is_awaited or self._state.hosts.is_urgent

    async def commit(self) -> None:
        """Commit all results taken in, in the thread, and notify those who wait for it."""
        await self._thread.do(self.write)
        self._commands.committed()

    def write(self) -> None:
        self.asked_until = self._clock() + self._timing.lease
        self._had_news = self._is_news
        self._intake.commit(self._meta())
        self.last = self._clock()


_OVER = object()
_OF_PAGES = frozenset({"pages", "bytes", "coverage"})
"""Limits of pages. Others end everything."""
_SHOWN = 3
"""Requests in flight shown in the progress."""
_LOOKS_APART = 1.0
"""Seconds between two looks for pages that wait for a child, once a stop has lasted; and at the room on the disk."""
_ENOUGH_ROOM = 1.25
"""Times the room below which a crawl pauses: from there on it goes on."""
_DAY = 86_400.0
"""Seconds between two events of a disk that stays too full."""


def tell_of_stall(told: float | None, well_at: float, now: float, longest: float) -> float | None:
    """Tell, once for each `well_at`, that no host has been well for `longest` seconds. Returns what is told by now."""
    if well_at == told or now - well_at < longest:
        return told
    log.event("crawl-stalled", seconds=now - well_at)
    return well_at


class Engine:
    """One run of a crawl. `commands`: requested changes; `events`: its event stream; `unanswered`: failed requests, by
    reason; `is_short`: a request is due, but the limits allow none.

    It knows no kind of request: `requests` chooses them; a request sends itself, and takes in its answer. When the
    crawl has all its pages, other results are dropped, and their pages wait for the next run.

    Clocks of hosts are committed with their answers, so a kill loses those of the hosts that were just asked. But no
    request leaves later than a lease after the commit before it: the next run assumes that any may have, until then.
    """

    def __init__(
        self, intake: Intake, requests: DueRequests, source: Source, together: Together, progress: RunProgress
    ) -> None:
        """together: with other runs of this process; their owner ends it. progress: the run's clock and counts."""
        self._intake, self._requests, self._state = intake, requests, intake.state
        self._judge = intake.visits.judge
        self._timing = timing = self._state.timing
        self._thread = together.thread
        self._room = together.room
        self.progress = progress
        self._clock = progress.clock
        self._time = progress.time
        self.on_progress: Callable[[Progress], None] | None = None
        """Called now and then."""
        self._arrivals = Arrivals(self._clock, self._thread, timing.links_at_once)
        self.deliver = self._arrivals.add
        """Passes an answer or a command to the loop, which takes them one by one, with the URLs that it leads to."""
        self.commands = Commands(self.deliver)
        self.events = EventStream(self._clock)
        self._commits = Commits(intake, self.commands, self._thread, self._clock, self.meta)
        settings = requests.settings
        self.unanswered = requests.unanswered
        self._source = source
        self.limits = Limits(settings, self.progress.done, lambda: intake.state.accounts.share().low)
        self.in_flight = InFlight(
            together.slots, self._room(settings.concurrency), soon=None, one_by_one=False, on_change=self._arrivals.ring
        )
        self.outages = OutageWatch(self._state, self._absorb, asks_robots=not settings.ignore_robots)
        self.is_short = False
        self.adjust(settings)
        self._progress_at = self._commits.last + timing.progress
        self.reason: str | None = None
        self._limit: str | None = None  # reached, while other requests than those for pages go on
        self._given: str | None = None  # by `finish`
        self.waits_for_others = False
        """True if it goes on with nothing left, as others may still hand something over, until it is stopped."""
        self._folders = [intake.state.writer.path.parent]
        if settings.archive is not None:
            self._folders.append(Path(settings.archive))
        self._room_at = self._room_told_at = 0.0
        self._is_out_of_room = False
        self._patient_until: float | None = None  # with nothing to do but to wait for ill hosts
        self._stalled_since: float | None = None
        self._is_idle = self._has_started = self._has_ended = self.is_aborted = False
        self._stopped_at = 0.0

    @property
    def state(self) -> RunState:
        if self._has_ended:
            return RunState.ENDED
        if self.reason is not None:
            return RunState.STOPPING
        running = RunState.PAUSED if self._time.is_paused else RunState.RUNNING
        return running if self._has_started else RunState.STARTING

    def stop(self, reason: str) -> None:
        """Begin no more pages; those in flight are finished, unless they wait for a child for long, and nothing else is
        waited for."""
        if self.reason is None:
            self.resume()
            self.reason, self._stopped_at = reason, self._clock()
            self.events.tell(Stopping(self._clock(), reason))
            self._progress_at = 0.0  # show it at once
        self.in_flight.stop(has_enough=self.limits.has_enough)
        self._arrivals.ring()

    def finish(self, limit: str) -> None:
        """Stop because of a limit, as if it was one of this run: requests that outlast pages are made before."""
        if self._outlasts(limit):
            self._given, self.waits_for_others = limit, False
            self._arrivals.ring()
        else:
            self.stop(limit)

    def interrupt(self) -> None:
        """Finish requests in flight; called again, stop at once."""
        if self.reason is None:
            self.stop("interrupted")
        else:
            self.abort()

    def abort(self) -> None:
        """Stop at once: pages in flight will wait for their turn in the next run."""
        self.stop("interrupted")
        self.is_aborted = True
        self.in_flight.abort()

    def pause(self) -> None:
        """Make no more requests until `resume`; those in flight are finished. The run's time stands still."""
        self._is_out_of_room = False  # whoever pauses it goes on with it, room or not
        self._pause(runs_on=False)

    def _pause(self, *, runs_on: bool) -> None:
        if self.reason is None:
            was_paused = self._time.is_paused
            self._time.pause(runs_on=runs_on)
            self._progress_at = 0.0
            if not was_paused:
                self.events.tell(Paused(self._clock()))

    def resume(self) -> None:
        if self._time.is_paused:
            seconds = self._time.resume()
            self._progress_at = 0.0
            self.events.tell(Resumed(self._clock(), seconds))

    async def look(self, hosts: int, requests: int) -> dict[str, Any]:
        """The crawl between two answers, with up to `hosts` of its hosts and `requests` in flight."""
        silence, oldest = self.outages.silence, self._oldest(requests)
        links = len(self._state.frontier.hosts) if hosts else 0
        return await self.commands.seen(lambda now: self.progress.look(silence, oldest, hosts), links)

    async def run(self, start: Iterable[None] = ()) -> None:
        """Crawl until there is a reason to stop, and commit. start: makes the seeds known, step by step. A bug that
        breaks off absorbing leaves the batch uncommitted: half a visit must not reach the store."""
        failure: BaseException | None = None
        try:
            await self._start(iter(start))
            await self._go_on()
            left = "patience" if self._judge.has_pages_of_ill_hosts else "nothing-left"
            self.stop(self._limit or self._given or left)
            self._judge.finish(self._clock())
            self.progress.course.end()
            await self._commits.commit()
        except asyncio.CancelledError:
            self._commits.write()  # cancelled while it waited: the batch is whole
            raise
        except BaseException as error:
            failure = error
            raise
        finally:
            self.in_flight.abort()
            self.commands.end(failure)

    def end(self) -> None:
        """End, with the ranking settled: nothing happens any more."""
        self._has_ended = True
        self.events.end()

    async def _start(self, steps: Iterator[None]) -> None:
        """Take in the seeds, which may be millions: the crawl can be stopped after every step."""
        while self.reason is None and await self._thread.do(partial(self._has_stepped, steps)):
            self._check_limits()
            await self._show_progress(self._clock())
        self._has_started = True

    def _has_stepped(self, steps: Iterator[None]) -> bool:
        """Make one more step and commit it; False if there was none."""
        is_over = next(steps, _OVER) is _OVER
        self._commits.write()
        return not is_over

    async def _go_on(self) -> None:
        """Make requests and take in arrivals, until there is a reason to stop, or nothing is left."""
        while True:
            if not await self._arrivals.take():
                await asyncio.sleep(0)
                continue
            now = self._clock()
            self._keep_room(now)
            if self.reason is not None and now >= self._stopped_at + self._timing.in_children:
                self.in_flight.end_waits(self._source.waits())  # as for hooks: their pages are left to the next run
            if self._is_out_of_room:
                self._check_limits()
            has_more = not self._time.is_paused and await self._ask_for_more(now)
            if self._commits.is_due(now, is_asking=bool(self.in_flight)):
                await self._commits.commit()
                await self._thread.do(partial(self._after_commit, now))
            await self._show_progress(now)
            if self.in_flight.failure is not None:
                await self._commits.commit()
                raise self.in_flight.failure
            is_idle = not (self.in_flight or self._arrivals or self._time.is_paused)
            if is_idle and not self.reason and self._ends_round(now):
                self.stop("nothing-left")
            if is_idle and (self.reason or self._requests.is_empty()):
                if not self.reason and await self._finds_more(now):
                    continue
                if not self.reason and self._waits_for_ill_hosts(now):
                    await self._wait()
                    self._patient_until = None
                    continue
                if self.reason or not self.waits_for_others:
                    return
                await self._wait_for_others()
                continue
            await (asyncio.sleep(0) if has_more else self._wait())

    async def _ask_for_more(self, now: float) -> bool:
        """Begin requests, unless there is a reason to stop; returns whether more could be begun at once."""
        self._check_limits()
        if self.reason is None and now >= self._commits.asked_until and self._may_ask(now):
            await self._commits.commit()
        has_more = self.reason is None and self._begin_due(now)
        if self.reason is None:
            self.in_flight.pass_on()
        is_idle = not (has_more or self.in_flight or self._arrivals) and self._requests.next_ready() is None
        return self.outages.clear_up(now, is_idle=is_idle, is_over=self.reason is not None) or has_more

    def _keep_room(self, now: float) -> None:
        """Pause while a disk is nearly full: a commit that does not fit would end the run. Its time runs on, and once a
        day it says so again."""
        if now < self._room_at or self.reason is not None:
            return
        self._room_at = now + _LOOKS_APART
        times = _ENOUGH_ROOM if self._is_out_of_room else 1.0
        rooms = [(folder, is_short_of_room(folder, times)) for folder in self._folders if folder.is_dir()]
        short = [(folder, free) for folder, free in rooms if free is not None]
        if short and (not self._time.is_paused or (self._is_out_of_room and now >= self._room_told_at + _DAY)):
            log.event("disk-short", path=str(short[0][0]), free=short[0][1])
            self._room_told_at = now
            self._pause(runs_on=True)
            self._is_out_of_room = True
        elif self._is_out_of_room and not short:
            self._is_out_of_room = False
            log.event("disk-enough", path=str(self._folders[0]))
            self.resume()

    def _check_limits(self) -> None:
        limit = self._limit = self.limits.reached() or self._given
        if limit is None or self._outlasts(limit):
            self._requests.end_pages(are_over=limit is not None)
        else:
            self.stop(limit)

    def _ends_round(self, now: float) -> bool:
        """True if what is left of a round is left to the next one. An outage is waited for."""
        return self.outages.ask_at is None and self._requests.waits_for_next_round(now)

    def _waits_for_ill_hosts(self, now: float) -> bool:
        """True if hosts are ill that may soon be well, with nothing else to do."""
        self._patient_until = self._judge.ends_at(self._requests.patience, now)
        if self._patient_until is not None and not self.waits_for_others:
            self._stalled_since = tell_of_stall(self._stalled_since, self._judge.well_at, now, self._timing.stalled)
        return self._patient_until is not None or self._judge.ask_once_more(now)

    async def _finds_more(self, now: float) -> bool:
        if self._commits.has_news:
            await self._commits.commit()
        return bool(self._arrivals) or await self._thread.do(partial(self._requests.on_nothing_left, now))

    def _after_commit(self, now: float) -> None:
        self._intake.steps.after_commit()  # before anything else becomes known: it uses the committed state
        if self.reason is None and not self._time.is_paused:
            self._requests.on_commit(now)
        self._intake.ranking.keep_up()

    @property
    def left_to_next_round(self) -> dict[str, int]:
        """The number of pages of a round on each host that rests."""
        return self._requests.left_to_next_round(self._clock())

    def meta(self) -> dict[str, MetaValue]:
        return self.progress.meta(self.outages.silence, self.reason, self._commits.asked_until)

    async def _wait(self) -> None:
        """Wait until something arrives, a host's time comes or a commit is due."""
        if not await self._arrivals.is_quiet():
            return
        until = self._next_look()
        pause = until - self._clock()
        if await self._arrivals.rings_within(min(pause, self._timing.idle)) or pause <= self._timing.idle:
            return
        # Nothing happens for a while: a good time for a commit and other long work.
        if self._intake.turns_in_batch:
            await self._commits.commit()
            await self._thread.do(self._intake.steps.after_commit)
        if not await self._thread.do(self._intake.ranking.settle):
            await self._arrivals.rings_within(until - self._clock())

    async def _wait_for_others(self) -> None:
        """Wait, with nothing left and all committed, until something arrives, or a look is due."""
        if await self._arrivals.is_quiet():
            self._is_idle = True
            await self._arrivals.rings_within(self._timing.paused)
            self._is_idle = False

    @property
    def is_idle(self) -> bool:
        """True if nothing is left here, and everything is committed."""
        return self._is_idle and not self._arrivals

    @property
    def rests_since(self) -> float | None:
        """Unix seconds at which a host was last well, if at most pages of ill hosts are left here."""
        return self._judge.well_at if self.is_idle or self._patient_until is not None else None

    def _next_look(self) -> float:
        """Unix seconds of the next work, if nothing arrives before."""
        time = self.limits.settings.time
        if self._time.is_paused and not (self.in_flight or self._intake.turns_in_batch):
            until = self._clock() + self._timing.paused
            return until if time is None or not self._is_out_of_room else min(until, self._time.when(time))
        until = self._commits.late_at(is_asking=bool(self.in_flight))
        if self.reason is not None and self.in_flight:
            until = min(until, max(self._stopped_at + self._timing.in_children, self._clock() + _LOOKS_APART))
        if self.reason is None and not self._time.is_paused:
            until = until if time is None else min(until, self._time.when(time))
            next_ready = self._next_ready()
            until = until if next_ready is None else min(until, next_ready)
            until = until if self._patient_until is None else min(until, self._patient_until)
        return until

    async def _show_progress(self, now: float) -> None:
        if now >= self._progress_at and (self.on_progress or self.events.has_readers):
            progress = replace(
                await self._thread.do(partial(self.progress.now, self.outages.silence)),
                state=self.state,
                reason=self.reason,
                limits=self.limits.now,
                requests=self._oldest(_SHOWN),
            )
            if self.on_progress is not None:
                self.on_progress(progress)
            self.events.tell(Progressed(now, progress), is_look=True)
            # A look at millions of pages takes a while: a twentieth of the time at most goes into looking.
            self._progress_at = now + max(self._timing.progress, self._timing.looks_apart * (self._clock() - now))
        self.events.wake()

    # Requests.

    def _oldest(self, number: int) -> tuple[InFlightNow, ...]:
        return self.in_flight.oldest(number, self._source.waits())

    def adjust(self, settings: CrawlSettings) -> None:
        """Go on with other limits and another concurrency."""
        self.limits.settings = settings
        is_limited = settings.pages is not None or self.limits.quota is not None
        soon = self._timing.soon if is_limited else None
        self.in_flight.adjust(self._room(settings.concurrency), soon=soon, one_by_one=settings.concurrency == 1)

    def let(self, pages: int) -> None:
        """Set the run's present quota of pages: other crawls share its limit."""
        is_first = self.limits.quota is None
        self.limits.let(pages, self.in_flight.pages)
        if is_first:
            self.adjust(self.limits.settings)
        self._arrivals.ring()

    def _outlasts(self, limit: str) -> bool:
        """True if requests for no page go on where a limit is reached."""
        return limit in _OF_PAGES and self._requests.outlasts_pages

    def _may_ask(self, now: float) -> bool:
        """True if a request is in flight, or due."""
        flying = self.in_flight
        if flying:
            return True
        if self.outages.ask_at is not None:
            return now >= self.outages.ask_at
        flying.begin_attempts(now)
        return flying.has_room and self._requests.next(now, attempts=flying.has_room_for_attempts) is not None

    def _begin_due(self, now: float) -> bool:
        """Begin requests; returns whether more could be begun at once."""
        self.is_short = False
        self.limits.take_back(self.in_flight.pages)
        self._state.pages.end_waiting(now)
        if self.outages.ask_at is not None:
            check = self.outages.check(now)
            if check is not None and self._begin(check, now):
                self.outages.checking()
            return False
        flying = self.in_flight
        flying.begin_attempts(now)
        while flying.has_room:
            if not self._state.frontier.errands_only and not self.limits.allow_one_more(flying.pages):
                self.is_short = self._requests.next(now, attempts=flying.has_room_for_attempts) is not None
                return False
            if self._intake.turns_in_batch >= 2 * self._intake.turns_per_commit:
                return True
            request = self._requests.next(now, attempts=flying.has_room_for_attempts)
            if request is None:
                return flying.may_begin_more_attempts
            again = self._state.pages.again  # they have a part of the limit
            is_other = bool(again) and request.is_page and request.page not in again
            if is_other and not self.limits.allow_one_more(flying.pages + len(again)):
                return False
            self._begin(request, now)
        return False

    def _next_ready(self) -> float | None:
        """Unix time at which to look for the next request; None if only an answer can make room for one."""
        if self.outages.ask_at is not None:
            return self.outages.ask_at
        flying, again = self.in_flight, self._state.pages.again
        if not flying.has_room:
            return flying.has_room_at
        ready = self._requests.next_ready()
        return min((time for time in (ready, *again.values()) if time is not None), default=None) if again else ready

    def _begin(self, request: Request, now: float) -> bool:
        """Send the request that a turn is due, or one that must come before it; False if there is none."""
        begun = self._requests.begun(request, now)
        if begun is not None:
            self.in_flight.spawn(self._ask(begun), begun)
        return begun is not None

    async def _ask(self, request: Request) -> None:
        await request.ask(self._intake.steps.source(self._source), self.deliver)
        self.deliver(request.links, partial(self._take, request))

    def _take(self, request: Request, now: float) -> None:
        self._state.pages.requests_ended += 1
        if request.fetched.record is not None:
            self._intake.steps.on_record(request.fetched.record, request.page if request.is_page else None)
        for record in request.fetched.further:
            self._intake.steps.on_record(record, None)
        if request.is_page and self.limits.has_enough:
            request.put_back(0.0, now)
            return
        if request.failure is not None and request.reason != OPEN_FILES:
            self.unanswered[request.failure] += 1
        self.outages.take(request, now, is_over=self.reason is not None)

    def _absorb(self, request: Request, now: float) -> None:
        if request.is_page:
            fetched = request.fetched
            self.progress.add(fetched)
            if self.events.is_followed:
                came = fetched.status, fetched.reason, fetched.size, fetched.seconds
                self.events.tell(PageFetched(now, fetched.url, *came))
        if request.reason is not None and request.page is not None:
            guesses = self._intake.visits.guesses
            guesses.doubt(request.page, request.reason, now)
        asked_again = self._state.pages.asked_again
        request.on_answer(now)
        self.progress.fetched -= self._state.pages.asked_again - asked_again  # a page counts once
