"""All data in memory per page: the book, its kind, depth, in-links; and its rows on disk."""

from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.late_turns import LateTurns
from minicrawl.model import NOTHING_READ, ReadShare, State
from minicrawl.opic import Book, Coverage
from minicrawl.opic.arrays import Flags, IntArray, Pages, flagged, grown
from minicrawl.opic.book import resend
from minicrawl.opic.coverage import PageKind
from minicrawl.opic.surfer import UNIFORM, Surfer
from minicrawl.store.links import NOWHERE, LinkGraph, PlacedLinks

LinkBlocks = Callable[[], Iterable[LinkGraph]]
"""Gives the links of all read pages, a block of rows at a time, on each call."""


class Accounts:
    """The accounts of every known page, and the set that the next commit writes."""

    def __init__(self, surfer: Surfer = UNIFORM) -> None:
        self.book = Book(surfer=surfer)
        self.coverage = Coverage(self.book)
        self.late_turns = LateTurns()
        self.coverage.prospects = self.late_turns.prospects
        self.least = 0.0
        """The highest `low` of `share` so far: later reads only raise it, until what is asked, or the web, changes."""
        self.told: ReadShare | None = None
        """The share of all partitions together, in one of them."""
        self.had_turn: Flags = np.zeros(0, dtype=np.bool_)
        self.turns = 0
        """Number of pages that had their turn."""
        self.depth: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self.inlinks: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        # Aliases in the longest chain that ever ended at a page.
        self.hops: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self.has_neighbours = False  # partitions, which may have changed pages here
        self.note_links: Callable[[int, PlacedLinks, PlacedLinks], None] | None = None
        """Called with a page's links at its turn, and those before, where sites count them."""
        self.note_moved: Callable[[Pages], None] | None = None
        """Called with pages whose cash has changed, not by a first turn, if the order depends on it."""
        # Pages, some more than once, whose whole row, or whose columns changed by links, the next commit writes.
        self._visited: list[Pages] = []
        self._credited: list[Pages] = []

    @property
    def size(self) -> int:
        return self.book.size

    def discover(self, depth: int, count: int = 1) -> range:
        """Make pages known, `depth` links from a seed."""
        born = self.book.discover(count)
        self.grow(born.stop)
        self.depth[born.start : born.stop] = depth
        return born

    def visit(
        self, page: int, outlinks: PlacedLinks, old: PlacedLinks = NOWHERE, kind: PageKind = PageKind.PAGE
    ) -> None:
        """Note a turn of `page`, which links to `outlinks` now and linked to `old` before."""
        if self.coverage.kind.item(page) == PageKind.PAGE and not (
            kind is PageKind.PAGE and np.array_equal(outlinks.targets, old.targets)
        ):
            self.begin_anew()
        self.turns += not self.had_turn.item(page)
        self._relink(page, outlinks, old, kind)
        self.had_turn[page] = True
        self.late_turns.note(self.size - self.book.mirrors, found_none=kind in (PageKind.NOTHING, PageKind.ALIAS))

    def take_share(self, stored: ReadShare) -> None:
        """Go on from the share in the store: nothing has changed since."""
        self.least, self.told = stored.low, self.told and stored

    def begin_anew(self) -> None:
        """Forget the share so far."""
        self.least, self.told = 0.0, self.told and NOTHING_READ

    def share(self) -> ReadShare:
        """The share of the importance that the pages read hold."""
        if self.told is not None:
            return self.told
        low, about, shown = self.coverage.shares()
        self.least = low = max(low, self.least)
        return ReadShare(low, max(low, about), max(low, shown))

    def relink(
        self, page: int, outlinks: PlacedLinks, old: PlacedLinks = NOWHERE, kind: PageKind = PageKind.PAGE
    ) -> None:
        """Note new links of `page` outside its turn."""
        self._relink(page, outlinks, old, kind)
        if self.note_moved is not None:
            self.note_moved(outlinks.targets)

    def _relink(self, page: int, outlinks: PlacedLinks, old: PlacedLinks, kind: PageKind) -> None:
        alias = kind is PageKind.ALIAS
        targets, before = outlinks.targets, old.targets
        self.revive(page)
        places, old_places = outlinks.places, old.places
        self.book.visit(page, targets, before, places=places, old_places=old_places, alias=alias)
        self.coverage.note(page, kind, leads=len(targets) > 0)
        if self.note_links is not None:
            self.note_links(page, outlinks, old)
        if len(before):
            if self.note_moved is not None:
                self.note_moved(before)
            self.inlinks[before] -= 1
            self._credited.append(before)
        if len(targets):
            self.inlinks[targets] += 1
            self.bring_nearer(page, targets)
            if alias:
                self.hops[targets] = np.maximum(self.hops[targets], self.hops[page] + 1)
                self._visited.append(targets)
        self._visited.append(np.array([page]))

    def reach(self, page: int) -> int:
        """Links from a seed to the targets of `page`."""
        return int(self.depth[page]) + (not self.book.alias[page])

    def begin_at(self, pages: Pages) -> None:
        """Note that these pages are seeds: their depth is 0."""
        self._credited.append(pages[self.depth[pages] > 0])
        self.depth[pages] = 0

    def bring_nearer(self, page: int, outlinks: Pages) -> None:
        """Lower the depth of the outlinks of `page` to one link more than its own."""
        self.depth[outlinks] = np.minimum(self.depth[outlinks], self.reach(page))
        self._credited.append(outlinks)

    def shorten(self, blocks: LinkBlocks) -> None:
        """Make the depth of every page the least over all paths along the links: a page with a lower depth lowers those
        it links to, round by round."""
        credited, is_nearer = self._no_pages(), ~self._no_pages()
        is_done = False
        while not is_done:
            is_done = True
            for block in blocks():
                rows = np.flatnonzero(is_nearer[block.sources])
                if not len(rows):
                    continue
                is_done = False
                links = block.rows(rows)
                is_nearer[links.sources] = False
                reach = self.depth[links.sources] + ~self.book.alias[links.sources]
                reach = np.repeat(reach.astype(np.int32), np.diff(links.indptr))
                is_shorter = reach < self.depth[links.targets]
                nearer = links.targets[is_shorter]
                np.minimum.at(self.depth, nearer, reach[is_shorter])
                is_nearer[nearer] = credited[nearer] = True
        self._credited.append(flagged(credited))

    def revive(self, page: int) -> None:
        """Note that a page may be there after all. Until it is requested, one that was not there holds nothing."""
        if self.book.gone[page] and not self.book.alias[page]:
            self.book.revive(page)

    def unvisit(self, page: int) -> None:
        """Make a page without links, which was given up, unvisited again, except for the cash it passed on."""
        self.coverage.note(page, PageKind.UNKNOWN)
        self.had_turn[page] = False
        self.turns -= 1
        self._visited.append(np.array([page]))

    def settle(self, graph: LinkGraph) -> None:
        """Make virtual visits, all at once, of the graph's sources along their stored links."""
        self.book.visit_many(graph.sources, graph.indptr, graph.targets, graph.places)
        self.coverage.note_change()
        self._visited.append(graph.sources)
        self._credited.append(graph.targets)

    def resend(self, blocks: LinkBlocks, twentieths: int) -> None:
        """Send along all links what the book's rule says, in place of what one with other `twentieths` said."""
        credited = self._no_pages()
        for links in blocks():
            resend(self.book, links.sources, links.indptr, links.targets, links.places, twentieths)
            credited[links.targets] = True
        self.coverage.note_change()
        self._credited.append(flagged(credited))

    def settle_fully(self, blocks: LinkBlocks, error: float) -> None:
        """Make rounds of virtual visits until the certified L1 error is at most `error`. Visits of a block use cash
        sent by those of the blocks before it."""
        if not self.coverage.knows_links:
            leads = self._no_pages()
            for block in blocks():
                leads[block.sources[np.diff(block.indptr) > 0]] = True
            self.coverage.note_links(leads)
        visited, credited, has_moved = self._no_pages(), self._no_pages(), True
        while has_moved and (least := self.book.least_worth(error)) is not None:
            has_moved = False
            for block in blocks():
                rows = self.book.unsettled(block.sources, least)
                if not len(rows):
                    continue
                has_moved = True
                links = block.rows(rows)
                self.book.visit_many(links.sources, links.indptr, links.targets, links.places)
                visited[links.sources] = credited[links.targets] = True
        self.coverage.note_change()
        self._visited.append(flagged(visited))
        self._credited.append(flagged(credited))

    def take_over(self, pages: Pages, received: IntArray) -> None:
        """Credit distinct pages with units that other partitions have gathered for them."""
        self.book.take_over(pages, received)
        if self.note_moved is not None:
            self.note_moved(pages[received < 0])
        self.coverage.note_change()
        self._credited.append(pages)

    def lengthen(self, pages: Pages, lengths: Pages) -> Pages:
        """Raise the chain lengths of some distinct pages. Returns the pages whose length grew."""
        is_longer: Flags = lengths > self.hops[pages]
        self.hops[pages] = np.maximum(self.hops[pages], lengths)
        self._visited.append(pages[is_longer])
        return pages[is_longer]

    def take_touched(self) -> tuple[Pages, Pages]:
        """Pages whose accounts changed since the last call, rising: those visited, and those only linked to."""
        visited, credited = self._no_pages(), self._no_pages()
        for flags, pages in ((visited, self._visited), (credited, self._credited)):
            for some in pages:
                flags[some] = True
            pages.clear()
        return flagged(visited), flagged(credited & ~visited)

    def _no_pages(self) -> Flags:
        return np.zeros(self.size, dtype=np.bool_)

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1 without making them known."""
        self.book.grow(size)
        self.had_turn = grown(self.had_turn, size)
        self.coverage.grow(size)
        self.depth = grown(self.depth, size)
        self.inlinks = grown(self.inlinks, size)
        self.hops = grown(self.hops, size)


@lru_cache(maxsize=32)  # a dozen values, used a million times
def kind_of(state: str, is_answered: bool) -> PageKind:
    """The kind of a page in this state. is_answered: its last turn brought an answer."""
    if state == State.ALIAS:
        return PageKind.ALIAS
    if state == State.FETCHED:
        return PageKind.PAGE
    return PageKind.NOTHING if is_answered and state != State.DISALLOWED else PageKind.UNKNOWN
