"""Cash steers: the paper's book. Cash, history and the clock of the last visit of every page.

c         cash of a page
level     sum paid so far to every paid page by the virtual page; part of its cash
standing  cash less level: the stored value, so that a pay-out to all pages is one addition
V         cash of the virtual page: `reserve` (grants to come) and `income` (the 1 - d shares, to be paid out)
G         the clock: all cash ever spent

A visit spends the page's whole cash: the history records it, G grows by it, floor(.85 c) is split over the
outlinks in whole units, and the rest goes to the virtual page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import FloatArray, IntArray, Numbers, Pages, grown
from minicrawl.opic.units import damped
from minicrawl.opic.window import Basic, Interpolation, Window

TOTAL = 2**62
"""Total cash, in units."""
GRANT = 2**24
"""Cash granted to a page at its birth by the virtual page, in units."""
SEED_GRANTS = 1000
"""Factor by which a seed's grant is larger."""
NEWCOMERS = 32
"""Number of first visits over which the history of newcomers is averaged."""


def cash_of(number: int, partitions: int) -> int:
    """The initial cash of a partition; all together have exactly TOTAL units."""
    share, rest = divmod(TOTAL, partitions)
    return share + rest if number == 0 else share


@dataclass(frozen=True)
class PayOut:
    """Payees of the virtual page's income, and time of payment.

    to: "visited" pages (a crawl), "all" pages (the paper), or "nobody" (it holds its cash).
    lump: paid once the income has reached this share of the cash in the pages' hands; 0 = at once, infinite = at
    a call of `pay`.
    """

    to: Literal["visited", "all", "nobody"] = "visited"
    lump: float = 0.0


class Visit(NamedTuple):
    """Effect of a visit: the cash spent, and the pages whose cash rose. each: increase in units, shape (credited,) or
    equal for all. is_first: first visit of the page."""

    page: int
    cash: int
    credited: Pages
    each: int | IntArray
    is_first: bool


