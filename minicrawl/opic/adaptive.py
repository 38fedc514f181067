"""Adaptive OPIC as the paper prints it: cash that flows for ever. The lab runs it; a crawl keeps the `Book`.

c         cash of a page
level     sum paid so far to every paid page by the virtual page; part of its cash
standing  cash less level: the stored value, so that a pay-out to all pages is one addition
V         cash of the virtual page: `reserve` (grants to come) and `income` (the 1 - d shares, to be paid out)
G         the clock: all cash ever spent

A visit spends the page's whole cash: the history records it, G grows by it, floor(.85 c) is split over the
outlinks in whole units, and the rest goes to the virtual page.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import FloatArray, IntArray, Pages, grown
from minicrawl.opic.units import TURNOVERS, damped, interpolated

TOTAL = 2**62
"""Total cash, in units."""


PayOut = tuple[Literal["visited", "all", "nobody"], float]
"""Payees of the virtual page's income, and time of payment.

The payees are "visited" pages (a crawl), "all" pages (the paper), or "nobody" (it holds its cash). They are paid once
the income has reached this share of the cash in the pages' hands; 0 = at once, infinite = at a call of `pay`.
"""


class Adaptive:
    """Cash and history of every known page.

    Invariant: the cash of all pages and of the virtual page is always `total`.
    """

    def __init__(
        self, window: float | None = TURNOVERS, pay_out: PayOut = ("visited", 0.0), *, total: int = TOTAL
    ) -> None:
        """window: its size in turnovers of the cash in the pages' hands, interpolated, see units.py; None: all of the
        past, H := H + c."""
        self.window = window
        self.payees_are, self.lump = pay_out
        self.total = total
        self.size = 0
        self.reserve = total
        self.income = 0
        self.level = 0
        self.payees = 0
        self.clock = 0
        self.standing: IntArray = np.zeros(0, dtype=np.int64)
        self.history: FloatArray = np.zeros(0)
        self.last: FloatArray = np.zeros(0)
        self.visited: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)

    @property
    def virtual(self) -> int:
        """Cash of the virtual page."""
        return self.reserve + self.income

    def in_hand(self) -> int:
        """Cash of all pages together."""
        return self.total - self.virtual

    def cash(self, page: int) -> int:
        """Cash of a page, in units."""
        is_paid = self.payees_are == "all" or self.visited[page]
        return int(self.standing[page]) + (self.level if is_paid else 0)

    def cashes(self) -> IntArray:
        """Cash of every page, shape (size,)."""
        standing = self.standing[: self.size]
        if self.payees_are == "all":
            return standing + self.level
        return standing + self.level * self.visited[: self.size]

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1 without making them known."""
        self.standing = grown(self.standing, size)
        self.history = grown(self.history, size)
        self.last = grown(self.last, size)
        self.visited = grown(self.visited, size)

    def discover(self, grants: Sequence[int] | IntArray) -> range:
        """Make pages known; page k of them is granted `grants[k]` units by the virtual page, once.

        Returns their numbers. When the reserve runs short, the last pages get the remainder.
        """
        born = range(self.size, self.size + len(grants))
        self.grow(born.stop)
        for page, asked in zip(born, grants, strict=True):
            granted = min(int(asked), self.reserve)
            self.reserve -= granted
            self.standing[page] = granted
        self.last[born.start : born.stop] = self.clock
        self.size = born.stop
        if self.payees_are == "all":
            self.standing[born.start : born.stop] -= self.level
            self.payees += len(born)
        return born

    def visit(self, page: int, outlinks: Pages) -> int:
        """Spend the cash of `page` along `outlinks`, a page once for every link to it. Returns the cash spent."""
        cash = self.cash(page)
        self._note(page, cash)
        each = damped(cash) // len(outlinks) if len(outlinks) else 0
        np.add.at(self.standing, outlinks, each)
        # Subtract the spent cash, do not set to zero: the level is part of a paid page's cash.
        self.standing[page] -= cash
        if not self.visited[page]:
            self._first_visit(page)
        self.income += cash - each * len(outlinks)
        if self.payees_are != "nobody" and self.income >= max(1, self.lump * self.in_hand()):
            self.pay()
        return cash

    def pay(self) -> None:
        """Pay out the virtual page's income, the same whole number of units to every payee."""
        paid = self.income // self.payees if self.payees else 0
        self.level += paid
        self.income -= paid * self.payees

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

    def _first_visit(self, page: int) -> None:
        self.visited[page] = True
        if self.payees_are == "visited":
            self.payees += 1
            self.standing[page] -= self.level

    def _note(self, page: int, cash: int) -> None:
        """Record a visit in the history of `page`, and advance the clock."""
        if self.window is None:
            self.history[page] += cash
        else:
            past, elapsed = self.history.item(page), self.clock - self.last.item(page)
            self.history[page] = interpolated(past, cash, elapsed, self.window * self.in_hand())
        self.clock += cash
        self.last[page] = self.clock
