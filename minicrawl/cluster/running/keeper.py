"""The keeper of a crawl in partitions: starts them, detects the end, settles the ranking, ends them.

The crawl ends when two polls find every partition idle with an empty outbox, and no work was done in between; a row
stays in the sender's outbox until the receiver commits it. Other polls between the two may find a partition busy with
the poll itself, which wakes it. A partition whose process died is restarted from its store. One that fails ends the
crawl. One without a URL sleeps, without a process and a store, until another has rows for it.

Limits apply to all partitions together. Quotas make the number of pages exact. Bytes and coverage are summed at every
poll, and polls become more frequent near a limit.
"""

import asyncio
import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from minicrawl import log
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.combined import Covered, counted, covered_by_all, progress_of, trust_of_all
from minicrawl.cluster.running.hints import void_hints
from minicrawl.cluster.running.processes import DeadError, Holders, Kept, Processes, Start
from minicrawl.cluster.running.quotas import Quotas, has_quotas
from minicrawl.cluster.running.shared_addresses import SharedAddresses, shares_addresses
from minicrawl.cluster.settings import workers_of
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds, in_plain_http
from minicrawl.crawler.http.saved_cookies import write_rows
from minicrawl.crawler.known.known_sites import is_grown
from minicrawl.crawler.loop.limits import RunClock, limit_reached
from minicrawl.crawler.sharing import Carried
from minicrawl.errors import StoreError
from minicrawl.model import CrawlReport, LimitsNow, Progress, RunState
from minicrawl.opic.book import BookSums, certificate_of
from minicrawl.opic.coverage import CoverageSums, told
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.store.cookies import CookieRow
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.system import STOPPING, on_signals
from minicrawl.timing import STANDARD

_LOOKS_APART, _SOON = 0.5, 0.05
"""Seconds between two polls: at most; and at least, used when all are idle or one waits for quota."""
_BIRTHS_APART = 20.0
"""Time between two sharings of births, as a multiple of what one took: all commit for it twice."""
_OF_A_REPORT = 0.004
"""Seconds between two polls for each partition, so that polls take a few percent of the time."""
_MOST_DEATHS = 3
"""Deaths in a row, without a page fetched or the frontier empty in between, after which a restart would not help."""


@dataclass(frozen=True, slots=True)
class Ended(CrawlReport):
    """The report of a run in partitions. rounds: of settling; None if not settled."""

    rounds: int | None = None
    deaths: int = 0


@dataclass(frozen=True)
class Listener:
    """Callbacks of a run: `died(number, cause)`, `progress(pages, bytes, seconds)` and `shows(progress)`."""

    died: Callable[[int, str], None] = lambda number, how: None
    progress: Callable[[int, int, float], None] = lambda fetched, size, seconds: None
    shows: Callable[[Progress], None] | None = None


@dataclass
class _Part:
    """A partition. deaths: of its processes one after the other, of which none has fetched a page, or since it had none
    left to fetch."""

    kept: Kept
    deaths: int = 0
    first: Message | None = None
    """The first report of the partition."""


