"""Sites, their entrances and voices, and their trust in one another: where random walkers jump to.

Links between sites are counted exactly at the turns of pages, and every commit writes the changes. Trust, voices and
birth cash are recomputed when the crawl has grown by a twentieth, and when it ends. In partitions, trust is computed
from the links of all of them, and comes from outside.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import cast

import numpy as np

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import JUMP, RULE, SHARED_BY, SHARED_OUT, VOICE_LEVEL, jumps_to_sites
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.sharing import SharedVoices
from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, flagged, slices
from minicrawl.opic.coverage import PageKind
from minicrawl.opic.sites import SiteBirths, SiteGraph, SiteLinks, SitePages, SiteShares, Voices, counts, entrances
from minicrawl.settings import BY_SITES
from minicrawl.store.links import PlacedLinks
from minicrawl.store.sites import DoorRow, SiteRow, VoiceRow
from minicrawl.store.writer import Writer
from minicrawl.web.urls.front import is_home
from minicrawl.web.urls.keys import site_of

_ALIKE = 0.3
"""Share of all trust that is alike at all sites that a voice speaks for, for the order of pages."""
_AGAIN = 3
"""Citations are counted again, by a look at all links, once a third of the turns are new, and at the end."""


class KnownSites:
    """Sites by number, from 1 on, and the links between them, of all pages at their last turns; so has the store after
    a commit. `shared`: voices handed over between partitions; None if the crawl has none."""

    def __init__(self, accounts: Accounts, frontier: Frontier, writer: Writer) -> None:
        """The accounts and the hosts are as in the store. If its walkers jumped to all pages alike, the links of all
        pages are counted."""
        self._accounts = accounts
        self._frontier = frontier
        self._graph = SiteGraph()
        self._births = SiteBirths()
        self._numbers: dict[str, int] = {}
        self._trust: FloatArray = np.zeros(1)
        self._voice: IntArray = np.zeros(1, dtype=np.int64)
        self._whole = np.zeros(1, dtype=np.int64)
        self._elsewhere: dict[int, int] = {}  # what mirrors stand for that are aliases at their homes
        self._ends_elsewhere: dict[int, int] = {}  # of these, the sites of the pages that they stand for
        self._vouchers, self._heard, self._homes = np.zeros(0), np.zeros(0, dtype=np.bool_), 0.0
        self._of_host: IntArray = np.zeros(0, dtype=np.int64)
        self._saved_hosts = self._saved_sites = 0
        self._fronts: set[int] = set()
        self._turns: list[tuple[int, Pages, IntArray]] = []
        self._voices: list[Voices] = []
        self._doors: set[int] = set()
        self._recited: list[Pages] = []
        self._turns_cited = accounts.turns if writer.meta(SHARED_BY) == RULE else 0
        self._saved_births = accounts.book.shared_out
        self.size_then = 0
        """The size when births were last shared out, in a partition by all; 0 if they were not, or seeds are new."""
        self._blocks, self._page_table = writer.link_table.blocks, writer.page_table
        accounts.note_links = self.note_links
        stored = writer.site_table.voices()
        self.shared = SharedVoices(stored) if writer.meta("partitions") is not None else None
        frontier.pages.early = self.early
        if jumps_to_sites(writer):
            self._births = cast(SiteBirths, accounts.book.rule)
            self._load(writer, stored[stored[:, 1] > 0])
        else:
            self._count_links(writer)

    @property
    def is_due(self) -> bool:
        """True if the crawl has grown enough since births were last shared out, or has other seeds; never in a
        partition."""
        coverage = self._accounts.coverage
        return self.shared is None and is_grown(self.size, self.size_then, ends_by_coverage=coverage.ends_crawl)

    @property
    def size(self) -> int:
        """Size of the crawl: pages known at home plus pages that had their turn."""
        return self._accounts.size - self._accounts.book.mirrors + self._accounts.turns

    def vouchers(self, name: str) -> float | None:
        """Number of sites that vouch for one by links, weighed by their trust; None: the site is new."""
        site = self._numbers.get(name, len(self._vouchers))
        return self._vouchers.item(site) if site < len(self._vouchers) else None

    def note_page(self, page: int, url: str) -> None:
        if is_home(url):
            self._fronts.add(page)
            self._doors.add(page)

    def note_links(self, page: int, links: PlacedLinks, before: PlacedLinks) -> None:
        """Note the links of a page at its turn, and those that it had before."""
        old, new = (counts(placed.places, len(placed.targets)) for placed in (before, links))
        if np.array_equal(before.targets, links.targets) and np.array_equal(old, new):
            return  # as most pages that are read again
        for placed, count in ((before, -old), (links, new)):
            if len(placed.targets):
                self._turns.append((page, placed.targets, count))

    def begin(self) -> None:
        """Compute trust at the start of a crawl, unless a partition has it already."""
        is_shared_out = self.shared is not None and self._trust.any()
        if not is_shared_out:
            self.work_out()
        if self.shared is not None:
            self.size_then = self.size if is_shared_out else 0

    def work_out(self, *, exactly: bool = False) -> None:
        """Recompute trust, voices and births. Virtual visits pass on the changes. exactly: count all citations anew."""
        pages, folded = self._site_pages()
        self._share_out(pages.links(list(self._numbers), folded).shares(), pages, folded, exactly=exactly)

    def links(self) -> SiteLinks:
        """All sites by number, and the links between them."""
        pages, folded = self._site_pages()
        return pages.links(list(self._numbers), folded)

    def named_aliases(self) -> dict[int, int]:
        """The aliases here that other partitions link to, with the pages that they stand for."""
        assert self.shared is not None, "the crawl has partitions"
        stands_for, known = self._stands_for(), slice(0, self._accounts.size)
        self.shared.grow(known.stop)
        named = self._accounts.book.alias[known] & self._is_at_home() & self.shared.is_named[known]
        return {page: stands_for.item(page) for page in flagged(named).tolist()}

    def note_elsewhere(self, aliases: Mapping[int, tuple[int, str]]) -> bool:
        """Note the mirrors that are aliases, all of them, each with a page that stands for the same and the name of the
        site of that. Returns True if they were known."""
        before = self._elsewhere, self._ends_elsewhere
        self._elsewhere = {page: end for page, (end, _) in aliases.items()}
        self._ends_elsewhere = {
            end: self._numbers.setdefault(name, len(self._numbers) + 1) for end, name in aliases.values()
        }
        return (self._elsewhere, self._ends_elsewhere) == before

    def _stands_for(self) -> IntArray:
        return self._page_table.stands_for(self._accounts.size, self._elsewhere)

    def _site_pages(self) -> tuple[SitePages, SiteGraph]:
        """The pages, and the folded graph of their links, with those of all turns so far."""
        self._count_turns()
        accounts, known, site = self._accounts, slice(0, self._accounts.size), self._sites_of_all()
        book, at_home, stands_for = accounts.book, self._is_at_home(), self._stands_for()
        end = site.copy()
        end[list(self._ends_elsewhere)] = list(self._ends_elsewhere.values())
        seed, read = at_home & (accounts.depth[known] == 0), accounts.coverage.kind[known] == PageKind.PAGE
        doors = seed.copy()
        doors[list(self._fronts)] = True
        alias, gone = book.alias[known] & at_home, book.gone[known]
        found = entrances(flagged(doors & at_home), stands_for, site, seed, read, gone)
        inlinks = accounts.inlinks[known].astype(np.int64)
        pages = SitePages(site, stands_for, end[stands_for], seed, found, read, inlinks, alias, gone)
        return pages, pages.folded(self._graph)

    def share_out(self, shares: SiteShares, *, exactly: bool = False) -> None:
        """Share births out by the shares of sites, ordered as in `links`; newer sites have none. exactly: as in
        `work_out`."""
        self._share_out(shares, *self._site_pages(), exactly=exactly)

    def _share_out(self, shares: SiteShares, pages: SitePages, folded: SiteGraph, *, exactly: bool) -> None:
        accounts, births, known = self._accounts, self._births, slice(0, self._accounts.size)
        more = len(self._numbers) + 1 - len(shares.trust)
        self._trust, self._voice = np.append(shares.trust, np.zeros(more)), shares.voice
        self._whole = shares.whole
        voices = self._voices_for(pages, folded)
        births.grow(accounts.size)
        self._doors.update(
            flagged((births.entrance[known] != pages.entrance) | (births.voices[known] != voices)).tolist()
        )
        births.site[known], births.entrance[known], births.voices[known] = pages.site, pages.entrance, voices
        if exactly or _AGAIN * (accounts.turns - self._turns_cited) > accounts.turns:
            self._cite(pages)
        self._vouchers, self._heard = shares.vouchers, np.append(True, shares.heard[1:])
        self._homes, before = shares.homes, accounts.book.twentieths
        accounts.book.share_births_out(births, shares._replace(trust=self._trust))
        if before != births.twentieths:
            accounts.resend(self._blocks, before)
        accounts.coverage.note_change()
        self.size_then = self.size

    def _cite(self, pages: SitePages) -> None:
        """Count the citations of all pages, by all committed links."""
        citations = np.zeros(len(pages.site), dtype=np.int64)
        for links in self._blocks():
            np.add.at(citations, pages.citations(links.sources, links.indptr, links.targets, links.places), 1)
        self._recited.append(self._births.cite(citations))
        self._turns_cited = self._accounts.turns

    def early(self) -> FloatArray:
        """Units that pages have more for their order, shape (accounts.size,), as if _ALIKE of all trust were alike at
        all sites that may answer and that a voice names, or new: their first pages come early, a farm's do not."""
        self._know_hosts()
        size, book = self._accounts.size, self._accounts.book
        site, host_of = self._sites_of_all(), self._frontier.pages.host_of[:size]
        self._births.grow(size)
        may_answer = np.array([host.answers is not False for host in self._frontier.hosts], dtype=np.bool_)
        heard = np.append(self._heard, np.ones(len(self._numbers) + 1 - len(self._heard), dtype=np.bool_))
        there = may_answer[host_of] & ~(book.gone | book.alias)[:size] & heard[site]
        entrance = self._births.entrance[:size].copy()
        entrance[list(self._fronts)] = True
        entrance &= there
        pages, entrances = np.bincount(site, there), np.bincount(site, entrance)
        # Where sites hold less than they share, as in a partition, each unit stands for much cash.
        each = _ALIKE / (1.0 - _ALIKE) * min(self._homes, book.births) / max(int(np.count_nonzero(pages)), 1)
        return each / 2.0 * (there / np.maximum(pages, 1.0)[site] + entrance / np.maximum(entrances, 1.0)[site])

    def count_voices(self) -> None:
        """Count the voices for all pages, as of when births were last shared out: the next hand-over tells the homes of
        mirrors theirs."""
        self._voices_for(*self._site_pages())

    def _voices_for(self, pages: SitePages, folded: SiteGraph) -> IntArray:
        """The voices for each page, in VOICE_UNITs, 0 for a mirror."""
        size = len(self._numbers) + 1
        voice = np.append(self._voice, np.zeros(size - len(self._voice), dtype=np.int64))
        whole = np.append(self._whole, np.arange(len(self._whole), size))
        counts = folded.voices_for(pages.end, voice, whole)
        if self.shared is not None:
            at_home = self._is_at_home()
            mirrors = flagged(~at_home)
            self.shared.grow(len(counts))
            self.shared.note(mirrors, counts[mirrors])
            # A partition that does not know the page that an alias stands for gives its voices to the alias.
            ends = np.where(at_home[pages.stands_for], pages.stands_for, np.arange(len(counts)))
            np.add.at(counts, ends[at_home], self.shared.heard[: len(counts)][at_home])
            counts[mirrors] = 0
        return np.maximum(counts, 0)

    def save(self, writer: Writer) -> None:
        """Write the changes since the last commit; the rows of new hosts must be in the store. Writes nothing before
        births are shared out: until then all pages are born alike."""
        if self._accounts.book.are_born_alike:
            return
        self._count_turns()
        for voices in self._voices:
            writer.add_voices(map(VoiceRow._make, zip(*(column.tolist() for column in voices), strict=True)))
        self._voices.clear()
        if self.shared is not None:
            writer.add_voices(map(VoiceRow._make, self.shared.take_changed()))
        hosts = range(self._saved_hosts, len(self._of_host))
        has_new_births = self._saved_births != self._accounts.book.shared_out
        writer.put(SiteRow, self._rows(0 if has_new_births else self._saved_sites))
        writer.update("hosts", ["site"], ((self._of_host.item(host), host) for host in hosts))
        self._saved_hosts, self._saved_sites = len(self._of_host), len(self._numbers)
        self._births.grow(self._accounts.size)
        entrance, voice, fronts, doors = self._births.entrance, self._births.voices, self._fronts, sorted(self._doors)
        changed = [DoorRow(page, page in fronts, entrance.item(page), voice.item(page)) for page in doors]
        writer.put(DoorRow, (door for door in changed if any(door[1:])))
        writer.remove(DoorRow, ((door.page,) for door in changed if not any(door[1:])))  # it was a door before
        self._doors.clear()
        for pages in self._recited:
            writer.update("pages", ["cited"], zip(self._births.cited[pages].tolist(), pages.tolist(), strict=True))
        self._recited.clear()
        if has_new_births:
            births, self._saved_births = self._births, self._accounts.book.shared_out
            shared = {SHARED_OUT: births.shared, VOICE_LEVEL: births.voice_level, SHARED_BY: RULE}
            writer.save_meta({JUMP: BY_SITES, **shared})

    def _rows(self, first: int) -> Iterable[SiteRow]:
        """The rows of all sites but the `first` ones."""
        columns = self._trust, self._voice, self._births.page_level, self._births.entrance_level
        for name, site in islice(self._numbers.items(), first, None):
            known = site < len(self._voice)
            yield SiteRow(site, name, *([column.item(site) for column in columns] if known else (0.0, 0, 1, 0)))

    def _count_turns(self) -> None:
        """Add the links of all turns since the last call to the graph."""
        self._know_hosts()
        if not self._turns:
            return
        pages, targets, links = zip(*self._turns, strict=True)
        self._turns.clear()
        lengths = list(map(len, targets))
        linking = np.repeat(self._site_of(np.array(pages, dtype=np.int64)), lengths)
        linked = np.concatenate(targets).astype(np.int64)
        across = linking != self._site_of(linked)
        self._voices.append(self._graph.add(Voices(linked[across], linking[across], np.concatenate(links)[across])))

    def _site_of(self, pages: IntArray) -> IntArray:
        return self._of_host[self._frontier.pages.host_of[pages]]

    def _know_hosts(self) -> None:
        if owners := [site_of(host.name) for host in self._frontier.hosts[len(self._of_host) :]]:
            new = [self._numbers.setdefault(owner, len(self._numbers) + 1) for owner in owners]
            self._of_host = np.append(self._of_host, np.array(new, dtype=np.int64))

    def _sites_of_all(self) -> IntArray:
        return self._of_host[self._frontier.pages.host_of[: self._accounts.size]]

    def _is_at_home(self) -> Flags:
        """False for mirrors."""
        return ~self._accounts.book.is_mirror(slice(0, self._accounts.size))

    def _load(self, writer: Writer, voices: IntArray) -> None:
        rows = writer.site_table.all()
        self._numbers = {row.name: row.id for row in rows}
        self._saved_sites = len(rows)
        self._trust = np.array([0.0, *(row.trust for row in rows)])
        self._voice = np.array([0, *(row.voice for row in rows)], dtype=np.int64)
        of_host = writer.site_table.of_hosts()
        self._saved_hosts = int(np.argmin(np.append(of_host, 0)))
        self._of_host = of_host[: self._saved_hosts]
        self._fronts = {page for (page,) in writer.rows("SELECT page FROM doors WHERE is_front")}
        for some in slices(len(voices)):
            self._graph.add(Voices(*voices[some].T))

    def _count_links(self, writer: Writer) -> None:
        for page, url in enumerate(writer.page_table.urls()):
            self.note_page(page, url)
        self._know_hosts()
        site = self._sites_of_all()
        for block in writer.link_table.blocks():
            self._voices.append(self._graph.add_links(site, block.sources, block.indptr, block.targets, block.places))


def is_grown(size: int, size_then: int, *, ends_by_coverage: bool) -> bool:
    """True if a crawl has grown by a twentieth since births were last shared out; by a hundredth if it ends by
    coverage."""
    grown = 100 if ends_by_coverage else 20
    return grown * size > (grown + 1) * size_then
