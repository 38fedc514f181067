"""The book: cash and history of every known page, by Adaptive OPIC made exact.

C_j   cash of page j: what it has, and has not passed on yet
H_j   forwarded: history, all cash it has passed on
V     cash of the virtual page, which every page links to, and which holds what it gets
B_j   birth cash of page j; 0 once the page is gone
G     the clock: all cash ever passed on

**A visit of page j** (the paper's loop):

    H_j := H_j + C_j
    floor(d C_j) is divided over the outlinks of j, and V gets the rest
    C_j := 0

**Nothing is lost**: sum(C) + V = sum(B), to the unit, after every step. Where several books share the web, plus
the cash carried here from the others.

**No sum outgrows 64 bits**: sum(B) of a book is at most twice ALL_BIRTHS. Pages that come back after births were shared
out may bring more; then all births are lowered alike, which no share of importance notices.

**Lemma 2.3**, in whole units: what a page has received is what its in-links have sent,

    R_j = C_j + H_j - B_j = sum over links i -> j of sigma(H_i, w, W_i)

with w the weight of the link by its place and W_i that of all links of i, see surfer.py.

**Importance** is what a page has received, and its part of what the virtual page holds:

    X_j = R_j + V' * B_j / sum(B)             before it is divided by the sum of all X
    V'  = V + sum of C over pages never visited: their cash counts as that of pages without links

A page that has gone has no importance either: walkers who follow a link to it jump at once. The last term is the
virtual page's visit. The paper's pays its cash out again and again, so the error of H/G
falls like 1/G; here it is paid lazily, in the formula, so the error falls exponentially. A walker's jump says
to whom: to all pages alike as in the paper, or to sites by their trust (sites.py).

**The error**: the L1 distance of X from exact importance is at most 2 sum|C| / ((1-d) sum(H)), see `certificate`.

**A changing web**: a page that has other links than at its last visit takes back what it sent along vanished
ones. So its targets, and their targets in turn, may owe cash: C < 0 until they are visited.

**The window** (paper, section 5): h_j, `history`, is the part of H_j passed on while the clock advanced by the
last T = 8 sum(B), interpolated at each visit, see units.py.

An alias forwards all it has received to its one target, and has no importance of its own.

`cash` keeps C - B, because births change for all pages at once when they are shared out again; `cash_of` adds B.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, flagged, grown, slices
from minicrawl.opic.sites import ALL_BIRTHS, UNIT, Births, SiteBirths, SiteShares
from minicrawl.opic.surfer import UNIFORM, Places, Shares, Surfer
from minicrawl.opic.units import TURNOVERS, all_interpolated, damped, dampeds, interpolated

__all__ = ["SETTLED_ERROR", "UNIT", "WORTH", "Book", "BookSums", "add_sent", "certificate_of", "resend"]

SETTLED_ERROR = 1e-6
"""Certified L1 distance from exact importance at which a ranking is settled."""
WORTH = 1.5
"""Cash, as a multiple of the mean, from which on a visit without a fetch is worth it."""
_OUTWEIGHED = 30
"""Settling stops once mirrors hold this multiple of the cash elsewhere: handing over costs more than visits."""


class BookSums(NamedTuple):
    """Sums from which importance is computed, beside a page's own cash: of one book, or of several together.

    received: sum(R), each unit once that mirrors have handed over; births: sum(B); held: V'; pages: known ones that
    are not mirrors.
    """

    received: int
    births: int
    held: int
    pages: int


class Book:
    """Cash and history of every known page, with flags for gone pages and aliases.

    Invariant: the cash of pages and of the virtual page is the birth cash of all pages, plus what is `carried`.
    """

    def __init__(self, *, unit: int = UNIT, surfer: Surfer = UNIFORM, rule: Births | None = None) -> None:
        """unit: birth cash of every page, where there is no other `rule`."""
        self.rule: Births = Births(unit) if rule is None else rule
        self.surfer = surfer
        """Surfer that weighs the links, including cash already carried."""
        self.size = 0
        self.virtual = 0
        self.clock = 0.0
        self.births = 0
        """sum(B)"""
        self.never_visited = 0
        """Sum of B + R over pages never visited."""
        self.in_all = 0
        """sum(R)"""
        self.retired = 0
        """Number of gone pages, mirrors among them."""
        self._has_idle_aliases = self.rule.alike is None
        """True if some aliases may have forwarded nothing, because they had none."""
        self.shared_out = 0
        """Number of times that births may have changed for all pages."""
        self.carried = 0
        """Cash handed over to this book by others, less the cash it has handed over to them."""
        self.mirrors = 0
        """Number of mirrors."""
        self.handed_over = 0
        """Sum of H over mirrors."""
        self.cash: IntArray = np.zeros(0, dtype=np.int64)
        self.forwarded: IntArray = np.zeros(0, dtype=np.int64)
        self.history: FloatArray = np.zeros(0)
        self.clock_of: FloatArray = np.zeros(0)
        """G at each page's last visit, or at its discovery."""
        self.gone: Flags = np.zeros(0, dtype=np.bool_)
        self.alias: Flags = np.zeros(0, dtype=np.bool_)

    @classmethod
    def of(  # noqa: PLR0913 - the columns of the book
        cls,
        cash: IntArray,
        forwarded: IntArray,
        gone: Flags,
        alias: Flags,
        virtual: int,
        *,
        unit: int = UNIT,
        surfer: Surfer = UNIFORM,
        rule: Births | None = None,
    ) -> Self:
        """The book with these columns, each of shape (size,); it owns them from then on."""
        book = cls(unit=unit, surfer=surfer, rule=rule)
        book.size = len(cash)
        book.cash, book.forwarded, book.gone, book.alias = cash, forwarded, gone, alias
        book.history, book.clock_of = np.zeros(book.size), np.zeros(book.size)
        book.recount(virtual)
        return book

    def recount(self, virtual: int) -> None:
        """Set V, and recompute the sums derived from the columns, which were filled from elsewhere."""
        self.virtual = virtual
        self.retired = int(np.count_nonzero(self.gone[: self.size]))
        self._count_births()
        self.in_all = int(self.received(slice(0, self.size)).sum())
        mirrors = self.is_mirror(slice(0, self.size))
        self.mirrors = int(np.count_nonzero(mirrors))
        self.handed_over = int(self.forwarded[: self.size].sum(where=mirrors)) if self.mirrors else 0

    def _count_births(self) -> None:
        self.shared_out += 1
        idle = self.alias[: self.size] & (self.forwarded[: self.size] == 0)
        self._has_idle_aliases = self.rule.alike is None or bool(idle.any())
        births, unvisited = self.birth(slice(0, self.size)), ~self.visited(slice(0, self.size))
        self.births = int(births.sum())
        births += self.received(slice(0, self.size))
        self.never_visited = int(births.sum(where=unvisited))

    @property
    def twentieths(self) -> int:
        """20 d"""
        return self.rule.twentieths

    def share_births_out(self, rule: SiteBirths, by: SiteShares) -> None:
        """Let walkers jump by the trust of sites, and by the sites, entrances and voices of pages in `rule`.

        No page is visited for it: forwarded cash stays, which creates residuals for virtual visits to settle.
        """
        known = slice(0, self.size)
        rule.grow(self.size)
        rule.share_out(by, ~(self.gone[known] | self.alias[known]), self.gone[known])
        self.rule = rule
        self._count_births()
        self._bound_births()

    def share_births_alike(self, unit: int = UNIT) -> None:
        """Let walkers jump to all pages alike."""
        self.rule = Births(unit)
        self._count_births()

    def sums(self) -> BookSums:
        """Sums of this book alone."""
        received, pages = self.in_all - self.handed_over, self.size - self.mirrors
        return BookSums(received, self.births, self.virtual + self.never_visited, pages)

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1 without making them known."""
        self.cash = grown(self.cash, size)
        self.forwarded = grown(self.forwarded, size)
        self.history = grown(self.history, size)
        self.clock_of = grown(self.clock_of, size)
        self.gone = grown(self.gone, size)
        self.alias = grown(self.alias, size)
        self.rule.grow(size)

    def discover(self, count: int = 1) -> range:
        """Make `count` pages known and return their numbers."""
        born = range(self.size, self.size + count)
        self.grow(born.stop)
        self.size = born.stop
        self.clock_of[born.start : born.stop] = self.clock
        is_alike = self.rule.alike is not None and not self.retired
        births = (self.rule.alike or 0) * count if is_alike else sum(map(self.birth_of, born))
        self.never_visited += births
        self._bear(births)
        return born

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
        h = self.forwarded.item(page)
        n = h + self.cash.item(page) + self.birth_of(page)
        if not self.is_visited(page):
            self.never_visited -= n
            self.forwarded[page] = n
        if old is not None and len(old):
            self._credit(old, self._sent(page, h, len(old), old_places), -1)
        if alias != self.alias.item(page):
            n += self._let_stand_for(page, alias=alias)
        self._credit(outlinks, self._sent(page, n, len(outlinks), places), 1)
        self.forwarded[page] = n
        self.cash[page] -= n - h
        self.virtual += n - h
        self._note(page, n - h)

    def visit_many(self, pages: Pages, indptr: IntArray, targets: Pages, places: Places | None = None) -> None:
        """Visit distinct pages at once, their links unchanged: each forwards the cash it held at the start.

        indptr, targets, places: CSR of their outlinks, row k for pages[k], shapes (len(pages) + 1,), (links,) and
        (links,).
        """
        h = self.forwarded[pages]
        n = h + self.cash_of(pages)
        shares = Shares(self.surfer, indptr, places)
        _send(self, shares, targets, _sigmas(self, shares, pages, n) - _sigmas(self, shares, pages, h))
        self.never_visited -= int(self.cash_of(pages).sum(where=~self.visited(pages)))
        self.forwarded[pages] = n
        self.cash[pages] -= n - h
        self.virtual += int((n - h).sum())
        self._note_all(pages, n - h)

    def retire(self, page: int) -> None:
        """Take back the birth cash of a page that does not exist. It must have been visited without links."""
        if not self.gone.item(page):
            self.births -= self.birth_of(page)
            self.retired += 1
            self.gone[page] = True
        self.visit(page, np.zeros(0, dtype=np.int64))

    def revive(self, page: int) -> None:
        """Give a page that had gone its birth cash again."""
        self.gone[page] = False
        self.retired -= 1
        born = self.birth_of(page)
        if not self.is_visited(page):
            self.never_visited += born + int(self.received(slice(page, page + 1))[0])
        self._bear(born)

    def importance(self) -> FloatArray:
        """Share of all importance of every known page, shape (size,), sum 1; 0 for aliases and pages that have gone.
        Exact when settled."""
        x = self._x(slice(0, self.size))
        total = x.sum()
        return x / total if total > 0 else x

    def total(self) -> float:
        """sum(X), computed from aliases and gone pages only."""
        without = flagged(self.alias[: self.size] | self.gone[: self.size])
        births = self.births - int(self.birth(without).sum())
        received = self.in_all - int(self.received(without).sum())
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
        """R + held * B of some pages; 0 of one that has gone, -1 of an alias. With the current `held` this is X, see
        `importance`."""
        worths: FloatArray = self.received(pages) + held * self.birth(pages)
        return np.where(self.alias[pages], -1.0, np.where(self.gone[pages], 0.0, worths))

    def certificate(self) -> float:
        """Bound on the L1 distance between H/G and exact importance: 2 sum|C| / ((1-d) sum H).

        Pages never visited count as pages without links. Holds while no link change is pending. Where several books
        share the web, each is certified with its mirrors' cash; the largest of these bounds holds for the whole.
        """
        return certificate_of(*self.unsettled_sums())

    def unsettled_sums(self) -> tuple[float, int]:
        """2 sum|C| / (1-d) and sum(H): added up over books, `certificate_of` makes their certificate of them."""
        return self._walks(self._restless()[0] + self._held()), self._forwarded()

    def _walks(self, residual: int) -> float:
        """2 residual / (1-d): what the walks that begin with the residual move in all, from and to."""
        return 40.0 * residual / (20 - self.twentieths)

    def rounding(self, links: int) -> float:
        """Bound on the error that whole units add to the `certificate`: 2 links / ((1-d) sum H).

        links: number of links of all visited pages. For any weights, a page with o links loses less than o units: less
        than one on each link, and a whole number of floor(d h) in all.
        """
        forwarded = self._forwarded()
        return self._walks(links) / forwarded if forwarded else 0.0

    def due(self, at_most: int) -> IntArray:
        """Up to `at_most` visited pages whose residual is worth a visit, those with the largest, rising by number."""
        # The mean of C over all pages; those never visited count as settled.
        cash = self.births + self.carried - self.virtual - self.never_visited
        least = max(1.0, WORTH * cash / max(self.size, 1))
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
        bound = certificate_of(self._walks(total + held), self._forwarded())
        if not total or bound <= error or _OUTWEIGHED * total <= held:
            return None
        least = max(1.0, WORTH * total / visited)
        return least if largest >= least else 1.0

    def unsettled(self, sources: Pages, least: float) -> IntArray:
        """Rising indices into `sources` of pages with a residual of at least `least`."""
        return np.flatnonzero(np.abs(self.cash_of(sources)) >= least)

    def _residuals(self, rows: slice) -> tuple[IntArray, IntArray]:
        """Visited pages among `rows`, rising, and their residuals. Without mirrors, whose cash no visit moves."""
        pages = np.flatnonzero(self.visited(rows) & ~self.is_mirror(rows)) + rows.start
        return pages, np.abs(self.cash_of(pages))

    def _held(self) -> int:
        """Sum of |C| over mirrors: the cash that a hand-over would move."""
        if not self.mirrors:
            return 0
        mirrors = (flagged(self.is_mirror(rows)) + rows.start for rows in slices(self.size))
        return sum(int(np.abs(self.cash_of(pages)).sum()) for pages in mirrors)

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
        """sum(H) over pages that are not aliases and have not gone: the denominator of importance.

        Pages never visited count as pages without links that have forwarded all they have.
        """
        is_page = ~(self.alias[: self.size] | self.gone[: self.size])
        return int(self.forwarded[: self.size].sum(where=is_page)) + self.never_visited

    def _sent(self, page: int, h: int, links: int, places: Places | None) -> tuple[IntArray | int, int]:
        """Cash that the page has sent along each of its links, and in all, having forwarded h in all."""
        return self.surfer.sent(h if self.alias[page] else damped(h, self.twentieths), links, places)

    def _let_stand_for(self, page: int, *, alias: bool) -> int:
        """Make a page an alias, or none; returns the change of its birth cash."""
        before = self.birth_of(page)
        self.alias[page] = alias
        change = self.birth_of(page) - before
        self._bear(change)
        return change

    def _bear(self, units: int) -> None:
        """Add birth cash to the sum, which is in step with the flags of all pages."""
        self.births += units
        self._bound_births()

    def _bound_births(self) -> None:
        if self.births > 2 * ALL_BIRTHS:
            self.rule.lower(math.ceil(self.births / ALL_BIRTHS))
            self._count_births()

    def _note(self, page: int, spent: int) -> None:
        """Note the cash that a visit has passed on in the window, or taken back of that, and advance the clock."""
        elapsed = self.clock - self.clock_of.item(page)
        # Whole numbers take half the room in the store.
        self.history[page] = max(round(interpolated(self.history.item(page), spent, elapsed, self.window)), 0)
        self.clock += max(spent, 0)
        self.clock_of[page] = self.clock

    def _note_all(self, pages: Pages, spent: IntArray) -> None:
        """`_note` for visits made at once."""
        elapsed = self.clock - self.clock_of[pages]
        self.history[pages] = np.rint(all_interpolated(self.history[pages], spent, elapsed, self.window).clip(0.0))
        self.clock += float(spent.sum(where=spent > 0))
        self.clock_of[pages] = self.clock

    def _credit(self, targets: Pages, sent: tuple[IntArray | int, int], sign: int) -> None:
        """Credit the targets with the cash sent along the links to them, or (sign -1) take it back."""
        each, in_all = sent
        if not in_all:
            return
        self.cash[targets] += sign * each
        unvisited = ~self.visited(targets)
        if isinstance(each, int):
            self.never_visited += sign * each * int(np.count_nonzero(unvisited))
        else:
            self.never_visited += sign * int(each[unvisited].sum())
        self.in_all += sign * in_all
        self.virtual -= sign * in_all

    # In a web that several books share, a page has its home in one of them. In another, which only knows links to it,
    # it is a mirror: it has no birth cash, and its received cash is handed over to its home, like an alias' to its
    # target. Its forwarded cash is the cash handed over.

    def mirror(self, pages: Pages) -> None:
        """Make just discovered pages mirrors."""
        born = int(self.birth(pages).sum())
        self.gone[pages] = self.alias[pages] = True
        self.retired += len(pages)
        self.births -= born
        self.never_visited -= born
        self.mirrors += len(pages)

    def is_mirror(self, pages: Pages | slice) -> Flags:
        """Flags of mirrors: no page of its own is both gone and an alias."""
        return self.gone[pages] & self.alias[pages]

    def hand_over(self, mirrors: Pages) -> IntArray:
        """Hand over the cash that distinct mirrors received since the last time; returns the amount of each."""
        units: IntArray = self.cash[mirrors]
        self.forwarded[mirrors] += units
        self.cash[mirrors] = 0
        moved = int(units.sum())
        self.handed_over += moved
        self.carried -= moved
        return units

    def take_over(self, pages: Pages, units: IntArray) -> None:
        """Credit pages with the cash handed over by their mirrors; a page may be listed more than once."""
        np.add.at(self.cash, pages, units)
        in_all = int(units.sum())
        self.in_all += in_all
        self.carried += in_all
        self.never_visited += int(units.sum(where=~self.visited(pages)))

    @property
    def are_born_alike(self) -> bool:
        """True if all pages are born with equal cash."""
        return self.rule.alike is not None

    def birth(self, pages: Pages | slice) -> IntArray:
        """B of some pages."""
        return self.rule.of(pages, self.gone[pages], self.alias[pages])

    def birth_of(self, page: int) -> int:
        """B of one page."""
        return self.rule.of_one(page, gone=self.gone.item(page), alias=self.alias.item(page))

    def cash_of(self, pages: Pages | slice) -> IntArray:
        """C of some pages."""
        return self.birth(pages) + self.cash[pages]

    def received(self, pages: Pages | slice) -> IntArray:
        """R of some pages: all that links have brought, less what was taken back."""
        received: IntArray = self.cash[pages] + self.forwarded[pages]
        return received

    @property
    def window(self) -> int:
        """T, on the clock; at least 1."""
        return max(TURNOVERS * self.births, 1)

    def visited(self, pages: Pages | slice) -> Flags:
        """Flags of visited pages.

        A visit forwards all cash of a page, at least its birth cash. Only a gone page, and an alias where sites share,
        may have none, and have forwarded nothing; it had to be visited to be known as such.
        """
        visited: Flags = self.forwarded[pages] > 0
        if self.retired:
            visited |= self.gone[pages]
        if self._has_idle_aliases:
            visited |= self.alias[pages]
        return visited

    def is_visited(self, page: int) -> bool:
        """True if the page has been visited."""
        has_forwarded = self.forwarded.item(page) > 0 or self.gone.item(page)
        return has_forwarded or (self._has_idle_aliases and self.alias.item(page))


def _sigmas(book: Book, shares: Shares, pages: Pages, h: IntArray, twentieths: int | None = None) -> IntArray:
    """Cash that pages have sent along each link, having forwarded h in all, by place. Shape (pages, places).

    twentieths: 20 d, if not that of the book.
    """
    return shares.sigmas(np.where(book.alias[pages], h, dampeds(h, twentieths or book.twentieths)))


def certificate_of(walks: float, forwarded: float) -> float:
    """The `Book.certificate` for 2 sum|C| / (1-d) and sum H."""
    return walks / forwarded if forwarded else 2.0


def add_sent(  # noqa: PLR0913 - the link rows of some pages
    expected: IntArray, book: Book, sources: Pages, indptr: IntArray, targets: Pages, places: Places | None = None
) -> None:
    """Add the cash that some pages have sent along their links: slow recomputation of received cash, for a check.

    By Lemma 2.3, the sum over all pages with links is `received`. expected: shape (book.size,).
    sources, indptr, targets, places: CSR of the links the pages had at their last visit.
    """
    shares = Shares(book.surfer, indptr, places)
    np.add.at(expected, targets, shares.each(_sigmas(book, shares, sources, book.forwarded[sources])))


def resend(  # noqa: PLR0913 - the link rows of some pages
    book: Book, pages: Pages, indptr: IntArray, targets: Pages, places: Places | None, twentieths: int
) -> None:
    """Send along links, CSR as in `Book.visit_many`, what the rule says, in place of one with other `twentieths`."""
    shares, h = Shares(book.surfer, indptr, places), book.forwarded[pages]
    _send(book, shares, targets, _sigmas(book, shares, pages, h) - _sigmas(book, shares, pages, h, twentieths))


def _send(book: Book, shares: Shares, targets: Pages, sent: IntArray) -> None:
    """Move cash from the virtual page along links. sent: by place, shape (pages, places)."""
    moved, in_all = shares.each(sent), int(shares.in_all(sent).sum())
    np.add.at(book.cash, targets, moved)
    book.never_visited += int(moved.sum(where=~book.visited(targets)))
    book.in_all += in_all
    book.virtual -= in_all