class Adaptive:
    """Cash and history of every known page.

    Invariant: total cash never changes: the cash of all pages and of the virtual page is always `total`. Where several
    books share the web, cash that goes from one to another takes its part of `total` with it.
    """

    def __init__(
        self,
        window: Window | None = None,
        pay_out: PayOut | None = None,
        *,
        grant: int = GRANT,
        total: int = TOTAL,
        whole_histories: bool = False,
    ) -> None:
        """whole_histories: round histories to units."""
        self.window: Window = window or Interpolation()
        self.pay_out = pay_out or PayOut()
        self.grant = grant
        self.total = total
        self.whole_histories = whole_histories
        self.size = 0
        self.reserve = total
        self.income = 0
        self.level = 0
        self.payees = 0
        self.clock = 0
        self.newcomer_history = 0.0
        """Mean history of recent newcomers at their first visit."""
        self.standing: IntArray = np.zeros(0, dtype=np.int64)
        # Read only in a page's own turn, except by strategies that order pages by the clock.
        self.history: Numbers = np.zeros(0)
        self.last: Numbers = np.zeros(0)
        self.visited: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)

    @property
    def virtual(self) -> int:
        """Cash of the virtual page."""
        return self.reserve + self.income

    def in_hand(self) -> int:
        """Cash of all pages together."""
        return self.total - self.virtual

    def window_size(self) -> float | None:
        """The window's size on the current clock; None: all of it."""
        return self.window.size(self.in_hand())

    def cash(self, page: int) -> int:
        """Cash of a page, in units."""
        return int(self.standing[page]) + (self.level if self._is_paid(page) else 0)

    def cashes(self) -> IntArray:
        """Cash of every page, shape (size,)."""
        standing = self.standing[: self.size]
        if self.pay_out.to == "all":
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
        self.history[born.start : born.stop] = self._kept(self.newcomer_history)
        self.last[born.start : born.stop] = self.clock
        self.size = born.stop
        if self.pay_out.to == "all":
            self.standing[born.start : born.stop] -= self.level
            self.payees += len(born)
        return born

    def visit(self, page: int, outlinks: Pages, weights: IntArray | None = None, *, alias: bool = False) -> Visit:
        """Spend the cash of `page` along `outlinks`: distinct pages, without itself.

        weights: one positive integer per outlink, its part of the cash that is passed on; None = equal parts.
        alias: the page is an alias of its one outlink, which gets all of the cash.
        """
        cash = self.cash(page)
        self._note(page, cash)
        passed = cash if alias else damped(cash)
        sent, is_first = 0, not self.visited[page]
        each: int | IntArray = 0
        if len(outlinks):
            if weights is None:
                each = passed // len(outlinks)
                sent = each * len(outlinks)
            else:
                per_weight = passed // int(weights.sum())
                sent = per_weight * int(weights.sum())
                each = per_weight * weights
            self.standing[outlinks] += each
        # Subtract the spent cash, do not set to zero: the level is part of a paid page's cash.
        self.standing[page] -= cash
        if is_first:
            self._first_visit(page)
        self.income += cash - sent
        self._pay_when_due()
        return Visit(page, cash, outlinks, each, bool(is_first))

    def hand_over(self, pages: Pages) -> IntArray:
        """Give all cash of pages that are paid nothing to another book; returns the amount from each.

        The total of both books together stays the same.
        """
        cash: IntArray = self.standing[pages].copy()
        self.standing[pages] = 0
        self.total -= int(cash.sum())
        return cash

    def take_over(self, pages: Pages, cash: IntArray) -> None:
        """Credit pages with cash handed over by another book; a page may be listed more than once."""
        np.add.at(self.standing, pages, cash)
        self.total += int(cash.sum())

    def unvisit(self, page: int) -> None:
        """Make a visited page one never visited, except for its spent cash; its cash stays the same."""
        if self.pay_out.to == "visited":
            self.payees -= 1
            self.standing[page] += self.level
        self.visited[page] = False

    def pay(self) -> None:
        """Pay out the virtual page's income, the same whole number of units to every payee."""
        paid = self.income // self.payees if self.payees else 0
        self.level += paid
        self.income -= paid * self.payees

    def shares(self) -> FloatArray:
        """Importance: the history of every page brought to now, as shares that sum to 1, shape (size,)."""
        known = slice(0, self.size)
        cash = self.cashes().astype(np.float64)
        now = self.window.now(self.history[known], cash, self.clock - self.last[known], self.in_hand())
        total = now.sum()
        return now / total if total > 0 else now

    def estimates(self, initial: IntArray) -> dict[str, FloatArray]:
        """The estimators of importance over the whole past, each of shape (size,) and summing to about 1.

        H/G; (H+C)/(G+1) with C and G in units of the cash in hand (paper, section 3); and X = (H+C-C0)/G,
        which by Lemma 2.3 is one step of power iteration from H/G.

        initial: C0, the cash each page had when the clock stood at 0. Only for the window `Basic`.
        """
        if self.window != Basic():
            raise TypeError("estimates over the whole past need the basic window")
        history = self.history[: self.size]
        cash = self.cashes().astype(np.float64)
        clock = float(self.clock)
        return {
            "H/G": history / clock,
            "(H+C)/(G+1)": (history + cash) / (clock + self.total),
            "X": (history + cash - initial) / clock,
        }

    def _is_paid(self, page: int) -> bool:
        return self.pay_out.to == "all" or bool(self.visited[page])

    def _first_visit(self, page: int) -> None:
        self.visited[page] = True
        self.newcomer_history += (float(self.history[page]) - self.newcomer_history) / NEWCOMERS
        if self.pay_out.to == "visited":
            self.payees += 1
            self.standing[page] -= self.level

    def _note(self, page: int, cash: int) -> None:
        """Record a visit in the history of `page`, and advance the clock."""
        elapsed = self.clock - float(self.last[page])
        noted = self.window.record(float(self.history[page]), cash, elapsed, self.in_hand())
        self.history[page] = self._kept(noted)
        self.clock += cash
        self.last[page] = self.clock

    def _kept(self, history: float) -> float:
        return round(history) if self.whole_histories else history

    def _pay_when_due(self) -> None:
        if self.pay_out.to != "nobody" and self.income >= max(1, self.pay_out.lump * self.in_hand()):
            self.pay()
