"""Outlinks of pages, and links that are not followed.

Outlinks are bytes, in document order: 4 a link, little endian, of which the lower 30 bits are its target, the
others its place.

A place is the number of a minicrawl.model.Place: a link's position on its page. A page whose links all have the same
place stores 0, as places only weigh links of a page against one another.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from minicrawl.model import Place
from minicrawl.store.declaration import Commit, PageId, PageIds, table
from minicrawl.store.spill import Spill
from minicrawl.store.tables import Subject

_LOOKED_AT = 10_000
_LINK = np.dtype("<u4")
_BITS = 30
_PAGE = np.uint32((1 << _BITS) - 1)
LAST_PLACE = 2
Places = npt.NDArray[np.uint8]


class PlacedLinks(NamedTuple):
    """The outlinks of one page. targets: int64, as which NumPy takes a third of the time for an index that it takes for
    int32; shape (links,). places: uint8, shape (links,); None: all alike."""

    targets: npt.NDArray[np.int64]
    places: Places | None = None


NOWHERE = PlacedLinks(np.zeros(0, dtype=np.int64))
"""No links."""


class LinkGraph(Struct, frozen=True):
    """A link graph as CSR.

    sources: int64, shape (rows,), rising page numbers. indptr: int64, shape (rows + 1,). targets: int32,
    shape (links,): the outlinks of sources[k] are targets[indptr[k] : indptr[k + 1]].
    size: number of known pages, with or without links. places: uint8, shape (links,): place of each link on its
    page, 0 for all links of a page where they are alike; None if they are alike on every page.
    """

    sources: npt.NDArray[np.int64]
    indptr: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    size: int
    places: Places | None = None

    def link_sources(self) -> npt.NDArray[np.int64]:
        """The page that every link comes from, rising, shape (links,)."""
        return np.repeat(self.sources, np.diff(self.indptr))

    def rows(self, rows: npt.NDArray[np.int64]) -> "LinkGraph":
        """The subgraph of some rows, given as rising indices into `sources`."""
        starts, outdegrees = self.indptr[rows], np.diff(self.indptr)[rows]
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegrees)])
        links = np.repeat(starts - indptr[:-1], outdegrees) + np.arange(indptr[-1])
        places = None if self.places is None else self.places[links]
        return LinkGraph(self.sources[rows], indptr, self.targets[links], self.size, places)


def linked(targets: Sequence[int], places: bytes) -> PlacedLinks:
    """The links to these pages, in document order. places: a byte each; b"": unknown."""
    are_alike = places.count(places[:1]) >= len(places)
    return PlacedLinks(np.array(targets, dtype=np.int64), None if are_alike else np.frombuffer(places, np.uint8))


def to_bytes(pages: npt.NDArray[np.integer]) -> bytes:
    """Pages, or links whose places are all alike."""
    return pages.astype(_LINK, copy=False).tobytes()


def from_bytes(blob: bytes) -> npt.NDArray[np.int32]:
    """Pages, or the targets of links."""
    return (np.frombuffer(blob, _LINK) & _PAGE).astype(np.int32)


def packed(links: PlacedLinks) -> bytes:
    """A page's links in their stored form."""
    targets, places = links
    return to_bytes(targets if places is None else targets | places.astype(np.int64) << _BITS)


def placed(blob: bytes) -> PlacedLinks:
    """A page's links from their stored form."""
    links = np.frombuffer(blob, _LINK)
    return PlacedLinks((links & _PAGE).astype(np.int64), _places(links))


def renumbered(blob: bytes, pages: npt.NDArray[np.int32]) -> bytes:
    """Stored links or pages with other numbers. pages: those, by their present ones."""
    links = np.frombuffer(blob, _LINK)
    return to_bytes(pages[links & _PAGE].astype(_LINK) | links & ~_PAGE)


def to_graph(rows: Sequence[tuple[int, bytes]], size: int) -> LinkGraph:
    """The graph of stored rows (source, targets)."""
    sources, blobs = [source for source, _ in rows], [targets for _, targets in rows]
    ends = np.cumsum(np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs))) // _LINK.itemsize
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), ends])
    links = np.frombuffer(b"".join(blobs), _LINK)
    return LinkGraph(np.array(sources, np.int64), indptr, (links & _PAGE).astype(np.int32), size, _places(links))


def _places(links: npt.NDArray[np.uint32]) -> Places | None:
    places = (links >> np.uint32(_BITS)).astype(np.uint8)
    return places if places.any() else None


class Links(NamedTuple):
    """Outlinks of a page that had its turn; an alias has its one target."""

    source: PageId
    targets: Annotated[PageIds, "distinct targets in document order; on top 2 bits: 0 text, 1 list, 2 navigation"]
    nofollow: Annotated[int, "targets not counted: rel=nofollow, ugc, sponsored"]
    refused: Annotated[int, "targets not counted: out of scope, filtered or refused"]
    own: Annotated[PageIds | None, "of an alias that is a page itself (canonical): its own outlinks"] = None
    leads_to: Annotated[str | None, "target of its redirect, meta refresh or canonical that was refused"] = None
    too_deep: Annotated[str | None, "JSON: linked URLs that only --max-depth keeps out"] = None
    malformed: Annotated[str | None, "JSON: the first of its links that are no URLs, as written"] = None


