"""The loop that joins the stages: frontier -> fetch -> parse -> absorb -> commit.

Fetching and parsing run side by side, one task per page in flight; absorbing happens in the loop alone. The
crawl is over when nothing waits, nothing is in flight and nothing is left to absorb.
"""

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from minicrawl.crawl.absorb import Absorber
from minicrawl.crawl.robots import RobotsState, judged, restored
from minicrawl.crawl.shape import LiveShape
from minicrawl.crawl.source import PageSource
from minicrawl.crawl.urls import origin
from minicrawl.model import Fetched, ParsedPage, Progress, State
from minicrawl.opic.shares import FloatArray
from minicrawl.settings import CrawlSettings
from minicrawl.store.rows import MetaValue

_log = logging.getLogger("minicrawl")
_BATCH = 256
_BATCH_SECONDS = 0.5
_PROGRESS_SECONDS = 0.5
_IDLE_SECONDS = 0.02
_TOP = 10
_TRAP_SECONDS = 86_400.0


class Arrival(NamedTuple):
    """A page's answer, parsed."""

    page: int
    fetched: Fetched
    parsed: ParsedPage


class RobotsArrival(NamedTuple):
    """The robots.txt of the site whose `page` was about to be asked for."""

    page: int
    site: str
    fetched: Fetched


class ProbeArrival(NamedTuple):
    """The answer for a page that cannot exist, of the site whose `page` was about to be asked for."""

    page: int
    fetched: Fetched
    title: str | None


