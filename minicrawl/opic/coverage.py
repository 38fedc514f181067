"""How much of all importance is certainly in pages that were read: a bound from below, from the ledger's own books.

What a page has ever held, B + R of the ledger, counts how often walkers have come to it, in units. Those that a page
has passed on, H, have gone; the others wait there:

K    sum of B + R over pages that were read
U    sum of B + R over all others: a walker there follows no link that is known, and starts again
p    sum of B + R - H over those of them that have links, where it is positive: walkers that have not gone on yet
q    the same where it is negative, without sign, and of aliases, too: what was passed on and is to be taken back
m    the same of aliases, and of mirrors, if it is positive; and what is on its way from one ledger to another

A walker who waits at a page goes on to d / (1-d) others at most before it starts again, wherever these are. So of the
time of all walkers at least

    coverage = ((1-d) K - q) / ((1-d) (K + U) + d p + m)

goes to pages that were read (after RankMass: Cho, Schonfeld: "RankMass Crawler", VLDB 2007, whose walkers start at the
seeds; these start where births say). Where nothing waits that is K / (K + U), the share of importance that pages read
have of the known graph, exactly.

Where several ledgers share the web, K, U, p, q and m are sums over all of them. Each may be as of a moment of its own:
who reads a page adds to K no less than to all the rest, so what was read since can only raise the bound. What one has
handed over and its home has not taken is on its way, to be credited (m) or debited (q); where a home has taken more, as
it was asked later, nothing is.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import Flags, FloatArray, Pages, grown, slices
from minicrawl.opic.ledger import Ledger
from minicrawl.opic.units import DAMPING

UNTOUCHED = 1e-3
"""What pages that the bound leaves aside could add to it at most."""


class PageKind(IntEnum):
    """What is known of a page: where those at it go."""

    UNKNOWN = 0
    """Nothing: it was never asked for, may not be, or did not answer."""
    PAGE = 1
    """A page that was read."""
    NOTHING = 2
    """An answer, but no page."""
    ALIAS = 3
    """It stands for its one outlink."""


_PAGE, _ALIAS = PageKind.PAGE, PageKind.ALIAS  # to look a member up by its class takes long
COLLECTED = (_PAGE, _ALIAS)


class CoverageSums(NamedTuple):
    """What one of several ledgers has to say for the bound of all, in units.

    read: K; unread: U; waiting: p; moving: m; owed: q.
    """

    read: int
    unread: int
    waiting: int
    moving: int
    owed: int


class Coverage:
    """Which pages were read, and how much of the importance in a ledger these have at least.

    Invariant: the bound never exceeds the share of importance that the pages read have of the known graph, in which all
    other pages have no links.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.kind: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self.leads: Flags = np.zeros(0, dtype=np.bool_)
        """Which pages have links, or may have, where they were loaded and `knows_links` is not set."""
        self.knows_links = True
        self.collected = 0
        """Number of pages that were read, aliases among them."""
        self.ends_crawl = False
        """Whether the crawl ends by it: then the bound is to be as high while it goes on as it can be."""
        self._bound: float | None = None
        self._turns = 0  # since that bound was found

    def grow(self, size: int) -> None:
        self.kind = grown(self.kind, size)
        known = len(self.leads)
        self.leads = grown(self.leads, size)
        self.leads[known:] = True

    def note(self, page: int, kind: int, *, leads: bool = False) -> None:
        """A page is of that kind, after a turn. leads: whether it has links."""
        was = self.kind.item(page)
        self.leads[page] = leads
        if kind != was:
            self.kind[page] = kind
            self.collected += (kind in COLLECTED) - (was in COLLECTED)
        self._turns += 1

    def note_change(self) -> None:
        """The ledger has changed at many pages."""
        self._bound = None

    def note_links(self, leads: Flags) -> None:
        """Exactly these pages have links, shape (size,)."""
        self.leads[: len(leads)] = leads
        self.knows_links = True

    def recount(self) -> None:
        """Count again what follows from the kinds, which have been filled from elsewhere."""
        self.collected = int(np.count_nonzero(np.isin(self.kind, COLLECTED)))
        self.knows_links = not self.collected
        self._bound = None

    def bound(self) -> float:
        """Share of all importance, 0 to 1, that the pages read so far have at least.

        A look at every page: as of the last time, while fewer have had a turn since than a thousandth of all. Where
        sites share births, pages that became known since they were shared out have next to none: there it is as of the
        virtual visits that came then.
        """
        is_old = self._ledger.are_born_alike and 1000 * self._turns >= self._ledger.size
        if self._bound is None or is_old:
            self._bound, self._turns = bound_of_all([self.sums()]), 0
        return self._bound

    def sums(self) -> CoverageSums:
        """What this ledger has to say for the bound of several."""
        read = unread = waiting = moving = owed = 0
        for rows in slices(self._ledger.size):
            kind, pending = self.kind[rows], self._ledger.pending(rows)
            held = pending + self._ledger.forwarded[rows]
            is_page = kind == _PAGE
            hands_on = (kind == _ALIAS) | self._ledger.is_mirror(rows)
            leads = is_page & self.leads[rows]
            more = np.maximum(pending, 0)
            read += int(held.sum(where=is_page))
            unread += int(held.sum(where=~(is_page | hands_on)))
            waiting += int(more.sum(where=leads))
            moving += int(more.sum(where=hands_on))
            owed += int((more - pending).sum(where=leads | hands_on))
        return CoverageSums(read, unread, waiting, moving, owed)

    def missing(self) -> FloatArray:
        """The share of all importance that each page has that was not read; 0 of the others. Shape (size,)."""
        known = slice(0, self._ledger.size)
        held = self._ledger.received[known] + self._ledger.birth(known)
        is_unread = ~(np.isin(self.kind[known], COLLECTED) | self._ledger.is_mirror(known))
        missing: FloatArray = (1.0 - DAMPING) * np.where(is_unread, held, 0) / max(_time([self.sums()]), 1.0)
        return missing

    def matters(self, mirrors: Pages) -> Flags:
        """Which of some mirrors hold so much that all of them could change the bound."""
        least = UNTOUCHED * _time([self.sums()]) / max(len(mirrors), 1)
        flags: Flags = np.abs(self._ledger.pending(mirrors)) > least
        return flags


def bound_of_all(ledgers: Iterable[CoverageSums], credits: int = 0, debits: int = 0) -> float:
    """Share of all importance, 0 to 1, that the pages read have at least, by the sums of all ledgers.

    credits, debits: units that were handed over, and not taken yet.
    """
    some = list(ledgers)
    read, owed = sum(one.read for one in some), sum(one.owed for one in some) + debits
    time = _time(some) + credits
    return min(max((1.0 - DAMPING) * read - owed, 0.0) / time, 1.0) if time > 0.0 else 0.0


def _time(ledgers: Iterable[CoverageSums]) -> float:
    """1-d times the steps that all walkers make at most."""
    read, unread, waiting, moving, _ = map(sum, zip(*ledgers, strict=True))
    return (1.0 - DAMPING) * (read + unread) + DAMPING * waiting + moving