table(
    "links",
    "outlinks of read pages",
    Links,
    keys="source",
    indexes=(
        "links_refused ON links (source) WHERE leads_to IS NOT NULL",
        "links_too_deep ON links (source) WHERE too_deep IS NOT NULL",
    ),
    changed=Commit,
)


class LinkTable(Subject):
    """Reads the table `links`."""

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks at the last visit; empty when there was none."""
        row = self.row(page)
        return from_bytes(row.targets if row else b"")

    def row(self, page: int) -> Links | None:
        """The row of a page's outlinks; None when the page was never visited."""
        return self._tables.record(Links, "links WHERE source = ?", page)

    def graph(self) -> LinkGraph:
        """The graph of counted links as CSR, one row per visited page."""
        with self._tables.snapshot():
            targets = np.empty(self.count(), dtype=np.int32)
            places: Places | None = None
            sources, outdegrees, filled = [np.zeros(0, dtype=np.int64)], [np.zeros(1, dtype=np.int64)], 0
            for block in self.blocks():
                targets[filled : filled + len(block.targets)] = block.targets
                if block.places is not None:
                    places = np.zeros(len(targets), dtype=np.uint8) if places is None else places
                    places[filled : filled + len(block.targets)] = block.places
                filled += len(block.targets)
                sources.append(block.sources)
                outdegrees.append(np.diff(block.indptr))
            indptr = np.cumsum(np.concatenate(outdegrees))
            return LinkGraph(np.concatenate(sources), indptr, targets, self._tables.size(), places)

    def graph_of(self, pages: Sequence[int]) -> LinkGraph:
        """The outlinks of some pages, in rising order; pages never visited are left out."""
        some = "SELECT value FROM json_each(?)"
        query = f"SELECT source, targets FROM links WHERE source IN ({some}) ORDER BY source"
        return to_graph(self._tables.rows(query, (json.dumps(list(pages)),)), self._tables.size())

    def blocks(self, *, on_pages: bool = False) -> Iterator[LinkGraph]:
        """The graph by source, some thousand rows at a time. on_pages: an alias that is a page has its own links, as in
        the view `link_pairs`; a redirect has its target."""
        size, targets = self._tables.size(), "coalesce(own, targets)" if on_pages else "targets"
        query = f"SELECT source, {targets} FROM links ORDER BY source"
        return (to_graph(rows, size) for rows in self._tables.blocks(query, self._tables.sizes.link_rows))

    @contextmanager
    def kept_blocks(self) -> Iterator[Callable[[], Iterable[LinkGraph]]]:
        """A function that iterates the graph in blocks, repeatably; many links are kept on disk."""
        if self.count() <= self._tables.sizes.links:
            kept = list(self.blocks())
            yield lambda: kept
            return
        with Spill(self._tables.path.parent) as spill:
            for block in self.blocks():
                places = () if block.places is None else (block.places,)
                spill.append(0, (block.sources, block.indptr, block.targets, *places))
            size = self._tables.size()
            yield lambda: (LinkGraph(pages, ends, links, size, *more) for pages, ends, links, *more in spill.read(0))

    def count(self) -> int:
        return int(self._tables.value("SELECT coalesce(sum(length(targets) / 4), 0) FROM links"))

    def some_sources(self, page: int, n: int) -> list[int]:
        """Up to n pages with a counted link to `page`, found among the outlinks of some 20,000 pages.

        It searches the pages that became known soon after the first one with a link to it, and the earliest pages.
        """
        (found_on,) = self._tables.row("SELECT found_on FROM pages WHERE id = ?", page) or (0,)  # no row for a mirror
        query = f"""
            SELECT source, targets FROM (SELECT * FROM links WHERE source >= ? ORDER BY source LIMIT {_LOOKED_AT})
            WHERE instr(targets, ?) OR instr(targets, ?) OR instr(targets, ?)"""
        wanted = [packed(linked([page], bytes([place]))) for place in Place]
        found: dict[int, None] = {}
        for start in (found_on or 0, 0):
            rows = self._tables.rows(query, (start, *wanted)) if len(found) < n else []
            found |= dict.fromkeys(source for source, targets in rows if page in from_bytes(targets))
        return list(found)[:n]

    def aliases_of(self, page: int) -> list[int]:
        """The pages that stand for `page`, some of them for one another."""
        query = """
            WITH RECURSIVE aliases (page) AS (
                SELECT id FROM pages WHERE stands_for = ?
                UNION SELECT id FROM aliases JOIN pages ON stands_for = aliases.page
            )
            SELECT page FROM aliases ORDER BY page"""
        return [alias for (alias,) in self._tables.rows(query, (page,))]
