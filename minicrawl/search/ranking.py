"""Importance as a search counts it, beside similarity.

    score = w * similarity + (1 - w) * R,      R = log(X / X_least) / log(X_most / X_least)

X       importance of the page, or what another ranking has of it
w       --weight, .9 by default
R       from 0 to 1: by the logarithm, as importance spans many powers of ten

Both similarity and R are from 0 to 1, so that w says how much each counts. Source: the lecture's linear combination.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

WEIGHT = 0.9
_AT_ONCE = 100
"""Pages whose R is asked for at once."""

Places = Callable[[Sequence[int]], Mapping[int, float]]
"""What gives R of some pages; of those left out it is 0."""


class Scale(NamedTuple):
    """The least value of a ranking that is more than 0, and the most."""

    least: float
    most: float

    def place(self, value: float) -> float:
        """R of a value."""
        if value <= self.least or self.most <= self.least:
            return 0.0
        return min(1.0, math.log(value / self.least) / math.log(self.most / self.least))


def score(similarity: float, place: float, weight: float) -> float:
    return weight * similarity + (1 - weight) * place


def by_score(similarity: Mapping[int, float], places: Places, weight: float) -> Iterator[tuple[int, float, float]]:
    """(page, score, R) by falling score. As many R are asked for as it takes to know that nothing better comes."""
    order = sorted(sorted(similarity), key=similarity.__getitem__, reverse=True)
    known: list[tuple[float, int, float]] = []
    for start in range(0, len(order), _AT_ONCE):
        some = order[start : start + _AT_ONCE]
        best_to_come = score(similarity[some[0]], 1.0, weight)
        while known and -known[0][0] > best_to_come:
            negated, page, place = heappop(known)
            yield page, -negated, place
        found = places(some)
        for page in some:
            place = found.get(page, 0.0)
            heappush(known, (-score(similarity[page], place, weight), page, place))
    while known:
        negated, page, place = heappop(known)
        yield page, -negated, place
