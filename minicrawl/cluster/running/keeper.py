"""The keeper of a crawl in partitions: starts them, detects the end, settles the ranking, ends them.

The crawl ends when two polls find every partition idle with an empty outbox, and no work was done in between; a row
stays in the sender's outbox until the receiver commits it. Other polls between the two may find a partition busy with
the poll itself, which wakes it. A partition whose process died is restarted from its store. One that fails ends the
crawl.

Limits apply to all partitions together. Quotas make the number of pages exact. Bytes and coverage are summed at every
poll, and polls become more frequent near a limit.
"""

import asyncio
import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from minicrawl import log
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running import processes
from minicrawl.cluster.running.combined import Covered, counted, covered_by_all, progress_of, trust_of_all
from minicrawl.cluster.running.hints import void_hints
from minicrawl.cluster.running.processes import DeadError, Kept, Start
from minicrawl.cluster.running.quotas import Quotas, has_quotas
from minicrawl.cluster.running.shared_addresses import SharedAddresses, shares_addresses
from minicrawl.cluster.running.worker import Brief
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.http.saved_cookies import write_rows
from minicrawl.crawler.known.known_sites import is_grown
from minicrawl.crawler.loop.clock import RunClock
from minicrawl.crawler.loop.limits import limit_reached
from minicrawl.crawler.parts.archive import least_class
from minicrawl.crawler.sharing.outbox import Carried
from minicrawl.errors import StoreError
from minicrawl.model import CrawlReport, LimitsNow, Progress, RunState
from minicrawl.opic.coverage import CoverageSums
from minicrawl.opic.ledger_columns import LedgerSums
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.write.cookie_rows import CookieRow
from minicrawl.system import STOPPING, on_signals
from minicrawl.timing import STANDARD

