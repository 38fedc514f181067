"""Clocks that crawls share: no gap is below the larger delay, whoever asks or dies; who is alone shares none."""

import argparse
import asyncio
import errno
import logging
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from politeness import Witness, measured
from support import skipping

from minicrawl.api import acrawl
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.crawler.hosts.shared_clocks import SharedClocks, place
from minicrawl.opic import STRATEGIES, Adaptive, DiscoveryBudget
from minicrawl.settings import ConnectTo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="crawls of one process share clocks on Linux only")

OFFSET = 1e9  # of the crawls' clock to the file's, in seconds
START = OFFSET + 1e6
ON_ITS_WAY = 0.04
HOSTS = ("a.test", "b.test", "192.0.2.1")


class Errand:
    opens = alternates = False


class Crawl:
    """A crawl of three hosts at one address, as far as the clocks see it. is_plain: it asks them without addresses."""

    def __init__(self, delay: float, *, per_host: int = 1, is_part: bool = False, is_plain: bool = False) -> None:
        self.delay = delay
        self.frontier = Frontier(
            Adaptive(),
            STRATEGIES["greedy"],
            DiscoveryBudget(1.0),
            per_host,
            ip_delay=0.0 if is_plain else delay,
            locates=True,
            on_its_way=ON_ITS_WAY,
        )
        for name in HOSTS:
            self.frontier.locate(self.frontier.add_host(name, delay), "192.0.2.1", 1e12, 0.0)
        self.shared = self.frontier.shared = SharedClocks(OFFSET, delay, is_part=is_part)
        self.turns: list[HostTurn] = []

    def look(self, now: float) -> None:
        self.shared.look(now, self.frontier.clocks)

    def begin(self, number: int, now: float) -> HostTurn | None:
        """Ask a host, if that may be now."""
        self.look(now)
        host = self.frontier.hosts[number]
        if self.shared.is_waiting or not self.frontier.may_be_asked(host, now):
            return None
        if not self.frontier.claim(host, now):
            assert not self.frontier.may_be_asked(host, now), "it would be chosen again at once, and for ever"
            return None
        self.turns.append(self.frontier.begin(host, Errand(), now))
        return self.turns[-1]

    def end(self, turn: HostTurn, now: float, *, rest: float = 0.0) -> None:
        self.turns.remove(turn)
        self.frontier.end_turn(turn, now, left=now, not_before=now + rest)

    def leave(self, now: float) -> None:
        self.shared.leave(now, self.frontier.clocks)


def first_time(crawl: Crawl, number: int, since: float, until: float = 1e3, step: float = 0.01) -> float | None:
    """Seconds from `since` until the crawl may ask a host."""
    for tick in range(1, int(until / step)):
        if crawl.begin(number, since + tick * step):
            return tick * step
    return None


@pytest.fixture(autouse=True)
def _new_file() -> None:
    place().unlink(missing_ok=True)


@given(st.integers(1, 4), st.sampled_from([1, 3]), st.booleans(), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=40)
def test_no_gap_is_below_the_larger_delay_whoever_asks_and_whoever_dies(
    crawls: int, per_host: int, has_addresses: bool, has_parts: bool, seed: int
) -> None:
    draw = random.Random(seed)
    place().unlink(missing_ok=True)

    def new() -> Crawl:
        delay = draw.choice([0.5, 1.0, 4.0])
        return Crawl(delay, per_host=per_host, is_part=has_parts and draw.random() < 0.5, is_plain=not has_addresses)

    running, now, asked = [new() for _ in range(crawls)], START, dict[str, tuple[float, float]]()
    number = 0
    for _ in range(800):
        now += draw.expovariate(20.0)
        for crawl in running:
            crawl.look(now)  # as its loop does
        at = draw.randrange(len(running))
        crawl, fate = running[at], draw.random()
        if fate < 0.01:
            crawl.shared.close()
            running[at] = new()
        elif fate < 0.02:
            for turn in list(crawl.turns):
                crawl.end(turn, now)
            crawl.leave(now)
            running[at] = new()
        elif fate < 0.3 and crawl.turns:
            crawl.end(draw.choice(crawl.turns), now)
        elif (begun := crawl.begin(draw.randrange(len(HOSTS)), now)) is not None:
            number += 1
            for name in (begun.host.name, "address") if has_addresses else (begun.host.name,):
                last, delay = asked.get(name, (0.0, 0.0))
                assert now - last >= max(delay, crawl.delay) - 1e-5
                asked[name] = now, crawl.delay
    for crawl in running:
        crawl.leave(now)
    assert number > 2


