"""Columns of the ledger per page, the sums derived from them, and their growth. Symbols: see ledger.py."""

from typing import NamedTuple, Self

import numpy as np

from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, grown
from minicrawl.opic.sites.births import UNIT, Births, EvenBirths, SiteBirths
from minicrawl.opic.surfer import UNIFORM, Surfer


class LedgerSums(NamedTuple):
    """Sums from which importance is computed, beside a page's received cash: of one ledger, or of several together.

    received: sum(R), each unit once that mirrors have handed over; births: sum(B); held: V'; pages: known ones that
    are no mirrors.
    """

    received: int
    births: int
    held: int
    pages: int


class LedgerColumns:
    """Received and forwarded cash of every known page, with flags for gone pages and aliases.

    `carried` is 0 unless several ledgers share the web.
    """

    def __init__(self, *, unit: int = UNIT, surfer: Surfer = UNIFORM, rule: Births | None = None) -> None:
        """unit: birth cash of every page, where there is no other `rule`."""
        self.rule: Births = EvenBirths(unit) if rule is None else rule
        self.surfer = surfer
        """Surfer that weighs the links, including cash already carried."""
        self.size = 0
        self.virtual = 0
        self.births = 0
        """sum(B)"""
        self.never_visited = 0
        """Sum of B + R over pages never visited."""
        self.in_all = 0
        """sum(R)"""
        self.retired = 0
        """Number of gone pages, mirrors among them."""
        self._has_idle_aliases = self.rule.alike is None
        """True if some aliases may have forwarded nothing, as they had none."""
        self.shared_out = 0
        """Number of times births were shared out anew."""
        self.carried = 0
        """Cash handed over to this ledger by others, less the cash it has handed over to them."""
        self.mirrors = 0
        """Number of mirrors."""
        self.handed_over = 0
        """Sum of H over mirrors."""
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
        surfer: Surfer = UNIFORM,
        rule: Births | None = None,
    ) -> Self:
        """The ledger with these columns, each of shape (size,); it owns them from then on."""
        ledger = cls(unit=unit, surfer=surfer, rule=rule)
        ledger.size = len(received)
        ledger.received, ledger.forwarded, ledger.gone, ledger.alias = received, forwarded, gone, alias
        ledger.recount(virtual)
        return ledger

    def recount(self, virtual: int) -> None:
        """Set V, and recompute the sums derived from the columns, which were filled from elsewhere."""
        self.virtual = virtual
        self.retired = int(np.count_nonzero(self.gone[: self.size]))
        self._count_births()
        self.in_all = int(self.received[: self.size].sum())
        mirrors = self.is_mirror(slice(0, self.size))
        self.mirrors = int(np.count_nonzero(mirrors))
        self.handed_over = int(self.forwarded[: self.size].sum(where=mirrors)) if self.mirrors else 0

    def _count_births(self) -> None:
        idle = self.alias[: self.size] & (self.forwarded[: self.size] == 0)
        self._has_idle_aliases = self.rule.alike is None or bool(idle.any())
        births, unvisited = self.birth(slice(0, self.size)), ~self.visited(slice(0, self.size))
        self.births = int(births.sum())
        births += self.received[: self.size]
        self.never_visited = int(births.sum(where=unvisited))

    def share_births_out(self, rule: SiteBirths, trust: FloatArray) -> None:
        """Let walkers jump by the trust of sites, and by the sites and doors of pages in `rule`.

        No page is visited for it: forwarded cash stays, which creates residuals for virtual visits to settle.
        """
        known = slice(0, self.size)
        rule.grow(self.size)
        rule.share_out(trust, ~(self.gone[known] | self.alias[known]), self.gone[known])
        self.rule = rule
        self.shared_out += 1
        self._count_births()

    def share_births_alike(self, unit: int = UNIT) -> None:
        """Let walkers jump to all pages alike."""
        self.rule = EvenBirths(unit)
        self.shared_out += 1
        self._count_births()

    def sums(self) -> LedgerSums:
        """Sums of this ledger alone."""
        received, pages = self.in_all - self.handed_over, self.size - self.mirrors
        return LedgerSums(received, self.births, self.virtual + self.never_visited, pages)

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1 without making them known."""
        self.received = grown(self.received, size)
        self.forwarded = grown(self.forwarded, size)
        self.gone = grown(self.gone, size)
        self.alias = grown(self.alias, size)
        self.rule.grow(size)

    def discover(self, count: int = 1) -> range:
        """Make `count` pages known and return their numbers."""
        born = range(self.size, self.size + count)
        self.grow(born.stop)
        self.size = born.stop
        births = self._births_of(born)
        self.births += births
        self.never_visited += births
        return born

    # In a web that several ledgers share, a page has its home in one of them. In another, which only knows links to it,
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
        """Flags of mirrors: no page of one's own is both gone and an alias."""
        return self.gone[pages] & self.alias[pages]

    def hand_over(self, mirrors: Pages) -> IntArray:
        """Hand over the cash that distinct mirrors received since the last time; returns the amount of each."""
        units: IntArray = self.received[mirrors] - self.forwarded[mirrors]
        self.forwarded[mirrors] += units
        moved = int(units.sum())
        self.handed_over += moved
        self.carried -= moved
        return units

    def take_over(self, pages: Pages, units: IntArray) -> None:
        """Credit pages with the cash handed over by their mirrors; a page may be listed more than once."""
        np.add.at(self.received, pages, units)
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

    def _births_of(self, pages: range) -> int:
        if self.rule.alike is not None and not self.retired:
            return self.rule.alike * len(pages)
        return sum(map(self.birth_of, pages))

    def pending(self, pages: Pages | slice) -> IntArray:
        """B + R - H of some pages: cash that a visit would pass on, negative where a visit would take cash back."""
        pending: IntArray = self.received[pages] + self.birth(pages)
        pending -= self.forwarded[pages]
        return pending

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
