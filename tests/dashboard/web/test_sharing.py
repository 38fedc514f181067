"""One look for all who look at the same, and none too often."""

import asyncio

import pytest

from minicrawl.dashboard.web.sharing import Shared


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


def test_only_so_many_are_kept() -> None:
    async def main() -> None:
        work = Work()
        shared = Shared(2.0, 10.0, most=3, clock=lambda: work.now)
        for key in range(5):
            await shared.get(key, work)
        assert await shared.get(4, work) == 5
        assert await shared.get(0, work) == 6

    asyncio.run(main())
