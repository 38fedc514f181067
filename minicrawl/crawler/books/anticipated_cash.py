"""Cash expected by never visited pages: the sums behind the order by anticipated cash, letters as there.

A visit changes the places only of the pages that it gives cash and of their hosts: hosts whose first page may have
another key now are noted.
"""

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.urls.keys import site_of
from minicrawl.opic import GRANT, SEED_GRANTS, Adaptive, Ledger, Visit
from minicrawl.opic.anticipated import key, rate
from minicrawl.opic.arrays import Flags, IntArray, Pages, flagged, grown
from minicrawl.opic.units import damped, dampeds
from minicrawl.store.links import LinkGraph
from minicrawl.store.read.anticipated import AnticipatedHost, AnticipatedPage
from minicrawl.store.writer import Writer

_MOST = 2**62


class NotAnticipated:
    """Another order: deletes the sums of this one."""

    def save(self, writer: Writer) -> None:
        if writer.meta("anticipates"):
            writer.forget_anticipated()
            writer.save_meta({"anticipates": 0})


class AnticipatedCash:
    """x of every page; C, S, F and R of every host, by number. A part of the crawl that is saved."""

    def __init__(self, book: Adaptive, name_of: Callable[[int], str]) -> None:
        """name_of: the name of a host, by number."""
        self._book = book
        self._name_of = name_of
        self._owners: dict[int, str] = {}  # of hosts at either end of links between hosts
        self.host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)  # shared column
        self.brought: IntArray = np.zeros(0, dtype=np.int64)
        self.waiting, self.spent, self.foreign, self.visited = (np.zeros(0, dtype=np.int64) for _ in range(4))
        self._touched: set[int] = set()
        self._changed_pages: set[int] = set()
        self._changed_hosts: set[int] = set()

    def grow(self, size: int, host_of: npt.NDArray[np.int32]) -> None:
        """host_of: number of the host of each page; later writes to it count."""
        self.brought = grown(self.brought, size)
        self.host_of = host_of

    def grow_hosts(self, hosts: int) -> None:
        """Make room for hosts 0..hosts-1."""
        self.waiting, self.spent, self.foreign, self.visited = (
            grown(column, hosts) for column in (self.waiting, self.spent, self.foreign, self.visited)
        )

    def key(self, page: int, host: int) -> int:
        """The key of a never visited page of a host."""
        return key(self._book.standing.item(page), self.brought.item(page), self._rate(host))

    def take_touched(self) -> set[int]:
        """Hosts whose first page may have another key than at the last call."""
        hosts, self._touched = self._touched, set()
        return hosts

    # What happens to pages.

    def note_birth(self, page: int, host: int, *, is_seed: bool) -> None:
        """Note a new page, with its present cash."""
        if host >= len(self.waiting):
            self.grow_hosts(host + 1)
        cash = self._book.standing.item(page)
        self.waiting[host] += cash
        if is_seed:
            self.foreign[host] += cash
        self._note(host)

    def note_visit(self, visit: Visit) -> None:
        """Note that a page has spent its cash."""
        host = self.host_of.item(visit.page)
        self.spent[host] = min(self.spent.item(host) + visit.cash, _MOST)
        if visit.is_first:
            self.waiting[host] -= visit.cash
            self.visited[host] += 1
        if len(visit.credited):
            self._note_credit(host, visit)
        self._note(host)

    def forget_links(self, page: int, before: Pages, now: Pages) -> None:
        """Note changed links of a page. Cash brought by its lost links, by the history of the page, is not expected
        again."""
        host, gone = self.host_of.item(page), np.setdiff1d(before, now)
        each = damped(int(self._book.history[page])) // len(before)
        for target, at in zip(gone.tolist(), self.host_of[gone].tolist(), strict=True):
            if each and at != host and not self._is_same_site(at, host):
                taken = min(each, self.brought.item(target))
                self.brought[target] -= taken
                self.foreign[at] -= min(taken, self.foreign.item(at))
                self._changed_pages.add(target)
                self._note(at)

    def note_unvisited(self, page: int) -> None:
        """Make a visited page unvisited again."""
        host = self.host_of.item(page)
        self.waiting[host] += self._book.standing.item(page)
        self.visited[host] -= 1
        self._note(host)

    def _note_credit(self, host: int, visit: Visit) -> None:
        targets = visit.credited
        hosts, visited = self.host_of.take(targets), self._book.visited.take(targets)
        if isinstance(visit.each, int):
            waiting = visit.each * (len(targets) - int(np.count_nonzero(visited)))
        else:
            waiting = int(visit.each.sum(where=~visited))
        # Most links stay on their host: the few others are subtracted from its sum again, one by one.
        for at in (hosts != host).nonzero()[0].tolist():
            units = visit.each if isinstance(visit.each, int) else visit.each.item(at)
            waits = not visited.item(at)
            waiting -= units if waits else 0
            self._note_foreign(host, hosts.item(at), targets.item(at), units, waits=waits)
        self.waiting[host] += waiting

    def _note_foreign(self, source: int, host: int, page: int, units: int, *, waits: bool) -> None:
        """Note units for a page of another host."""
        if waits:
            self.waiting[host] += units
        if not self._is_same_site(source, host):
            self.foreign[host] += units
            if waits and units:
                self.brought[page] += units
                self._changed_pages.add(page)
        self._note(host)

    def _is_same_site(self, one: int, other: int) -> bool:
        """True if two hosts, by number, have one owner: a site may have many hosts."""
        return self._owner(one) == self._owner(other)

    def _owner(self, host: int) -> str:
        """The owner of a host; cached, as finding it takes longer than all other work for a link."""
        owner = self._owners.get(host)
        if owner is None:
            owner = self._owners[host] = site_of(self._name_of(host))
        return owner

    def _note(self, host: int) -> None:
        self._touched.add(host)
        self._changed_hosts.add(host)

    def _rate(self, host: int) -> float:
        return rate(self.waiting.item(host), self.spent.item(host), self.foreign.item(host), self.visited.item(host))

    # The store.

    def save(self, writer: Writer) -> None:
        """Write the changes since the last commit."""
        pages = sorted(self._changed_pages)
        rows = (AnticipatedPage(page, self.brought.item(page)) for page in pages)
        writer.save_anticipated(rows, map(self._row, sorted(self._changed_hosts)))
        writer.save_meta({"anticipates": 1})
        self._changed_pages.clear()
        self._changed_hosts.clear()

    def load(self, size: int, hosts: int, writer: Writer) -> None:
        """Load the store's sums, after all pages, some of which may have been given another turn."""
        self.count(size, hosts)
        for row in writer.anticipated.hosts():
            self.spent[row.host], self.foreign[row.host] = row.spent, row.brought
        for page in writer.anticipated.pages():
            self.brought[page.page] = page.brought

    def estimate(self, ledger: Ledger, is_seed: Flags, blocks: Iterable[LinkGraph], hosts: int) -> None:
        """Estimate the sums of a crawl that has kept none from the ledger, which counts in units of the cash book,
        except for the grants to seeds.

        is_seed: of every page. blocks: the links of all visited pages.
        """
        size = len(is_seed)
        self.count(size, hosts)
        grants = np.where(is_seed, SEED_GRANTS * GRANT, 0)
        np.add.at(self.foreign, self.host_of[:size], grants)
        np.add.at(
            self.spent, self.host_of[:size], np.where(self._book.visited[:size], ledger.forwarded[:size] + grants, 0)
        )
        for block in blocks:
            h = ledger.forwarded[block.sources] + grants[block.sources]
            passed, links = np.where(ledger.alias[block.sources], h, dampeds(h)), np.diff(block.indptr)
            each = np.repeat(passed // np.maximum(links, 1), links)
            is_foreign = self._are_foreign(np.repeat(block.sources, links), block.targets)
            np.add.at(self.brought, block.targets[is_foreign], each[is_foreign])
        np.add.at(self.foreign, self.host_of[:size], self.brought[:size])
        linked = np.maximum(self._book.standing[:size] - GRANT, 0)
        self.brought[:size] = np.where(self._book.visited[:size], 0, np.minimum(self.brought[:size], linked))
        self._changed_pages.update(np.flatnonzero(self.brought).tolist())
        self._changed_hosts.update(range(hosts))

    def _are_foreign(self, sources: Pages, targets: Pages) -> Flags:
        """True for links between different sites."""
        ends = (self.host_of[sources].astype(np.int64) << 32) | self.host_of[targets]
        pairs, of = np.unique(ends, return_inverse=True)
        hosts = ((pair >> 32, pair & 0xFFFF_FFFF) for pair in pairs.tolist())
        return np.array([one != other and not self._is_same_site(one, other) for one, other in hosts], dtype=np.bool_)[
            of
        ]

    def count(self, size: int, hosts: int) -> None:
        """Compute C and R of all hosts from pages 0..size-1."""
        self.grow_hosts(hosts)
        for sums, pages, units in (
            (self.waiting, flagged(~self._book.visited[:size]), self._book.standing),
            (self.visited, flagged(self._book.visited[:size]), np.broadcast_to(np.int64(1), size)),
        ):
            sums[:] = 0
            np.add.at(sums, self.host_of[pages], units[pages])

    def _row(self, host: int) -> AnticipatedHost:
        return AnticipatedHost(
            host,
            waiting=self.waiting.item(host),
            spent=self.spent.item(host),
            brought=self.foreign.item(host),
            visited=self.visited.item(host),
        )
