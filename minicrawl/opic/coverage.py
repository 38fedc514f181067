"""How much of all importance the crawl has certainly collected: a bound from below.

After RankMass (Cho, Schonfeld: "RankMass Crawler", VLDB 2007). Importance here is that of a walker who
starts at the seeds, follows links with probability d and otherwise, or at a page without links, starts
again. Every visit lets the walkers that have gathered at a page step on:

s_i  walkers that have stepped on from page i, in all
r_i  walkers at page i that have not stepped on yet
K    sum of s over pages that were collected: how often, certainly, a walker is at one of them
L    sum of s over pages at which there was nothing: a walker is there once, and starts again
m    sum of r over all pages: walkers still waiting; each makes at most 1/(1-d) further steps

    s_j + r_j = walkers that started at j + sum over links i -> j of sigma(s_i, w, W_i)    (as Lemma 2.3, see ledger.py)

A walker makes K + L + (at most m/(1-d)) steps before it starts again, so of its time at least

    coverage = K / (K + L + m / (1 - d))

goes to pages that were collected. Where every page has links and is collected this is RankMass's (1-d) * K.

What went along links that have vanished is taken back, as in the ledger, so some r may be negative: q is the sum of
these, without sign. They stand for at most q/(1-d) steps that were counted and should not have been, which leaves

    coverage = ((1-d) K - q) / ((1-d) (K + L) + m)

They take links by the weights of the surfer whose importance is asked for: else the bound could exceed it.

Where several books share the web, walkers on their way from one to another wait in none. Each book counts what it has
taken over from others less what it has handed over: c. Its m - c changes by its own visits alone, which lower it by at
least 1-d for each step. So the sums of K, L and m - c over all books, each as of any moment since all walkers have
started, give no more than the bound of now (`bound_of_all`). Negative r on their way are in no q, so what was ever
handed over of them is in all.

All are counted in whole units. What a division leaves over waits at no page and steps no further, but is part of m.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, grown, slices
from minicrawl.opic.surfer import UNIFORM, LinkRows, Places, Shares, Surfer
from minicrawl.opic.units import DAMPING, damped, dampeds

WALKERS = 2**48
"""Walkers that start together, in units."""
SETTLED_COVERAGE = 1e-3
"""What more visits along known links could add to the bound when it is settled."""
_WORTH = 1.5
_NOWHERE: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)


class PageKind(IntEnum):
    """What a page is to the walkers: where those at it go."""

    UNKNOWN = 0
    """Nothing: it was never asked for, may not be, or did not answer. Walkers wait there."""
    PAGE = 1
    """A page that was collected: they follow its links."""
    NOTHING = 2
    """An answer, but no page: they start again."""
    ALIAS = 3
    """It only hands them over to its one outlink, and adds no step."""


# To look a member up by its class takes as long as to look what waits at forty pages up.
_UNKNOWN, _PAGE, _NOTHING, _ALIAS = PageKind
COLLECTED = (_PAGE, _ALIAS)


class CoverageSums(NamedTuple):
    """What one of several books has to say for the bound of all.

    stepped: K; lost: L; waiting: m - c; owed: q, and all negative r that were handed over. All in units.
    """

    stepped: int
    lost: int
    waiting: int
    owed: int


class Coverage:
    """Walkers per page, and how many steps they have certainly made to pages that were collected.

    Invariant: the bound never exceeds the share of importance that the collected pages have of the known graph, in
    which all other pages have no links.
    """

    def __init__(self, surfer: Surfer = UNIFORM) -> None:
        self.surfer = surfer
        self.walkers: IntArray = np.zeros(0, dtype=np.int64)
        """r"""
        self.steps: IntArray = np.zeros(0, dtype=np.int64)
        """s"""
        self.kind: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self.collected = 0
        """Number of pages that were collected, aliases among them."""
        self.stepped = 0
        """K"""
        self.lost = 0
        """L"""
        self.waiting = 0
        """m"""
        self.owed = 0
        """q"""
        self.carried = 0
        """c"""
        self.owed_elsewhere = 0
        """Negative r that were handed over, without sign, since all books were settled together."""

    def grow(self, size: int) -> None:
        self.walkers = grown(self.walkers, size)
        self.steps = grown(self.steps, size)
        self.kind = grown(self.kind, size)

    def seed(self, pages: Pages, of: int | None = None) -> None:
        """Let walkers start, in equal parts, at `pages`. of: how many seeds there are, if these are but some."""
        seeds = of or len(pages)
        self._add(pages, WALKERS // seeds)
        self.waiting += WALKERS * len(pages) // seeds

    def visit(  # noqa: PLR0913 - the links of a page now and before
        self,
        page: int,
        outlinks: Pages,
        old: Pages = _NOWHERE,
        kind: PageKind = PageKind.PAGE,
        *,
        places: Places | None = None,
        old_places: Places | None = None,
    ) -> None:
        """Let the walkers at `page` step on along `outlinks` (distinct), as its kind says.

        old: its outlinks at the last visit; those who went along them and would not now are taken back. places,
        old_places: where these stand on the page; None: all alike.
        """
        h, r, was = self.steps.item(page), self.walkers.item(page), self.kind.item(page)
        n = h + r
        if kind != was:
            self.kind[page] = kind
            self.collected += (kind in COLLECTED) - (was in COLLECTED)
        if not (h or n):
            return
        if r < 0:
            self.owed += r
        self.walkers[page], self.steps[page] = (n, 0) if kind == _UNKNOWN else (0, n)
        sent = self._step(n, len(outlinks), places, kind)
        if h:
            taken = self._step(-h, len(old), old_places, was)
            if np.array_equal(old, outlinks):
                sent = sent + taken
            else:
                self._add(old, taken)
        self._add(outlinks, sent)

    def visit_many(self, pages: Pages, indptr: IntArray, targets: Pages, places: Places | None = None) -> None:
        """`visit` for distinct `pages` at once, their links and kinds unchanged.

        indptr, targets, places: CSR of their outlinks.
        """
        kind, h, r = self.kind[pages], self.steps[pages], self.walkers[pages]
        shares, is_page = Shares(self.surfer, indptr, places), kind == _PAGE
        moved = np.where(kind == _UNKNOWN, 0, r)
        n = h + moved
        all_going, gone = dampeds(n), dampeds(h)
        going = np.where(is_page, all_going - gone, moved)
        going[(kind == _NOTHING) | (np.diff(indptr) == 0)] = 0
        sent = np.where(is_page[:, np.newaxis], shares.sigmas(all_going) - shares.sigmas(gone), going[:, np.newaxis])
        self.steps[pages] = n
        self.walkers[pages] = r - moved
        np.add.at(self.walkers, targets, shares.each(sent))
        self.stepped += int(moved.sum(where=is_page))
        self.lost += int(moved.sum(where=kind == _NOTHING))
        self.waiting += int(going.sum()) - int(moved.sum())
        if self.owed:
            self.owed = _below_zero(self.walkers)

    def hand_over(self, pages: Pages) -> IntArray:
        """Let the walkers that wait at distinct pages wait in another book; how many do at each."""
        walkers: IntArray = self.walkers[pages].copy()
        self._add(pages, -walkers)
        self._carry(-int(walkers.sum()))
        self.owed_elsewhere += _below_zero(walkers)
        return walkers

    def take_over(self, pages: Pages, walkers: IntArray) -> None:
        """Let walkers that have waited in another book wait at distinct pages here."""
        self._add(pages, walkers)
        self._carry(int(walkers.sum()))

    def reweigh(self, surfer: Surfer, links: Iterable[LinkRows]) -> None:
        """Let the walkers take links by another surfer's weights, also those who have stepped on: they are taken back
        from where they went and go where they would have gone. links: those of all pages at their last visits."""
        for rows in links:
            s, moved = self.steps[rows.sources], np.zeros(len(rows.targets), dtype=np.int64)
            passed = np.where(self.kind[rows.sources] == _PAGE, dampeds(s), 0)  # an alias has but one link
            for sign, by in ((-1, self.surfer), (1, surfer)):
                shares = Shares(by, rows.indptr, rows.places)
                moved += sign * shares.each(shares.sigmas(passed))
            np.add.at(self.walkers, rows.targets, moved)
        self.surfer = surfer
        self.owed = _below_zero(self.walkers)

    def recount(self, waiting: int) -> None:
        """Take over m, the columns having been filled from elsewhere, and count again what follows from them."""
        self.waiting = waiting
        self.stepped = int(self.steps.sum(where=self.kind == _PAGE))
        self.lost = int(self.steps.sum(where=self.kind == _NOTHING))
        self.collected = int(np.count_nonzero(np.isin(self.kind, COLLECTED)))
        self.owed = _below_zero(self.walkers)

    def bound(self) -> float:
        """Share of all importance, 0 to 1, that the pages collected so far have at least."""
        return bound_of_all([CoverageSums(self.stepped, self.lost, self.waiting, self.owed)])

    def missing(self) -> FloatArray:
        """The share of all importance that each page has at most that was not collected: what the bound lacks to 1."""
        there = (1.0 - DAMPING) * np.where(self.kind == _NOTHING, self.steps, 0) + np.maximum(self.walkers, 0)
        return np.where(np.isin(self.kind, COLLECTED), 0.0, there) / max(self._all(), 1.0)

    def sums(self) -> CoverageSums:
        """What this book has to say for the bound of several."""
        return CoverageSums(self.stepped, self.lost, self.waiting - self.carried, self.owed + self.owed_elsewhere)

    def matters(self, pages: Pages) -> Flags:
        """At which of some pages so many walkers wait that all of them could change the bound."""
        flags: Flags = np.abs(self.walkers[pages]) * float(len(pages)) > SETTLED_COVERAGE * self._all()
        return flags

    def least_worth(self, error: float = SETTLED_COVERAGE) -> float | None:
        """The number of walkers from which on the next round of settling visits a page; None when there is to be none:
        once further steps along known links can change the bound by at most `error`."""
        total = largest = known = 0
        for rows in slices(len(self.walkers)):
            waiting = np.abs(self.walkers[rows][self.kind[rows] != _UNKNOWN])
            total += int(waiting.sum())
            largest = max(largest, int(waiting.max(initial=0)))
            known += len(waiting)
        if total <= error * self._all():
            return None
        least = max(1.0, _WORTH * total / known)
        return least if largest >= least else 1.0

    def is_settled(self, walkers: IntArray, error: float = SETTLED_COVERAGE) -> bool:
        """Whether more steps of so many walkers that wait could change the bound by at most `error`."""
        return int(np.abs(walkers).sum()) <= error * self._all()

    def unsettled(self, sources: Pages, least: float) -> IntArray:
        """Which of `sources` at least so many walkers wait to leave, as rising indices into it."""
        return np.flatnonzero((np.abs(self.walkers[sources]) >= least) & (self.kind[sources] != _UNKNOWN))

    def _all(self) -> float:
        return _steps_at_most(self.stepped, self.lost, self.waiting)

    def _carry(self, walkers: int) -> None:
        self.waiting += walkers
        self.carried += walkers

    def _step(self, walkers: int, links: int, places: Places | None, kind: int) -> IntArray | int:
        """Let all walkers that ever came to a page step on; take them back if their number is negative.

        Returns how many of them go along each of its links; one number where as many go along all.
        """
        if not walkers or kind == _UNKNOWN:
            return 0
        n, sign = abs(walkers), 1 if walkers > 0 else -1
        going = 0
        if kind == _PAGE:
            self.stepped += walkers
            going = damped(n) if links else 0
        elif kind == _ALIAS:
            going = n
        else:
            self.lost += walkers
        self.waiting += sign * (going - n)
        return sign * self.surfer.sent(going, links, places).each

    def _add(self, pages: Pages, walkers: IntArray | int) -> None:
        """Let so many more walkers wait at each of some distinct pages."""
        is_more = walkers >= 0 if isinstance(walkers, int) else bool((walkers >= 0).all())
        if is_more and not self.owed:
            self.walkers[pages] += walkers
        else:
            before = self.walkers[pages]
            self.owed -= _below_zero(before) if self.owed else 0
            before += walkers
            self.walkers[pages] = before
            self.owed += _below_zero(before)


def bound_of_all(books: Iterable[CoverageSums]) -> float:
    """Share of all importance, 0 to 1, that the pages collected have at least, by the sums of all books."""
    stepped, lost, waiting, owed = map(sum, zip(*books, strict=True))
    secured = (1.0 - DAMPING) * stepped - owed
    return max(secured, 0.0) / _steps_at_most(stepped, lost, waiting) if stepped else 0.0


def _steps_at_most(stepped: int, lost: int, waiting: int) -> float:
    """1-d times the steps that all walkers make at most."""
    return (1.0 - DAMPING) * (stepped + lost) + waiting


def _below_zero(walkers: IntArray) -> int:
    """Sum of the negative ones, without sign."""
    return -int(walkers.sum(where=walkers < 0))
