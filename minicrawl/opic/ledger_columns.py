"""What the ledger keeps of every page, the sums that follow from it, and how it grows. Symbols: see ledger.py."""

from typing import NamedTuple, Self

import numpy as np

from minicrawl.opic.arrays import Flags, IntArray, Pages, grown
from minicrawl.opic.surfer import UNIFORM, Surfer

UNIT = 2**24
"""Birth cash of a page, in units."""


class LedgerSums(NamedTuple):
    """What importance is reckoned by, beside what a page itself has received: of one ledger, or of several together.

    received: sum(R), each unit once that mirrors have handed over; births: sum(B); held: V'; pages: known ones that
    are no mirrors.
    """

    received: int
    births: int
    held: int
    pages: int


class LedgerColumns:
    """Received and forwarded cash of every known page, and whether it has gone or stands for another.

    `carried` is 0 but where several ledgers share the web.
    """

    def __init__(self, *, unit: int = UNIT, surfer: Surfer = UNIFORM) -> None:
        self.unit = unit
        self.surfer = surfer
        """By whom links are weighed: also those that have carried something."""
        self.size = 0
        self.virtual = 0
        self.births = 0
        """sum(B)"""
        self.never_visited = 0
        """Sum of B + R over pages never visited."""
        self.in_all = 0
        """sum(R)"""
        self.carried = 0
        """What other ledgers have handed over to this one, less what it has handed over to them."""
        self.mirrors = 0
        """How many pages are mirrors."""
        self.handed_over = 0
        """Sum of H over these."""
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
        unvisited = ~self.visited(slice(0, self.size))
        self.never_visited = int(self.received[: self.size].sum(where=unvisited))
        self.never_visited += int(self.birth(slice(0, self.size)).sum(where=unvisited))
        self.in_all = int(self.received[: self.size].sum())
        mirrors = self.is_mirror(slice(0, self.size))
        self.mirrors = int(np.count_nonzero(mirrors))
        self.handed_over = int(self.forwarded[: self.size].sum(where=mirrors)) if self.mirrors else 0

    def sums(self) -> LedgerSums:
        """Those of this ledger alone."""
        received, pages = self.in_all - self.handed_over, self.size - self.mirrors
        return LedgerSums(received, self.births, self.virtual + self.never_visited, pages)

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
        self.births += count * self.unit
        self.never_visited += count * self.unit
        self.size = born.stop
        return born

    # Of a web that several ledgers share, a page has its home in one of them. In another, that only knows links to it,
    # it is a mirror: it has no birth cash, and what it receives is handed over to its home, like an alias' to its
    # target. What it has forwarded is what was handed over.

    def mirror(self, pages: Pages) -> None:
        """Let pages that have just been discovered be mirrors."""
        born = self.unit * len(pages)
        self.gone[pages] = self.alias[pages] = True
        self.births -= born
        self.never_visited -= born
        self.mirrors += len(pages)

    def is_mirror(self, pages: Pages | slice) -> Flags:
        """Which of some pages are mirrors: no page of one's own is both gone and an alias."""
        return self.gone[pages] & self.alias[pages]

    def hand_over(self, mirrors: Pages) -> IntArray:
        """Let distinct mirrors hand over what they have received since the last time; how much each does."""
        units: IntArray = self.received[mirrors] - self.forwarded[mirrors]
        self.forwarded[mirrors] += units
        moved = int(units.sum())
        self.handed_over += moved
        self.carried -= moved
        return units

    def take_over(self, pages: Pages, units: IntArray) -> None:
        """Let pages receive what their mirrors have handed over; a page may be there more than once."""
        np.add.at(self.received, pages, units)
        in_all = int(units.sum())
        self.in_all += in_all
        self.carried += in_all
        self.never_visited += int(units.sum(where=~self.visited(pages)))

    def birth(self, pages: Pages | slice) -> IntArray:
        """B of some pages."""
        return np.where(self.gone[pages], 0, self.unit)

    def birth_of(self, page: int) -> int:
        """B of one page."""
        return 0 if self.gone.item(page) else self.unit

    def pending(self, pages: Pages | slice) -> IntArray:
        """B + R - H of some pages: what a visit of each would pass on, negative where a visit would take cash back."""
        pending: IntArray = self.received[pages] + self.birth(pages)
        pending -= self.forwarded[pages]
        return pending

    def visited(self, pages: Pages | slice) -> Flags:
        """Which of some pages have been visited.

        A visit forwards all a page has, which is its birth cash at least. Only one that has gone has none, and may have
        forwarded nothing; it had to be visited to be known as gone.
        """
        forwarded = self.forwarded[pages] > 0
        return forwarded | self.gone[pages] if self._is_any_gone() else forwarded

    def _is_any_gone(self) -> bool:
        return self.births < self.unit * self.size
