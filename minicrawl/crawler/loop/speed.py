"""How fast a crawl is, by what it has done and the time it took, pauses left out."""

from collections import deque
from typing import NamedTuple


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
