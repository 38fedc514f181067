"""How a crawl in partitions has gone on, against sums by hand."""

import random
from itertools import pairwise

import pytest

from minicrawl.cluster.reading.course import course_of_all
from minicrawl.model import CoursePoint

NAMES = ("fetched", "bytes", "read", "given_up")


def noted(rng: random.Random, began: float) -> list[CoursePoint]:
    """What one partition notes: all counts rise."""
    points = [CoursePoint(0.0, began, 0, 0, 5, 0, 0, 0.0)]
    for _ in range(rng.randrange(1, 20)):
        before, seconds = points[-1], rng.uniform(2, 9)
        more = {name: getattr(before, name) + rng.randrange(50) for name in (*NAMES, "known")}
        points.append(before._replace(seconds=before.seconds + seconds, at=before.at + seconds, **more))
    return points


def by_hand(points: list[CoursePoint], name: str, at: float) -> float:
    """What a partition had done by a time, on the straight line between the points around it."""
    if at < points[0].at:
        return 0.0
    for one, other in pairwise(points):
        if one.at <= at <= other.at:
            share = (at - one.at) / (other.at - one.at)
            return float(getattr(one, name) + share * (getattr(other, name) - getattr(one, name)))
    return float(getattr(points[-1], name))


@pytest.mark.parametrize("seed", range(20))
def test_at_each_point_stands_what_all_had_done_by_then(seed: int) -> None:
    rng = random.Random(seed)
    each = [noted(rng, 1e6 + rng.uniform(-5, 5)) for _ in range(rng.randrange(1, 5))]
    found = course_of_all([*each, []])  # one has noted nothing
    longest = max(each, key=lambda points: points[-1].seconds)
    assert [point["seconds"] for point in found] == [point.seconds for point in longest]
    assert [point["at"] for point in found[:-1]] == [point.at for point in longest[:-1]]
    for point in found:
        for name in NAMES:
            assert point[name] == pytest.approx(sum(by_hand(points, name, point["at"]) for points in each), abs=0.51)
    for name in NAMES:
        counts = [point[name] for point in found]
        assert counts == sorted(counts)
        assert counts[-1] == sum(getattr(points[-1], name) for points in each)


def test_one_partition_has_its_own_course() -> None:
    points = noted(random.Random(7), 1e6)
    found = course_of_all([points])
    assert [[point[name] for name in ("seconds", "at", *NAMES)] for point in found] == [
        [getattr(point, name) for name in ("seconds", "at", *NAMES)] for point in points
    ]


def test_of_nothing_there_is_no_course() -> None:
    assert course_of_all([[], []]) == []
