"""What the ledger keeps of every page, the sums that follow from it, and how it grows. Symbols: see ledger.py."""

from typing import Self

import numpy as np

from minicrawl.opic.arrays import Flags, IntArray, Pages, grown
from minicrawl.opic.surfer import UNIFORM, Surfer

UNIT = 2**24
"""Birth cash of a page, in units."""


class LedgerColumns:
    """Received and forwarded cash of every known page, and whether it has gone or stands for another."""

    def __init__(self, *, unit: int = UNIT, surfer: Surfer = UNIFORM) -> None:
        self.unit = unit
        self.surfer = surfer
        """By whom links are weighed: also those that have carried something."""
        self.size = 0
        self.virtual = 0
        self.births = 0
        """sum(B)"""
        self.never_visited = 0
        """Sum of R over pages never visited."""
        self.in_all = 0
        """sum(R)"""
        self.received: IntArray = np.zeros(0, dtype=np.int64)
        self.forwarded: IntArray = np.zeros(0, dtype=np.int64)
        self.gone: Flags = np.zeros(0, dtype=np.bool_)
        self.alias: Flags = np.zeros(0, dtype=np.bool_)

    @classmethod
    def of(  # noqa: PLR0913 - the columns of the ledger
        cls,
        received: IntArray,
        forwarded: IntArray,
        gone: Flags,
        alias: Flags,
        virtual: int,
        *,
        unit: int = UNIT,
        surfer: Surfer = UNIFORM,
    ) -> Self:
        """The ledger with these columns, each of shape (size,), which it takes over."""
        ledger = cls(unit=unit, surfer=surfer)
        ledger.size = len(received)
        ledger.received, ledger.forwarded, ledger.gone, ledger.alias = received, forwarded, gone, alias
        ledger.recount(virtual)
        return ledger

    def recount(self, virtual: int) -> None:
        """Take over V, the columns having been filled from elsewhere, and count again what follows from them."""
        self.virtual = virtual
        self.births = self.unit * (self.size - int(np.count_nonzero(self.gone[: self.size])))
        self.never_visited = int(self.received[: self.size].sum(where=~self.visited(slice(0, self.size))))
        self.in_all = int(self.received[: self.size].sum())

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1 without making them known."""
        self.received = grown(self.received, size)
        self.forwarded = grown(self.forwarded, size)
        self.gone = grown(self.gone, size)
        self.alias = grown(self.alias, size)

    def discover(self, count: int = 1) -> range:
        """Make `count` pages known and return their numbers."""
        born = range(self.size, self.size + count)
        self.grow(born.stop)
        self.received[born.start : born.stop] = self.unit
        self.births += count * self.unit
        self.never_visited += count * self.unit
        self.in_all += count * self.unit
        self.size = born.stop
        return born

    def birth(self, pages: Pages | slice) -> IntArray:
        """B of some pages."""
        return np.where(self.gone[pages], 0, self.unit)

    def visited(self, pages: Pages | slice) -> Flags:
        """Which of some pages have been visited.

        A visit forwards all a page has received, which is its birth cash at least. Only one that has gone has none, and
        may have forwarded nothing; it had to be visited to be known as gone.
        """
        forwarded = self.forwarded[pages] > 0
        return forwarded | self.gone[pages] if self._is_any_gone() else forwarded

    def _is_any_gone(self) -> bool:
        return self.births < self.unit * self.size
