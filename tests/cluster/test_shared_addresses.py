"""Addresses that partitions share: one holds each, whoever waits has its turn, and no gap is below the delay."""

import asyncio
import math
import random
import shutil
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from politeness import Witness
from support import skipping

from minicrawl.cluster.folder import make_store
from minicrawl.cluster.homes import Homes
from minicrawl.cluster.partition import Partition
from minicrawl.cluster.shared_addresses import SharedAddresses, shares_addresses
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import opened
from minicrawl.errors import CrawlEndedError
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.store.transfers import OutboxRow
from minicrawl.store.writer import Writer

DELAY, ANSWER = 1.0, 0.3


@dataclass
class Asker:
    """A partition with a clock for each address that it holds. wants: addresses at which it has pages."""

    wants: list[str]
    ready_at: dict[str, float] = field(default_factory=dict)
    in_flight: dict[str, float] = field(default_factory=dict)
    leaving: set[str] = field(default_factory=set)

    def die(self) -> None:
        self.ready_at, self.in_flight, self.leaving = {}, {}, set()

    def told(self, granted: dict[str, float], wanted_back: list[str], now: float) -> None:
        for name, seconds in granted.items():
            assert name not in self.ready_at, "it is held already"
            self.ready_at[name] = now + seconds
        self.leaving.update(wanted_back)

    def ask(self, now: float, log: list[tuple[str, float]]) -> None:
        for name, end in list(self.in_flight.items()):
            if end <= now:
                del self.in_flight[name]
        for name, ready_at in self.ready_at.items():
            if ready_at <= now and name not in self.leaving and name not in self.in_flight:
                log.append((name, now))
                self.in_flight[name] = now + ANSWER
                self.ready_at[name] = now + DELAY

    def say(self, now: float) -> tuple[list[str], dict[str, float]]:
        left = {name: max(self.ready_at.pop(name) - now, 0.0) for name in self.leaving - self.in_flight.keys()}
        self.leaving -= left.keys()
        return [name for name in self.wants if name not in self.ready_at], left


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 6), st.integers(0, 2**32))
def test_one_holds_an_address_and_nobody_waits_for_ever(
    partitions: int, addresses: int, deaths: int, seed: int
) -> None:
    rng = random.Random(seed)
    names = [f"192.0.2.{number}" for number in range(addresses)]
    askers = [Asker([name for name in names if rng.random() < 0.7]) for _ in range(partitions)]
    shared = SharedAddresses(DELAY, range(partitions), is_new=True)
    log: list[tuple[str, float]] = []
    asked: set[tuple[int, str]] = set()
    now = 0.0
    for _ in range(400):
        orders = shared.orders(range(partitions), now)
        for number, asker in enumerate(askers):
            order = orders[number]
            if deaths and rng.random() < 0.02:
                deaths -= 1
                if rng.random() < 0.5:  # it has got what it was granted, and may have asked
                    asker.told(order["granted"], order["wanted_back"], now)
                    asker.ask(now, log)
                asker.die()
                shared.note_death(number, now)
                continue
            asker.told(order["granted"], order["wanted_back"], now)
            before = len(log)
            asker.ask(now, log)
            asked.update((number, name) for name, _ in log[before:])
            shared.note(number, *asker.say(now), now)
        assert all(sum(name in asker.ready_at for asker in askers) <= 1 for name in names)
        now += rng.choice([0.05, 0.1, 0.5])
    for name in names:
        times = sorted(at for address, at in log if address == name)
        assert all(later - earlier >= DELAY - 1e-9 for earlier, later in pairwise(times))
    assert asked == {(number, name) for number, asker in enumerate(askers) for name in asker.wants}


def test_an_address_that_one_alone_asks_is_never_wanted_back() -> None:
    shared = SharedAddresses(DELAY, range(2), is_new=False)
    shared.note(1, ["a"], {}, now=2.0)
    shared.note(0, [], {}, now=4.0)
    assert shared.has_to_grant
    assert shared.orders(range(2), 4.25)[1] == {"granted": {"a": 4.0 + DELAY - 4.25}, "wanted_back": []}
    shared.note(1, [], {}, 3.0)
    assert (shared.has_to_grant, shared.orders(range(2), 100.0)[1]["wanted_back"]) == (False, [])
    shared.note(0, ["a"], {}, 100.0)
    assert (shared.has_to_grant, shared.orders(range(2), 100.0)[1]["wanted_back"]) == (False, ["a"])
    shared.note(1, ["a"], {"a": 0.5}, 100.0)
    assert shared.orders(range(2), 100.2)[0]["granted"] == {"a": 100.5 - 100.2}


def test_nothing_is_granted_before_all_are_heard_of() -> None:
    """Until then a process of the run before may have its store, and ask; one that dies at once has told nothing."""
    shared = SharedAddresses(DELAY, range(2), is_new=False)
    shared.note(0, ["a"], {}, 0.0)
    shared.note_death(1, 1.0)
    assert shared.orders(range(2), 50.0)[0]["granted"] == {}
    shared.note(1, [], {}, 60.0)
    assert shared.orders(range(2), 60.0)[0]["granted"] == {"a": DELAY}


