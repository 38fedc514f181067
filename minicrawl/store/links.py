"""Outlinks as bytes, in document order: 4 a link, little endian, of which the lower 30 bits are its target, the others
its place.

A place is the number of a minicrawl.model.Place: a link's position on its page. A page whose links all have the same
place stores 0, as places only weigh links of a page against one another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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


@dataclass(frozen=True)
class LinkGraph:
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
