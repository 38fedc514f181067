"""A moment of a crawl in words."""

from dataclasses import replace

import pytest
from support.moments import BEST, MOMENT

from minicrawl.cli.display import bars, doing, plain
from minicrawl.model import LimitsNow, Progress, RunState

BARE = Progress(
    seconds=100.0,
    fetched=1000,
    bytes=10_000_000,
    known=5000,
    never_read=3900,
    hosts_ready=3,
    hosts_waiting=40,
    in_flight=12,
    clock=1.25,
    coverage=0.45,
    errors={},
    pages_per_second=10.0,
    bytes_per_second=100_000.0,
)


def test_plain_line_is_one_line() -> None:
    line = plain(MOMENT, BEST)
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.startswith("2:05: 1,500 pages, 8.0/s, 13.3 MB, 5,000 known, 3,900 not read")
    assert "15 given up; 1,000 of 4,000 pages, about 6 minutes left" in line


@pytest.mark.parametrize(
    ("limits", "share", "what", "left"),
    [
        (LimitsNow(pages=4000), 0.25, "1,000 of 4,000 pages", "about 5 minutes left"),
        (LimitsNow(time=145), 100 / 145, "1:40 of 2:25", "about 45 seconds left"),
        (LimitsNow(until_coverage=0.9), 0.5, "45.0% of 90.0% coverage", ""),
        (LimitsNow(pages=1000), 1.0, "1,000 of 1,000 pages", "reached"),
    ],
)
def test_a_limit_has_a_share_and_a_time(limits: LimitsNow, share: float, what: str, left: str) -> None:
    ((part, words),) = bars(replace(BARE, limits=limits))
    assert part == pytest.approx(share)
    assert words == (f"{what}, {left}" if left else what)


@pytest.mark.parametrize(
    ("state", "in_flight", "words"),
    [
        (RunState.RUNNING, 12, "running until nothing is left to fetch; Ctrl-C stops it, nothing is lost"),
        (RunState.STARTING, 0, "taking in the seeds"),
        (RunState.PAUSED, 1, "paused; 1 request is being finished; 'minicrawl control resume' goes on"),
        (RunState.PAUSED, 0, "paused; 'minicrawl control resume' goes on"),
        (RunState.STOPPING, 12, "stopping: 12 requests are being finished; Ctrl-C stops at once"),
        (RunState.STOPPING, 0, "stopping: the ranking is being settled"),
    ],
)
def test_what_a_crawl_does_and_what_ends_that(state: RunState, in_flight: int, words: str) -> None:
    assert doing(replace(BARE, state=state, in_flight=in_flight)) == words


def test_a_crawl_that_has_its_pages_says_what_it_waits_for() -> None:
    progress = replace(BARE, limits=LimitsNow(pages=1000), has_its_pages=True)
    assert doing(progress).startswith("keeping the files that its pages need;")
    assert "keeping the files" in plain(progress, BEST)


@pytest.mark.parametrize(("ready", "speed", "is_told"), [(3, 1.0, True), (0, 9.0, True), (0, 5.0, False)])
def test_time_left_is_not_told_while_the_crawl_only_waits(ready: int, speed: float, is_told: bool) -> None:
    moment = replace(BARE, limits=LimitsNow(pages=4000, time=200.0), hosts_ready=ready, pages_per_second=speed)
    (_, by_pages), (_, by_time) = bars(moment)
    assert by_pages.endswith(" left") == is_told
    assert by_time.endswith(", about 100 seconds left")
