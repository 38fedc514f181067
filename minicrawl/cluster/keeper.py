"""The keeper of a crawl in partitions: starts them, detects the end, settles the ranking, ends them.

The crawl ends when two polls find every partition idle with an empty outbox, and no work was done in between; a row
stays in the sender's outbox until the receiver commits it. Polls between the two may find a partition busy, since a
poll wakes it. A partition whose actor died restarts from its store. One that fails ends the crawl.

Limits apply to all partitions together. Quotas make the number of pages exact. Bytes and coverage are summed at every
poll.
"""

import asyncio
import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any  # Any: messages

from minicrawl import log
from minicrawl.cluster import ray
from minicrawl.cluster.actor import Actor, Brief
from minicrawl.cluster.combined import Covered, added, coverage_of, progress_of, shares_of_all
from minicrawl.cluster.exchange import aliases_of_all, dead, home_of, named_elsewhere, shared_out, site_links, voided
from minicrawl.cluster.partition import Report
from minicrawl.cluster.quotas import Quotas, has_quotas
from minicrawl.cluster.shared_addresses import SharedAddresses, shares_addresses
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds, in_plain_http
from minicrawl.crawler.engine import tell_of_stall
from minicrawl.crawler.known.known_sites import is_grown
from minicrawl.crawler.loop.limits import RunClock, limit_reached
from minicrawl.crawler.run import Start
from minicrawl.errors import StoreError
from minicrawl.model import NOTHING_READ, CrawlReport, LimitsNow, Progress, ReadShare, RunState
from minicrawl.opic.book import certificate_of
from minicrawl.parts import parts
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.store.folder import Folder
from minicrawl.store.transfers import check_traffic
from minicrawl.system import STOPPING, on_signals
from minicrawl.timing import STANDARD, Timing

_LOOKS_APART, _SOON = 0.5, 0.05
"""Seconds between two polls: at most; and at least, used when all are idle or one waits for quota."""
_BIRTHS_APART = 20.0
"""Time between two sharings of births, as a multiple of what one took: all commit for it twice."""
_OF_A_REPORT = 0.004
"""Seconds between two polls for each partition, so that polls take a few percent of the time."""
_MOST_DEATHS = 3
"""Deaths of an actor in a row; one more ends the crawl. A fetched page or an empty frontier resets the count."""
_PATIENCE, _BEGINNING = 10.0, 0.5
"""Seconds from the second interruption until actors are killed; and that a message waits for a partition to start."""


@dataclass(frozen=True, slots=True)
class Ended(CrawlReport):
    """The report of a run in partitions. deaths: of partitions, each time that one was killed."""

    deaths: int = 0


@dataclass(frozen=True)
class Listener:
    """Callbacks of a run. on_start: before the first request. warn: with a sentence."""

    on_start: Callable[[Start], None] = lambda start: None
    warn: Callable[[str], None] = lambda sentence: None
    shows: Callable[[Progress], None] | None = None


