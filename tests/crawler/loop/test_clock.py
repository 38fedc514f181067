"""The clock of a crawl follows the event loop's; that of a run stands still in pauses."""

import asyncio
import random
import time
from collections.abc import Callable

import pytest

from minicrawl.crawler.loop.limits import RunClock, SteadyClock


def test_clock_does_not_step_with_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> tuple[float, float]:
        clock = SteadyClock()
        before = clock()
        monkeypatch.setattr(time, "time", lambda: 0.0)
        return before, clock()

    now = time.time()
    before, after = asyncio.run(run())
    assert before == pytest.approx(now, abs=60)
    assert before <= after


def test_time_is_the_sum_of_what_lies_outside_of_pauses() -> None:
    now, rng = [100.0], random.Random(5)
    clock = RunClock(lambda: now[0], 90.0)
    expected = 10.0
    for _ in range(500):
        passed = rng.choice([0.0, 0.5, 3600.0])
        now[0] += passed
        expected += 0.0 if clock.is_paused else passed
        assert clock.seconds == expected
        changes: list[Callable[[], object]] = [clock.pause, clock.resume, int]
        rng.choice(changes)()
