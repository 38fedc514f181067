"""Measurements of a crawl: its curves over time, its speed, counts of its answers.

Points of the curves are saved with commits; however long a crawl lasts, there are some hundreds. `seconds` is the time
spent crawling in all runs, pauses left out. Points are at least `apart` seconds apart:

    apart = max(2, seconds / 250)

When there are more than 500, the points closer than that to the one kept before them are dropped.
"""

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from minicrawl.run_look import CoursePoint
from minicrawl.store.writer import Writer

_LEAST_APART, _POINTS = 2.0, 250


class Course:
    """Notes points. Of what a commit writes it is the last: a point counts what the other parts have written."""

    def __init__(
        self, seconds: Callable[[], float], look: Callable[[], CoursePoint], noted: Sequence[CoursePoint]
    ) -> None:
        """look: the crawl as it stands. noted: the points that the store has."""
        self._seconds = seconds
        self._look = look
        self._noted = [point.seconds for point in noted]
        self._is_over = False

    def end(self) -> None:
        """The run is over: how it stands is noted in any case, instead of a point that has just been."""
        self._is_over = True

    def save(self, writer: Writer) -> None:
        """Note a point, if one is due, within the transaction of a commit."""
        seconds, noted = self._seconds(), self._noted
        apart = spacing(seconds)
        if not self._is_over and noted and seconds - noted[-1] < apart:
            return
        kept = noted[:]
        # The first one stays, so that of a short crawl there is more than its end.
        while kept and (seconds <= kept[-1] or (len(kept) > 1 and seconds - kept[-1] < apart)):
            kept.pop()
        if len(kept) >= 2 * _POINTS:
            kept = thinned(kept, apart)
        point = self._look()
        writer.save_course(point, dropped=sorted(set(noted) - set(kept)))
        self._noted = [*kept, point.seconds]


def spacing(seconds: float) -> float:
    """How far apart points stand, at least, after so many seconds of crawling."""
    return max(_LEAST_APART, seconds / _POINTS)


def thinned(seconds: Sequence[float], apart: float) -> list[float]:
    """Of rising times those that stay: the first, and each that is so far behind the one before it that stays."""
    stay = list(seconds[:1])
    for one in seconds[1:]:
        if one - stay[-1] >= apart:
            stay.append(one)
    return stay


BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds: each answer counts under the least bound that it does not exceed."""
_NAMES = (*map(str, BOUNDS), "+Inf")


class AnswerCounts:
    """`seconds`: of all answers together."""

    def __init__(self) -> None:
        self._by_class = Counter[int]()
        self._by_bound = [0] * len(_NAMES)
        self.seconds = 0.0

    def add(self, status: int, seconds: float) -> None:
        self._by_class[status // 100] += 1
        self._by_bound[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def statuses(self) -> dict[str, int]:
        """Answers by class: "2xx", "4xx"."""
        return {f"{hundreds}xx": count for hundreds, count in sorted(self._by_class.items())}

    def latencies(self) -> dict[str, int]:
        """Answers by bound, "+Inf" for what took longer than all; none is counted twice."""
        return dict(zip(_NAMES, self._by_bound, strict=True))


class Rate(NamedTuple):
    """So much a second."""

    pages: float
    bytes: float


class Speed:
    """lately: seconds over which it is measured."""

    def __init__(self, lately: float) -> None:
        self._span = lately
        self._lately: deque[tuple[float, int, int]] = deque()

    def forget(self) -> None:
        """Another run has begun."""
        self._lately.clear()

    def note(self, seconds: float, fetched: int, size: int) -> None:
        """In so many seconds a run has fetched so many pages, and bytes."""
        self._lately.append((seconds, fetched, size))
        while len(self._lately) > 2 and seconds - self._lately[1][0] >= self._span:
            self._lately.popleft()

    def now(self) -> Rate:
        """Since the last note that is as old as the span, or the first one. Something has been noted."""
        (since, fetched, size), (until, fetched_now, size_now) = self._lately[0], self._lately[-1]
        seconds = until - since
        if seconds <= 0:
            return Rate(0.0, 0.0)
        return Rate((fetched_now - fetched) / seconds, (size_now - size) / seconds)
