"""A partition of a running crawl: its engine, the rows it sends, and the rows it takes.

The post may lose a message, or deliver it late or twice. A row is sent until it is confirmed, and taken exactly once.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from minicrawl import log
from minicrawl.cluster.combined import Covered
from minicrawl.crawler.admission.traps import NO_CONTENT
from minicrawl.crawler.frontier.lanes import Trade
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.run import Run
from minicrawl.crawler.sharing import Outbox
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, StoreError
from minicrawl.model import RunState, State
from minicrawl.opic.book import SETTLED_ERROR, BookSums, certificate_of
from minicrawl.store.declaration import MetaValue
from minicrawl.store.partitions.records import Records, Sums, joined, sums, unpacked
from minicrawl.store.transfers import OutboxRow

_T = TypeVar("_T")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds until unconfirmed rows are sent again; doubled each time."""
_TOGETHER, _MOST_TOGETHER, _SOON = 0.04, 2.5, 0.01
"""Seconds for which rows wait for others, so that all are taken at once: for each partition of the process, at most,
while requests are in flight; and else."""
_BYTES_OF_A_LINK = 100
"""Bytes of rows that are as much work as a link."""
_HAND_OVERS, _SHORTEST, _LONGEST = 300, 0.5, 2.0
"""Hand-overs per duration of the run; minimum and maximum seconds between two."""
_BATCHES = 32
"""Batches that a process sends in a second."""


def seconds_apart(seconds: float, workers: int = 1) -> float:
    """Seconds between two hand-overs of a run that has lasted `seconds`, in as many processes.

    The crawl order suffers by the ratio of the delay to the length of the run: a three-hundredth is not measurable. A
    process sends a batch to each of the others, 32 a second at most.
    """
    return max(min(max(seconds / _HAND_OVERS, _SHORTEST), _LONGEST), workers / _BATCHES)


class Post(Protocol):
    """Sends messages to other partitions."""

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow], *, hurries: bool = False) -> int:
        """Send rows, possibly not all, to their home. Returns the number of the last row of `source` committed there.
        Raises MinicrawlError: they may have arrived.

        hurries: wait for no other rows.
        """
        ...


