"""Which pages are among the most important ones, as far as that is known when they are asked for."""

import numpy as np

from minicrawl.opic import Ledger

_GROWN = 1.1
"""The bound is drawn anew when that many times the pages are known and asked for."""


class TopShare:
    """The most important share of the known pages, from 0 to 1, by what links have brought them so far."""

    def __init__(self, ledger: Ledger, share: float) -> None:
        self._ledger = ledger
        self._share = share
        self._asked = self._drawn_at = 0
        self._least = 0.0

    def has(self, page: int) -> bool:
        """Whether a page is in it. Pages that are equal to the last one are."""
        size = self._ledger.size
        self._asked += 1
        if size + self._asked >= self._drawn_at * _GROWN:
            self._drawn_at = size + self._asked
            # From below, so that the bound is a page's own: of n pages, n * share are at or above it.
            place = min(int(size * (1.0 - self._share) + 1e-9), size - 1)
            self._least = float(np.partition(self._ledger.received[:size], place)[place])
        return float(self._ledger.received[page]) >= self._least
