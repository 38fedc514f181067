"""Limits of a run, and the progress toward them."""

import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from minicrawl.crawler.loop.limits import Aim, Limits, RunClock, SteadyClock, aims, limit_reached
from minicrawl.settings import CrawlSettings


@pytest.mark.parametrize(
    "case",
    [
        ({}, None),
        ({"pages": 11}, None),
        ({"pages": 10}, "pages"),
        ({"bytes": 100}, "bytes"),
        ({"time": 5.0}, "time"),
        ({"time": 5.1}, None),
        ({"until_coverage": 0.5}, "coverage"),
        ({"until_coverage": 0.6, "bytes": 99}, "bytes"),
    ],
)
def test_the_first_limit_that_is_reached_is_told(case: tuple[dict[str, Any], str | None]) -> None:
    options, reached = case
    assert limit_reached(CrawlSettings.of(options), 10, 100, 5.0, 0.5) == reached


def test_pages_that_are_let_are_all_that_may_be_asked_for() -> None:
    fetched = 3
    limits = Limits(CrawlSettings(), lambda: (fetched, 0, 0.0), lambda: 0.0)
    assert (limits.allow_one_more(100), limits.has_enough) == (True, False)
    limits.let(5, expected=1)
    assert [limits.allow_one_more(expected) for expected in (0, 1, 2)] == [True, True, False]
    limits.let(3, expected=1)
    assert limits.quota == 5, "more may be expected than anybody has looked up"
    limits.take_back(expected=1)
    assert (limits.quota, limits.allow_one_more(1), limits.has_enough) == (4, False, False)
    fetched = 4
    limits.take_back(expected=0)
    assert (limits.quota, limits.has_enough) == (4, True)
    limits.let(6, expected=0)
    assert (limits.allow_one_more(1), limits.allow_one_more(2)) == (True, False)


@pytest.mark.parametrize(
    ("limit", "done", "speed", "aim"),
    [
        (100, 40, 5.0, Aim("pages", 40, 100, 12.0)),
        (100, 40, 0.0, Aim("pages", 40, 100, None)),
        (100, 100, 0.0, Aim("pages", 100, 100, 0.0)),
        (100, 130, 5.0, Aim("pages", 130, 100, 0.0)),
    ],
)
def test_what_is_left_takes_as_long_as_at_this_speed(limit: float, done: float, speed: float, aim: Aim) -> None:
    assert list(aims({"pages": limit, "time": None}, {"pages": done}, {"pages": speed})) == [aim]


def test_nobody_can_tell_where_there_is_no_speed() -> None:
    assert list(aims({"until_coverage": 0.5}, {"until_coverage": 0.25}, {})) == [Aim("until_coverage", 0.25, 0.5, None)]


# The clock of a crawl follows the event loop's; that of a run stands still in pauses.


async def test_clock_does_not_step_with_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    clock = SteadyClock()
    before = clock()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert before == pytest.approx(now, abs=60)
    assert before <= clock()


@pytest.mark.parametrize("held_up", [(), (1,), (2, 4), (5, 9)], ids=str)
async def test_clock_is_right_where_the_process_is_held_up_between_two_readings(
    monkeypatch: pytest.MonkeyPatch, held_up: tuple[int, ...]
) -> None:
    """Else pages of this run would have the times of others, and be fetched again too soon in the next one."""
    reading = itertools.count(1)
    passed = 0.0

    def monotonic() -> float:
        nonlocal passed
        passed += 5.0 if next(reading) in held_up else 0.0
        return passed

    monkeypatch.setattr(time, "monotonic", monotonic)
    monkeypatch.setattr(time, "time", lambda: 1000.0 + monotonic())
    clock = SteadyClock()
    monkeypatch.undo()
    assert clock.offset == 1000.0


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
