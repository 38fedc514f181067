"""Answers of a run, counted by the class of their status and by what they took."""

from bisect import bisect_left
from collections import Counter

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