@dataclass
class Keeper:
    """One run. `interrupt` may be called at any time; the second call ends the run without waiting.

    started: start of the run by time.monotonic(). `is_crawling`: all partitions have begun, and none settles. `deaths`:
    by partition. `since`: Unix time at which each started. A partition that restarts gets the current seeds and state
    of the `clock`.
    """

    folder: Folder
    settings: CrawlSettings
    seeds: Seeds
    listener: Listener = field(default_factory=Listener)
    started: float = field(default_factory=time.monotonic)
    timing: Timing = STANDARD

    def __post_init__(self) -> None:
        self.clock = RunClock(time.monotonic, self.started)
        self.numbers = range(self.folder.partitions)
        self.is_crawling = self._is_over = False
        self.deaths: Counter[int] = Counter()
        self.since: dict[int, float] = {}
        self._before: dict[int, tuple[int, int]] = {}
        """Pages and bytes of earlier runs, by partition."""
        self._quotas = Quotas(self.settings.pages, self.folder.partitions) if has_quotas(self.settings) else None
        self._addresses: SharedAddresses | None = None
        if shares_addresses(self.settings, self.folder.partitions):
            delay = self.settings.delay_per_address
            rest = delay + self.timing.on_its_way * max(1.0, delay)
            self._addresses = SharedAddresses(rest, self.numbers, is_new=not self.folder.settings)
        self.where = ray.started(Actor, self.folder, self.settings.workers)
        self._begun: dict[int, asyncio.Task[int]] = {}
        """Each partition's beginning; its result is the process id of its actor."""
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._fruitless: defaultdict[int, set[int]] = defaultdict(set)
        """By actor the ids of its processes that have died in a row, see _MOST_DEATHS."""
        self._latest: dict[int, Report] = {}
        """Latest reports in this run, also of partitions whose actor has died since."""
        self._bell = asyncio.Event()
        self._settling: asyncio.Task[None] | None = None
        self._stalled_since: float | None = None
        self._reason: str | None = None
        self._share = NOTHING_READ
        self._interrupts = 0
        self._end_of_patience: asyncio.TimerHandle | None = None
        self._births_stay_until = 0.0
        """Time by time.monotonic() before which births are not shared out again during the crawl."""
        self._seeds: defaultdict[int, dict[str, None]] = defaultdict(dict)
        """Seeds of this run, by their home."""
        self._guessed: frozenset[str] = frozenset()
        self.know(self.seeds)

    async def crawl(self, *, handle_signals: bool = False) -> Ended:
        """Run the crawl. Raises MinicrawlError if a partition has failed; the others have stopped by then."""
        try:
            with on_signals(asyncio.get_running_loop(), STOPPING if handle_signals else (), self.interrupt):
                if not (away := ray.away(self.folder)):  # else not all stores can be compared
                    preparing = (self._call(number, "prepare", self.folder, number) for number in self.numbers)
                    check_traffic(await asyncio.gather(*preparing))
                self.folder = self.folder.keep_settings(self.settings)
                for number in self.numbers:
                    self._begin(number, is_first=True)
                await asyncio.wait(self._begun.values(), timeout=_BEGINNING if away else None)
                self.is_crawling = True
                await self._until_crawled()
                self.is_crawling = False
                if await self._settled():
                    await self._end()
            return self._ended()
        finally:
            self.is_crawling, self._is_over = False, True
            leaving = (self._call(number, "leave", number) for number in self.pids)
            await asyncio.gather(*leaving, return_exceptions=True)
            self._kill_all()
            if self._end_of_patience is not None:
                self._end_of_patience.cancel()

    def know(self, seeds: Seeds) -> None:
        """Note more seeds, for partitions that begin from now on, and for the next run."""
        self.folder = self.folder.keep_seeds([*seeds.urls, *map(in_plain_http, seeds.guessed)])
        for url in seeds.urls:
            self._seeds[home_of(url, self.folder)][url] = None
        self._guessed |= seeds.guessed

    @property
    def pids(self) -> Mapping[int, int]:
        """Process ids of the actors of partitions that have begun."""
        done = {number: begun for number, begun in self._begun.items() if begun.done() and not begun.cancelled()}
        return {number: begun.result() for number, begun in done.items() if begun.exception() is None}

    # For Steering.

    @property
    def state(self) -> RunState:
        if self._is_over:
            return RunState.ENDED
        if self._reason is not None or self._interrupts:
            return RunState.STOPPING
        if not self.is_crawling:
            return RunState.STARTING
        return RunState.PAUSED if self.clock.is_paused else RunState.RUNNING

    @property
    def limits(self) -> LimitsNow:
        settings = self.settings
        return LimitsNow(settings.pages, settings.time, settings.bytes, settings.until_coverage)

    @property
    def figures(self) -> Message:
        """Figures of all partitions for a status: of this run, excluding pauses."""
        latest = self._latest
        return {
            "reason": self._reason,
            # Uncommitted work of a killed process counts until the next process reports.
            "fetched": sum(report.part.fetched - self._before[number][0] for number, report in latest.items()),
            "bytes": sum(report.bytes - self._before[number][1] for number, report in latest.items()),
            "seconds": self.clock.seconds,
            **self._share.figures(),
            "known": sum(report.totals.known for report in latest.values()),
            "read": sum(report.totals.read for report in latest.values()),
        }

    def interrupt(self) -> None:
        self._interrupts += 1
        self._bell.set()
        if self._interrupts == 2:
            self._end_of_patience = asyncio.get_running_loop().call_later(_PATIENCE, self._kill_all)
        if self._settling is not None:
            self._settling.cancel()

    # The crawl.

    async def _until_crawled(self) -> None:
        """Poll all partitions until every one has finished its crawl."""
        before: object = None  # counters of the previous poll that found all idle
        while True:
            self._bell.clear()
            reports: Mapping[int, Report | None] = await self.each("report", self._orders())
            for number, report in reports.items():
                self._note(number, report)
            latest = ((number, self._latest.get(number)) for number in self.numbers)
            self._note_coverage({number: report and report.coverage for number, report in latest})
            self._show()
            known = [report for report in reports.values() if report is not None and report.is_idle]
            now = [report.counters for report in known] if len(known) == len(reports) else None
            if now is None:
                self._tell_if_stalled([report and report.rests_since for report in reports.values()])
            is_over = now is not None and now == before and not self.clock.is_paused
            is_over = is_over and (self._reason is not None or not await self._void_hints())
            await self._stop_if_due(reports, is_over=is_over)
            await self._share_births_out_if_due()
            if all(self._interrupts > 1 if one is None else one.has_crawled for one in reports.values()):
                return
            before = now or before
            waits = any(report is not None and report.part.is_short for report in reports.values())
            waits |= self._addresses is not None and self._addresses.has_to_grant
            pause = _SOON if now or waits else _LOOKS_APART
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), max(pause, _OF_A_REPORT * len(self.numbers)))

    def _tell_if_stalled(self, rests: Sequence[float | None]) -> None:
        well = [since for since in rests if since is not None]
        if len(well) == len(rests):
            self._stalled_since = tell_of_stall(self._stalled_since, max(well), time.time(), self.timing.stalled)

    def _orders(self) -> Mapping[int, tuple[object, ...]]:
        """What partitions are told by the next poll, see `Partition.report`."""
        pages: Mapping[int, int] = {}
        knows_all = len(self._latest) == len(self.numbers) and all(one.coverage for one in self._latest.values())
        if self._quotas is not None and (self.settings.until_coverage is None or knows_all):
            pages = self._quotas.orders()  # else the coverage may suffice from the start
        orders = self._addresses.orders(self.numbers, time.monotonic()) if self._addresses is not None else {}
        none = None if self._quotas is None else 0
        return {number: (pages.get(number, none), orders.get(number), self._share) for number in self.numbers}

    def _note(self, number: int, report: Report | None) -> None:
        if report is None:
            if self._addresses is not None:
                self._addresses.note_death(number, time.monotonic())
            return
        for told in report.told:
            log.pass_on(told)
        before = self._latest.get(number)
        if report.is_idle or (before is not None and report.part.fetched > before.part.fetched):
            self._fruitless[self.where.places[number]].clear()
        self._before.setdefault(number, report.before)
        self._latest[number] = report
        if self._quotas is not None:
            self._quotas.note(number, report.part)
        if self._addresses is not None:
            self._addresses.note(number, report.wanted, report.left, time.monotonic())

    async def _stop_if_due(self, reports: Mapping[int, Report | None], *, is_over: bool) -> None:
        """Stop all partitions if there is a reason to. Those that go on for requisites are stopped by time, and by an
        interruption."""
        figures = self.figures
        coverage = 0.0 if None in reports.values() else figures["coverage"]
        reached = limit_reached(self.settings, figures["fetched"], figures["bytes"], figures["seconds"], coverage)
        reached = "interrupted" if self._interrupts else reached
        self._reason = self._reason or reached or ("nothing-left" if is_over else None)
        if self._reason is not None:  # repeated, as a partition may have been begun since
            why = reached if reached in ("interrupted", "time") else self._reason
            await self.all("stop", why, self._interrupts > 1)

    def _note_coverage(self, each: Mapping[int, Covered | None]) -> None:
        """Work out the share of all; its bound falls only where a partition has begun again. each: by number."""
        low, about, shown = coverage_of(each)
        leasts = [report.least for report in self._latest.values()]
        if shown:
            least = max(self._share.low, min(leasts)) if all(leasts) else 0.0
            self._share = ReadShare(*(max(figure, least) for figure in (low, about, shown)))

    async def _settled(self) -> bool:
        """Settle the ranking. Returns False if interrupted."""
        if self._interrupts > 1:
            return False
        self._settling = asyncio.create_task(self._settle())
        await asyncio.wait([self._settling])
        if self._settling.cancelled():
            self._reason = "interrupted"
            self._kill_all()
            return False
        self._settling.result()  # raises its exception
        return True

    async def _settle(self) -> None:
        while await self._void_hints():
            await asyncio.sleep(_SOON)
        if self.settings.jump == BY_SITES:
            is_shared_out = False
            while not is_shared_out:
                await self._in_rounds("count_voices")
                is_shared_out = await self._share_births_out(exactly=True)
        await self._in_rounds("settle")

    async def _void_hints(self) -> bool:
        """Let pages stand for themselves that name dead pages of other partitions as canonical. Returns True if there
        were any, or a partition could not answer."""
        named = await self.all("on_intake", named_elsewhere)
        by_home: defaultdict[int, set[str]] = defaultdict(set)
        for home, urls in chain.from_iterable((answer or {}).items() for answer in named.values()):
            by_home[home].update(urls)
        looks = {home: (partial(dead, sorted(urls)),) for home, urls in by_home.items()}
        found = await self.each("on_intake", looks)
        gone = sorted(chain.from_iterable(answer or () for answer in found.values()))
        done = await self.all("on_intake", partial(voided, gone, time.time())) if gone else {}
        return any(done.values()) or None in (*named.values(), *found.values(), *done.values())

    async def _in_rounds(self, what: str) -> None:
        """Let all do something and hand over, until no outbox has rows."""
        while True:
            done = (await self.all(what)).values()
            handed = (await self.all("hand_over")).values()
            if None in done or None in handed:
                await asyncio.sleep(_LOOKS_APART)
            elif not any(handed):
                return

    async def _share_births_out_if_due(self) -> None:
        """Share out births if walkers jump to sites, and the crawl has grown enough."""
        ends_by_coverage, began = self.settings.until_coverage is not None, time.monotonic()
        is_early = began < self._births_stay_until and not ends_by_coverage
        if self.settings.jump != BY_SITES or self._reason is not None or is_early:
            return
        size, then = (sum(report.sizes[at] for report in self._latest.values()) for at in (0, 1))
        if is_grown(size, then, ends_by_coverage=ends_by_coverage):
            await self._share_births_out()
            self._births_stay_until = began + _BIRTHS_APART * (time.monotonic() - began)

    async def _share_births_out(self, *, exactly: bool = False) -> bool:
        """Compute the trust of all sites, and share out births by it. exactly: as in `KnownSites.work_out`. Returns
        True if all partitions could, and all voices are at the homes of their pages."""
        told = await self.all("on_intake", site_links)
        if any(one is None for one in told.values()):
            return False
        shares = await asyncio.to_thread(shares_of_all, [one.links for one in told.values()])
        aliases = aliases_of_all(told.values())
        shared = {
            number: (partial(shared_out, one, aliases, exactly=exactly),)
            for number, one in zip(told, shares, strict=True)
        }
        return all((await self.each("on_intake", shared)).values())

    async def _end(self) -> None:
        """End each partition, in turn where they share the index of an archive, and note their final figures."""
        self._note_coverage(await self.all("covered"))
        if self.settings.archive is None:
            answers = await self.all("end", self._share)
        else:
            answers = {number: await self.ask(number, "end", self._share) for number in self.numbers}
        if None not in answers.values():
            for part in parts():
                finals = [answer.finals[part.__name__] for answer in answers.values() if part.__name__ in answer.finals]
                part.conclude(self.settings, finals)
        for number, final in answers.items():
            if final is not None:
                self._note(number, final)

    # Messages.

    async def all(self, what: str, *given: object) -> Mapping[int, Any]:
        """Ask all partitions the same. Returns their answers, see `ask`."""
        return await self.each(what, dict.fromkeys(self.numbers, given))

    async def each(self, what: str, given: Mapping[int, tuple[object, ...]]) -> Mapping[int, Any]:
        """Ask partitions, each with arguments of its own. Returns their answers, see `ask`."""
        asking = (self.ask(number, what, *own) for number, own in given.items())
        return dict(zip(given, await asyncio.gather(*asking), strict=True))

    async def _call(self, number: int, what: str, *given: object) -> Any:
        """Call a method of a partition's actor."""
        return await self.where.actors[self.where.places[number]](what, *given)

    async def ask(self, number: int, what: str, *given: object) -> Any:
        """Call a method of a `Partition` after earlier ones. Returns the answer; None if the partition cannot now.
        Raises MinicrawlError if it has failed."""
        async with self._turns[number]:
            begun = self._begun[number]
            await asyncio.wait([begun], timeout=_BEGINNING)
            if not begun.done() or begun.cancelled():
                return None
            pid = begun.result()  # raises the failure
            try:
                return await self._call(number, "ask", number, what, *given)
            except ray.GoneError:
                self._note_death(number, pid)
                return None

    def _note_death(self, number: int, pid: int) -> None:
        """Restart a partition. Raises StoreError after many deaths of its actor."""
        if self._interrupts > 1:
            return
        at = self.where.places[number]
        self._fruitless[at].add(pid)
        if len(self._fruitless[at]) > _MOST_DEATHS:
            raise StoreError(
                f"partition {number} has died {_MOST_DEATHS + 1} times on node {self.where.names[at]} without fetching "
                "a page; it may lack memory: free some and run again"
            )
        self.listener.warn(f"partition {number} was killed on node {self.where.names[at]}; it restarts now.")
        self.deaths[number] += 1
        self._begin(number, is_first=False)

    def _begin(self, number: int, *, is_first: bool) -> None:
        is_away = number in self.folder.nodes
        logs = {output._replace(file=None) if is_away else output for output in log.outputs()}
        brief = Brief(
            self.folder,
            number,
            self.where,
            self.settings,
            Seeds(list(self._seeds[number]), self._guessed & self._seeds[number].keys()),
            beside=self.where.places.count(self.where.places[number]),
            crawls=self._reason is None,
            is_first=is_first,
            is_paused=self.clock.is_paused,
            shows_progress=self.listener.shows is not None,
            logs=tuple(logs),
            followed=log.followed(),
            timing=self.timing,
        )
        self.since[number] = time.time()

        async def begin() -> int:
            pauses = ray.pauses()
            while True:
                with contextlib.suppress(ray.GoneError):
                    return int(await self._call(number, "begin", brief))
                await asyncio.sleep(next(pauses))

        self._begun[number] = asyncio.create_task(begin())

    def _kill_all(self) -> None:
        for begun in self._begun.values():
            begun.cancel()
        for call in self.where.actors:
            call.kill()

    # Figures.

    def _show(self) -> None:
        """Show the progress of all, once each has reported."""
        parts = [report.progress for report in self._latest.values() if report.progress is not None]
        if self.listener.shows is not None and len(parts) == len(self.numbers):
            self.listener.shows(progress_of(parts, self.state, self.limits, self.figures))

    def _ended(self) -> Ended:
        """The report of the run."""
        reports = self._latest.values()
        ill_pages, reason = sum(report.ill[1] for report in reports), self._reason or "nothing-left"
        return Ended(
            **{**self.figures, "reason": "patience" if reason == "nothing-left" and ill_pages else reason},
            error=certificate_of(*(sum(report.unsettled[at] for report in reports) for at in (0, 1))),
            failures=added([report.failures for report in reports]) or {},
            left_out=sum(report.left_out for report in reports),
            refreshed=sum(report.refreshed for report in reports),
            unanswered=added([report.unanswered for report in reports]) or {},
            ill_hosts=added([report.ill[0] for report in reports]) or {},
            ill_pages=ill_pages,
            deaths=self.deaths.total(),
        )