class Partition:
    """A partition, which sends and takes rows while it crawls; `settle` and `hand_over` are called after the crawl."""

    def __init__(self, number: int, run: Run, post: Post, workers: int = 1, beside: int = 1) -> None:
        """workers: processes that have all partitions. beside: partitions in its own."""
        self.number = number
        self._workers = workers
        self._apart = max(min(_TOGETHER * (beside - 1), _MOST_TOGETHER), _SOON)
        self.run = run
        self._engine, self._intake, self._state = run.engine, run.intake, run.intake.state
        self._coverage = run.intake.state.accounts.coverage
        assert run.intake.state.mirrors is not None, "the crawl has partitions"
        self._mirrors = run.intake.state.mirrors
        self._post = post
        self._taking = Taking(run.intake)
        self._received: list[tuple[int, Sequence[OutboxRow]]] = []
        """Rows to be taken soon, with their sources."""
        self._take: asyncio.Task[Sequence[int | ConfigError]]
        self.has_crawled = self.has_left = self._sends = False
        self._sending: dict[int, asyncio.Task[None]] = {}
        """By the homes to which rows are on their way."""
        self._began = self._handed_over = run.clock()
        self.coverage: Covered | None = None
        """Coverage as of the last commit with all seeds known, or since births were last shared out by sites."""
        self._covered_at = 0  # `shared_out` of the book at that commit
        self._book = run.intake.state.accounts.book
        self.sums = self._book.sums()
        """Book sums as of the last commit."""
        self.pages = self.counted()
        """Numbers of known and read pages at home, as of the last commit."""
        run.engine.waits_for_others = True

    @property
    def outbox(self) -> Outbox:
        outbox = self._state.outbox
        assert outbox is not None, "the crawl has partitions"
        return outbox

    @property
    def is_idle(self) -> bool:
        """True if nothing is left to fetch, and no row is unconfirmed."""
        return self._engine.is_idle and not self.outbox.homes()

    async def crawl(self, seeds: Sequence[str], guessed: Set[str] = frozenset(), scope: Sequence[str] = ()) -> None:
        """Crawl until the engine is stopped. seeds: at home here; guessed: those with a guessed scheme; scope: all
        seeds of the crawl."""
        loop = asyncio.get_running_loop()
        knows_seeds = False

        def starting() -> Iterator[None]:
            nonlocal knows_seeds
            yield from self._intake.starting(seeds, self.run.clock(), guessed, scope)
            knows_seeds = True  # the next commit has all seeds

        def committed() -> None:
            self.sums, self.pages = self._book.sums(), self.counted()
            is_anew = self._book.are_born_alike or self._covered_at != self._book.shared_out
            if knows_seeds and (is_anew or self.coverage is None):
                self._covered_at = self._book.shared_out
                self.coverage = self.covered()
            loop.call_soon_threadsafe(self._send_news)

        self.outbox.on_committed = committed
        self._mirrors.is_due = self._has_news_to_hand_over
        self._sends = True
        self._began = self._handed_over = self.run.clock()
        try:
            self._send_news()
            await self._engine.run(starting())
        finally:
            self.outbox.on_committed = lambda: None
            self._mirrors.is_due = _never
            self._taking.is_crawling = self._sends = False

    async def receive(self, source: int, rows: Sequence[OutboxRow]) -> int:
        """Take rows of another partition, together with others that come soon, and commit them.

        Returns the number of the last row taken. Raises ConfigError for an invalid row, when those before it are taken,
        and CrawlEndedError for a moment after the crawl.
        """
        if not self._received:
            self._take = asyncio.create_task(self._take_received())
        place, taking = len(self._received), self._take
        self._received.append((source, rows))
        answer = (await taking)[place]
        if not isinstance(answer, int):
            raise answer
        return answer

    async def _take_received(self) -> Sequence[int | ConfigError]:
        """Take all rows received soon. Returns the answer to each once a commit holds them."""
        await asyncio.sleep(self._apart if self._engine.dispatch.in_flight else _SOON)
        received, self._received = self._received, []
        links = sum(len(row.records) for _, rows in received for row in rows) // _BYTES_OF_A_LINK
        if self.has_left:  # its store may be closed
            raise CrawlEndedError(f"partition {self.number} has ended")
        if self.has_crawled:
            answers = self._taking.take_all(received, self.run.clock())
            self.commit()
        else:
            take = partial(self._taking.take_all, received)
            answers = await self._engine.commands.done(take, links, hurries=False)
        for refused in answers:
            if not isinstance(refused, int):
                log.event("partition-refused", partition=self.number, why=str(refused))
        return answers

    def share_addresses(self) -> None:
        """Ask no IP address without a grant of the keeper; called before the crawl."""
        frontier = self._state.frontier
        frontier.addresses.share()

    async def trade(self, granted: Mapping[str, float], wanted_back: Sequence[str]) -> Trade:
        """Change the IP addresses held by this partition (`Addresses.change`); an empty trade if it cannot now."""
        if self._engine.state == RunState.STARTING:
            return [], {}
        trade = partial(self._state.frontier.trade, granted, wanted_back)
        try:
            return await self._engine.commands.seen(trade)
        except CrawlEndedError:
            return [], {}

    def note_elsewhere(self, sums: BookSums) -> None:
        """Set due times by importance among the pages of all partitions. sums: of all others together."""
        due = self._state.due
        if due is not None:
            due.elsewhere = sums

    async def between_answers(self, look: Callable[[Intake], _T]) -> _T | None:
        """Run a function on the intake between two answers, and return its committed result; None if it cannot now."""
        if self._engine.state == RunState.STARTING:
            return None
        with suppress(CrawlEndedError):
            return await self._engine.commands.done(lambda now: look(self._intake), self._state.accounts.size)
        return None

    # After the crawl.

    async def count_voices(self) -> bool:
        """Count the sites here that link to pages of other partitions, add the counts to the outbox, and commit."""
        assert self._state.sites is not None, "walkers jump to sites"
        self._state.sites.count_voices()
        self._mirrors.is_due = _always
        self.commit()
        self._mirrors.is_due = _never
        return True

    async def settle(self) -> bool:
        """Make virtual visits here, and commit what they hand over: nothing once the ranking was settled before."""
        self.commit()
        was_settled = settle(self._intake)
        self._mirrors.hands_over_all, self._mirrors.is_due = not was_settled, _always
        self.commit()
        self._mirrors.is_due = _never  # rows taken then would have to be settled first
        return True

    @property
    def mirrors(self) -> int:
        """Number of known URLs of other partitions."""
        return int(self._book.is_mirror(slice(0, self._book.size)).sum())

    @property
    def unsettled(self) -> tuple[float, int]:
        """See `Book.unsettled_sums`."""
        return self._book.unsettled_sums()

    def covered(self) -> Covered:
        """The current coverage figures."""
        return Covered(self._coverage.sums(), self.outbox.carried)

    def counted(self) -> tuple[int, int]:
        """Numbers of known and read pages at home in the store."""
        writer = self._state.writer
        totals = writer.page_table.totals()
        return totals.known, totals.read

    def commit(self, *, ranks: bool = False) -> None:
        """Commit. ranks: save the rank of every page as well; all have settled, and no row is in flight."""
        meta: dict[str, MetaValue] = self._engine.meta()
        self._intake.commit(meta, ranks=ranks)

    # Sending.

    def bound_coverage(self) -> None:
        """Keep the coverage bound as tight as possible during the crawl."""
        self._coverage.ends_crawl = True

    def _has_news_to_hand_over(self) -> bool:
        """True if the next commit hands over: it is time, or nothing is in flight here while others may have work."""
        now = self.run.clock()
        # Commits are a second apart at most: the factor admits one that comes slightly early.
        is_time = now - self._handed_over >= 0.9 * seconds_apart(now - self._began, self._workers)
        if is_time or not self._engine.dispatch.in_flight:
            self._handed_over = now
            return True
        return False

    def _send_news(self) -> None:
        """Send rows to the homes to which none are on their way."""
        for home in self.outbox.homes():
            if home not in self._sending:
                self._sending[home] = asyncio.create_task(self._send(home))

    async def _send(self, home: int) -> None:
        """Send the rows for a home until all are confirmed, or the crawl has ended: then the next run sends them again,
        or the settling."""
        pause = _FIRST_PAUSE
        while self._sends and (rows := self.outbox.rows(home)):
            try:
                number = await self._post.send(self.number, home, rows)
            except MinicrawlError:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause = _FIRST_PAUSE
            try:
                self.outbox.confirm(home, number)
            except StoreError as error:
                self._engine.deliver(0, partial(_fail, error))
                break
        del self._sending[home]


