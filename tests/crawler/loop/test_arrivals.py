"""Arrivals are absorbed in order, long work in a thread, and others go on in between."""

import asyncio
import threading
from functools import partial

import pytest
from support.skipping import run

from minicrawl.crawler.loop.in_flight import Arrivals, BooksThread, Slots


async def test_result_and_exception_come_back() -> None:
    thread = BooksThread()
    assert await thread.do(threading.current_thread) is not threading.current_thread()
    with pytest.raises(ZeroDivisionError):
        await thread.do(lambda: 1 // 0)
    thread.end()


async def test_arrivals_are_taken_in_in_order_and_large_ones_in_a_thread() -> None:
    taken: list[tuple[str, float, bool]] = []

    def take(name: str, now: float) -> None:
        taken.append((name, now, threading.current_thread() is threading.main_thread()))

    thread = BooksThread()
    arrivals = Arrivals(lambda: 7.0, thread, at_once=10)
    for name, links in (("a", 5), ("b", 5), ("large", 11), ("d", 1)):
        arrivals.add(links, partial(take, name))
    were_all = [await arrivals.take(), bool(arrivals), await arrivals.take(), bool(arrivals)]
    thread.end()
    assert were_all == [False, True, True, False]
    assert taken == [("a", 7.0, True), ("b", 7.0, True), ("large", 7.0, False), ("d", 7.0, True)]


async def test_the_bell_rings_when_something_comes() -> None:
    arrivals = Arrivals(lambda: 0.0, BooksThread(), at_once=10)
    quiet = [await arrivals.is_quiet()]
    asyncio.get_running_loop().call_soon(arrivals.ring)
    quiet.append(await arrivals.is_quiet())
    await arrivals.is_quiet()
    asyncio.get_running_loop().call_soon(arrivals.ring)
    quiet.append(await arrivals.rings_within(60.0))
    await arrivals.is_quiet()
    quiet.append(await arrivals.rings_within(0.0))
    assert quiet == [True, False, True, False]


def test_who_waits_twice_waits_twice() -> None:
    """That nothing came within the first time is no bell."""

    async def main() -> float:
        arrivals = Arrivals(lambda: 0.0, BooksThread(), at_once=10)
        loop = asyncio.get_running_loop()
        began = loop.time()
        assert await arrivals.is_quiet()
        assert [await arrivals.rings_within(seconds) for seconds in (1.0, 10.0)] == [False, False]
        return loop.time() - began

    assert run(main(), grace=0.0) == pytest.approx(11.0, abs=0.01)


ROOM = 64


def adapted(slots: Slots, *shares: float) -> list[float]:
    """The slots after each quarter of a second of which the thread was busy for a share."""
    now, busy, found = 100.0, 50.0, []
    slots.adapt(now, partial(float, busy), ROOM)
    for share in shares:
        now, busy = slots.look_at + 0.15, busy + 0.25 * share
        slots.adapt(now, partial(float, busy), ROOM)
        found.append(slots.most)
    return found


def test_there_are_as_many_slots_as_the_thread_keeps_up_with() -> None:
    found = adapted(Slots(), *[0.9] * 20, *[1.0] * 20, *[0.9] * 20)
    assert found[:20] == sorted(found[:20])
    assert found[19] >= ROOM
    assert found[20:40] == sorted(found[20:40], reverse=True)
    assert found[39] == Slots().most
    assert found[59] >= ROOM


def test_one_look_tells_nothing() -> None:
    slots = Slots()
    slots.adapt(100.0, lambda: 100.0, ROOM)
    before = slots.most
    slots.adapt(100.05, lambda: 100.05, ROOM)
    assert slots.most == before
