"""What late turns found, and what the pages that are left may bring by that."""

import math

_LATE = 3
"""Weight of the last turn, in weights of the mean of all: so that of turn i of t goes about as (i / t)^2."""


class LateTurns:
    """Means over turns, the late ones of which count most. `means`: of the number of pages found at a turn, of its
    square, of 1 for a turn that found an alias or no page there, else 0, and of the share of its links to pages that
    were known and waited."""

    def __init__(self) -> None:
        self.means = [0.0, 0.0, 0.0, 0.0]
        self.turns = self.size = 0
        self.known = 0
        """Number of pages known after the last turn, also of other partitions."""

    def note(self, size: int, to_waiting: float, *, found_none: bool) -> None:
        """Note a turn, after which so many pages are known. to_waiting: the share of its links to pages that were
        known before and have had no turn."""
        self.turns += 1
        found, self.size = size - self.size, size
        weight = _LATE / (self.turns + _LATE - 1)
        self.means = [
            mean + weight * (value - mean)
            for mean, value in zip(self.means, (found, found * found, found_none, to_waiting), strict=True)
        ]

    def prospects(self, left: int) -> tuple[float, float, float]:
        """The mean number of pages that each of so many pages may lead to; the share of these that may be aliases or
        not there, 0 to 1; and the share of their links to pages that are known and wait.

        The first two are a standard deviation above the mean: of both means, so one page may well be the next list of
        many.
        """
        spread = _LATE**2 / (2 * _LATE - 1) / max(self.turns, 1) + 1.0 / max(left, 1)
        found, square, none, to_waiting = self.means
        lost = min(none + math.sqrt((none - none**2) * spread), 1.0)
        return found + math.sqrt(square * spread), lost, to_waiting
