"""How long a run has gone on."""

import random
from collections.abc import Callable

from minicrawl.crawler.loop.run_clock import RunClock


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


def test_a_pause_moves_the_end_of_a_limit() -> None:
    now = [100.0]
    clock = RunClock(lambda: now[0], 100.0)
    assert (clock.when(60.0), clock.resume()) == (160.0, 0.0)
    clock.pause()
    now[0] = 107.0
    clock.pause()
    assert clock.resume() == 7.0
    assert (clock.when(60.0), clock.seconds) == (167.0, 0.0)
