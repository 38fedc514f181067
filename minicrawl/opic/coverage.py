"""Share of the importance that pages read now will have once all is read, and two figures that it is between, from the
book's own sums.

B + R of the book counts the walkers that have come to a page, in units. Those it has passed on, H, have gone; the
others wait there:

K    sum of B + R over pages that were read
U    sum of B + R over all others but those that have gone: a walker there follows no known link, and starts again
p    sum of B + R - H over read pages with links, where it is positive: walkers that have not gone on yet
q    the same sum where it is negative, without sign, also of aliases: walkers passed on and to be taken back
m    the same sum over aliases and mirrors, where it is positive; and cash in transit between books
D    sum of B + R over pages that may not be there, and then hold nothing, by the chance of that
f    all births, times the part of standing pages that were found since sites shared births out: these have next to
     none until the next time, and then those of their sites
n    number of sites that share births
w    walkers of K from births that pages not found yet may have; f has these births, too
v    share of U on pages that wait for their first turn

    kept = ((1-d) (K-w) - q) / ((1-d) (K-w) + U + f + d p + m)
    c = K / (K + U - D)
    low = kept (1 - (1 - 1/n) (1 - kept))
    shown = c + (1 - c) max(1 - c, 1/2)
    y = (K - w/2) / (K - w/2 + (1 + 2v/5) (U - D) + f/2)
    about = y (1 - (1 - 1/n) v (1 - y) / 2), from `low` to `shown`; c where all births are alike

A walker waiting at a page visits d / (1-d) others at most before it starts again. So pages that were read have at least
`kept` of the time of all walkers, whatever the others link to, as if these kept all that comes to them (after RankMass:
Cho, Schonfeld: "RankMass Crawler", VLDB 2007, whose walkers start at the seeds; these start where births say). By the
links found so far they have c. Links not read yet may also move as much of the trust between sites. Of the rest as much
may be missing, beside D, as is there: pages with few links to them are read last, and are missing more often.

Each of the pages left may lead to others, each of these to as many again, with births like those of the pages not read:
of those that have had theirs shared out, else a fifth of the mean, since half of all births are of entrances, and a
page found late is cited less.

Half of what `low` fears comes true, and pages that wait get two fifths more by links and citations. Where births are
alike they have most of it already. These were chosen on 12 made webs of 1 to 60 sites and a tree; on 12 others `about`
was off by .064 in the mean of 240 stops.

Where several books share the web, all are sums over these, perhaps of different moments: reading a page adds to K no
less than to all the rest, so later reads can only raise the bound. Cash handed over and not yet taken by its home is in
transit, to be credited (m) or debited (q); a home asked later may have taken more, and then none is.
"""

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import Flags, FloatArray, Pages, grown, slices
from minicrawl.opic.book import SETTLED_ERROR, Book

UNTOUCHED = 1e-3
"""Most that pages left aside could add to the bound."""
LATE = 5
"""The mean birth cash divided by this is what a page not found yet may have, where none of those that wait has any."""
RISE = 0.4
"""How much more pages that wait for their first turn are expected to get, as a share of what they have."""


class PageKind(IntEnum):
    """Kind of a page, which tells where its walkers go."""

    UNKNOWN = 0  # never fetched, forbidden, or without an answer
    PAGE = 1  # read
    NOTHING = 2  # an answer, but no page
    ALIAS = 3  # an alias of its one outlink


_PAGE, _ALIAS = PageKind.PAGE, PageKind.ALIAS  # to look a member up by its class takes long
COLLECTED = (_PAGE, _ALIAS)


class CoverageSums(NamedTuple):
    """K, U, f, D, p, m, q, n, d and w of one book, and what is `left` of U on pages that wait for their first turn, in
    units."""

    read: int
    unread: int
    found: int
    doubted: int
    waiting: int
    moving: int
    owed: int
    sites: int
    damping: float
    fewer: int
    left: int = 0

    @property
    def steps(self) -> float:
        """1-d times those that all walkers make at most."""
        d = self.damping
        return (1.0 - d) * (self.read - self.fewer) + self.unread + self.found + d * self.waiting + self.moving


