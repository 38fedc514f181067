"""What late turns found, and what the pages that are left may bring by that."""

import math

_LATE = 3
"""Weight of the last turn, in weights of the mean of all: so that of turn i of t goes about as (i / t)^2."""


class LateTurns:
    """Means over turns, the late ones of which count most. `means`: of the number of pages found at a turn, of its
    square, and of 1 for a turn that found an alias or no page there, else 0."""

    def __init__(self) -> None:
        self.means = [0.0, 0.0, 0.0]
        self.turns = self.size = 0

    def note(self, size: int, *, found_none: bool) -> None:
        """Note a turn, after which so many pages are known."""
        self.turns += 1
        found, self.size = size - self.size, size
        weight = _LATE / (self.turns + _LATE - 1)
        self.means = [
            mean + weight * (value - mean)
            for mean, value in zip(self.means, (found, found * found, found_none), strict=True)
        ]

    def prospects(self, left: int) -> tuple[float, float]:
        """The mean number of pages that each of so many pages may lead to, and the share of these that may be aliases
        or not there, 0 to 1.

        Each is a standard deviation above the mean: of both means, so one page may well be the next list of many.
        """
        spread = _LATE**2 / (2 * _LATE - 1) / max(self.turns, 1) + 1.0 / max(left, 1)
        found, square, none = self.means
        return found + math.sqrt(square * spread), min(none + math.sqrt((none - none**2) * spread), 1.0)
