"""The ledger measures: importance, exact for the known graph.

This is OPIC with two changes. Its virtual page holds its cash, so the error falls exponentially instead of
like 1/G; and what was sent along links that have vanished is taken back, so it is exact on a changing web.

B_j   birth cash of page j, UNIT; 0 once the page is gone
R_j   received: birth cash and all that links have brought
H_j   forwarded: the part of R_j that the visits of j have passed on
V     cash of the virtual page; sum(R - H) + V = sum(B)

    R_j = B_j + sum over links i -> j of sigma(H_i, o_i)            (Lemma 2.3 of the paper, in integers)

    X_j = R_j - B_j + V' * B_j / sum(B)       importance, before it is divided by the sum of all X
    V'  = V + sum of R over pages never visited: their cash goes the way of a page without links

An alias forwards all it has received to its one target, and has no importance of its own.
"""

import numpy as np

from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, flagged, grown, slices
from minicrawl.opic.units import DAMPING, sigma, sigmas

UNIT = 2**24
"""Birth cash of a page, in units."""
SETTLED_ERROR = 1e-6
"""Certified L1 distance from exact importance at which a ranking is settled."""
WORTH = 1.5
"""A visit without a fetch is worth it from that many times the mean residual on."""


class Ledger:
    """Received and forwarded cash of every known page.

    Invariant: what pages hold and what the virtual page holds is what all pages were born with.
    """

    def __init__(self, *, unit: int = UNIT) -> None:
        self.unit = unit
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
    ) -> "Ledger":
        """The ledger with these columns, each of shape (size,), which it takes over."""
        ledger = cls(unit=unit)
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

    def visit(self, page: int, outlinks: Pages, old: Pages | None = None, *, alias: bool = False) -> None:
        """Forward what `page` has received along `outlinks`, and take back what it sent along links now gone.

        outlinks: distinct pages, without `page`. old: its outlinks at the last visit; None or empty at the first.
        alias: `page` only stands for its one outlink and hands it everything.
        """
        h, n = int(self.forwarded[page]), int(self.received[page])
        if h == 0 and not self.gone[page]:
            self.never_visited -= n
            self.forwarded[page] = n
        if old is not None and len(old):
            self._retract(page, h, old)
        sent = _per_link(n, len(outlinks), alias)
        self._credit(outlinks, sent)
        self.forwarded[page] = n
        self.alias[page] = alias
        self.virtual += n - len(outlinks) * sent - h

    def visit_many(self, pages: Pages, indptr: IntArray, targets: Pages) -> None:
        """Visit distinct pages at once, their links unchanged: each forwards what it held at the start.

        indptr, targets: CSR of their outlinks, row k for pages[k], shapes (len(pages) + 1,) and (links,).
        """
        h, n = self.forwarded[pages], self.received[pages]
        outdegree = np.diff(indptr)
        sent = sigmas(n, outdegree) - sigmas(h, outdegree)
        sent = np.where(self.alias[pages] & (outdegree > 0), n - h, sent)
        moved, in_all = np.repeat(sent, outdegree), int((sent * outdegree).sum())
        np.add.at(self.received, targets, moved)
        self.never_visited += int(moved.sum(where=~self.visited(targets)))
        self.never_visited -= int(self.received[pages[~self.visited(pages)]].sum())
        self.in_all += in_all
        self.forwarded[pages] = n
        self.virtual += int((n - h).sum()) - in_all

    def retire(self, page: int) -> None:
        """Take back the birth cash of a page that has gone for good. It must have been visited without links."""
        born = 0 if self.gone[page] else self.unit
        self.received[page] -= born
        self.in_all -= born
        self.gone[page] = True
        self.births -= born
        self.visit(page, np.zeros(0, dtype=np.int64))

    def importance(self) -> FloatArray:
        """Share of all importance of every known page, shape (size,), sum 1; aliases 0. Exact when settled."""
        x = self._x(slice(0, self.size))
        total = x.sum()
        return x / total if total > 0 else x

    def most_important(self, count: int) -> tuple[IntArray, FloatArray]:
        """The `count` pages with the largest importance, best first, and what they have of it.

        Takes pages block by block: of millions of them it needs no array as long as they are many.
        """
        pages, best, total = np.zeros(0, dtype=np.int64), np.zeros(0), 0.0
        for rows in slices(self.size):
            x = self._x(rows)
            total += float(x.sum())
            pages, best = np.concatenate([pages, np.arange(rows.start, rows.stop)]), np.concatenate([best, x])
            if len(best) > count:
                largest = np.argpartition(-best, count)[:count]
                pages, best = pages[largest], best[largest]
        order = np.lexsort((pages, -best))
        return pages[order], best[order] / total if total > 0 else best[order]

    def total(self) -> float:
        """sum(X), without a look at pages that are no aliases."""
        aliases = flagged(self.alias[: self.size])
        births = self.births - len(aliases) * self.unit
        received = self.in_all - int(self.received[aliases].sum())
        held = self.virtual + self.never_visited
        return float(received - births) + float(held) * (births / self.births) if self.births else 0.0

    def order(self) -> IntArray:
        """All pages by falling importance, shape (size,); of equals the one with the smaller number first."""
        x = self._x(slice(0, self.size))
        return np.argsort(np.negative(x, out=x), kind="stable")

    def worths(self, pages: Pages | slice) -> IntArray:
        """What orders pages as their importance does, in units; -1 of an alias. Of pages gone it is too much."""
        worths = np.where(self.gone[pages], self.received[pages] + self.unit, self.received[pages])
        return np.where(self.alias[pages], -1, worths)

    def residuals(self) -> IntArray:
        """|R - H| of every visited page, 0 for the others, shape (size,): what a visit would move."""
        known = slice(0, self.size)
        return np.where(self.visited(known), np.abs(self.received[known] - self.forwarded[known]), 0)

    def mean_residual(self) -> float:
        """Mean of R - H over all known pages, counting what pages never visited hold as settled."""
        return (self.births - self.virtual - self.never_visited) / max(self.size, 1)

    def certificate(self) -> float:
        """Bound on the L1 distance between H/G and exact importance: 2 sum|R-H| / ((1-d) sum H).

        Pages never visited count as pages without links. Holds while no link change is pending.
        """
        return self._certified(self._restless()[0])

    def rounding(self, links: int) -> float:
        """Bound on what whole units add to the `certificate`: 2 links / ((1-d) sum H).

        links: number of links of all visited pages. Of the cash of a page with o links less than o units are lost.
        """
        forwarded = self._forwarded()
        return 2.0 * links / ((1.0 - DAMPING) * forwarded) if forwarded else 0.0

    def due(self, at_most: int) -> IntArray:
        """Up to that many visited pages, rising, whose residual is worth a visit, the largest first taken."""
        least = max(1.0, WORTH * self.mean_residual())
        due, residuals = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        for rows in slices(self.size):
            pages, residual = self._residuals(rows)
            some = residual >= least
            due, residuals = np.concatenate([due, pages[some]]), np.concatenate([residuals, residual[some]])
            if len(due) > at_most:
                largest = np.argpartition(-residuals, at_most)[:at_most]
                due, residuals = due[largest], residuals[largest]
        return np.sort(due)

    def least_worth(self, error: float) -> float | None:
        """The residual from which on the next round of settling visits a page; None when there is to be none.

        None once the certified error is at most `error`, or nothing is left to move (every page has gone, say);
        before that 1.5 times the mean, or anything where no page has that.
        """
        total, largest, visited = self._restless()
        if not total or self._certified(total) <= error:
            return None
        least = max(1.0, WORTH * total / visited)
        return least if largest >= least else 1.0

    def unsettled(self, sources: Pages, least: float) -> IntArray:
        """Which of `sources` have a residual of at least `least`, as rising indices into it."""
        return np.flatnonzero(np.abs(self.received[sources] - self.forwarded[sources]) >= least)

    def _is_any_gone(self) -> bool:
        return self.births < self.unit * self.size

    def _residuals(self, rows: slice) -> tuple[IntArray, IntArray]:
        """The visited pages among `rows`, rising, and the residual of each."""
        pages = np.flatnonzero(self.visited(rows)) + rows.start
        return pages, np.abs(self.received[pages] - self.forwarded[pages])

    def _restless(self) -> tuple[int, int, int]:
        """Sum and maximum of the residuals of all visited pages, and the number of these."""
        total = largest = visited = 0
        for rows in slices(self.size):
            pages, residual = self._residuals(rows)
            total += int(residual.sum())
            largest = max(largest, int(residual.max(initial=0)))
            visited += len(pages)
        return total, largest, visited

    def _certified(self, residual: int) -> float:
        """The `certificate` that this sum of residuals gives."""
        forwarded = self._forwarded()
        return 2.0 * float(residual) / ((1.0 - DAMPING) * forwarded) if forwarded else 2.0

    def _x(self, rows: slice) -> FloatArray:
        """X of some pages."""
        if not self.births:
            return np.zeros(rows.stop - rows.start)
        born = self.birth(rows)
        held = float(self.virtual + self.never_visited)
        x = (self.received[rows] - born) + held * (born.astype(np.float64) / self.births)
        x[self.alias[rows]] = 0.0
        return x

    def _forwarded(self) -> int:
        """sum(H) over pages that are no aliases: what importance is a share of.

        Pages never visited count as pages without links that have forwarded all they have.
        """
        is_page = ~self.alias[: self.size]
        return int(self.forwarded[: self.size].sum(where=is_page)) + self.never_visited

    def _retract(self, page: int, h: int, old: Pages) -> None:
        taken = _per_link(h, len(old), bool(self.alias[page]))
        self._credit(old, -taken)
        self.virtual += len(old) * taken

    def _credit(self, targets: Pages, units: int) -> None:
        if units:
            self.received[targets] += units
            self.never_visited += units * (len(targets) - int(np.count_nonzero(self.visited(targets))))
            self.in_all += units * len(targets)


def _per_link(h: int, o: int, alias: bool) -> int:
    return h // o if alias and o else sigma(h, o)


def add_sent(expected: IntArray, ledger: Ledger, sources: Pages, indptr: IntArray, targets: Pages) -> None:
    """Add what some pages have sent along their links: the slow way to what pages received, for an audit.

    Lemma 2.3 says: with every page that has links, and birth cash, that is `received`. expected: shape (ledger.size,).
    sources, indptr, targets: CSR of the links the pages had at their last visit.
    """
    outdegree = np.diff(indptr)
    forwarded = ledger.forwarded[sources]
    sent = np.where(ledger.alias[sources], forwarded, sigmas(forwarded, outdegree))
    np.add.at(expected, targets, np.repeat(sent, outdegree))