def test_a_crawl_that_is_alone_shares_nothing() -> None:
    crawl = Crawl(1.0)
    turn = crawl.begin(0, START)
    assert turn is not None
    crawl.end(turn, START + 0.1)
    crawl.look(START + 100.0)
    assert not crawl.shared.is_shared
    assert place().stat().st_size <= 32, "one slot stands for all of its hosts"
    crawl.leave(START + 100.0)


def test_the_next_crawl_knows_what_the_one_before_has_asked() -> None:
    before = Crawl(5.0)
    turn = before.begin(0, START)
    assert turn is not None
    before.end(turn, START)
    before.leave(START + 0.2)
    after = Crawl(1.0)
    assert after.begin(0, START + 4.9) is None
    assert first_time(after, 0, START + 4.9) == pytest.approx(0.1, abs=0.02)
    after.leave(START + 10.0)


def test_a_crawl_begins_when_the_one_that_was_alone_has_noticed_it() -> None:
    alone = Crawl(1.0, is_plain=True)
    turn = alone.begin(0, START)
    assert turn is not None
    other = Crawl(1.0, is_plain=True)
    assert other.begin(1, START + 0.1) is None
    assert other.shared.is_waiting
    alone.look(START + 0.6)
    assert other.begin(0, START + 2.0) is None, "its answer is still awaited"
    assert other.begin(1, START + 2.0) is not None
    alone.end(turn, START + 3.0)
    assert first_time(other, 0, START + 3.0) == pytest.approx(1.0, abs=0.1)
    for crawl in (alone, other):
        crawl.leave(START + 9.0)


def test_a_rest_that_one_was_asked_for_holds_for_the_others() -> None:
    crawls = [Crawl(1.0, is_plain=True, is_part=True) for _ in range(2)]
    turn = crawls[0].begin(0, START)
    assert turn is not None
    crawls[0].end(turn, START, rest=60.0)
    assert first_time(crawls[1], 0, START) == pytest.approx(60.0, abs=0.05)
    for crawl in crawls:
        crawl.leave(START + 99.0)


@pytest.mark.parametrize("is_alone", [True, False])
def test_who_was_killed_may_have_asked_just_before(is_alone: bool) -> None:
    killed, other = Crawl(3.0, is_part=not is_alone), Crawl(1.0, is_part=not is_alone)
    assert killed.begin(0, START) is not None
    killed.shared.close()
    assert first_time(other, 0, START + 100.0) == pytest.approx(3.0, abs=0.05)
    other.leave(START + 200.0)


def test_the_delay_of_a_killed_crawl_does_not_hold_for_those_killed_after_it() -> None:
    first, second, third = Crawl(60.0), Crawl(0.25), Crawl(0.25)
    first.look(START)
    first.shared.close()
    assert second.begin(0, START + 1) is None, "the first may have asked just before"
    assert second.begin(0, START + 62) is not None
    second.shared.close()
    assert third.begin(1, START + 70) is None
    assert third.begin(1, START + 70.5) is not None


def test_a_crawl_that_is_stopped_holds_up_the_others_for_a_while_only(caplog: pytest.LogCaptureFixture) -> None:
    stopped, other = Crawl(1.0), Crawl(1.0)
    stopped.look(START)
    with caplog.at_level(logging.WARNING):
        assert first_time(other, 0, START) == pytest.approx(10.0, abs=0.2)
    assert len(caplog.records) == 1
    stopped.look(START + 20.0)
    other.look(START + 20.5)
    assert other.shared.is_shared, "it goes on, and so they share"
    for crawl in (stopped, other):
        crawl.leave(START + 30.0)


def test_a_crawl_without_delays_does_not_open_the_file() -> None:
    crawl = Crawl(0.0)
    crawl.look(START)
    assert not place().exists()
    crawl.shared.adjust(1.0)
    crawl.look(START)
    assert place().exists()
    crawl.shared.adjust(0.0)
    crawl.look(START)
    other = Crawl(1.0)
    assert other.begin(0, START) is not None, "nobody is there any more"
    other.leave(START)


def _fifo(file: Path) -> None:
    os.mkfifo(file)