@dataclass
class Keeper:
    """One run. `interrupt` may be called at any time; the second call ends the run without waiting.

    patience: seconds from then until remaining processes are killed. started: start of the run by time.monotonic().
    `is_crawling`: all partitions have begun, and none settles. `quotas`, `addresses`: None if not shared. `before`:
    figures of earlier runs. `deaths`: by partition. A restarted partition begins with `settings`, `seeds` and the state
    of the `clock`. replayed: folders of archives in place of the network.
    """

    folder: Folder
    settings: CrawlSettings
    seeds: Seeds
    listener: Listener = Listener()
    start: Start | None = None
    """Starts a partition; None: in processes of this machine."""
    patience: float = 10.0
    started: float = field(default_factory=time.monotonic)
    replayed: tuple[Path, ...] = ()
    machines: Holders | None = None
    """Processes of several machines; None: of this one."""
    processes: Holders = field(init=False)
    _parts: dict[int, _Part] = field(default_factory=dict)
    _bell: asyncio.Event = field(default_factory=asyncio.Event)
    _settling: "asyncio.Task[int] | None" = None
    _rounds: int = 0
    """Rounds of settling and the like in this run."""
    _reason: str | None = None
    is_crawling: bool = False
    _is_over: bool = False
    clock: RunClock = field(init=False)
    _turns: defaultdict[int, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _interrupts: int = 0
    _end_of_patience: asyncio.TimerHandle | None = None
    deaths: Counter[int] = field(default_factory=Counter)
    quotas: Quotas | None = None
    addresses: SharedAddresses | None = None
    before: dict[int, Message] = field(default_factory=dict)
    _has_new_seeds: bool = False
    """Births are to be shared out anew, if walkers jump to sites."""
    _births_stay_until: float = 0.0
    """Time by time.monotonic() before which births are not shared out again during the crawl."""
    _seeds: dict[int, Seeds] = field(default_factory=dict)
    """Seeds of this run, by their home."""
    _latest: dict[int, Message] = field(default_factory=dict)
    """Latest reports in this run, also of processes that have died since."""
    _have_fetched: set[int] = field(default_factory=set)
    """Process ids of those that have fetched a page."""

    def __post_init__(self) -> None:
        self.clock = RunClock(time.monotonic, self.started)
        self.processes = self.machines or Processes(workers_of(self.settings, self.folder.homes.partitions))
        self.know(self.seeds)

    async def crawl(self, *, handle_signals: bool = False) -> Ended:
        """Run the crawl. Raises MinicrawlError if a partition has failed; the others have stopped by then."""
        if not self.folder.machines:
            check_agreement(self.folder)
        awake = sorted({*self.folder.begun, *self._seeds})
        if has_quotas(self.settings):
            self.quotas = Quotas(self.settings.pages, awake)
        if shares_addresses(self.settings, self.folder.homes.partitions):
            self.addresses = SharedAddresses(rest_of(self.settings), awake, is_new=not self.folder.settings)
        try:
            with on_signals(asyncio.get_running_loop(), STOPPING if handle_signals else (), self.interrupt):
                await self.wake(awake)
                self.is_crawling = True
                await self._until_crawled()
                self.is_crawling = False
                rounds = await self._settled()
            answers = {} if rounds is None else await self._end()
            _write_cookies(self.settings, list(answers.values()))
            return self._ended(rounds, {number: answer for number, answer in answers.items() if answer})
        finally:
            self.is_crawling, self._is_over = False, True
            await self._end_all()
            if self._end_of_patience is not None:
                self._end_of_patience.cancel()

    def know(self, seeds: Seeds) -> None:
        """Note more seeds, for partitions that begin from now on, and for the next run."""
        folder = self.folder.keep_seeds([*seeds.urls, *map(in_plain_http, seeds.guessed)])
        self._has_new_seeds |= folder.seeds != self.folder.seeds
        self.folder = folder
        for home, own in _by_home(self.folder, seeds).items():
            self._seeds[home] = _with_more(self._seeds.get(home, Seeds([])), own)

    @property
    def awake(self) -> Sequence[int]:
        """Partitions that have begun."""
        return list(self._parts)

    async def wake(self, numbers: Iterable[int]) -> None:
        """Begin partitions that sleep."""
        for number in numbers:
            async with self._turns[number]:
                if number not in self._parts:
                    self._parts[number] = _Part(await self._started(number, is_first=True))

    @property
    def pids(self) -> Sequence[int]:
        """Process ids of the partitions that have begun."""
        return [part.kept.pid for part in self._parts.values()]

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
    def figures(self) -> Message:
        """Figures of all partitions for a status: of this run, excluding pauses."""
        known, read = (sum(report["pages"][at] for report in self._latest.values()) for at in (0, 1))
        bound = _coverage({number: self._latest.get(number) for number in self._parts})
        return {
            "reason": self._reason,
            "fetched": self._sum("fetched"),
            "bytes": self._sum("bytes"),
            "seconds": self.clock.seconds,
            "coverage": told(bound, known, read),
            "known": known,
            "read": read,
        }

    def look_soon(self) -> None:
        """Poll at once: partitions must hear of a change."""
        self._bell.set()

    def interrupt(self) -> None:
        self._interrupts += 1
        self.look_soon()
        if self._interrupts == 2:
            self._end_of_patience = asyncio.get_running_loop().call_later(self.patience, self._kill_all)
        if self._settling is not None:
            self._settling.cancel()

    async def _until_crawled(self) -> None:
        """Poll all partitions until every one has finished its crawl."""
        before: object = None  # counters of the previous poll that found all idle
        while True:
            self._bell.clear()
            reports = await self.each(dict(self._orders()))
            for number, report in reports.items():
                self._note(number, report)
            await self.wake(home for report in reports.values() if report is not None for home in report["homes"])
            seconds = self.clock.seconds
            self.listener.progress(self._sum("fetched"), self._sum("bytes"), seconds)
            self._show()
            now = _counters(reports) if len(reports) == len(self._parts) else None
            is_over = now is not None and now == before and not self.clock.is_paused
            is_over = is_over and (self._reason is not None or not await self._void_hints())
            await self._stop_if_due(reports, seconds, is_over=is_over)
            await self._share_births_out_if_due()
            is_crawled = [self._interrupts > 1 if report is None else report["crawled"] for report in reports.values()]
            if all(is_crawled) and len(is_crawled) == len(self._parts):
                return
            before = now or before
            waits = any(report is not None and report["short"] for report in reports.values())
            waits |= self.addresses is not None and self.addresses.has_to_grant
            pause = _SOON if now or waits else _until_limit(self.settings.bytes, self._sum("bytes"), seconds)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), max(pause, _OF_A_REPORT * len(self._parts)))

    def _orders(self) -> Iterator[tuple[int, Message]]:
        """The messages of the next poll, by partition."""
        pages: Mapping[int, int] = {}
        if self.quotas is not None:
            waits = self.settings.until_coverage is not None and not _know_coverage(len(self._parts), self._latest)
            pages = {} if waits else self.quotas.orders()
        addresses = self.addresses.orders(self._parts, time.monotonic()) if self.addresses is not None else {}
        sums = total_of(self._latest) if self.settings.refreshes else None
        for number in self._parts:
            quota = None if self.quotas is None else pages.get(number, 0)
            more: Message = {"addresses": addresses[number]} if number in addresses else {}
            if sums is not None:
                more = {**more, "elsewhere": elsewhere(number, self._latest, sums)}
            yield number, {"do": "report", "pages": quota, **more}

    def _note(self, number: int, report: Message | None) -> None:
        if report is None:
            if self.addresses is not None:
                self.addresses.note_death(number, time.monotonic())
            return
        part = self._parts[number]
        part.first = part.first or report
        part.deaths = 0 if report["idle"] else part.deaths
        if report["fetched"] > part.first["fetched"]:
            self._have_fetched.add(part.kept.pid)
        self.before.setdefault(number, report["earlier"])
        self._latest[number] = report
        if self.quotas is not None:
            self.quotas.note(number, report["fetched"], report["quota"], is_short=report["short"])
        if self.addresses is not None:
            self.addresses.note(number, **report["addresses"], now=time.monotonic())

    async def _stop_if_due(self, reports: Mapping[int, Message | None], seconds: float, *, is_over: bool) -> None:
        """Stop all partitions if there is a reason to. Those that go on for requisites are stopped by time, and by an
        interruption."""
        fetched, size, coverage = self._sum("fetched"), self._sum("bytes"), _coverage(reports)
        reached = limit_reached(self.settings, fetched, size, seconds, coverage)
        reached = "interrupted" if self._interrupts else reached
        self._reason = self._reason or reached or ("nothing-left" if is_over else None)
        if self._reason is not None:  # repeated, as a partition may have been started since
            why = reached if reached in ("interrupted", "time") else self._reason
            await self._all({"do": "stop", "reason": why, "now": self._interrupts > 1})

    async def _settled(self) -> int | None:
        """Settle the ranking. Returns the number of rounds; None if interrupted."""
        if self._interrupts > 1:
            return None
        self._settling = asyncio.create_task(self._settle())
        try:
            return await self._settling
        except asyncio.CancelledError:
            if not self._interrupts:
                raise
            self._reason = "interrupted"
            self._kill_all()
            return None
        finally:
            self._settling = None

    async def _settle(self) -> int:
        while await self._void_hints():
            await asyncio.sleep(_SOON)
        return await self._settle_links()

    async def _void_hints(self) -> bool:
        """Void hints to dead pages of other partitions. Returns True if there may be more."""
        return await void_hints(self._parts, self.each)

    async def _settle_links(self) -> int:
        if self.settings.jump == BY_SITES:
            is_shared_out = False
            while not is_shared_out:
                await self._in_rounds("count voices")
                is_shared_out = await self._share_births_out()
        return await self._in_rounds("settle")

    async def _in_rounds(self, what: str) -> int:
        """Send the command to all and let them hand over, until no outbox has rows. Returns the number of rounds."""
        rounds = 0
        while True:
            self._rounds += 1
            done = (await self._all({"do": what, "round": self._rounds})).values()
            handed = (await self._all({"do": "hand over"})).values()
            if None not in done and all(answer is not None and not answer["homes"] for answer in handed):
                return rounds
            await self.wake(home for answer in handed if answer is not None for home in answer["homes"])
            if None in done or None in handed:
                await asyncio.sleep(_LOOKS_APART)
            rounds += 1

    async def _share_births_out_if_due(self) -> None:
        """Share out births if walkers jump to sites, and the crawl has grown enough."""
        ends_by_coverage, began = self.settings.until_coverage is not None, time.monotonic()
        if self.settings.jump != BY_SITES or self._reason is not None:
            return
        if began < self._births_stay_until and not ends_by_coverage:
            return
        size, then = (sum(report[name] for report in self._latest.values()) for name in ("size", "size_then"))
        if not is_grown(size, 0 if self._has_new_seeds else then, ends_by_coverage=ends_by_coverage):
            return
        self._has_new_seeds &= not await self._share_births_out()
        self._births_stay_until = began + _BIRTHS_APART * (time.monotonic() - began)

    async def _share_births_out(self) -> bool:
        """Compute the trust of all sites, and share out births by it. Returns True if all partitions could."""
        answers = await self._all({"do": "links of sites"})
        links = [answer["links"] for answer in answers.values() if answer is not None and answer["links"] is not None]
        if len(links) < len(answers):
            return False
        trust = await asyncio.to_thread(trust_of_all, links)
        share_out = ({"do": "share out", "trust": one} for one in trust)
        shared = await self.each(dict(zip(answers, share_out, strict=True)))
        return all(answer is not None and answer["done"] for answer in shared.values())

    async def _end(self) -> Mapping[int, Message | None]:
        """End each partition. Returns their final figures."""
        end: Message = {"do": "end", "settled": True}
        if self.settings.archive is None:
            return await self._all(end)
        return {number: await self.ask(number, end) for number in self._parts}  # in turn: they share an index

    async def _all(self, message: Message) -> Mapping[int, Message | None]:
        """Send a message to all that have begun. Answers by partition; None for one that died and is restarted."""
        return await self.each(dict.fromkeys(self._parts, message))

    async def each(self, messages: Mapping[int, Message]) -> Mapping[int, Message | None]:
        """Send partitions their own messages. Answers by partition; None as for `ask`."""
        answers = await asyncio.gather(*map(self.ask, messages.keys(), messages.values()))
        return dict(zip(messages, answers, strict=True))

    async def ask(self, number: int, message: Message) -> Message | None:
        """Send a message after earlier ones. Returns the answer; None if the partition died and is restarted."""
        async with self._turns[number]:
            return await self._answer(number, message)

    async def _answer(self, number: int, message: Message) -> Message | None:
        dead = self._parts[number]
        try:
            return await dead.kept.ask(message)
        except DeadError as death:
            how = str(death)
        if self._interrupts > 1:
            return None
        before = 0 if dead.kept.pid in self._have_fetched else dead.deaths
        if before >= _MOST_DEATHS:
            raise StoreError(
                f"partition {number} has died {_MOST_DEATHS + 1} times without fetching a page, {how}; "
                "out of memory, perhaps: free some, and run again"
            )
        self.listener.died(number, how)
        self.deaths[number] += 1
        self._parts[number] = _Part(await self._started(number, is_first=False), before + 1)
        return None

    async def _started(self, number: int, *, is_first: bool) -> Kept:
        start, workers = self.start or self.processes.start, self.processes.number
        own = self._seeds.get(number, Seeds([]))
        return await start(
            Brief(
                self.folder,
                number,
                self.settings,
                own,
                scope=self.folder.seeds,
                workers=workers,
                beside=-(-max(len(self._parts), len(self._seeds)) // workers),
                crawls=self._reason is None,
                is_first=is_first,
                is_paused=self.clock.is_paused,
                shows_progress=self.listener.shows is not None,
                logs=log.outputs(),
                replayed=self.replayed,
            )
        )

    def _show(self) -> None:
        """Show the progress of all, once each has reported."""
        parts = [report["progress"] for report in self._latest.values()]
        if self.listener.shows is not None and len(parts) == len(self._parts) and None not in parts:
            settings = self.settings
            limits = LimitsNow(settings.pages, settings.time, settings.bytes, settings.until_coverage)
            self.listener.shows(progress_of(parts, self.state, limits, self.figures))

    def _sum(self, what: str) -> int:
        """Sum of a figure in this run; uncommitted work of a killed process counts until the next process reports."""
        return sum(report[what] - self.before[number][what] for number, report in self._latest.items())

    def _ended(self, rounds: int | None, answers: Mapping[int, Message]) -> Ended:
        """The report of the run. answers: of all partitions if they have settled, else empty."""
        ends, by_number = list(answers.values()), answers or self._latest
        failures, unanswered = (counted(answer[what] for answer in ends) for what in ("failures", "unanswered"))
        last = list(by_number.values())
        known, read = (sum(report["pages"][at] for report in last) for at in (0, 1))
        return Ended(
            reason=self._reason or "nothing-left",
            fetched=self._sum("fetched"),
            bytes=self._sum("bytes"),
            seconds=self.clock.seconds,
            known=known,
            read=read,
            coverage=told(_coverage(by_number), known, read) if len(last) == len(self._parts) else 0.0,
            error=certificate_of(*(sum(answer["unsettled"][at] for answer in ends) for at in (0, 1))),
            failures=failures,
            left_out=sum(report["left_out"] for report in last),
            unanswered=unanswered,
            rounds=rounds,
            deaths=self.deaths.total(),
        )

    def _kill_all(self) -> None:
        for part in self._parts.values():
            part.kept.kill()

    async def _end_all(self) -> None:
        """Close the connections: running processes stop, commit and end."""
        await asyncio.gather(*(part.kept.end() for part in self._parts.values()))
        await self.processes.aclose()


def _until_limit(limit: int | None, size: int, seconds: float) -> float:
    """Seconds until the next poll: half the time until the limit may be reached at the speed so far."""
    if limit is None:
        return _LOOKS_APART
    left = (limit - size) * seconds / max(size, 1)
    return min(max(left / 2, _SOON), _LOOKS_APART)


def rest_of(settings: CrawlSettings) -> float:
    """Seconds for which an address of a dead partition must rest."""
    delay = settings.delay_per_address
    return delay + STANDARD.on_its_way * max(1.0, delay)


def _by_home(folder: Folder, seeds: Seeds) -> dict[int, Seeds]:
    """Seeds by their home."""
    urls: dict[int, list[str]] = {}
    for url in seeds.urls:
        urls.setdefault(folder.homes.home_of(url), []).append(url)
    return {home: Seeds(some, seeds.guessed & frozenset(some)) for home, some in urls.items()}


def _with_more(seeds: Seeds, more: Seeds) -> Seeds:
    return Seeds(list(dict.fromkeys([*seeds.urls, *more.urls])), seeds.guessed | more.guessed)


def _counters(reports: Mapping[int, Message | None]) -> object:
    """Counters of all partitions if all are idle, else None."""
    if all(report is not None and report["idle"] for report in reports.values()):
        return {number: report["counters"] for number, report in reports.items() if report is not None}
    return None


def total_of(latest: Mapping[int, Message]) -> Sequence[int]:
    """Sum of the `BookSums` of all partitions."""
    some = [report["sums"] for report in latest.values()]
    return [sum(column) for column in zip(*some, strict=True)] if some else [0] * len(BookSums._fields)


def elsewhere(number: int, latest: Mapping[int, Message], total: Sequence[int]) -> Sequence[int]:
    """Sum of the `BookSums` of all other partitions. total: of all."""
    own = latest[number]["sums"] if number in latest else [0] * len(total)
    return [whole - part for whole, part in zip(total, own, strict=True)]


def _write_cookies(settings: CrawlSettings, answers: Sequence[Message | None]) -> None:
    """Write the cookie file, if all partitions have sent theirs."""
    if settings.cookie_file is not None and answers and None not in answers:
        write_rows(settings.cookie_file, [CookieRow(*row) for each in answers if each for row in each["cookies"]])


def _know_coverage(partitions: int, latest: Mapping[int, Message]) -> bool:
    """True if all partitions have reported their coverage, which may suffice from the start."""
    return sum(report["coverage"] is not None for report in latest.values()) == partitions


def _coverage(reports: Mapping[int, Message | None]) -> float:
    """The coverage bound of all partitions, from reports of different moments."""
    parts = {number: report["coverage"] for number, report in reports.items() if report is not None}
    if len(parts) < len(reports) or None in parts.values():
        return 0.0
    each = {}
    for number, (sums, carried) in parts.items():
        each[number] = Covered(CoverageSums(*sums), {int(other): Carried(*units) for other, units in carried.items()})
    return covered_by_all(each)
