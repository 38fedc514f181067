"""A partition in an actor: its engine, the rows that it sends and takes, and what its keeper asks of it.

A message may be lost, or come late or twice. A row is sent until it is confirmed, and taken exactly once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from minicrawl import log
from minicrawl.cluster.combined import Covered
from minicrawl.cluster.exchange import settle, share_of, take_all
from minicrawl.cluster.quotas import Part, has_quotas
from minicrawl.cluster.ray import GoneError, pauses
from minicrawl.cluster.shared_addresses import Order, shares_addresses
from minicrawl.control.commands import done
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds, spelled
from minicrawl.crawler.assemble import Means, assemble
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.loop.together import Together
from minicrawl.crawler.outcomes.retries import ask_again
from minicrawl.crawler.running_crawl import SteeredRun
from minicrawl.errors import CrawlEndedError, StoreError
from minicrawl.model import Progress, ReadShare, RunState
from minicrawl.settings import CrawlSettings
from minicrawl.store.pages import Totals
from minicrawl.store.transfers import OutboxRow
from minicrawl.store.writer import Writer

if TYPE_CHECKING:
    from minicrawl.cluster.actor import Brief

_Answer = TypeVar("_Answer")
Send = Callable[[int, int, Sequence[OutboxRow], bool], Awaitable[int]]
"""Sends rows of a partition, possibly not all, to their home; if it hurries, without waiting for others. Returns the
number of the last row committed there. Raises MinicrawlError: they may have arrived."""
Tell = Callable[[], Sequence[log.Told]]
_OF_A_COMMIT, _LONGEST = 0.25, 5.0
"""Seconds between commits for each partition of a process, so that these take a few percent of the time; and most."""
_TOGETHER, _MOST_TOGETHER, _SOON, _SETTLING = 0.04, 2.5, 0.01, 0.05
"""Seconds that rows wait, so that many are taken at once: for each partition of the process, and at most, while
requests are in flight; while none is; and after the crawl."""
_BYTES_OF_A_LINK = 100
"""Bytes of rows that are as much work as a link."""
_HAND_OVERS, _LEAST_APART, _MOST_APART = 300, 0.5, 2.0
"""Hand-overs per duration of the run; minimum and maximum seconds between two. The crawl order suffers by the ratio of
the delay to the length of the run: a three-hundredth is not measurable."""
_BATCHES = 32
"""Batches that a process sends in a second at most, each hand-over one to each of the others."""
_ANEW = ReadShare(1e-9, 0.5, 1.0)
"""The share of all partitions, in one that has just reported that what it was no longer holds."""
_FOR_EVER = 3e9
"""Seconds, in place of infinity: 95 years."""


def settings_of(number: int, workers: int, settings: CrawlSettings) -> CrawlSettings:
    """The settings of a partition of a crawl in `workers` processes.

    The keeper enforces the limits of a run; partitions of a process share its part of the requests in flight. With a
    budget of pages or time, no partition waits for pages to be due.
    """
    has_budget = settings.pages is not None or settings.time is not None
    return replace(
        settings,
        concurrency=max(settings.concurrency // workers, 1),
        workers=0,
        pages=None,
        time=_FOR_EVER if has_budget else None,
        bytes=None,
        until_coverage=None,
        items=items_of(number, settings),
    )


def items_of(number: int, settings: CrawlSettings) -> str:
    """The item file of a partition: items.003.jsonl for items.jsonl."""
    path = Path(settings.items)
    return settings.items and str(path.with_name(f"{path.stem}.{number:03}{path.suffix}"))


class Report(NamedTuple):
    """Figures of a partition, in all runs.

    is_idle: nothing is left to fetch, and no row is unconfirmed. rests_since: of the engine. counters: they grow with
    every page fetched, and row sent or taken. before: pages and bytes from before this process. coverage: None if not
    all is known yet. least: `low` of all as last told, 0 if it no longer holds. sizes: `size` and `size_then` of
    `KnownSites`. totals: as of the last commit. progress: the latest, if the Brief asks for it. wanted, left: see
    `Partition.report`. unsettled: see `certificate_of`; it and the rest are of the end. ill: `ill_hosts` and
    `ill_pages` of `CrawlReport`. told: events of its process since the report before.
    """

    has_crawled: bool
    is_idle: bool
    rests_since: float | None
    counters: tuple[int, ...]
    part: Part
    bytes: int
    before: tuple[int, int]
    coverage: Covered | None
    least: float
    sizes: tuple[int, int]
    totals: Totals
    left_out: int
    refreshed: int
    progress: Progress | None
    wanted: Sequence[str] = ()
    left: Mapping[str, float] = {}
    unsettled: tuple[float, int] = (0.0, 0)
    failures: Mapping[str, int] = {}
    unanswered: Mapping[str, int] = {}
    finals: Mapping[str, object] = {}
    ill: tuple[Mapping[str, int], int] = ({}, 0)
    told: Sequence[log.Told] = ()


class Partition:
    """A partition in an actor. Its keeper calls the public coroutines, but for `receive` and `leave`."""

    def __init__(self, brief: "Brief", writer: Writer, send: Send, together: Together, tell: Tell) -> None:
        """together: with other partitions of this process. tell: returns the events of that since the last call. Raises
        MinicrawlError."""
        settings, partitions, beside = brief.settings, brief.folder.partitions, brief.beside
        brief.folder.check_is_current(brief.number, writer)
        self.number, self.store = brief.number, writer.path
        self._brief, self._send_rows, self._together, self._tell = brief, send, together, tell
        self._workers = len(brief.where.actors)
        self._seeds = spelled(brief.seeds, writer.page_table.find, keep_parameters=settings.keep_parameters)
        if brief.is_first:
            ask_again(writer, self._seeds.urls, settings.retry)
        pace = min(_OF_A_COMMIT * (beside - 1), _LONGEST)
        timing = brief.timing
        batch = max(timing.batch, pace)
        lease = batch + timing.lease - timing.batch
        self.run = run = assemble(
            settings_of(brief.number, self._workers, settings),
            Seeds([*self._seeds.urls, *brief.folder.seeds]),  # secrets may go to seeds of all partitions of the process
            writer,
            Means(
                share=share_of(brief.number, brief.folder),
                together=together,
                timing=replace(timing, batch=batch, quiet=timing.paused, lease=lease, idle=max(timing.idle, pace)),
                on_progress=partial(setattr, self, "_progress") if brief.shows_progress else None,
            ),
        )
        run.intake.commit({"settings": settings.to_json(writer.path.parent), "stopped": None})
        run.engine.waits_for_others = True
        self._engine, self._intake, self._state = run.engine, run.intake, run.intake.state
        assert self._state.mirrors is not None, "the crawl has partitions"
        assert self._state.outbox is not None, "the crawl has partitions"
        self._mirrors, self.outbox = self._state.mirrors, self._state.outbox
        self._book, self._coverage = self._state.accounts.book, self._state.accounts.coverage
        self._steered = SteeredRun(run)
        self._apart = max(min(_TOGETHER * (beside - 1), _MOST_TOGETHER), _SOON)
        self._received: list[tuple[int, Sequence[OutboxRow]]] = []
        """Rows to be taken soon, with their sources."""
        self._take: asyncio.Task[Sequence[int]]
        self._sending: dict[int, asyncio.Task[None]] = {}
        """By the homes to which rows are on their way."""
        self._made, _ = self.outbox.counters
        self._began = self._handed_over = run.clock()
        self._knows_seeds = False
        self._covered: Covered | None = None
        """Coverage as of the last commit with all seeds known, or since births were last shared out by sites."""
        self._covered_at = 0  # `shared_out` of the book at that commit
        self._page_table, self._totals = writer.page_table, writer.page_table.totals()
        self._progress: Progress | None = None
        self._crawling: asyncio.Task[None] | None = None
        self.has_crawled, self.has_left = not brief.crawls, False
        self.outbox.on_committed = partial(self._note_commit, asyncio.get_running_loop())
        if settings.until_coverage is not None:
            self._coverage.ends_crawl = True  # keeps the bound as tight as possible during the crawl
        if shares_addresses(settings, partitions):
            frontier = self._state.frontier
            frontier.addresses.share()
        if has_quotas(settings):
            run.engine.let(0)

    # For the actor.

    def begin(self) -> None:
        if not self._brief.crawls:
            self._engine.commands.end()  # no moment of the crawl comes
            return
        if self._brief.is_paused:
            self._engine.pause()
        self._crawling = asyncio.create_task(self._crawl())

    async def leave(self) -> None:
        """Stop the crawl if it runs. Raises MinicrawlError if it has failed."""
        self.has_left = True
        if self._crawling is not None:
            self._engine.stop("interrupted")
            await self._crawling  # raises the exception that ended the crawl

    async def _crawl(self) -> None:
        self._mirrors.is_due = self._has_news_to_hand_over
        self._began = self._handed_over = self.run.clock()
        async with self._together.entered(self.run.source):
            self._send_news()
            await self._engine.run(self._starting())
        self.has_crawled = True

    def _starting(self) -> Iterator[None]:
        seeds, of_all = self._seeds, self._brief.folder.seeds
        yield from self._intake.starting(seeds.urls, self.run.clock(), seeds.guessed, of_all)
        self._knows_seeds = True  # the next commit has all seeds

    def _note_commit(self, loop: asyncio.AbstractEventLoop) -> None:
        self._totals = self._page_table.totals()
        is_anew = self._book.are_born_alike or self._covered_at != self._book.shared_out
        if self._knows_seeds and (is_anew or self._covered is None):
            self._covered_at = self._book.shared_out
            self._covered = Covered(self._coverage.sums(), self.outbox.neighbours)
        loop.call_soon_threadsafe(self._send_news)

    # Rows.

    async def receive(self, source: int, rows: Sequence[OutboxRow]) -> int:
        """Take rows of another partition, together with others that come soon, and commit them.

        Returns the number of the last row taken. Raises StoreError for a damaged row, and CrawlEndedError for a moment
        after the crawl.
        """
        if not self._received:
            self._take = asyncio.create_task(self._take_received())
        place, taking = len(self._received), self._take
        self._received.append((source, rows))
        return (await taking)[place]

    async def _take_received(self) -> Sequence[int]:
        """Take all rows received soon. Returns the last number of each once a commit holds them."""
        log.PARTITION.set(self.number)  # the caller may be another one
        soon = _SETTLING if self.has_crawled else _SOON
        await asyncio.sleep(self._apart if self._engine.in_flight else soon)
        received, self._received = self._received, []
        links = sum(len(row.records) for _, rows in received for row in rows) // _BYTES_OF_A_LINK
        if self.has_left:  # its store may be closed
            raise CrawlEndedError(f"partition {self.number} has ended")
        if self.has_crawled:
            answers = take_all(self._intake, received, self.run.clock(), is_crawling=False)
            self._commit()
            return answers
        take = partial(take_all, self._intake, received)
        return await self._engine.commands.done(take, links, hurries=False)

    def _has_news_to_hand_over(self) -> bool:
        """True if the next commit hands over: it is time, or nothing is in flight here while others may have work."""
        now = self.run.clock()
        apart = min(max((now - self._began) / _HAND_OVERS, _LEAST_APART), _MOST_APART)
        # Commits are a second apart at most: the factor admits one that comes slightly early.
        is_time = now - self._handed_over >= 0.9 * max(apart, self._workers / _BATCHES)
        if is_time or not self._engine.in_flight:
            self._handed_over = now
            return True
        return False

    def _send_news(self) -> None:
        """Send rows to the homes to which none are on their way."""
        for home in self.outbox.homes():
            if home not in self._sending and not self.has_left:
                self._sending[home] = asyncio.create_task(self._send(home))

    async def _send(self, home: int) -> None:
        """Send the rows for a home until all are confirmed. Raises StoreError after the crawl."""
        apart = pauses()
        try:
            while not self.has_left and (rows := self.outbox.rows(home)):
                try:
                    number = await self._send_rows(self.number, home, rows, self.has_crawled)
                    self.outbox.confirm(home, number)
                    apart = pauses()
                except (GoneError, CrawlEndedError):
                    await asyncio.sleep(next(apart))
        except StoreError as error:
            if self.has_crawled:
                raise
            self._engine.deliver(0, partial(_fail, error))
        finally:
            del self._sending[home]

    # For the keeper.

    async def report(self, pages: int | None, addresses: Order | None, share: ReadShare) -> Report:
        """Its figures. pages: it may have fetched so many by now, in all runs. addresses: see shared_addresses.py; the
        report has those that it wants, and those that it has left, with the seconds for which nobody may ask them.
        share: of all partitions, by their latest reports."""
        report = self._report(pages)  # before the trade, which wakes the engine: it would not be idle
        self._state.accounts.told = share if report.least else _ANEW
        if addresses is None or self._engine.state == RunState.STARTING:
            return report
        trade = partial(self._state.frontier.trade, addresses["granted"], addresses["wanted_back"])
        with suppress(CrawlEndedError):
            wanted, left = await self._engine.commands.seen(trade)
            return report._replace(wanted=wanted, left=left)
        return report

    def _report(self, pages: int | None) -> Report:
        if self._crawling is not None and self._crawling.done():
            self._crawling.result()  # raises the exception that ended the crawl
        engine, progress, sites = self._engine, self._engine.progress, self._state.sites
        before, fetched = progress.earlier, progress.earlier.fetched + progress.fetched
        if pages is not None:
            engine.let(max(pages - before.fetched, 0))
        return Report(
            has_crawled=self.has_crawled,
            is_idle=engine.is_idle and not self.outbox.homes(),
            rests_since=engine.rests_since,
            counters=(progress.fetched, *self.outbox.counters),
            part=Part(fetched, before.fetched + (engine.limits.quota or 0), engine.is_short),
            bytes=before.bytes + progress.bytes,
            before=(before.fetched, before.bytes),
            coverage=self._covered,
            least=self._state.accounts.share().low,
            sizes=(0, 0) if sites is None else (sites.size, sites.size_then),
            totals=self._totals,
            left_out=self._state.pages.left_out,
            refreshed=self._state.pages.refreshed,
            progress=self._progress,
            told=self._tell(),
        )

    async def stop(self, reason: str, now: bool) -> None:
        """Begin no more requests; now: do not wait for those in flight."""
        if now:
            self._engine.stop(reason)
            self._engine.abort()
        else:
            self._engine.finish(reason)

    async def steer(self, asked: Message) -> Message:
        """Carry out a command of control/commands.py. Returns its answer; a status with the numbers of mirrors and
        unconfirmed rows. Raises MinicrawlError."""
        answer = await done(self._steered, asked)
        if "known" not in answer:
            return answer
        # Another thread may be updating the books: the values read here stay valid when its changes are added.
        mirrors = int(self._book.is_mirror(slice(0, self._book.size)).sum())
        waiting = sum(len(self.outbox.rows(home)) for home in self.outbox.homes())
        return {**answer, "mirrors": mirrors, "waiting": waiting}

    async def on_intake(self, do: Callable[[Intake], _Answer]) -> _Answer | None:
        """Run a function on the intake, and return its result; None if it cannot run now. Changes are in the next
        commit; the keeper repeats those that a kill loses."""
        if self.has_crawled:
            answer = do(self._intake)
            self._commit()
            return answer
        if self._engine.state != RunState.STARTING:
            with suppress(CrawlEndedError):
                return await self._engine.commands.seen(lambda now: do(self._intake), self._state.accounts.size)
        return None

    # For the keeper, after the crawl.

    async def count_voices(self) -> bool:
        """Count the sites here that link to pages of other partitions, and hand the counts over."""
        assert self._state.sites is not None, "walkers jump to sites"
        self._state.sites.count_voices()
        self._commit(hands_over=True)
        return True

    async def settle(self) -> bool:
        """Make virtual visits here, and hand over what comes of them: nothing once the ranking was settled before."""
        self._mirrors.hands_over_all = not settle(self._intake)
        self._commit(hands_over=True)
        return True

    async def hand_over(self) -> bool:
        """Wait until all rows are confirmed. Returns True if there were any since the last call."""
        before, (self._made, _) = self._made, self.outbox.counters
        self._send_news()
        sending = list(self._sending.values())
        await asyncio.gather(*sending)
        return bool(sending) or self._made > before  # which may be confirmed already

    async def covered(self) -> Covered:
        """What its pages say of the coverage, once all has settled."""
        return Covered(self._coverage.sums(), self.outbox.neighbours)

    async def end(self, share: ReadShare) -> Report:
        """Commit the end of the crawl, which has settled, with the rank of every page. share: of all partitions."""
        self._state.accounts.told = share
        self._commit(ranks=True)
        self._intake.steps.finish()
        return self._report(None)._replace(
            coverage=await self.covered(),
            unsettled=self._book.unsettled_sums(),
            failures=dict(self._state.pages.failures),
            unanswered=dict(self._engine.unanswered),
            finals=self._intake.steps.finals(),
            ill=self._engine.progress.ill_in_all(),
        )

    def _commit(self, *, ranks: bool = False, hands_over: bool = False) -> None:
        # Rows that are handed over while others are taken would have to be settled first.
        self._mirrors.is_due = lambda: hands_over
        self._intake.commit(self._engine.meta(), ranks=ranks)


def _fail(error: StoreError, now: float) -> None:
    raise error
