"""One partition of a crawl that runs: its engine, what it sends, and what it takes.

The post brings rows from one partition to another. It may lose a message, bring it late or more than once: whatever it
does, a row is sent until it is confirmed, and taken once.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar

from minicrawl.cluster.running.covered import Covered
from minicrawl.cluster.running.taking import Taking
from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.frontier.addresses import Trade
from minicrawl.crawler.run import Run
from minicrawl.crawler.sharing.outbox import Outbox
from minicrawl.errors import CrawlEndedError
from minicrawl.model import RunState
from minicrawl.opic.ledger import SETTLED_ERROR
from minicrawl.opic.ledger_columns import LedgerSums
from minicrawl.store.rows import MetaValue
from minicrawl.store.write.transfer_rows import OutboxRow

_T = TypeVar("_T")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds until rows are sent again that were not confirmed; twice as long each time."""
_HAND_OVERS, _SHORTEST, _LONGEST = 300, 0.5, 2.0
"""In the time that a crawl has gone on; seconds between two of them, at least and at most."""


def seconds_apart(seconds: float) -> float:
    """Between two hand-overs of a run that has gone on for so long.

    What counts for the order of a crawl is which part of it a hand-over takes: a three-hundredth costs nothing that can
    be measured.
    """
    return min(max(seconds / _HAND_OVERS, _SHORTEST), _LONGEST)


class PostError(Exception):
    """Nobody has said that the message came: it may have, or not."""


class Post(Protocol):
    """Brings messages to other partitions."""

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow]) -> int:
        """Bring rows to their home; the number of the last row of `source` that it has committed. Raises PostError."""
        ...


