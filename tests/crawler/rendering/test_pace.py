"""One request to a host at a time, and the delay between two: by a clock that skips what is waited for."""

import asyncio
from itertools import pairwise

import pytest
from support.skipping import run

from minicrawl.crawler.hosts.politeness import HostDelays
from minicrawl.crawler.rendering.pace import Pace


def begun(delay: float, *, hosts: int = 1, turns: int = 5, crawl_delay: float = 0.0) -> list[tuple[str, float, float]]:
    """Host, begin and end of turns that are all asked for at once, and take a second each."""
    found = []

    async def main() -> None:
        clock = asyncio.get_running_loop().time
        pace, start = Pace(HostDelays(delay), clock), clock()

        async def one(host: str) -> None:
            async with pace.turn(host, crawl_delay):
                begin = clock() - start
                await asyncio.sleep(1.0)
                found.append((host, begin, clock() - start))

        await asyncio.gather(*(one(f"h{number % hosts}") for number in range(turns)))

    run(main(), grace=0.0)
    return found


@pytest.mark.parametrize(
    ("delay", "crawl_delay", "apart"),
    [(2.0, 0.0, 2.0), (0.0, 0.0, 0.0), (2.0, 5.0, 5.0), (5.0, 2.0, 5.0), (0.0, 5.0, 0.0)],
)
def test_turns_at_a_host_are_the_delay_apart_and_never_two_at_once(delay, crawl_delay, apart):
    found = sorted(begun(delay, crawl_delay=crawl_delay), key=lambda turn: turn[1])
    assert len(found) == 5
    gaps = [later[1] - earlier[2] for earlier, later in pairwise(found)]
    assert min(gaps) >= apart - 1e-3
    assert max(gaps) <= apart + 0.1


def test_hosts_do_not_wait_for_each_other():
    assert max(begin for _, begin, _ in begun(3.0, hosts=5)) < 0.1


def test_a_host_may_have_a_delay_of_its_own():
    async def main() -> None:
        clock = asyncio.get_running_loop().time
        pace, start = Pace(HostDelays(2.0, {"slow": 9.0, "quick": 0.0}), clock), clock()
        for host, begin in (("quick", 0.0), ("other", 2.0), ("slow", 9.0)):
            pace.note_asked(host)
            before = clock()
            async with pace.turn(host):
                assert clock() - before == pytest.approx(begin, abs=0.1)
        assert clock() - start < 12.0

    run(main(), grace=0.0)


def test_a_request_that_was_made_elsewhere_counts_and_a_turn_that_fails_is_over():
    async def main() -> None:
        clock = asyncio.get_running_loop().time
        pace, start = Pace(HostDelays(2.0), clock), clock()
        pace.note_asked("h")
        with pytest.raises(ValueError, match="no"):
            async with pace.turn("h"):
                assert clock() - start >= 2.0
                raise ValueError("no")
        async with pace.turn("h"):
            assert clock() - start >= 4.0

    run(main(), grace=0.0)


def test_many_hosts_are_forgotten_and_none_that_must_wait():
    async def main() -> None:
        clock = asyncio.get_running_loop().time
        pace = Pace(HostDelays(60.0), clock)
        pace.note_asked("first")
        start = clock()
        for number in range(3000):
            pace.note_asked(f"h{number}")
        async with pace.turn("first"):
            assert clock() - start >= 59.0

    run(main(), grace=0.0)
