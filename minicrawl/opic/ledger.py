"""The ledger measures: importance, exact for the known graph.

This is OPIC with two changes. Its virtual page holds its cash, so the error falls exponentially instead of
like 1/G; and cash sent along vanished links is taken back, so it is exact on a changing web.

B_j   birth cash of page j; 0 once the page is gone
R_j   received: cash from links
H_j   forwarded: the part of B_j + R_j that the visits of j have passed on
V     cash of the virtual page; sum(B + R - H) + V = sum(B)

    R_j = sum over links i -> j of sigma(H_i, w, W_i)               (Lemma 2.3 of the paper, in integers)

with w the weight of the link by its place and W_i that of all links of i, see surfer.py;

    X_j = R_j + V' * B_j / sum(B)             importance, before it is divided by the sum of all X
    V'  = V + sum of B + R over pages never visited: their cash counts as that of pages without links

An alias forwards all it has received to its one target, and has no importance of its own.
"""

import numpy as np

from minicrawl.opic.arrays import FloatArray, IntArray, Pages, flagged, slices
from minicrawl.opic.ledger_columns import LedgerColumns
from minicrawl.opic.sites.births import UNIT
from minicrawl.opic.surfer import Places, Sent, Shares
from minicrawl.opic.units import DAMPING, damped, dampeds

__all__ = ["SETTLED_ERROR", "UNIT", "WORTH", "Ledger", "add_sent", "certificate_of"]

SETTLED_ERROR = 1e-6
"""Certified L1 distance from exact importance at which a ranking is settled."""
WORTH = 1.5
"""Residual, as a multiple of the mean, from which on a visit without a fetch is worth it."""
_OUTWEIGHED = 30
"""Settling stops once mirrors hold this multiple of the residuals elsewhere: handing over costs more than
visits."""