def test_who_needs_an_address_no_longer_is_not_granted_it() -> None:
    shared = SharedAddresses(DELAY, range(1), is_new=True)
    shared.note(0, ["a"], {}, 0.0)
    shared.note(0, [], {}, 0.0)
    assert shared.orders(range(1), 0.0)[0]["granted"] == {}


@pytest.mark.parametrize(
    ("settings", "partitions", "shares"),
    [({}, 2, True), ({}, 1, False), ({"ip_delay": 0.0}, 2, False), ({"delay": 0.0}, 2, False)],
)
def test_only_clocks_that_there_are_need_one_holder(settings: dict[str, object], partitions: int, shares: bool) -> None:
    assert shares_addresses(CrawlSettings.of(settings), partitions) is shares


PARTITIONS, HOSTS = 3, 12
HOMES = Homes(PARTITIONS, b"a secret")


@dataclass
class DirectPost:
    """Brings rows to partitions of this process."""

    partitions: Sequence[Partition] = ()

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow], *, hurries: bool = False) -> int:
        try:
            return await self.partitions[home].receive(source, rows)
        except CrawlEndedError as error:
            raise AssertionError from error


async def shared_out(running: Sequence[Partition], rest: float) -> None:
    """Be the keeper of addresses of partitions that run."""
    shared = SharedAddresses(rest, range(PARTITIONS), is_new=True)
    for partition in running:
        partition.share_addresses()
    while True:
        orders = shared.orders(range(PARTITIONS), asyncio.get_running_loop().time())
        for number, order in orders.items():
            trade = await running[number].trade(**order)
            shared.note(number, *trade, asyncio.get_running_loop().time())
        await asyncio.sleep(0.05 if shared.has_to_grant else 0.5)


async def crawled(
    witness: Witness, folder: Path, beside: Callable[[Sequence[Partition]], Coroutine[None, None, None]]
) -> None:
    """Go on with the crawl in a folder until nothing is left. beside: runs while they crawl."""
    rules = tuple(map(ConnectTo.parse, witness.connect_to))
    settings = CrawlSettings.of({"connect_to": rules, "allow_private": True, "delay": DELAY, "traps": False})
    post = DirectPost()
    async with AsyncExitStack() as stack:
        running = []
        for number in range(PARTITIONS):
            store = folder / f"{number:03}.db"
            if not store.exists():
                make_store(store, "a crawl", number, PARTITIONS)
            writer = stack.enter_context(closing(Writer(store)))
            run = opened(settings, Seeds(witness.seeds), writer, share=HOMES.share(number))
            await stack.enter_async_context(run.source)
            running.append(Partition(number, run, post))
        post.partitions = running
        crawls = [asyncio.create_task(partition.crawl(witness.seeds)) for partition in running]
        keeping = asyncio.create_task(beside(running))
        while not (all(partition.is_idle for partition in running) or any(crawl.done() for crawl in crawls)):
            await asyncio.sleep(0.01)
        keeping.cancel()
        for partition in running:
            partition.run.engine.stop("nothing-left")
        await asyncio.gather(*crawls)


def check(witness: Witness) -> None:
    askers = {(asked.address, HOMES.home_of(f"http://{asked.host}/")) for asked in witness.log}
    assert len(askers) > 4, "several partitions ask some address"
    assert len({asked.host for asked in witness.log}) == HOSTS
    assert [gap for gap in witness.gaps(DELAY) if gap[1] < gap[2]] == []
    assert [gap for gap in witness.address_gaps() if gap[1] < DELAY] == []


@pytest.mark.slow
def test_no_gap_is_below_the_promised_one_across_a_kill_of_all(tmp_path: Path) -> None:
    """What a kill leaves are the stores of that moment, and requests that nobody has noted."""
    witness, left = Witness(HOSTS, 3, crawl_delay=3.0, retry_after=10, pages=2), tmp_path / "left"
    left.mkdir()

    async def killed(running: Sequence[Partition]) -> None:
        keeping = asyncio.create_task(shared_out(running, DELAY))
        while len(witness.log) < 15:
            await asyncio.sleep(0.1)
        for path in (*tmp_path.glob("0*.db"), *tmp_path.glob("0*.db-wal")):
            shutil.copy(path, left)
        witness.kills.append((asyncio.get_running_loop().time(), math.inf))
        keeping.cancel()
        for partition in running:
            partition.run.engine.abort()

    async def crawl() -> None:
        async with witness.serving():
            await crawled(witness, tmp_path, killed)
            await witness.drained()
            witness.kills[0] = witness.kills[0][0], asyncio.get_running_loop().time()
            await crawled(witness, left, partial(shared_out, rest=DELAY))

    skipping.run(crawl())
    check(witness)
