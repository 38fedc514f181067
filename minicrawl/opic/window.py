"""Windows on the past that keep one number a page: one frozen value per policy (paper, section 5).

c         cash spent at this visit
G         the clock: all cash ever spent, by all pages
elapsed   G now less G at the page's last visit: the stretch in which c gathered
T         size of the window on that clock

The clock of a growing crawl speeds up, so T is asked for in *turnovers* of the cash in the pages' hands:
`turnovers * in_hand`.
"""

from dataclasses import dataclass

import numpy as np

from minicrawl.opic.arrays import FloatArray


@dataclass(frozen=True)
class Basic:
    """All of the past: H := H + c."""

    def record(self, past: float, cash: float, elapsed: float, in_hand: float) -> float:
        return past + cash

    def now(self, history: FloatArray, cash: FloatArray, elapsed: FloatArray, in_hand: float) -> FloatArray:
        """Every page's history as of now, independent of time."""
        return history.copy()

    def size(self, in_hand: float) -> float | None:
        """T on the current clock; None for all of it."""
        return None


@dataclass(frozen=True)
class Interpolation:
    """The cash that a page would have spent in the last T:

    H := H * (T - elapsed) / T + c   if elapsed < T,   else   c * T / elapsed
    """

    turnovers: float = 8.0

    def record(self, past: float, cash: float, elapsed: float, in_hand: float) -> float:
        return interpolated(past, cash, elapsed, self.turnovers * in_hand)

    def now(self, history: FloatArray, cash: FloatArray, elapsed: FloatArray, in_hand: float) -> FloatArray:
        """Every page's history, as if all were visited now."""
        size = self.turnovers * in_hand
        brought = history * (size - elapsed) / max(size, 1.0) + cash
        return np.where(elapsed >= size, cash * size / np.maximum(elapsed, 1.0), brought)

    def size(self, in_hand: float) -> float | None:
        """T on the current clock."""
        return self.turnovers * in_hand


def interpolated(past: float, cash: float, elapsed: float, size: float) -> float:
    """The rule of `Interpolation` for a window of `size`."""
    if elapsed < size:
        return past * (size - elapsed) / size + cash
    # No cash in hand and none spent since: no time has passed.
    return cash * size / elapsed if elapsed else past + cash


Window = Basic | Interpolation