def settle(intake: Intake, error: float = SETTLED_ERROR) -> bool:
    """Make virtual visits of a partition, all of whose links are committed, until its ranking is exact within `error`,
    and its depths are. Returns True if it was before."""
    accounts = intake.state.accounts
    was_settled = certificate_of(*accounts.book.unsettled_sums()) <= error
    with intake.state.writer.link_table.kept_blocks() as blocks:
        if not was_settled:
            accounts.settle_fully(blocks, error)
        accounts.shorten(blocks)
    return was_settled


def _fail(error: StoreError, now: float) -> None:
    raise error


def _always() -> bool:
    return True


def _never() -> bool:
    return False


class Taking:
    """Takes rows from other partitions' outboxes into the accounts, between two turns of the crawl.

    `is_crawling`: pages are handed out; after the crawl their order no longer matters.
    """

    is_crawling = True

    def __init__(self, intake: Intake) -> None:
        assert intake.state.outbox is not None, "the crawl has partitions"
        assert intake.state.mirrors is not None, "the crawl has partitions"
        self._intake = intake
        self._outbox, self._mirrors = intake.state.outbox, intake.state.mirrors

    def take(self, source: int, rows: Sequence[OutboxRow], now: float) -> int:
        """Take the next rows of one source, see `take_all`. Raises ConfigError for an invalid row."""
        (answer,) = self.take_all([(source, rows)], now)
        if not isinstance(answer, int):
            raise answer
        return answer

    def take_all(self, parcels: Sequence[tuple[int, Sequence[OutboxRow]]], now: float) -> list[int | ConfigError]:
        """Take the next rows of several sources, given with them, all at once; skip rows taken before, or behind a gap.

        Returns for each the number of its last row in the accounts, to be confirmed once committed; or the error of an
        invalid row, when those before it are taken.
        """
        answers: list[int | ConfigError] = []
        found: list[tuple[int, OutboxRow]] = []
        numbers: dict[int, int] = {}
        for source, rows in parcels:
            number = numbers.get(source, self._outbox.taken(source))
            for row in rows:
                if row.number == number + 1:
                    found.append((source, row))
                    number = row.number
            numbers[source] = number
            answers.append(number)
        if not found:
            return answers
        try:
            records, of_rows = self._unpacked([row for _, row in found])
            self._apply(joined(records), now)
        except ConfigError as error:  # nothing has changed: the others are taken without it
            if sum(len(rows) for _, rows in parcels) == 1:
                return [error]
            return [self._taken_one_by_one(source, rows, now) for source, rows in parcels]
        for (source, row), of_row in zip(found, of_rows, strict=True):
            self._outbox.note_taken(source, row.number, of_row)
        return answers

    def _taken_one_by_one(self, source: int, rows: Sequence[OutboxRow], now: float) -> int | ConfigError:
        answer: int | ConfigError = self._outbox.taken(source)
        for row in rows:
            (answer,) = self.take_all([(source, [row])], now)
            if not isinstance(answer, int):
                break
        return answer

    def _unpacked(self, rows: Sequence[OutboxRow]) -> tuple[Records, Sequence[Sums]]:
        """Unpack rows, with the sums of each. Raises ConfigError unless other partitions could have sent them to this
        one; the message is right for a single one."""
        number = rows[0].number
        try:
            records, ends = unpacked([row.records for row in rows])
            is_at_home = self._mirrors.homes(records.urls).count(None) == len(records.urls)
            self._mirrors.homes([url for url in records.found_on if url])
        except (ValueError, IndexError) as error:
            raise ConfigError(f"row {number} cannot be read: {error}") from error
        if not is_at_home:
            raise ConfigError(f"row {number} has a URL of another partition")
        of_rows = sums(records, ends)
        if [of_row.received for of_row in of_rows] != [row.received for row in rows]:
            raise ConfigError(f"row {number} has other sums than it says")
        return records, of_rows

    def _apply(self, records: Records, now: float) -> None:
        intake = self._intake
        accounts, discovery, frontier = intake.state.accounts, intake.state.discovery, intake.state.frontier
        first = accounts.size
        pages = np.array(discovery.handed_over(records.urls, records.found_on), dtype=np.int64)
        depths = accounts.depth[pages]
        accounts.take_over(pages, records.received)
        if intake.state.sites is not None and intake.state.sites.shared is not None and len(records.voices):
            intake.state.sites.shared.take_over(pages, records.voices)
        accounts.inlinks[pages] += records.inlinks
        accounts.depth[pages] = np.minimum(depths, records.depth)
        intake.visits.aliases.lengthen(accounts.lengthen(pages, records.chain_length).tolist())
        self._judge(records, pages, first, now)
        if self.is_crawling:
            frontier.pages.credit(pages[pages < discovery.offered])
            discovery.offer_new(now)
        intake.visits.deep_links.note_nearer(pages.astype(np.int32), depths)

    def _judge(self, records: Records, pages: np.ndarray, first: int, now: float) -> None:
        """Give up new pages (from `first` on) that the trap rules forbid.

        They stay known: the partitions that link to them have counted these links.
        """
        admission = self._intake.state.admission
        admission.protect([url for url, depth in zip(records.urls, records.depth.tolist(), strict=True) if not depth])
        if admission.traps is None:
            return
        for page, url, found_on in zip(pages.tolist(), records.urls, records.found_on, strict=True):
            if page < first:
                continue
            rule = next(iter(admission.refusals(found_on, NO_CONTENT, [url])), None)
            if rule is not None:
                self._intake.visits.give_up(page, State.DISALLOWED, rule, now)
