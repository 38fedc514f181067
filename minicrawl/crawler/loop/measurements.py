"""Measurements of a crawl: its curves over time, its speed, counts of its answers.

Points of the curves are saved with commits. `seconds` is the time spent crawling in all runs, pauses left out. Each
point comes a hundredth of these after the one before, and 2 at least: a crawl of any length has some hundreds.
"""

import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from minicrawl import log
from minicrawl.model import CoursePoint, Fetched
from minicrawl.store.writer import Writer

_LEAST_APART, _PART = 2.0, 100


class Course:
    """Saves points of the crawl's curves, last in a commit: a point counts what the other parts have written."""

    def __init__(
        self, seconds: Callable[[], float], look: Callable[[], CoursePoint], noted: Sequence[CoursePoint]
    ) -> None:
        """look: the state of the crawl. noted: the points in the store."""
        self._seconds = seconds
        self._look = look
        self._noted = [point.seconds for point in noted]
        self._is_over = False

    def end(self) -> None:
        """The run is over: its last state is saved in any case, instead of a point from just before."""
        self._is_over = True

    def save(self, writer: Writer) -> None:
        """Save a point if one is due, within the transaction of a commit."""
        seconds, noted = self._seconds(), self._noted
        apart = spacing(seconds)
        if not self._is_over and noted and seconds - noted[-1] < apart:
            return
        kept = noted[:]
        # The first point stays, so that a short crawl has more than its end.
        while kept and (seconds <= kept[-1] or (len(kept) > 1 and seconds - kept[-1] < apart)):
            kept.pop()
        point = self._look()
        writer.remove(CoursePoint, ((seconds,) for seconds in set(noted) - set(kept)))
        writer.add(CoursePoint, [point])
        self._noted = [*kept, point.seconds]


def spacing(seconds: float) -> float:
    """Least seconds between two points after so many seconds of crawling."""
    return max(_LEAST_APART, seconds / _PART)


LATENCY = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
SIZE = (1e3, 4e3, 16e3, 64e3, 256e3, 1e6, 4e6)
"""Bounds in seconds and in bytes: each answer counts under the least one that it does not exceed."""


class _Histogram:
    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def shown(self) -> dict[str, float]:
        """Numbers by bound, "+Inf" for those above all bounds; none is counted twice. And "sum"."""
        return {**dict(zip((*map(str, self._bounds), "+Inf"), self._counts, strict=True)), "sum": self._sum}


class AnswerCounts:
    """Counts of a run's requests for pages: answers by class of status, duration and size, the rest by reason."""

    def __init__(self) -> None:
        self._by_class = Counter[int]()
        self._failed = Counter[str]()
        # By True for https.
        self._latency = _Histogram(LATENCY), _Histogram(LATENCY)
        self._size = _Histogram(SIZE), _Histogram(SIZE)

    def add(self, fetched: Fetched) -> None:
        if fetched.status is None:
            self._failed[fetched.reason or ""] += 1
            return
        self._by_class[fetched.status // 100] += 1
        is_secure = fetched.url.startswith("https:")
        self._latency[is_secure].add(fetched.seconds)
        self._size[is_secure].add(fetched.size)

    def statuses(self) -> dict[str, int]:
        """Answers by class: "2xx", "4xx"."""
        return {f"{hundreds}xx": count for hundreds, count in sorted(self._by_class.items())}

    def failed(self) -> dict[str, int]:
        """Requests without an answer, by reason."""
        return dict(self._failed)

    def histograms(self) -> dict[str, dict[str, dict[str, float]]]:
        """Of durations and of sizes, by scheme."""
        both = {"latency_seconds": self._latency, "size_bytes": self._size}
        return {name: {"http": of[0].shown(), "https": of[1].shown()} for name, of in both.items()}


class CommitCounts:
    """Commits of a run: their number, rows written, and seconds."""

    def __init__(self, rows: Callable[[], int]) -> None:
        """rows: gives the number of rows written so far."""
        self._rows = rows
        self.number = self.rows = 0
        self.seconds = 0.0

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the block as a commit, unless it fails."""
        began, before = time.perf_counter(), self._rows()
        yield
        seconds, rows = time.perf_counter() - began, self._rows() - before
        self.number, self.rows, self.seconds = self.number + 1, self.rows + rows, self.seconds + seconds
        log.event("commit", rows=rows, seconds=seconds)


class Speed:
    """Current speed, pauses left out. lately: seconds over which it is measured."""

    def __init__(self, lately: float) -> None:
        self._span = lately
        self._lately: deque[tuple[float, int, int]] = deque()

    def forget(self) -> None:
        self._lately.clear()

    def record(self, seconds: float, fetched: int, size: int) -> None:
        """Record the seconds, pages and bytes of a run so far."""
        self._lately.append((seconds, fetched, size))
        while len(self._lately) > 2 and seconds - self._lately[1][0] >= self._span:
            self._lately.popleft()

    def now(self) -> tuple[float, float]:
        """Pages and bytes per second since the last record as old as the span, or the first one. There must be one."""
        (since, fetched, size), (until, fetched_now, size_now) = self._lately[0], self._lately[-1]
        seconds = until - since
        if seconds <= 0:
            return 0.0, 0.0
        return (fetched_now - fetched) / seconds, (size_now - size) / seconds
