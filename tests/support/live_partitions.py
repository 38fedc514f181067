"""Partitions that crawl over HTTP, all in one event loop, with a post between them that may lose messages."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from support.sites import rows

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.homes import Homes
from minicrawl.cluster.new_store import make_store
from minicrawl.cluster.running.combined import shared_out, site_links, trust_of_all
from minicrawl.cluster.running.partition import Partition, PostError
from minicrawl.cluster.running.settling import Settling
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import opened
from minicrawl.errors import CrawlEndedError
from minicrawl.model import State
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.write.transfer_rows import OutboxRow
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD, Timing


@dataclass
class InProcessPost:
    """loss: the share of messages that never come, and of answers."""

    partitions: dict[int, Partition] = field(default_factory=dict)
    loss: float = 0.0
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    messages: int = 0
    rows: int = 0

    def send(
        self, source: int, home: int, rows: Sequence[OutboxRow], *, hurries: bool = False
    ) -> "asyncio.Future[int]":
        return asyncio.ensure_future(self._sent(source, home, rows))

    async def _sent(self, source: int, home: int, rows: Sequence[OutboxRow]) -> int:
        self.messages += 1
        self.rows += len(rows)
        if self.rng.random() < self.loss:
            raise PostError
        try:
            number = await self.partitions[home].receive(source, rows)
        except CrawlEndedError as error:
            raise PostError from error
        if self.rng.random() < self.loss:
            raise PostError
        return number


@dataclass(frozen=True)
class Crawled:
    """A crawl in partitions that has ended. rounds: of settling; 0 where it was not settled."""

    stores: list[Path]
    post: InProcessPost
    rounds: int = 0

    def pages(self, columns: str) -> dict[str, tuple[Any, ...]]:
        """By URL, of the pages that have their home where they are."""
        query = f"SELECT url, {columns} FROM pages WHERE state <> 'elsewhere'"
        found = [row for store in self.stores for row in rows(store, query)]
        assert len({row[0] for row in found}) == len(found), "a URL has two homes"
        return {url: tuple(values) for url, *values in found}

    def importance(self) -> dict[str, float]:
        """X = R + V' B / sum(B), with the sums of all partitions, as shares."""
        sums: Counter[str] = Counter()
        for store in self.stores:
            names = "'virtual', 'never_visited', 'births'"
            sums.update({name: int(value) for name, value in rows(store, f"SELECT * FROM meta WHERE key IN ({names})")})
        held = (sums["virtual"] + sums["never_visited"]) / sums["births"]
        x = {
            url: 0.0 if state == State.ALIAS else received + held * birth
            for store in self.stores
            for url, state, received, birth in rows(store, "SELECT url, state, cash + forwarded, birth FROM born")
            if state != State.ELSEWHERE
        }
        return {url: value / sum(x.values()) for url, value in x.items()}

    def faults(self) -> list[str]:
        with ExitStack() as stack:
            return list(all_violations([stack.enter_context(open_store(store)) for store in self.stores]))


async def _until(is_over: Callable[[], bool], crawls: Sequence[asyncio.Task[None]]) -> None:
    while not (is_over() or any(crawl.done() for crawl in crawls)):
        await asyncio.sleep(0.01)


async def crawl_together(  # noqa: PLR0913 - what a crawl is opened with
    folder: Path,
    seeds: Sequence[str],
    count: int,
    settings: dict[str, Any],
    *,
    loss: float = 0.0,
    most: int | None = None,
    timing: Timing = STANDARD,
    beside: Callable[[Sequence[Partition]], Coroutine[None, None, None]] | None = None,
) -> Crawled:
    """Go on with the crawl in a folder until nothing is left, and settle it. most: break off after so many answers.

    beside: runs while they crawl.
    """
    homes, chosen = Homes(count, b"a secret"), CrawlSettings.of(settings)
    crawled = Crawled([folder / f"{number:03}.db" for number in range(count)], InProcessPost(loss=loss))
    partitions: list[Partition] = []
    async with AsyncExitStack() as stack:
        for number, store in enumerate(crawled.stores):
            if not store.exists():
                make_store(store, "a crawl", number, count)
            writer = stack.enter_context(closing(Writer(store)))
            run = opened(chosen, Seeds(list(seeds)), writer, share=homes.share(number), timing=timing)
            await stack.enter_async_context(run.source)
            partitions.append(Partition(number, run, crawled.post))
        crawled.post.partitions.update(enumerate(partitions))
        engines = [partition.run.engine for partition in partitions]
        crawls = [asyncio.create_task(partition.crawl(seeds)) for partition in partitions]

        def is_over() -> bool:
            is_enough = most is not None and sum(engine.progress.fetched for engine in engines) >= most
            return is_enough or all(partition.is_idle for partition in partitions)

        keeping = None if beside is None else asyncio.create_task(beside(partitions))
        await _until(is_over, crawls)
        if keeping is not None:
            keeping.cancel()
        for engine in engines:
            engine.stop("nothing-left")
        await asyncio.gather(*crawls)
        for partition in partitions:
            partition.has_crawled = True
        if most is not None:
            return crawled
        if chosen.jump == BY_SITES:
            await share_births_out(partitions)
        return replace(crawled, rounds=await settle_all(partitions))


async def share_births_out(partitions: Sequence[Partition]) -> None:
    """Let all that have crawled hear of links between sites, and how sites trust each other, as the keeper does."""
    for partition in partitions:
        partition.count_voices()
    while await hand_over(partitions):
        pass
    told = [site_links(partition.run.intake) for partition in partitions]
    for partition, trust in zip(partitions, trust_of_all(told), strict=True):
        shared_out(trust, partition.run.intake)


async def settle_all(partitions: Sequence[Partition]) -> int:
    """Settle partitions after their crawl, in rounds, until all outboxes are empty. Returns the number of rounds."""
    rounds, settling = 0, Settling()
    settling.settle(partitions)
    while await hand_over(partitions):
        rounds += 1
        settling.settle(partitions)
    settling.close()
    return rounds


async def hand_over(partitions: Sequence[Partition]) -> bool:
    """Deliver all waiting rows to their homes, and confirm them. Returns True if there were any."""
    by_number = {partition.number: partition for partition in partitions}
    sent = [(source, home) for source in partitions for home in source.outbox.homes()]
    numbers = await asyncio.gather(
        *(by_number[home].receive(source.number, source.outbox.rows(home)) for source, home in sent)
    )
    for (source, home), number in zip(sent, numbers, strict=True):
        source.outbox.confirm(home, number)
    return bool(sent)
