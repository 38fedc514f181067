"""The sites that a crawl knows, and how much they trust each other: where its walkers jump to.

The links between sites are counted as pages have their turns, exactly, and every commit writes what has changed. Trust,
doors and what pages are born with are worked out anew when the crawl has grown by a twentieth, and when it ends.
"""

from collections.abc import Iterable
from typing import cast

import numpy as np

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored_births import JUMP, SHARED_OUT, jumps_to_sites
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.urls.keys import hostname, owner_of
from minicrawl.opic.arrays import FloatArray, IntArray, Pages, flagged
from minicrawl.opic.sites.births import SiteBirths, counted_doors
from minicrawl.opic.sites.graph import SiteGraph, Voices
from minicrawl.opic.sites.trust import door_weights, site_trust, vouchers
from minicrawl.settings import BY_SITES
from minicrawl.store.links import LinkGraph
from minicrawl.store.read.site_table import DoorRow, SiteRow, VoiceRow
from minicrawl.store.writer import Writer


class KnownSites:
    """Sites by number, from 1 on, and the links between them.

    Invariant: the graph has the links of all pages at their last turns that lead to other sites, and so has the store
    after a commit.
    """

    def __init__(self, accounts: Accounts, frontier: Frontier, writer: Writer) -> None:
        """The accounts and the hosts are as the store has them. Where its walkers jumped to all pages alike, the links
        of all pages are counted."""
        self._accounts = accounts
        self._frontier = frontier
        self.bounds_coverage = False
        self._graph = SiteGraph()
        self._births = SiteBirths()
        self._numbers: dict[str, int] = {}
        self._trust: FloatArray = np.zeros(1)
        self._vouchers: FloatArray = np.zeros(0)
        self._of_host: IntArray = np.zeros(0, dtype=np.int64)
        self._saved_hosts = 0
        self._fronts: list[int] = []
        self._turns: list[tuple[int, Pages, int]] = []
        self._voices: list[Voices] = []
        self._doors: set[int] = set()
        self._is_shared_out = False
        self._size_then = self._shared = 0
        accounts.note_links = self.note_links
        if jumps_to_sites(writer):
            self._births = cast(SiteBirths, accounts.ledger.rule)
            self._load(writer)
        else:
            self._count_links(writer)

    @property
    def is_due(self) -> bool:
        """Whether the crawl has grown by a twentieth since births were last shared out, by a hundredth where it ends by
        coverage, or has other seeds."""
        grown = 100 if self.bounds_coverage else 20
        return grown * self._size() > (grown + 1) * self._size_then

    def vouchers(self, name: str) -> float | None:
        """How many sites vouch for one that they link to, each as far as it is trusted; None: the site is new."""
        site = self._numbers.get(name, len(self._vouchers))
        return self._vouchers.item(site) if site < len(self._vouchers) else None

    def note_page(self, page: int, url: str) -> None:
        """A page has become known."""
        if is_front(url):
            self._fronts.append(page)
            self._doors.add(page)

    def note_seeds(self) -> None:
        """Seeds have been added while the crawl runs: trust begins at their sites, too, before it has grown."""
        self._size_then = 0

    def note_links(self, page: int, links: Pages, before: Pages) -> None:
        """The links of a page at its turn, and those that it had before."""
        if len(before):
            if np.array_equal(links, before):
                return
            self._turns.append((page, before, -1))
        if len(links):
            self._turns.append((page, links, 1))

    def work_out(self) -> None:
        """Work out trust, doors and births anew. Virtual visits pass on what that changes."""
        self._count_turns()
        accounts, births, known = self._accounts, self._births, slice(0, self._accounts.size)
        births.grow(accounts.size)
        site = self._of_host[self._frontier.pages.host_of[known]]
        voices, sites = self._graph.voices(), len(self._numbers) + 1
        entrances = accounts.depth[known] == 0
        roots = np.bincount(site[entrances], minlength=sites) > 0
        entrances[self._fronts] = True
        doors = counted_doors(door_weights(voices.site, voices.page, site, entrances))
        self._doors.update(flagged(births.door[known] != doors).tolist())
        births.site[known], births.door[known] = site, doors
        if not roots.any():
            roots[1:] = True
        start = np.append(self._trust, np.zeros(sites - len(self._trust)))
        pairs = self._graph.pairs(site)
        self._trust = site_trust(*pairs, roots, sites, start=start if start.any() else None)
        vouching = np.bincount(pairs.target, vouchers(self._trust)[pairs.source], minlength=sites)
        self._vouchers = vouching.astype(np.float64, copy=False)
        accounts.ledger.share_births_out(births, self._trust)
        accounts.coverage.note_change()
        self._size_then, self._shared, self._is_shared_out = self._size(), accounts.size, True

    def save(self, writer: Writer) -> None:
        """Write what has changed since the last commit; the rows of new hosts must be in the store. Nothing before
        births are shared out: until then all pages are born alike."""
        if self._accounts.ledger.are_born_alike:
            return
        self._count_turns()
        for voices in self._voices:
            writer.add_voices(map(VoiceRow._make, zip(*(column.tolist() for column in voices), strict=True)))
        self._voices.clear()
        hosts = range(self._saved_hosts, len(self._of_host))
        new = [(self._of_host.item(host), host) for host in hosts]
        some = None if self._is_shared_out else {site for site, _ in new}
        writer.save_sites(self._rows(some), new)
        self._saved_hosts = len(self._of_host)
        self._births.grow(self._accounts.size)
        fronts = set(self._fronts) if self._doors else set()
        weight = self._births.door
        doors = (DoorRow(page, page in fronts, weight.item(page)) for page in sorted(self._doors))
        writer.save_doors(doors)
        self._doors.clear()
        if self._is_shared_out:
            writer.save_meta({JUMP: BY_SITES, SHARED_OUT: self._shared})
        self._is_shared_out = False

    def _rows(self, some: set[int] | None) -> Iterable[SiteRow]:
        births, trust = self._births, self._trust
        for name, site in self._numbers.items():
            if some is None or site in some:
                known = site < len(trust)
                levels = (births.page_level.item(site), births.door_level.item(site)) if known else (1, 0)
                yield SiteRow(site, name, trust.item(site) if known else 0.0, *levels)

    def _count_turns(self) -> None:
        """Let the graph have the links of all turns since the last time."""
        self._know_hosts()
        if not self._turns:
            return
        pages, targets, signs = zip(*self._turns, strict=True)
        self._turns.clear()
        lengths = list(map(len, targets))
        linking = np.repeat(self._site_of(np.array(pages, dtype=np.int64)), lengths)
        linked = np.concatenate(targets).astype(np.int64)
        links = np.repeat(np.array(signs, dtype=np.int64), lengths)
        across = linking != self._site_of(linked)
        self._voices.append(self._graph.add(Voices(linked[across], linking[across], links[across])))

    def _site_of(self, pages: IntArray) -> IntArray:
        return self._of_host[self._frontier.pages.host_of[pages]]

    def _know_hosts(self) -> None:
        """Find the sites of new hosts."""
        names = (hostname(f"http://{host.name}/") for host in self._frontier.hosts[len(self._of_host) :])
        new = [self._numbers.setdefault(owner_of(name), len(self._numbers) + 1) for name in names]
        self._of_host = np.append(self._of_host, np.array(new, dtype=np.int64))

    def _size(self) -> int:
        """How far the crawl has come: pages known and pages that had their turn."""
        return self._accounts.size + self._accounts.book.payees

    def _load(self, writer: Writer) -> None:
        rows = writer.site_table.all()
        self._numbers = {row.name: row.id for row in rows}
        self._trust = np.array([0.0, *(row.trust for row in rows)])
        of_host = writer.site_table.of_hosts()
        self._saved_hosts = int(np.argmin(np.append(of_host, 0)))
        self._of_host = of_host[: self._saved_hosts]
        doors = writer.site_table.doors()
        self._fronts = doors[doors[:, 1] > 0, 0].tolist()
        self._graph.add(Voices(*writer.site_table.voices().T))

    def _count_links(self, writer: Writer) -> None:
        for page, url in enumerate(writer.page_table.urls()):
            self.note_page(page, url)
        for block in writer.link_table.blocks():
            self._note_block(block)
            self._count_turns()

    def _note_block(self, block: LinkGraph) -> None:
        for page, start, end in zip(block.sources.tolist(), block.indptr[:-1], block.indptr[1:], strict=True):
            self.note_links(page, block.targets[start:end], block.targets[:0])


def is_front(url: str) -> bool:
    """Whether a normalised URL is that of the front page of a host."""
    return url.find("/", 8) == len(url) - 1
