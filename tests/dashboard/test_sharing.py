"""One look for all who look at the same, and none too often."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from support.patience import PATIENCE

from minicrawl.dashboard.readings import NotYetError, Shared


class Work:
    """Takes a time of its own clock, and says how often it was done."""

    def __init__(self, takes: float = 0.0) -> None:
        self.now = 100.0
        self.done = 0
        self.takes = takes

    def __call__(self) -> int:
        self.now += self.takes
        self.done += 1
        return self.done


def test_a_value_is_good_for_a_while_and_for_longer_if_it_took_long() -> None:
    async def main() -> None:
        work = Work(takes=3.0)
        shared = Shared(2.0, 10.0, clock=lambda: work.now)
        assert await shared.get("a", work) == 1
        work.now += 29.9
        assert await shared.get("a", work) == 1
        work.takes = 0.0
        work.now += 0.2
        assert await shared.get("a", work) == 2
        work.now += 1.9
        assert await shared.get("a", work) == 2
        work.now += 0.2
        assert await shared.get("a", work) == 3
        assert await shared.get("b", work) == 4
        shared.renew()
        assert await shared.get("a", work) == 5

    asyncio.run(main())


def test_many_at_once_look_once() -> None:
    async def main() -> None:
        work = Work()
        shared = Shared(2.0, 10.0, clock=lambda: work.now)
        assert set(await asyncio.gather(*(shared.get("a", work) for _ in range(20)))) == {1}

    asyncio.run(main())


def test_a_failure_is_told_and_not_kept() -> None:
    async def main() -> None:
        work = Work()
        shared = Shared(2.0, 10.0, clock=lambda: work.now)

        def fail() -> int:
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            await shared.get("a", fail)
        assert await shared.get("a", work) == 1

    asyncio.run(main())


def test_who_asks_after_a_change_is_not_shown_what_was_begun_before_it() -> None:
    async def main() -> None:
        work, begun, permit = Work(), threading.Event(), threading.Event()
        shared = Shared(2.0, 10.0, clock=lambda: work.now)

        def slow() -> str:
            begun.set()
            assert permit.wait(PATIENCE)
            return "before"

        first = asyncio.create_task(shared.get("a", slow))
        await asyncio.to_thread(begun.wait, PATIENCE)
        shared.renew()
        later = [asyncio.create_task(shared.get("a", lambda: "after")) for _ in range(3)]
        await asyncio.sleep(0)
        permit.set()
        assert await first == "before"
        assert await asyncio.gather(*later) == ["after"] * 3

    asyncio.run(main())


def test_only_so_many_are_kept() -> None:
    async def main() -> None:
        work = Work()
        shared = Shared(2.0, 10.0, most=3, clock=lambda: work.now)
        for key in range(5):
            await shared.get(key, work)
        assert await shared.get(4, work) == 5
        assert await shared.get(0, work) == 6

    asyncio.run(main())


def test_who_has_no_patience_sees_what_was_before() -> None:
    """While the next value is worked out, the last one is shown; of the first there is only that it will be there."""

    async def main() -> None:
        work, permits = Work(), threading.Semaphore(0)
        shared = Shared(0.0, 0.0, patience=(0.0, 0.0), clock=lambda: work.now)

        def slow() -> int:
            assert permits.acquire(timeout=PATIENCE)
            return work()

        for _ in range(3):
            with pytest.raises(NotYetError):
                await shared.get("a", slow)
        permits.release()
        assert await until_known(shared, slow) == 1
        assert [await shared.get("a", slow) for _ in range(5)] == [1] * 5
        permits.release()  # for what is still at work

    asyncio.run(main())


def test_an_outdated_value_has_its_age_until_the_next_one_is_there() -> None:
    async def main() -> None:
        work, permits = Work(), threading.Semaphore(1)
        shared = Shared(2.0, 0.0, patience=(None, 0.0), clock=lambda: work.now)

        def slow() -> int:
            assert permits.acquire(timeout=PATIENCE)
            return work()

        assert await shared.last("a", slow) == (1, 0.0, False)
        work.now += 1.5
        assert await shared.last("a", slow) == (1, 1.5, False)
        work.now += 1.5
        assert await shared.last("a", slow) == (1, 3.0, True)
        permits.release()
        while (kept := await shared.last("a", slow))[2]:
            await asyncio.sleep(0.001)
        assert kept == (2, 0.0, False)

    asyncio.run(main())


async def until_known(shared: Shared, work: Callable[[], int]) -> int:
    while True:
        try:
            return await shared.get("a", work)
        except NotYetError:
            await asyncio.sleep(0.001)
