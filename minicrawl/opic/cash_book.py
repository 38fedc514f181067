"""Cash steers: the paper's book. Cash, history and the clock of the last visit of every page.

c         cash of a page
level     what every paid page has been paid so far by the virtual page; part of its cash
standing  cash less level: what is stored, so that a pay-out to all pages is one addition
u_level   `unvisited_level`: the same of every page never visited, where the virtual page pays such pages, too
V         cash of the virtual page: `reserve` (grants to come) and `income` (the 1 - d shares, to be paid out)
G         the clock: all cash ever spent

A visit spends the page's whole cash: the history takes note of it, G grows by it, floor(.85 c) is split
over the outlinks in whole units, and all the rest goes to the virtual page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import FloatArray, IntArray, Numbers, Pages, flagged, grown
from minicrawl.opic.units import damped
from minicrawl.opic.window import Basic, Interpolation, Measure, Pasts, Sizes, Window

TOTAL = 2**62
"""All the cash there is, in units."""
GRANT = 2**24
"""What the virtual page grants a page at its birth, in units."""
SEED_GRANTS = 1000
"""A seed is granted that many times more."""
NEWCOMERS = 32
"""Over how many first visits the history of newcomers is averaged."""


@dataclass(frozen=True)
class PayOut:
    """Whom the virtual page pays its income to, and when.

    to: "visited" pages (a crawl), "all" pages (the paper), or "nobody" (it holds its cash).
    lump: paid once the income has reached this share of the cash in the pages' hands; 0 = at once, infinite = when
    somebody calls `pay`.
    """

    to: Literal["visited", "all", "nobody"] = "visited"
    lump: float = 0.0


@dataclass(frozen=True, slots=True)
class Visit:
    """What a visit did: the cash it spent, and the pages whose cash rose. each: by how many units, shape (credited,) or
    the same for all. is_first: of the page."""

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
        self.level = self.unvisited_level = 0
        self.unvisited_part = self.toll = 0.0
        """What part of its income the virtual page pays to pages never visited; what part of a visit it takes."""
        self.payees = 0
        self.clock = 0
        self.newcomer_history = 0.0
        """Mean history of recent newcomers at their first visit; for windows that keep visits the cash they spent."""
        self.newcomer_stretch = 0.0
        """Mean stretch of the clock over which they had gathered it."""
        self._most_in_hand = 0
        self.standing: IntArray = np.zeros(0, dtype=np.int64)
        # Looked at in a page's own turn only, but for strategies that order pages by the clock.
        self.history: Numbers = np.zeros(0)
        self.last: Numbers = np.zeros(0)
        self.visited: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.measures: dict[int, list[Measure]] = {}

    @property
    def virtual(self) -> int:
        """Cash of the virtual page."""
        return self.reserve + self.income

    def in_hand(self) -> int:
        """Cash of all pages together."""
        return self.total - self.virtual

    def window_sizes(self) -> Sizes:
        """The window in numbers, on the clock of today."""
        return self.window.sizes(self.in_hand())

    def newcomer(self, birth: float) -> Measure | None:
        """What a page that became known at clock `birth` is taken to have spent before: what recent newcomers had at
        their first visit. None for pages known from the start, before which there were none."""
        return Measure(birth - self.newcomer_stretch, self.newcomer_history) if birth else None

    def cash(self, page: int) -> int:
        """Cash of a page, in units."""
        return int(self.standing[page]) + (self.level if self._is_paid(page) else self.unvisited_level)

    def cashes(self) -> IntArray:
        """Cash of every page, shape (size,)."""
        standing = self.standing[: self.size]
        if self.pay_out.to == "all":
            return standing + self.level
        return standing + np.where(self.visited[: self.size], self.level, self.unvisited_level)

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1 without making them known."""
        self.standing = grown(self.standing, size)
        self.history = grown(self.history, size)
        self.last = grown(self.last, size)
        self.visited = grown(self.visited, size)

    def discover(self, grants: Sequence[int] | IntArray) -> range:
        """Make pages known; page k of them is granted `grants[k]` units by the virtual page, once.

        Returns their numbers. When the reserve runs short the last pages get what is left.
        """
        born = range(self.size, self.size + len(grants))
        self.grow(born.stop)
        for page, asked in zip(born, grants, strict=True):
            granted = min(int(asked), self.reserve)
            self.reserve -= granted
            self.standing[page] = granted - self.unvisited_level
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
        alias: the page only stands for its one outlink, which gets all of the cash.
        """
        cash, start = self.cash(page), float(self.last[page])
        self._note(page, cash)
        passed = cash if alias else damped(cash - int(self.toll * cash))
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
        # Subtract what was spent, do not set to zero: the level is part of a paid page's cash.
        self.standing[page] -= cash
        newcomer = None
        if is_first:
            newcomer = self.newcomer(start)
            self._first_visit(page, cash, start)
        self.income += cash - sent
        self._pay_when_due()
        if self.window.keeps_visits:
            self._remember(page, Measure(start, float(cash)), newcomer)
        return Visit(page, cash, outlinks, each, bool(is_first))

    def hand_over(self, pages: Pages) -> IntArray:
        """Give all cash of pages that are paid nothing to another book; how much each had.

        The total of both books together stays the same.
        """
        cash: IntArray = self.standing[pages].copy()
        self.standing[pages] = 0
        self.total -= int(cash.sum())
        return cash

    def take_over(self, pages: Pages, cash: IntArray) -> None:
        """Let pages have what another book has handed over to them; a page may be there more than once."""
        np.add.at(self.standing, pages, cash)
        self.total += int(cash.sum())

    def unvisit(self, page: int) -> None:
        """Let a visited page be one that never was, but for what it has spent: its cash stays the same."""
        if self.pay_out.to == "visited":
            self.payees -= 1
            self.standing[page] += self.level - self.unvisited_level
        self.visited[page] = False
        self.measures.pop(page, None)

    def pay(self) -> None:
        """Pay the virtual page's income out, the same whole number of units to every payee of a kind."""
        unvisited, meant = self.size - self.payees, 0
        if self.unvisited_part and unvisited:
            meant = min(int(self.unvisited_part * self.income), self.income)
        each, paid = meant // max(unvisited, 1), (self.income - meant) // self.payees if self.payees else 0
        self.unvisited_level += each
        self.level += paid
        self.income -= each * unvisited + paid * self.payees

    def give_unvisited_level(self) -> Pages:
        """Let pages never visited stand with what they were paid; which these are. None is paid so from now on."""
        unvisited = flagged(~self.visited[: self.size])
        self.standing[unvisited] += self.unvisited_level
        self.unvisited_level, self.unvisited_part, self.toll = 0, 0.0, 0.0
        return unvisited

    def shares(self) -> FloatArray:
        """The history of every page brought to now, as shares that sum to 1, shape (size,): its importance.

        For windows that keep visits: the rate at which it spent cash since the oldest of them.
        """
        now = self.window.now(self._pasts())
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

    def _first_visit(self, page: int, cash: int, start: float) -> None:
        self.visited[page] = True
        if not self.window.keeps_visits:
            self.newcomer_history += (float(self.history[page]) - self.newcomer_history) / NEWCOMERS
        elif start:  # what was known from the start is no newcomer
            self.newcomer_history += (cash - self.newcomer_history) / NEWCOMERS
            self.newcomer_stretch += (self.clock - start - self.newcomer_stretch) / NEWCOMERS
        if self.pay_out.to == "visited":
            self.payees += 1
            self.standing[page] += self.unvisited_level - self.level

    def _note(self, page: int, cash: int) -> None:
        """Let the history of `page` take note of a visit, and the clock move on."""
        elapsed = self.clock - float(self.last[page])
        noted = self.window.record(float(self.history[page]), cash, elapsed, self.in_hand())
        self.history[page] = self._kept(noted)
        self.clock += cash
        self.last[page] = self.clock

    def _remember(self, page: int, measure: Measure, newcomer: Measure | None) -> None:
        """Keep a visit that is over, and what is to be kept of those before; `newcomer` comes before the first."""
        before = self.measures.get(page, [newcomer] if newcomer is not None else [])
        # The window shrinks with the cash in hand, and grows again: drop what is beyond the largest it has been.
        self._most_in_hand = max(self._most_in_hand, self.in_hand())
        self.measures[page] = list(self.window.kept([*before, measure], float(self.clock), self._most_in_hand))
        kept = self.window.kept(self.measures[page], float(self.clock), self.in_hand())
        self.history[page] = self._kept(sum(measure.cash for measure in kept))

    def _kept(self, history: float) -> float:
        return round(history) if self.whole_histories else history

    def _pay_when_due(self) -> None:
        if self.pay_out.to != "nobody" and self.income >= max(1, self.pay_out.lump * self.in_hand()):
            self.pay()

    def _pasts(self) -> Pasts:
        known = slice(0, self.size)
        return Pasts(
            history=self.history[known],
            elapsed=self.clock - self.last[known],
            cash=self.cashes().astype(np.float64),
            is_newcomer=~self.visited[known] & (self.last[known] > 0),
            visits=self.measures,
            newcomer_cash=self.newcomer_history,
            newcomer_stretch=self.newcomer_stretch,
            clock=float(self.clock),
            in_hand=self.in_hand(),
        )
