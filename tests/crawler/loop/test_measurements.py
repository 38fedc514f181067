"""Points of a crawl's curves, counts of its answers, its speed."""

import math
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import crawl, random_site, rows

from minicrawl.crawler.loop.measurements import LATENCY, SIZE, AnswerCounts, Course, Speed, spacing
from minicrawl.model import CoursePoint, Fetched
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def point(seconds: float) -> CoursePoint:
    """How a crawl stands that fetches two pages a second."""
    return CoursePoint(seconds, 1e9 + seconds, int(2 * seconds), 0, 0, 0, 0, 0.0, 0.0)


@pytest.mark.parametrize("longest", [1.0, 30.0, 4_000.0])
def test_points_are_few_and_evenly_spread_however_long_it_lasts(tmp_path: Path, longest: float) -> None:
    """Commits at random times, of a crawl that is now and then ended, or killed and taken up."""
    rng, now, most = random.Random(int(longest)), [0.0], 0
    with Writer(tmp_path / "crawl.db") as writer, writer.transaction():
        course = Course(lambda: now[0], lambda: point(now[0]), writer.course())
        for _ in range(4_000):
            now[0] += rng.expovariate(4 / longest)
            fate = rng.random()
            if fate < 0.002:
                course.end()
            course.save(writer)
            if fate < 0.02:
                most = max(most, len(writer.course()))
            if fate < 0.004:
                course = Course(lambda: now[0], lambda: point(now[0]), writer.course())
        found = writer.course()
    assert 100 < most <= 100 * (1 + math.log(max(now[0] / 200.0, 1.0)) + 1)
    assert found == sorted(found)
    assert all(one == point(one.seconds) for one in found)
    assert found[0].seconds < longest * 5
    assert now[0] - found[-1].seconds < spacing(now[0]) + 5 * longest
    # What is between two of them is no more than two of the longest times that were between points, and a commit.
    assert max(later.seconds - one.seconds for one, later in pairwise(found)) < 2 * spacing(now[0]) + 5 * longest


def test_the_last_point_says_how_the_run_has_ended(store: Path) -> None:
    site, seeds = random_site(4)
    site[seeds[0]].append("http://h0.test/missing")
    reports = [crawl(site, store, seeds, pages=9)[0], crawl(site, store, [])[0]]
    with open_store(store) as reader:
        first, *_, last = reader.course()
        states = reader.page_table.counts()
        run, earlier = reader.meta_json("run"), reader.meta_json("earlier_runs")
    assert first.fetched <= reports[0].fetched
    assert last.fetched == sum(report.fetched for report in reports)
    assert last.bytes == sum(report.bytes for report in reports)
    assert (last.known, last.read) == (reports[1].known, reports[1].read)
    assert (last.coverage, last.shown) == (reports[1].coverage, reports[1].coverage_shown)
    assert last.given_up == sum(number for (state, _), number in states.items() if state == "error") == 1
    milliseconds = 1e-3  # of rounding
    assert earlier["seconds"] + run["seconds"] - milliseconds <= last.seconds
    assert last.seconds <= sum(report.seconds for report in reports) + milliseconds
    assert rows(store, "SELECT value FROM meta WHERE key = 'run_at'")[0][0] <= last.at


ANSWERS = st.lists(
    st.builds(
        Fetched,
        st.sampled_from(["http://a.test/", "https://a.test/"]),
        status=st.integers(100, 599) | st.none(),
        reason=st.sampled_from(["dns", "timeout"]),
        seconds=st.floats(0, 100) | st.sampled_from(LATENCY),
        size=st.integers(0, 10**7) | st.sampled_from(SIZE).map(int),
    )
)


@given(ANSWERS)
def test_each_request_is_counted_once(each: list[Fetched]) -> None:
    counts = AnswerCounts()
    for fetched in each:
        counts.add(fetched)
    answers = [fetched for fetched in each if fetched.status is not None]
    for name, count in counts.statuses().items():
        assert count == sum(str(fetched.status).startswith(name[0]) for fetched in answers) > 0
    assert sum(counts.statuses().values()) == len(answers)
    assert counts.failed() == Counter(fetched.reason for fetched in each if fetched.status is None)
    values = {"latency_seconds": [one.seconds for one in answers], "size_bytes": [float(one.size) for one in answers]}
    for name, by_scheme in counts.histograms().items():
        for scheme, found in by_scheme.items():
            here = [v for v, one in zip(values[name], answers, strict=True) if one.url.startswith(f"{scheme}:")]
            assert found.pop("sum") == sum(here)
            below = 0.0
            for bound, within in found.items():
                below += within
                assert below == sum(value <= float(bound) for value in here)


def test_speed_is_that_of_the_last_seconds() -> None:
    rng, speed = random.Random(3), Speed(10.0)
    lately: list[tuple[float, int, int]] = []
    seconds, fetched, size = 0.0, 0, 0
    for _ in range(300):
        lately.append((seconds, fetched, size))
        speed.record(seconds, fetched, size)
        # The last look that is ten seconds old or older, or the first.
        since = max((look for look in lately if seconds - look[0] >= 10), default=lately[0])
        passed = seconds - since[0]
        expected = (fetched - since[1]) / passed if passed else 0.0
        assert speed.now()[0] == pytest.approx(expected)
        seconds, fetched, size = seconds + rng.random(), fetched + rng.randrange(9), size + rng.randrange(999)
    speed.forget()
    speed.record(0.0, 0, 0)
    assert speed.now() == (0.0, 0.0)