def _link(file: Path) -> None:
    file.symlink_to("/dev/full")


def _folder(file: Path) -> None:
    file.mkdir()


def _no_folder(file: Path) -> None:
    file.parent.rmdir()
    file.parent.touch()


def _of_another_user(file: Path) -> None:
    file.touch()
    if os.geteuid():
        pytest.skip("only root gives files away")
    os.chown(file, 12345, -1)


@pytest.mark.parametrize("broken", [_fifo, _link, _folder, _no_folder, _of_another_user])
def test_without_a_usable_file_a_crawl_goes_on_alone_and_says_so_once(
    broken: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    place().parent.mkdir(parents=True, exist_ok=True)
    broken(place())
    with caplog.at_level(logging.WARNING):
        crawls = [Crawl(1.0) for _ in range(2)]
        for crawl in crawls:
            assert [first_time(crawl, 0, START + second) for second in (0.0, 5.0)] == [0.01, None]
            crawl.leave(START + 99.0)
    assert len(caplog.records) == 2


def test_a_user_without_a_home_crawls_alone(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    with caplog.at_level(logging.WARNING):
        assert Crawl(1.0).begin(0, START) is not None
    assert len(caplog.records) == 1


def test_a_full_disk_ends_the_sharing_and_no_crawl(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    crawls = [Crawl(1.0, is_part=True, is_plain=True) for _ in range(2)]
    turns = [crawl.begin(number, START + 10 * number) for number, crawl in enumerate(crawls)]

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(os, "pwrite", full)
        assert turns[0] is not None
        crawls[0].end(turns[0], START + 20.0)
        assert first_time(crawls[0], 0, START + 20.0) == pytest.approx(1.0, abs=0.05)
    assert len(caplog.records) == 1
    assert turns[1] is not None
    crawls[1].end(turns[1], START + 40.0)
    assert first_time(crawls[1], 0, START + 40.0) is not None, "what it held is free"
    crawls[1].leave(START + 60.0)


@given(st.binary(max_size=4000))
def test_bytes_of_others_in_the_file_hold_nobody_up(found: bytes) -> None:
    place().parent.mkdir(parents=True, exist_ok=True)
    place().write_bytes(found)
    crawls = [Crawl(1.0, is_part=True, is_plain=True) for _ in range(2)]
    assert [first_time(crawl, number, START + 10 * number, 2.0) for number, crawl in enumerate(crawls)] == [0.01, 0.01]
    for crawl in crawls:
        crawl.leave(START + 20.0)


def test_crawls_of_their_own_leave_no_gap_too_small(tmp_path: Path) -> None:
    """Three crawls that begin one after the other, with a server that measures, by a clock that skips."""
    witness = Witness(10, 2, crawl_delay=3.0, retry_after=5, pages=3, crawls=3)

    async def crawled(number: int) -> None:
        await asyncio.sleep(0.7 * number)
        rules = tuple(ConnectTo.parse(rule) for rule in witness.connect_to)
        store = tmp_path / f"{number}.db"
        await acrawl(witness.seeds, store, connect_to=rules, allow_private=True, delay=1.0)

    async def run() -> None:
        async with witness.serving():
            await asyncio.gather(*map(crawled, range(3)))

    skipping.run(run())
    assert len(witness.log) > 3 * 10 * 3
    assert [gap for gap in witness.gaps(1.0) if gap[1] < gap[2]] == []
    assert [gap for gap in witness.address_gaps() if gap[1] < 1.0] == []


TOLERANCE = 0.5
"""Seconds that a busy machine may lose between a request and the note of the server."""


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--workers", "2"], ["--per-host", "3"]], ids=["plain", "workers", "per host"])
def test_ten_processes_some_of_which_are_killed_leave_no_gap_too_small(tmp_path: Path, options: list[str]) -> None:
    arguments = argparse.Namespace(
        hosts=30, addresses=6, delay=2.0, seconds=24.0, kills=5, crawls=10, partitions=0, workers=0, options=options
    )
    witness = asyncio.run(measured(arguments, tmp_path / "crawl.db"))
    assert len(witness.log) > 30
    assert [gap for gap in witness.gaps(2.0) if gap[1] < gap[2] - TOLERANCE] == []
    assert [gap for gap in witness.address_gaps() if gap[1] < 2.0 - TOLERANCE] == []
