"""The turns of sites: one turn in SITE_TURN of pages never read goes to a site, not to the best page of all.

A site whose front page links to hundreds of pages has as much cash as others, in small parts: any page of a small site
comes before each of its own. So sites, too, have turns by the cash that waits there.

worth  of a page: its priority by cash, as a float32, whatever the topic, so that each seed is heard; 0 if it is before
       all others, or behind them
sum    of a site: the worth of its pages never read that wait, whether its hosts may get a request now or not
turn   of the site with the largest sum / (1 + its pages read or in flight), as seats are given to parties (D'Hondt);
       only of sites with a page on offer. Its best page on offer is next

Sums follow each change of a priority, and are added up again when pages are reordered; until then the sites that are
known since count from 0. With one site there are no such turns.
"""

from array import array
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.frontier.due_pages import FIRST
from minicrawl.crawler.frontier.offers import HostOffers
from minicrawl.crawler.hosts.clocks import Host
from minicrawl.opic.arrays import IntArray, Pages, grown
from minicrawl.web.urls.keys import site_of

SITE_TURN = 10

_ENTRY_BITS = 128  # more than an entry of a page has


class SiteTurns:
    """The cash that waits at each site; and for hosts on offer, their best pages in the order of their sites."""

    def __init__(
        self,
        hosts: list[Host],
        entry_of: Callable[[Host], int | None],
        by_cash: Callable[[Pages | list[int]], IntArray | None],
    ) -> None:
        """hosts: grows as hosts become known. entry_of: that of the best page of a host; None if none waits there.
        by_cash: priorities by cash alone; None: they are as given."""
        self._by_cash = by_cash
        self._hosts = hosts
        self._entry_of = entry_of
        self._numbers: dict[str, int] = {}  # of sites
        self._of_host = array("I")
        self._hosts_of: list[list[int]] = []
        self._sums = array("d")
        self._read = array("I")
        self._worths: npt.NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        """Of each page, what the sum of its site has of it."""
        self.is_on = False
        """False: there is one site at most, and nothing is counted."""
        self.offers = HostOffers()
        self._changed: set[int] = set()  # sites that changed since `offers` last heard of them

    def begin(self, read: IntArray, size: int) -> None:
        """Count again: `load` all pages that wait then. read: pages read of each host; size: room for pages."""
        self._know_hosts()
        sites = len(self._hosts_of)
        self.is_on = sites > 1
        self.offers = HostOffers()
        self._changed.clear()
        if self.is_on:
            self._worths = np.zeros(size, dtype=np.float32)
            self._sums = array("d", bytes(8 * sites))
            of_host = np.frombuffer(self._of_host, dtype=np.uint32)
            self._read = array("I", np.bincount(of_host, read, sites).astype(np.uint32).tobytes())

    def load(self, pages: Pages, hosts: Pages, priorities: IntArray) -> None:
        """Count pages that wait. hosts: the number of each one's host."""
        if self.is_on and len(pages):
            worths = self._worths[pages] = self._worths_of(pages, priorities)
            sites = np.frombuffer(self._of_host, dtype=np.uint32)[hosts]
            np.frombuffer(self._sums)[:] += np.bincount(sites, worths, len(self._sums))

    def note(self, page: int, host: Host, priority: int) -> None:
        """Note the priority of a page that waits from now on, or has moved."""
        if not self.is_on:
            return
        if page >= len(self._worths):
            self._worths = grown(self._worths, page + 1)
        if host.id >= len(self._of_host):
            self._know_hosts()
        site, before = self._of_host[host.id], self._worths.item(page)
        if 0 < priority < FIRST and (by_cash := self._by_cash([page])) is not None:
            priority = by_cash.item()
        self._worths[page] = priority if 0 < priority < FIRST else 0
        self._sums[site] += self._worths.item(page) - before
        self._changed.add(site)

    def note_all(self, pages: Pages, hosts: list[int], priorities: IntArray) -> None:
        """`note` for distinct pages that have moved, on hosts of these numbers."""
        if not self.is_on:
            return
        worths, of_host, sums = self._worths_of(pages, priorities), self._of_host, self._sums
        rises = np.subtract(worths, self._worths.take(pages), dtype=np.float64)
        self._worths[pages] = worths
        for host, rise in zip(hosts, rises.tolist(), strict=True):
            sums[of_host[host]] += rise
        self._changed.update([of_host[host] for host in set(hosts)])

    def hand_out(self, page: int, host: Host) -> None:
        """Count a page out that has its turn."""
        if self.is_on:
            self.note(page, host, 0)
            self._read[self._of_host[host.id]] += 1

    def offer(self, host: Host) -> None:
        """Let a host that is on offer offer its best page, which may be another than before."""
        if self.is_on and host.id < len(self._of_host):
            self._changed.add(self._of_host[host.id])

    def best(self, *, attempts: bool) -> int | None:
        """The page whose turn it is if a site has it; None if no page is on offer. attempts: as in
        `Frontier.best_page`."""
        for site in self._changed:
            before = int(-self._sums[site] / (1 + self._read[site])) << _ENTRY_BITS
            for host in [self._hosts[number] for number in self._hosts_of[site]]:
                entry = self._entry_of(host) if host.is_offered and not (host.opening or host.is_banned) else None
                if entry is not None:
                    self.offers.put(host, before + entry)
        self._changed.clear()
        return self.offers.best(attempts=attempts)

    def _know_hosts(self) -> None:
        for host in self._hosts[len(self._of_host) :]:
            site = self._numbers.setdefault(site_of(host.name), len(self._hosts_of))
            if site == len(self._hosts_of):
                self._hosts_of.append([])
                self._sums.append(0.0)
                self._read.append(0)
            self._hosts_of[site].append(host.id)
            self._of_host.append(site)

    def _worths_of(self, pages: Pages, priorities: IntArray) -> npt.NDArray[np.float32]:
        by_cash = self._by_cash(pages)
        worths = priorities if by_cash is None else by_cash
        return np.where((priorities > 0) & (priorities < FIRST), worths, 0).astype(np.float32)
