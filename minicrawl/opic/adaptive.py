"""Adaptive OPIC as the paper prints it: cash that flows for ever. The lab runs it; a crawl keeps the `Book`.

c         cash of a page
level     sum paid so far to every page by the virtual page; part of its cash
standing  cash less level: the stored value, so that a pay-out to all pages is one addition
V         cash of the virtual page: `reserve` (grants to come) and `income` (the 1 - d shares, paid out at once)
G         the clock: all cash ever spent

A visit spends the page's whole cash: the history records it, G grows by it, floor(.85 c) is split over the
outlinks in whole units, and the rest goes to the virtual page. In the paper the virtual page is one more outlink of
each page with o of them: with `has_edge` floor(o / (o + 1) c) is split.
"""

from collections.abc import Sequence

import numpy as np

from minicrawl.opic.arrays import FloatArray, IntArray, Pages, grown
from minicrawl.opic.units import TURNOVERS, damped, interpolated

TOTAL = 2**62
"""Total cash, in units."""


class Adaptive:
    """Cash and history of every known page.

    Invariant: the cash of all pages and of the virtual page is always `total`.
    """

    def __init__(
        self, window: float | None = TURNOVERS, *, pays: bool = True, has_edge: bool = False, total: int = TOTAL
    ) -> None:
        """window: its size in turnovers of the cash in the pages' hands, interpolated, see units.py; None: all of the
        past, H := H + c. pays: False: the virtual page holds its income. has_edge: a page's share for the virtual page
        is that of one more outlink, in place of 1 - d."""
        self.window = window
        self.pays = pays
        self.has_edge = has_edge
        self.total = total
        self.size = 0
        self.reserve = total
        self.income = 0
        self.level = 0
        self.clock = 0
        self.standing: IntArray = np.zeros(0, dtype=np.int64)
        self.history: FloatArray = np.zeros(0)
        self.last: FloatArray = np.zeros(0)

    @property
    def virtual(self) -> int:
        """Cash of the virtual page."""
        return self.reserve + self.income

    def in_hand(self) -> int:
        """Cash of all pages together."""
        return self.total - self.virtual

    def cash(self, page: int) -> int:
        """Cash of a page, in units."""
        return int(self.standing[page]) + self.level

    def cashes(self) -> IntArray:
        """Cash of every page, shape (size,)."""
        return self.standing[: self.size] + self.level

    def discover(self, grants: Sequence[int] | IntArray) -> range:
        """Make pages known. The virtual page grants the k-th of them `grants[k]` units, once.

        Returns their numbers. When the reserve runs short, the last pages get the remainder.
        """
        born = range(self.size, self.size + len(grants))
        self.standing = grown(self.standing, born.stop)
        self.history = grown(self.history, born.stop)
        self.last = grown(self.last, born.stop)
        for page, asked in zip(born, grants, strict=True):
            granted = min(int(asked), self.reserve)
            self.reserve -= granted
            self.standing[page] = granted - self.level
        self.last[born.start : born.stop] = self.clock
        self.size = born.stop
        return born

    def visit(self, page: int, outlinks: Pages) -> int:
        """Spend the cash of `page` along `outlinks`, a page once for every link to it. Returns the cash spent."""
        cash = self.cash(page)
        self._note(page, cash)
        sent = cash * len(outlinks) // (len(outlinks) + 1) if self.has_edge else damped(cash)
        each = sent // len(outlinks) if len(outlinks) else 0
        np.add.at(self.standing, outlinks, each)
        # Subtract the spent cash, do not set to zero: the level is part of a page's cash.
        self.standing[page] -= cash
        self.income += cash - each * len(outlinks)
        if self.pays:  # the same whole number of units to every page
            self.level += self.income // self.size
            self.income %= self.size
        return cash

    def estimates(self, initial: IntArray) -> dict[str, FloatArray]:
        """The estimators of importance over the whole past, each of shape (size,) and summing to about 1.

        H/G; (H+C)/(G+1) with C and G in units of the cash in hand (paper, section 3); and X = (H+C-C0)/G,
        which by Lemma 2.3 is one step of power iteration from H/G.

        initial: C0, the cash each page had when the clock stood at 0. Only without a window.
        """
        if self.window is not None:
            raise TypeError("estimates over the whole past need a book without a window")
        history = self.history[: self.size]
        cash = self.cashes().astype(np.float64)
        clock = float(self.clock)
        return {
            "H/G": history / clock,
            "(H+C)/(G+1)": (history + cash) / (clock + self.total),
            "X": (history + cash - initial) / clock,
        }

    def _note(self, page: int, cash: int) -> None:
        """Record a visit in the history of `page`, and advance the clock."""
        if self.window is None:
            self.history[page] += cash
        else:
            past, elapsed = self.history.item(page), self.clock - self.last.item(page)
            self.history[page] = interpolated(past, cash, elapsed, self.window * self.in_hand())
        self.clock += cash
        self.last[page] = self.clock