class Ledger(LedgerColumns):
    """Received and forwarded cash of every known page.

    Invariant: the cash of pages and of the virtual page is the birth cash of all pages, plus the cash carried
    here from other ledgers.
    """

    def visit(  # noqa: PLR0913 - the links of a page now and before
        self,
        page: int,
        outlinks: Pages,
        old: Pages | None = None,
        *,
        places: Places | None = None,
        old_places: Places | None = None,
        alias: bool = False,
    ) -> None:
        """Forward the received cash of `page` along `outlinks`, and take back the cash sent along links now gone.

        outlinks: distinct pages, without `page`. old: its outlinks at the last visit; None or empty at the first.
        places, old_places: of the links on the page; None: all alike. alias: `page` is an alias of its one outlink and
        hands it everything.
        """
        h, n = self.forwarded.item(page), self.received.item(page) + self.birth_of(page)
        if not self.is_visited(page):
            self.never_visited -= n
            self.forwarded[page] = n
        if old is not None and len(old):
            self._credit(old, self._sent(page, h, len(old), old_places), -1)
        if alias != self.alias.item(page):
            n += self._let_stand_for(page, alias=alias)
        self._credit(outlinks, self._sent(page, n, len(outlinks), places), 1)
        self.forwarded[page] = n
        self.virtual += n - h

    def visit_many(
        self,
        pages: Pages,
        indptr: IntArray,
        targets: Pages,
        places: Places | None = None,
        *,
        forwarded: IntArray | None = None,
    ) -> None:
        """Visit distinct pages at once, their links unchanged: each forwards the cash it held at the start.

        indptr, targets, places: CSR of their outlinks, row k for pages[k], shapes (len(pages) + 1,), (links,) and
        (links,). forwarded: what each has forwarded in the end instead, shape (len(pages),).
        """
        h, n = self.forwarded[pages], forwarded
        if n is None:
            n = self.received[pages] + self.birth(pages)
        shares = Shares(self.surfer, indptr, places)
        sent = _sigmas(self, shares, pages, n) - _sigmas(self, shares, pages, h)
        moved, in_all = shares.each(sent), int(shares.in_all(sent).sum())
        np.add.at(self.received, targets, moved)
        self.never_visited += int(moved.sum(where=~self.visited(targets)))
        self.never_visited -= int(self.pending(pages).sum(where=~self.visited(pages)))
        self.in_all += in_all
        self.forwarded[pages] = n
        self.virtual += int((n - h).sum()) - in_all

    def retire(self, page: int) -> None:
        """Take back the birth cash of a page that is gone for good. It must have been visited without links."""
        if not self.gone.item(page):
            self.births -= self.birth_of(page)
            self.retired += 1
            self.gone[page] = True
        self.visit(page, np.zeros(0, dtype=np.int64))

    def importance(self) -> FloatArray:
        """Share of all importance of every known page, shape (size,), sum 1; aliases 0. Exact when settled."""
        x = self._x(slice(0, self.size))
        total = x.sum()
        return x / total if total > 0 else x

    def most_important(self, count: int) -> tuple[IntArray, FloatArray]:
        """The `count` pages with the largest importance, best first, and their importance.

        Takes pages block by block: for millions it needs no array of their number.
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
        """sum(X), without a pass over pages that are no aliases."""
        aliases = flagged(self.alias[: self.size])
        births = self.births - int(self.birth(aliases).sum())
        received = self.in_all - int(self.received[aliases].sum())
        held = self.virtual + self.never_visited
        return float(received) + float(held) * (births / self.births) if self.births else 0.0

    def order(self) -> IntArray:
        """All pages by falling importance, shape (size,); ties by number."""
        x = self._x(slice(0, self.size))
        return np.argsort(np.negative(x, out=x), kind="stable")

    def held(self) -> float:
        """V' / sum(B): cash of the virtual page per unit of birth cash."""
        return (self.virtual + self.never_visited) / self.births if self.births else 0.0

    def worths(self, pages: Pages | slice, held: float) -> FloatArray:
        """R + held * B of some pages; -1 of an alias. With the current `held` this is X, see `importance`."""
        worths: FloatArray = self.received[pages] + held * self.birth(pages)
        return np.where(self.alias[pages], -1.0, worths)

    def residuals(self) -> IntArray:
        """|B + R - H| of every visited page, 0 for the others, shape (size,): the cash that a visit would move."""
        known = slice(0, self.size)
        return np.where(self.visited(known), np.abs(self.pending(known)), 0)

    def mean_residual(self) -> float:
        """Mean of B + R - H over all known pages, with the cash of pages never visited counted as settled."""
        return (self.births + self.carried - self.virtual - self.never_visited) / max(self.size, 1)

    def certificate(self) -> float:
        """Bound on the L1 distance between H/G and exact importance: 2 sum|B+R-H| / ((1-d) sum H).

        Pages never visited count as pages without links. Holds while no link change is pending. Where several ledgers
        share the web, each is certified with its mirrors' cash; the largest of these bounds holds for the whole.
        """
        return certificate_of(*self.unsettled_sums())

    def unsettled_sums(self) -> tuple[int, int]:
        """Sums of |B + R - H| and of H, of which `certificate_of` makes the certificate, also of several ledgers."""
        return self._restless()[0] + self._held(), self._forwarded()

    def rounding(self, links: int) -> float:
        """Bound on the error that whole units add to the `certificate`: 2 links / ((1-d) sum H).

        links: number of links of all visited pages. For any weights, a page with o links loses less than o units: less
        than one on each link, and a whole number of floor(.85 h) in all.
        """
        forwarded = self._forwarded()
        return 2.0 * links / ((1.0 - DAMPING) * forwarded) if forwarded else 0.0

    def due(self, at_most: int) -> IntArray:
        """Up to `at_most` visited pages whose residual is worth a visit, those with the largest, rising by number."""
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
        """Least residual that the next round of settling visits; None for no further round.

        None once the certified error is at most `error`, or nothing is left to move (every page is gone, say), or a
        hand-over would move thirty times as much; before that 1.5 times the mean, or anything where no page has that.
        """
        total, largest, visited = self._restless()
        held = self._held()
        if not total or certificate_of(total + held, self._forwarded()) <= error or _OUTWEIGHED * total <= held:
            return None
        least = max(1.0, WORTH * total / visited)
        return least if largest >= least else 1.0

    def unsettled(self, sources: Pages, least: float) -> IntArray:
        """Rising indices into `sources` of pages with a residual of at least `least`."""
        return np.flatnonzero(np.abs(self.pending(sources)) >= least)

    def _residuals(self, rows: slice) -> tuple[IntArray, IntArray]:
        """Visited pages among `rows`, rising, and their residuals. Without mirrors, whose cash no visit moves."""
        pages = np.flatnonzero(self.visited(rows) & ~self.is_mirror(rows)) + rows.start
        return pages, np.abs(self.pending(pages))

    def _held(self) -> int:
        """Sum of |B + R - H| over mirrors: the cash that a hand-over would move."""
        if not self.mirrors:
            return 0
        mirrors = (flagged(self.is_mirror(rows)) + rows.start for rows in slices(self.size))
        return sum(int(np.abs(self.pending(pages)).sum()) for pages in mirrors)

    def _restless(self) -> tuple[int, int, int]:
        """Sum, maximum and number of the residuals of all visited pages but mirrors."""
        total = largest = visited = 0
        for rows in slices(self.size):
            pages, residual = self._residuals(rows)
            total += int(residual.sum())
            largest = max(largest, int(residual.max(initial=0)))
            visited += len(pages)
        return total, largest, visited

    def _x(self, rows: slice) -> FloatArray:
        """X of some pages."""
        return np.maximum(self.worths(rows, self.held()), 0.0) if self.births else np.zeros(rows.stop - rows.start)

    def _forwarded(self) -> int:
        """sum(H) over pages that are no aliases: the denominator of importance.

        Pages never visited count as pages without links that have forwarded all they have.
        """
        is_page = ~self.alias[: self.size]
        return int(self.forwarded[: self.size].sum(where=is_page)) + self.never_visited

    def _sent(self, page: int, h: int, links: int, places: Places | None) -> Sent:
        """Cash that the page has sent along its links, having forwarded h in all."""
        return self.surfer.sent(h if self.alias[page] else damped(h), links, places)

    def _let_stand_for(self, page: int, *, alias: bool) -> int:
        """Make a page an alias, or none; returns the change of its birth cash."""
        before = self.birth_of(page)
        self.alias[page] = alias
        change = self.birth_of(page) - before
        self.births += change
        return change

    def _credit(self, targets: Pages, sent: Sent, sign: int) -> None:
        """Credit the targets with the cash sent along the links to them, or (sign -1) take it back."""
        if not sent.in_all:
            return
        self.received[targets] += sign * sent.each
        unvisited = ~self.visited(targets)
        if isinstance(sent.each, int):
            self.never_visited += sign * sent.each * int(np.count_nonzero(unvisited))
        else:
            self.never_visited += sign * int(sent.each[unvisited].sum())
        self.in_all += sign * sent.in_all
        self.virtual -= sign * sent.in_all


def _sigmas(ledger: Ledger, shares: Shares, pages: Pages, h: IntArray) -> IntArray:
    """Cash that pages have sent along each link, having forwarded h in all, by place. Shape (pages, places)."""
    return shares.sigmas(np.where(ledger.alias[pages], h, dampeds(h)))


def certificate_of(residual: int, forwarded: int) -> float:
    """The `Ledger.certificate` for sum|B+R-H| and sum H."""
    return 2.0 * float(residual) / ((1.0 - DAMPING) * forwarded) if forwarded else 2.0


def add_sent(  # noqa: PLR0913 - the link rows of some pages
    expected: IntArray,
    ledger: Ledger,
    sources: Pages,
    indptr: IntArray,
    targets: Pages,
    places: Places | None = None,
) -> None:
    """Add the cash that some pages have sent along their links: slow recomputation of received cash, for a check.

    By Lemma 2.3, the sum over all pages with links is `received`. expected: shape (ledger.size,).
    sources, indptr, targets, places: CSR of the links the pages had at their last visit.
    """
    shares = Shares(ledger.surfer, indptr, places)
    np.add.at(expected, targets, shares.each(_sigmas(ledger, shares, sources, ledger.forwarded[sources])))