class Partition:
    """`number`: of this partition. It sends while it crawls; `settle` and `hand_over` are for when it has crawled."""

    def __init__(self, number: int, run: Run, post: Post) -> None:
        self.number = number
        self.run = run
        self._engine, self._absorber = run.engine, run.absorber
        self._coverage = run.absorber.accounts.coverage
        assert run.absorber.mirrors is not None, "the crawl has partitions"
        self._mirrors = run.absorber.mirrors
        self._post = post
        self._taking = Taking(run.absorber)
        self._senders: dict[int, asyncio.Task[None]] = {}
        self._began = self._handed_over = run.clock()
        self.coverage: Covered | None = None
        """As of the last commit since all its seeds are known; where sites share births, the last since these were."""
        self._covered_at = 0  # how often births had been shared out then
        self._ledger = run.absorber.accounts.ledger
        self.sums = self._ledger.sums()
        """As of the last commit."""
        run.engine.waits_for_others = True

    @property
    def outbox(self) -> Outbox:
        outbox = self._absorber.outbox
        assert outbox is not None, "the crawl has partitions"
        return outbox

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to fetch, nor to be confirmed by others."""
        return self._engine.is_idle and not self.outbox.homes()

    async def crawl(self, seeds: Sequence[str], guessed: Set[str] = frozenset()) -> None:
        """Crawl until the engine is stopped. seeds: those of the whole crawl; guessed: of these, see `starting`."""
        loop = asyncio.get_running_loop()
        knows_seeds = False

        def starting() -> Iterator[None]:
            nonlocal knows_seeds
            yield from self._absorber.starting(seeds, self.run.clock(), guessed)
            knows_seeds = True  # and the commit that comes of this step, if nothing else does, has all of them

        def committed() -> None:
            self.sums = self._ledger.sums()
            is_anew = self._ledger.are_born_alike or self._covered_at != self._ledger.shared_out
            if knows_seeds and (is_anew or self.coverage is None):
                self._covered_at = self._ledger.shared_out
                self.coverage = Covered(self._coverage.sums(), self.outbox.carried)
            loop.call_soon_threadsafe(self._send_news)

        self.outbox.on_committed = committed
        self._mirrors.is_due = self._has_news_to_hand_over
        self._began = self._handed_over = self.run.clock()
        try:
            self._send_news()
            await self._engine.run(starting())
        finally:
            self.outbox.on_committed = lambda: None
            self._mirrors.is_due = _never
            self._taking.is_crawling = False
            await self._end_sending()

    async def receive(self, source: int, rows: Sequence[OutboxRow]) -> int:
        """Take rows of another partition, and wait for the commit that holds them; the number of the last one taken.

        Raises CrawlEndedError when this partition has crawled: then `take` is for that.
        """
        take = partial(self._taking.take, source, rows)
        return await self._engine.commands.done(take, sum(len(row.records) for row in rows) // 100, hurries=False)

    async def committed(self) -> None:
        """Wait for a commit that has all that was received so far. Raises CrawlEndedError when this has crawled."""
        await self._engine.commands.done(lambda now: None)

    def share_addresses(self) -> None:
        """Ask no IP address before it is granted; to be called before it crawls."""
        frontier = self._absorber.frontier
        frontier.addresses.share()

    async def trade(self, granted: Mapping[str, float], wanted_back: Sequence[str]) -> Trade:
        """Hold other IP addresses, see `Addresses.change`; what is said of all. No address where it cannot be asked."""
        if self._engine.state == RunState.STARTING:
            return Trade([], {})
        trade = partial(self._absorber.frontier.trade, granted, wanted_back)
        try:
            return await self._engine.commands.seen(trade)
        except CrawlEndedError:
            return Trade([], {})

    def note_elsewhere(self, sums: LedgerSums) -> None:
        """Let pages be due by their importance among those of all partitions. sums: those of the others together."""
        due = self._absorber.due
        if due is not None:
            due.elsewhere = sums

    async def between_answers(self, look: Callable[[Absorber], _T]) -> _T | None:
        """What comes of what is done to all that this knows, while it crawls, once that is committed; None where it
        cannot be done just now."""
        if self._engine.state == RunState.STARTING:
            return None
        with suppress(CrawlEndedError):
            return await self._engine.commands.done(lambda now: look(self._absorber), self._absorber.accounts.size)
        return None

    # When all have crawled.

    def count_voices(self) -> None:
        """Let other partitions hear how many sites here link to their pages, and of all else there is; commit."""
        assert self._absorber.sites is not None, "walkers jump to sites"
        self._absorber.sites.count_voices()
        self._mirrors.is_due = _always
        self.commit()
        self._mirrors.is_due = _never

    def settle(self, error: float = SETTLED_ERROR) -> None:
        """Virtual visits along the links of this partition, until what mirrors hold outweighs what is left; commit."""
        if self._absorber.batch.links:
            self.commit()
        self._absorber.settling.settle_again(error)
        self._mirrors.error, self._mirrors.is_due = error, _always
        self.commit()
        self._mirrors.is_due = _never  # with what is taken then, there is more to settle first

    def take(self, source: int, rows: Sequence[OutboxRow]) -> int:
        """Take rows of another partition; it may be confirmed once `commit` has returned."""
        return self._taking.take(source, rows, self.run.clock())

    def commit(self, *, ranks: bool = False) -> None:
        """ranks: and the place of every page; all have settled, so nothing is on its way."""
        meta: dict[str, MetaValue] = self._engine.meta()
        self._absorber.commit(meta, ranks=ranks)

    def end(self) -> None:
        """Give back what only settling needs."""
        self._absorber.settling.forget_links()

    # What it sends.

    def bound_coverage(self) -> None:
        """Let the bound of coverage be as high while all crawl as it can be."""
        self._coverage.ends_crawl = True

    def _has_news_to_hand_over(self) -> bool:
        """Whether a commit hands over now: it is time, or nothing is asked for, and the others may have more."""
        now = self.run.clock()
        # Commits are half a second apart: one that comes a little early is not left out.
        is_time = now - self._handed_over >= 0.9 * seconds_apart(now - self._began)
        if is_time or not self._engine.dispatch.in_flight:
            self._handed_over = now
            return True
        return False

    def _send_news(self) -> None:
        """There may be rows for homes to which nothing is on its way."""
        for home in self.outbox.homes():
            sender = self._senders.get(home)
            if sender is None or sender.done():
                self._senders[home] = asyncio.create_task(self._send(home), name=f"to partition {home}")

    async def _send(self, home: int) -> None:
        """Send what there is for a home until all of it is confirmed, or the crawl has ended."""
        pause = _FIRST_PAUSE
        while rows := self.outbox.rows(home):
            try:
                number = await self._post.send(self.number, home, rows)
            except PostError:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause = _FIRST_PAUSE
            try:
                await self._engine.commands.seen(partial(self._confirm, home, number))
            except CrawlEndedError:
                return  # it is sent again, by the next run or when the ranking is settled

    def _confirm(self, home: int, number: int, now: float) -> None:
        self.outbox.confirm(home, number)

    async def _end_sending(self) -> None:
        for sender in self._senders.values():
            sender.cancel()
        for sender in self._senders.values():
            with suppress(asyncio.CancelledError):
                await sender


def settle_all(partitions: Iterable[Partition], error: float = SETTLED_ERROR) -> int:
    """Let partitions that have crawled settle together, hand over and settle again, until none has anything to hand
    over; how often that was."""
    rounds, some = 0, list(partitions)
    while True:
        for partition in some:
            partition.settle(error)
        if not hand_over(some):
            break
        rounds += 1
    for partition in some:
        partition.end()
    return rounds


def hand_over(partitions: Sequence[Partition]) -> bool:
    """Let all take what waits for them, and all that is confirmed; whether there was anything."""
    by_number = {partition.number: partition for partition in partitions}
    taken = [
        (source, home, by_number[home].take(source.number, source.outbox.rows(home)))
        for source in partitions
        for home in source.outbox.homes()
    ]
    for partition in partitions:
        partition.commit()
    for source, home, number in taken:
        source.outbox.confirm(home, number)
    return bool(taken)


def _always() -> bool:
    return True


def _never() -> bool:
    return False