class Coverage:
    """Pages that were read, and their share of the importance in a book.

    Invariant: the bound, `low`, never exceeds that share, whatever pages that are not read link to.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self.kind: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self.leads: Flags = np.zeros(0, dtype=np.bool_)
        """Pages that have links, or may have, where pages were loaded and `knows_links` is not set."""
        self.knows_links = True
        self.collected = 0
        """Number of pages that were read, aliases among them."""
        self.ends_crawl = False
        """True if the crawl ends by the bound: then it is kept as high as it can be while the crawl continues."""
        self._shares = 0.0, 0.0, 0.0
        self._turns = self._then = 0  # then: turns and pages when the shares were computed
        self.doubts: Callable[[], FloatArray] | None = None
        """The chance that each page is not there, shape (size,)."""
        self.prospects: Callable[[int], tuple[float, float]] = lambda left: (0.0, 0.0)
        """Pages that each of so many that are left may lead to, and the share of these that may not be there."""

    def grow(self, size: int) -> None:
        self.kind = grown(self.kind, size)
        known = len(self.leads)
        self.leads = grown(self.leads, size)
        self.leads[known:] = True

    def note(self, page: int, kind: int, *, leads: bool = False) -> None:
        """Record the kind of a page after its turn. leads: whether it has links."""
        was = self.kind.item(page)
        self.leads[page] = leads
        if kind != was:
            self.kind[page] = kind
            self.collected += (kind in COLLECTED) - (was in COLLECTED)
        self._turns += 1

    def note_change(self) -> None:
        """Forget the shares, because the book has changed at many pages."""
        self._shares = 0.0, 0.0, 0.0

    def note_links(self, leads: Flags) -> None:
        """Set the pages with links, shape (size,)."""
        self.leads[: len(leads)] = leads
        self.knows_links = True

    def recount(self) -> None:
        """Recompute the values derived from the kinds, which were filled from elsewhere."""
        self.collected = int(np.count_nonzero(np.isin(self.kind, COLLECTED)))
        self.knows_links = not self.collected
        self._shares = 0.0, 0.0, 0.0

    def shares(self) -> tuple[float, float, float]:
        """`low`, `about` and `shown`, 0 to 1.

        It takes a pass over all pages, so those of some pages serve until turns and pages are a hundredth more.
        """
        size = self._turns + self._book.size
        if not self._shares[-1] or 100 * size > 101 * self._then:
            self._shares, self._then = shares_of_all([self.sums()]), size
        return self._shares

    def sums(self) -> CoverageSums:
        """This book's sums for the bound of several."""
        read = unread = doubted = waiting = moving = owed = new = older = standing = pages = left = 0
        born = born_unread = held_left = 0
        doubts = None if self.doubts is None else self.doubts()
        for rows in slices(self._book.size):
            kind, pending = self.kind[rows], self._book.cash_of(rows)
            held, births = pending + self._book.forwarded[rows], pending - self._book.cash[rows]
            is_page = kind == _PAGE
            hands_on = (kind == _ALIAS) | self._book.is_mirror(rows)
            stands = ~(hands_on | self._book.gone[rows])
            waits, shared = stands & ~is_page, max(self._book.rule.shared - rows.start, 0)
            leads = is_page & self.leads[rows]
            more = np.maximum(pending, 0)
            read += int(held.sum(where=is_page))
            unread += int(held.sum(where=waits))
            standing += int(np.count_nonzero(stands))
            pages += int(np.count_nonzero(is_page))
            is_left = stands & ~self._book.visited(rows)
            left += int(np.count_nonzero(is_left))
            held_left += int(held.sum(where=is_left))
            born += int(births.sum(where=is_page))
            born_unread += int(births.sum(where=waits))
            new += int(np.count_nonzero(stands[shared:]))
            older += int(np.count_nonzero(waits[:shared]))
            if doubts is not None:
                doubted += int((held * doubts[rows]).sum(where=stands))
            waiting += int(more.sum(where=leads))
            moving += int(more.sum(where=hands_on))
            owed += int((more - pending).sum(where=leads | hands_on))
        sites, damping = int(np.count_nonzero(self._book.rule.page_level > 1)), self._book.twentieths / 20
        each, lost = self.prospects(left)
        later = left * min(each, 1.0) / max(max(1.0 - each, 0.0) * standing + left * min(each, 1.0), 1.0)
        birth = born_unread / older if older else self._book.births / (LATE * max(standing, 1))
        taken = later * min(pages * birth, born)
        found = self._book.births * new // max(standing, 1) + int(taken)
        doubted, fewer = max(doubted, int(held_left * lost)), int(read * taken / max(born, 1))
        return CoverageSums(read, unread, found, doubted, waiting, moving, owed, sites, damping, fewer, held_left)

    def missing(self) -> FloatArray:
        """Most of all importance that each unread page has; 0 for the others. Shape (size,)."""
        known = slice(0, self._book.size)
        held = self._book.received(known) + self._book.birth(known)
        is_unread = ~(np.isin(self.kind[known], COLLECTED) | self._book.gone[known])
        missing: FloatArray = np.where(is_unread, held, 0) / max(self.sums().steps, 1.0)
        return missing

    def matters(self, mirrors: Pages) -> Flags:
        """True for each mirror that holds enough to matter to the bound."""
        least = UNTOUCHED * self.sums().steps / max(len(mirrors), 1)
        flags: Flags = np.abs(self._book.cash_of(mirrors)) > least
        return flags


def shares_of_all(books: Iterable[CoverageSums], credits: int = 0, debits: int = 0) -> tuple[float, float, float]:
    """`low`, `about` and `shown`, 0 to 1, by the sums of all books.

    credits, debits: units handed over, and not taken yet.
    """
    some = list(books)
    of_all = CoverageSums(*map(sum, zip(*some, strict=True)))._replace(damping=some[0].damping)
    if (read := of_all.read) <= 0:
        return 0.0, 0.0, 0.0
    kept = max((1.0 - of_all.damping) * (read - of_all.fewer) - of_all.owed - debits, 0.0) / (of_all.steps + credits)
    if not of_all.unread:  # It may miss 1 by the error of settled importance.
        return min(kept + SETTLED_ERROR, 1.0), 1.0, 1.0
    unread = of_all.unread - of_all.doubted
    c = about = read / (read + unread)
    moves = 1.0 - 1.0 / max(of_all.sites, 1)
    low, shown = kept * (1.0 - moves * (1.0 - kept)), c + (1.0 - c) * max(1.0 - c, 0.5)
    if of_all.sites:
        left, keeps = of_all.left / of_all.unread, read - of_all.fewer / 2
        about = keeps / (keeps + (1.0 + RISE * left) * unread + of_all.found / 2)
        about *= 1.0 - moves * left * (1.0 - about) / 2
    return low, min(max(low, about), shown), shown