_LOOKS_APART, _SOON = 0.5, 0.05
"""Seconds between two polls: at most; and at least, used when all are idle or one waits for quota."""
_LARGEST_ERROR = 2.0
"""Maximum L1 distance of two rankings."""
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
    """A partition. deaths: since it last fetched a page, or had none left to fetch."""

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
    start: Start = processes.started
    patience: float = 10.0
    started: float = field(default_factory=time.monotonic)
    replayed: tuple[Path, ...] = ()
    _parts: dict[int, _Part] = field(default_factory=dict)
    _bell: asyncio.Event = field(default_factory=asyncio.Event)
    _settling: "asyncio.Task[int] | None" = None
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
    _size_then: int = 0
    """Size of the crawl when births were last shared out, if walkers jump to sites."""
    _latest: dict[int, Message] = field(default_factory=dict)
    """Latest reports in this run, also of processes that have died since."""

    def __post_init__(self) -> None:
        self.clock = RunClock(time.monotonic, self.started)

    async def crawl(self, *, handle_signals: bool = False) -> Ended:
        """Run the crawl. Raises MinicrawlError if a partition has failed; the others have stopped by then."""
        if not self.folder.machines:
            check_agreement(self.folder)
        partitions = self.folder.homes.partitions
        if has_quotas(self.settings):
            self.quotas = Quotas(self.settings.pages, partitions)
        if shares_addresses(self.settings, partitions):
            self.addresses = SharedAddresses(rest_of(self.settings), is_new=not self.folder.settings)
        try:
            with on_signals(asyncio.get_running_loop(), STOPPING if handle_signals else (), self.interrupt):
                for number in range(partitions):
                    self._parts[number] = _Part(await self._started(number, is_first=True))
                self.is_crawling = True
                await self._until_crawled()
                self.is_crawling = False
                rounds = await self._settled()
            answers = [] if rounds is None else await self._end()
            _write_cookies(self.settings, answers)
            return self._ended(rounds, [answer for answer in answers if answer])
        finally:
            self.is_crawling, self._is_over = False, True
            await self._end_all()
            if self._end_of_patience is not None:
                self._end_of_patience.cancel()

    @property
    def pids(self) -> Sequence[int]:
        """Process ids in the order of the partitions."""
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
        return {
            "reason": self._reason,
            "fetched": self._sum("fetched"),
            "bytes": self._sum("bytes"),
            "seconds": self.clock.seconds,
            "coverage": _coverage([self._latest.get(number) for number in self._parts]),
            "known": sum(report["pages"][0] for report in self._latest.values()),
            "read": sum(report["pages"][1] for report in self._latest.values()),
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
            reports = await self.each(list(self._orders()))
            for number, report in enumerate(reports):
                self._note(number, report)
            seconds = self.clock.seconds
            self.listener.progress(self._sum("fetched"), self._sum("bytes"), seconds)
            self._show()
            now = _counters(reports)
            is_over = now is not None and now == before and not self.clock.is_paused
            is_over = is_over and (self._reason is not None or not await self._void_hints())
            await self._stop_if_due(reports, seconds, is_over=is_over)
            await self._share_births_out_if_due()
            if all(self._interrupts > 1 if report is None else report["crawled"] for report in reports):
                return
            before = now or before
            waits = any(report is not None and report["short"] for report in reports)
            waits |= self.addresses is not None and self.addresses.has_to_grant
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._bell.wait(),
                    _SOON if now or waits else _until_limit(self.settings.bytes, self._sum("bytes"), seconds),
                )

    def _orders(self) -> Iterator[Message]:
        """Messages of the next poll."""
        count = len(self._parts)
        pages: Sequence[int | None] = [None] * count
        if self.quotas is not None:
            waits = self.settings.until_coverage is not None and not _know_coverage(count, self._latest)
            waits |= self.settings.archive_top is not None and len(self._latest) < count
            pages = [0] * count if waits else self.quotas.orders()
        least = self._least_archived()
        addresses = self.addresses.orders(count, time.monotonic()) if self.addresses else [None] * count
        for number, (quota, address) in enumerate(zip(pages, addresses, strict=True)):
            more: Message = {} if address is None else {"addresses": address}
            if self.settings.refreshes:
                more = {**more, "elsewhere": elsewhere(number, self._latest)}
            if least is not None:
                more = {**more, "least": least}
            yield {"do": "report", "pages": quota, **more}

    def _least_archived(self) -> int | None:
        """The class of cash from which pages are archived, once all have reported; None: any."""
        share, latest = self.settings.archive_top, self._latest.values()
        if share is None or len(latest) < len(self._parts):
            return None
        return least_class((dict(report["classes"]) for report in latest), share)

    def _note(self, number: int, report: Message | None) -> None:
        if report is None:
            if self.addresses is not None:
                self.addresses.note_death(number, time.monotonic())
            return
        part = self._parts[number]
        part.first = part.first or report
        part.deaths = 0 if report["idle"] or report["fetched"] > part.first["fetched"] else part.deaths
        self.before.setdefault(number, report["earlier"])
        self._latest[number] = report
        if self.quotas is not None:
            self.quotas.note(number, report["fetched"], report["quota"], is_short=report["short"])
        if self.addresses is not None:
            self.addresses.note(number, **report["addresses"], now=time.monotonic())

    async def _stop_if_due(self, reports: Sequence[Message | None], seconds: float, *, is_over: bool) -> None:
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
        rounds = await self._settle_links()
        if self.settings.merge_duplicates and await self._elect():
            rounds += await self._settle_links()
        return rounds

    async def _void_hints(self) -> bool:
        """Void hints to dead pages of other partitions. Returns True if there may be more."""
        return await void_hints(self._parts, self._each_of)

    async def _each_of(self, messages: Mapping[int, Message]) -> Mapping[int, Message | None]:
        answers = await asyncio.gather(*map(self.ask, messages.keys(), messages.values()))
        return dict(zip(messages, answers, strict=True))

    async def _elect(self) -> bool:
        """Let partitions choose leaders of their copies. Returns True if any has a new one."""
        elected = 0
        while True:
            answers = await self._all({"do": "elect"})
            elected += sum(int(answer["answer"]) for answer in answers if answer is not None)
            if None not in answers:
                return elected > 0

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
            done = await self._all({"do": what})
            handed = await self._all({"do": "hand over"})
            if None not in done and all(answer is not None and not answer["some"] for answer in handed):
                return rounds
            if None in done or None in handed:
                await asyncio.sleep(_LOOKS_APART)
            rounds += 1

    async def _share_births_out_if_due(self) -> None:
        """Share out births if walkers jump to sites, and the crawl has grown enough."""
        if self.settings.jump != BY_SITES or self._reason is not None:
            return
        size = sum(report["size"] for report in self._latest.values())
        is_due = is_grown(size, self._size_then, ends_by_coverage=self.settings.until_coverage is not None)
        if is_due and await self._share_births_out():
            self._size_then = size

    async def _share_births_out(self) -> bool:
        """Compute the trust of all sites, and share out births by it. Returns True if all partitions could."""
        answers = await self._all({"do": "links of sites"})
        links = [answer["links"] for answer in answers if answer is not None and answer["links"] is not None]
        if len(links) < len(answers):
            return False
        trust = await asyncio.to_thread(trust_of_all, links)
        shared = await self.each([{"do": "share out", "trust": one} for one in trust])
        return all(answer is not None and answer["done"] for answer in shared)

    async def _end(self) -> Sequence[Message | None]:
        """End each partition. Returns their final figures."""
        end: Message = {"do": "end", "settled": True}
        if self.settings.archive is None:
            return await self._all(end)
        return [await self.ask(number, end) for number in self._parts]  # one after the other: they share an index

    async def _all(self, message: Message) -> Sequence[Message | None]:
        """Send a message to all. Answers by number; None for a partition that died and is restarted."""
        return await self.each([message] * len(self._parts))

    async def each(self, messages: Sequence[Message]) -> Sequence[Message | None]:
        """Send each partition its own message. Answers by number; None as for `ask`."""
        return await asyncio.gather(*map(self.ask, self._parts, messages))

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
        if dead.deaths >= _MOST_DEATHS:
            raise StoreError(
                f"partition {number} has died {_MOST_DEATHS + 1} times without fetching a page, {how}; "
                "out of memory, perhaps: free some, and run again"
            )
        self.listener.died(number, how)
        self.deaths[number] += 1
        self._parts[number] = _Part(await self._started(number, is_first=False), dead.deaths + 1)
        return None

    async def _started(self, number: int, *, is_first: bool) -> Kept:
        crawls = self._reason is None
        is_paused = self.clock.is_paused
        shows = self.listener.shows is not None
        return await self.start(
            Brief(
                self.folder,
                number,
                self.settings,
                self.seeds,
                crawls,
                is_first,
                is_paused,
                shows,
                log.outputs(),
                self.replayed,
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

    def _ended(self, rounds: int | None, answers: Sequence[Message]) -> Ended:
        """The report of the run. answers: of all partitions if they have settled, else empty."""
        failures, unanswered = (counted(answer[what] for answer in answers) for what in ("failures", "unanswered"))
        last = answers or list(self._latest.values())
        known, read = (sum(report["pages"][at] for report in last) for at in (0, 1))
        return Ended(
            reason=self._reason or "nothing-left",
            fetched=self._sum("fetched"),
            bytes=self._sum("bytes"),
            seconds=self.clock.seconds,
            known=known,
            read=read,
            coverage=_coverage(last) if len(last) == len(self._parts) else 0.0,
            error=max((answer["error"] for answer in answers), default=_LARGEST_ERROR),
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


def _counters(reports: Sequence[Message | None]) -> object:
    """Counters of all partitions if all are idle, else None."""
    if all(report is not None and report["idle"] for report in reports):
        return [report["counters"] for report in reports if report is not None]
    return None


def elsewhere(number: int, latest: Mapping[int, Message]) -> Sequence[int]:
    """Sum of the `LedgerSums` of all other partitions."""
    others = [report["sums"] for other, report in latest.items() if other != number]
    return [sum(column) for column in zip(*others, strict=True)] if others else [0] * len(LedgerSums._fields)


def _write_cookies(settings: CrawlSettings, answers: Sequence[Message | None]) -> None:
    """Write the cookie file, if all partitions have sent theirs."""
    if settings.cookie_file is not None and answers and None not in answers:
        write_rows(settings.cookie_file, [CookieRow(*row) for each in answers if each for row in each["cookies"]])


def _know_coverage(partitions: int, latest: Mapping[int, Message]) -> bool:
    """True if all partitions have reported their coverage, which may suffice from the start."""
    return sum(report["coverage"] is not None for report in latest.values()) == partitions


def _coverage(reports: Sequence[Message | None]) -> float:
    """The coverage bound of all partitions, from reports of different moments."""
    parts = [report["coverage"] for report in reports if report is not None]
    if len(parts) < len(reports) or None in parts:
        return 0.0
    each = {}
    for number, (sums, carried) in enumerate(parts):
        each[number] = Covered(CoverageSums(*sums), {int(other): Carried(*units) for other, units in carried.items()})
    return covered_by_all(each)