class SteadyClock:
    """Unix seconds that never step back, whatever happens to the machine's clock."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def __call__(self) -> float:
        return time.monotonic() + self._offset


class Engine:
    """One run of a crawl."""

    def __init__(
        self,
        absorber: Absorber,
        source: PageSource,
        settings: CrawlSettings,
        *,
        clock: Callable[[], float] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._absorber = absorber
        self._frontier = absorber.frontier
        self._source = source
        self._settings = settings
        self._clock = clock or SteadyClock()
        self._on_progress = on_progress
        self._robots: dict[str, RobotsState] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._arrived: deque[Arrival | RobotsArrival | ProbeArrival] = deque()
        self._wake = asyncio.Event()
        self._robots_tasks: set[asyncio.Task[None]] = set()  # and probes: all that is asked for beside pages
        self._failure: BaseException | None = None
        self._shape = LiveShape()
        self._started = self._clock()
        self._last_commit = self._last_progress = self._started
        self.fetched = 0
        self.bytes = 0
        self.reason: str | None = None
        self.is_aborted = False

    @property
    def seconds(self) -> float:
        return self._clock() - self._started

    def stop(self, reason: str) -> None:
        """Hand out no more pages; those in flight are finished, but nothing else is worth waiting for."""
        self.reason = self.reason or reason
        for task in self._robots_tasks:
            task.cancel()
        self._wake.set()

    def abort(self) -> None:
        """Stop at once: pages in flight will wait for their turn in the next run."""
        self.stop("interrupted")
        self.is_aborted = True
        for task in self._tasks:
            task.cancel()

    async def run(self) -> None:
        """Crawl until there is a reason to stop; everything absorbed is committed then.

        A bug that breaks off absorbing leaves the batch uncommitted: half a visit must not reach the store.
        """
        try:
            while True:
                now = self._clock()
                self._absorb_arrived()
                self._check_limits(now)
                has_more = self.reason is None and self._dispatch(now)
                self._commit_if_due(now)
                self._show_progress(now)
                if self._failure is not None:
                    self._commit()
                    raise self._failure
                if not self._tasks and not self._arrived and (self.reason or self._frontier.is_empty()):
                    break
                await (asyncio.sleep(0) if has_more else self._wait())
            self.stop("nothing-left")
            self._commit()
        except asyncio.CancelledError:
            self._commit()  # cancelled while it waited: what was absorbed is whole
            raise
        finally:
            for task in self._tasks:
                task.cancel()

    def progress(self) -> Progress:
        """The crawl as it stands; looks at every page for the most important ones, now and then at every link."""
        absorber, accounts = self._absorber, self._absorber.accounts
        ready, waiting = self._frontier.counts()
        read = int(np.count_nonzero(accounts.book.read[: accounts.size]))
        importance = accounts.ledger.importance()
        best = _largest(importance)
        return Progress(
            seconds=self.seconds,
            fetched=self.fetched,
            bytes=self.bytes,
            known=accounts.size,
            never_read=accounts.size - read,
            hosts_ready=ready,
            hosts_waiting=waiting,
            in_flight=self._frontier.in_flight,
            clock=accounts.book.clock / max(accounts.book.in_hand(), 1),
            coverage=accounts.coverage.bound(),
            errors=dict(absorber.failures),
            top=tuple((float(importance[page]), absorber.known.url(page)) for page in best),
            shape=self._shape.look(read, int(accounts.inlinks.sum()), absorber.writer.links),
        )

    # Deciding and asking.

    def _dispatch(self, now: float) -> bool:
        """Hand out pages for as long as there is room and a host on offer.

        Returns whether more could be handed out at once: turns that need no request fill a batch without waiting.
        """
        settings = self._settings
        while len(self._tasks) < settings.concurrency:
            if settings.pages is not None and self.fetched + self._pages_in_flight() >= settings.pages:
                return False
            if self._absorber.turns_in_batch >= 2 * _BATCH:
                return True
            page = self._frontier.acquire(now)
            if page is None:
                return False
            self._take_turn(page, self._absorber.known.url(page), now)
        return False

    def _take_turn(self, page: int, url: str, now: float) -> None:
        trap = self._absorber.trap(page, url)
        if trap is not None:
            self._absorber.absorb_unfetched(page, State.ERROR, trap, now + _TRAP_SECONDS, now)
            return
        site, robots = origin(url), None
        if not self._settings.ignore_robots:
            robots = self._robots_of(site)
            if robots is None or now >= robots.expires:
                self._ask_beside(self._ask_robots(page, site))
                return
            if robots.is_undecided:
                self._absorber.hold_host(page, robots.expires, now)
                return
            refusal = robots.refusal(self._settings.user_agent, url)
            if refusal is not None:
                self._absorber.absorb_unfetched(page, *refusal, robots.expires, now)
                return
        probe = self._absorber.due_probe(site)
        if probe is not None and (robots is None or robots.refusal(self._settings.user_agent, probe) is None):
            self._ask_beside(self._probe(page, probe))
            return
        self._frontier.charge(page)
        _log.debug("asking for %s", url)
        self._spawn(self._fetch(page, url))

    def _pages_in_flight(self) -> int:
        return len(self._tasks) - len(self._robots_tasks)

    def _robots_of(self, site: str) -> RobotsState | None:
        if site not in self._robots:
            row = self._absorber.writer.robots(site)
            if row is None:
                return None
            self._robots[site] = restored(row)
        return self._robots[site]

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _ask_beside(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Use a page's turn for something else that its host has to be asked for."""
        task = self._spawn(coroutine)
        self._robots_tasks.add(task)
        task.add_done_callback(self._robots_tasks.discard)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()
        self._wake.set()

    async def _fetch(self, page: int, url: str) -> None:
        self._arrived.append(Arrival(page, *await self._source.page(url)))

    async def _ask_robots(self, page: int, site: str) -> None:
        _log.debug("asking for %s/robots.txt", site)
        self._arrived.append(RobotsArrival(page, site, await self._source.robots(site)))

    async def _probe(self, page: int, url: str) -> None:
        _log.debug("asking for %s, which cannot exist", url)
        fetched, parsed = await self._source.page(url)
        self._arrived.append(ProbeArrival(page, fetched, parsed.title))

    # Taking in.

    def _absorb_arrived(self) -> None:
        while self._arrived:
            arrival = self._arrived.popleft()
            now = self._clock()
            if isinstance(arrival, RobotsArrival):
                self._absorb_robots(arrival, now)
            elif isinstance(arrival, ProbeArrival):
                self._absorber.absorb_probe(arrival.page, arrival.fetched, arrival.title, now)
            else:
                self.fetched += arrival.fetched.status is not None
                self.bytes += arrival.fetched.size
                self._absorber.absorb(arrival.page, arrival.fetched, arrival.parsed, now)

    def _absorb_robots(self, arrival: RobotsArrival, now: float) -> None:
        site, before = arrival.site, self._robots.get(arrival.site)
        robots = self._robots[site] = judged(arrival.fetched, now, before.attempts if before else 0)
        crawl_delay = robots.rules.crawl_delay(self._settings.user_agent) if robots.rules is not None else None
        self._absorber.absorb_robots(site, robots, crawl_delay or 0.0, arrival.page, now)

    def _commit_if_due(self, now: float) -> None:
        if self._absorber.turns_in_batch >= _BATCH or now - self._last_commit >= _BATCH_SECONDS:
            self._commit()
            if self._absorber.is_settling_due:
                self._absorber.settle()

    def _commit(self) -> None:
        self._absorber.commit(self.meta())
        self._last_commit = self._clock()

    def meta(self) -> dict[str, MetaValue]:
        """What the store keeps of this run, for `status`."""
        state = {
            "fetched": self.fetched,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "in_flight": self._frontier.in_flight,
            "errors": dict(self._absorber.failures),
            "coverage": self._absorber.accounts.coverage.bound(),
            "shape": None if self._shape.latest is None else asdict(self._shape.latest),
        }
        return {"run": json.dumps(state), "run_at": self._clock(), "stopped": self.reason}

    # Waiting and stopping.

    def _check_limits(self, now: float) -> None:
        settings = self._settings
        if settings.pages is not None and self.fetched >= settings.pages:
            self.stop("pages")
        if settings.time is not None and now - self._started >= settings.time:
            self.stop("time")
        if settings.bytes is not None and self.bytes >= settings.bytes:
            self.stop("bytes")
        coverage = self._absorber.accounts.coverage
        if settings.until_coverage is not None and coverage.bound() >= settings.until_coverage:
            self.stop("coverage")

    async def _wait(self) -> None:
        """Until something arrives, a host's time comes or a commit is due."""
        self._wake.clear()
        await asyncio.sleep(0)
        if self._arrived or self._wake.is_set():
            return
        until = self._last_commit + _BATCH_SECONDS
        if self.reason is None:
            if self._settings.time is not None:
                until = min(until, self._started + self._settings.time)
            next_ready = self._frontier.next_ready()
            if next_ready is not None:
                until = min(until, next_ready)
        pause = until - self._clock()
        if await self._woken_within(min(pause, _IDLE_SECONDS)) or pause <= _IDLE_SECONDS:
            return
        # Nothing happens for a while: a good time to commit, and for virtual visits.
        if self._absorber.turns_in_batch:
            self._commit()
        if not self._absorber.settle():
            await self._woken_within(until - self._clock())

    async def _woken_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    def _show_progress(self, now: float) -> None:
        if self._on_progress is not None and now - self._last_progress >= _PROGRESS_SECONDS:
            self._last_progress = now
            self._on_progress(self.progress())


def _largest(importance: FloatArray) -> list[int]:
    """The pages with the largest importance, best first."""
    candidates = np.argpartition(-importance, _TOP)[:_TOP] if len(importance) > _TOP else np.arange(len(importance))
    ordered: list[int] = candidates[np.argsort(-importance[candidates], kind="stable")].tolist()
    return ordered
