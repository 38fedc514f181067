"""Importance as a search counts it, beside similarity.

    score = w * similarity + (1 - w) * R,      R = log(X / X_least) / log(X_most / X_least)

X       importance of the page, or what another ranking has of it
w       --weight, .9 by default
R       from 0 to 1: by the logarithm, as importance spans many powers of ten

Both similarity and R are from 0 to 1, so that w says how much each counts. Source: the lecture's linear combination.
"""

import math
from typing import NamedTuple

WEIGHT = 0.9


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
