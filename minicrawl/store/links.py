"""Outlinks as bytes, in document order: 4 per target, little endian; 2 bits for the place of each, the first lowest.

A place is the number of a minicrawl.model.Place: a link's position on its page. A page whose links all have the same
place stores none, as places only weigh links of a page against one another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_TARGETS = np.dtype("<i4")
_IN_BYTE = np.array([0, 2, 4, 6], dtype=np.uint8)
_PLACE = np.uint8(3)
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


def to_bytes(targets: npt.NDArray[np.integer]) -> bytes:
    return targets.astype(_TARGETS, copy=False).tobytes()


def from_bytes(blob: bytes) -> npt.NDArray[np.int32]:
    return np.frombuffer(blob, dtype=_TARGETS).astype(np.int32, copy=False)


def places_to_bytes(places: Places | None) -> bytes | None:
    """The places of a page's links, 2 bits each; None where all are alike."""
    whole = b"" if places is None else places.tobytes()
    if whole.count(whole[:1]) >= len(whole):
        return None
    # Every fourth place as the bytes of one number: NumPy takes seven times as long for the links of most pages.
    fourths = (int.from_bytes(whole[first::4], "little") << 2 * first for first in range(4))
    return sum(fourths).to_bytes(-(-len(whole) // 4), "little")


def places_from_bytes(blob: bytes) -> Places:
    """Unpack places, four a byte; up to three at the end are padding, 0."""
    places: Places = np.frombuffer(blob, dtype=np.uint8)[:, np.newaxis] >> _IN_BYTE
    places &= _PLACE
    return places.ravel()


def are_places(blob: bytes, links: int) -> bool:
    """True if the bytes are valid places of `links` links."""
    places = places_from_bytes(blob)
    return len(places) == links + -links % 4 and not (places[:links] > LAST_PLACE).any()


def placed(targets: bytes, places: bytes | None) -> PlacedLinks:
    """A page's links from their stored form."""
    links = from_bytes(targets).astype(np.int64)
    return PlacedLinks(links, None if places is None else places_from_bytes(places)[: len(links)])


def to_graph(rows: Sequence[tuple[int, bytes, bytes | None]], size: int) -> LinkGraph:
    """The graph of stored rows (source, targets, places)."""
    sources, blobs = [source for source, _, _ in rows], [targets for _, targets, _ in rows]
    outdegrees = np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs)) // _TARGETS.itemsize
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegrees)])
    places = _places_of_rows([places for _, _, places in rows], outdegrees)
    return LinkGraph(np.array(sources, dtype=np.int64), indptr, from_bytes(b"".join(blobs)), size, places)


def _places_of_rows(packed: Sequence[bytes | None], outdegrees: npt.NDArray[np.int64]) -> Places | None:
    """The concatenated places of many pages' links."""
    if packed.count(None) == len(packed):
        return None
    whole = [bytes(-(-links // 4)) if some is None else some for some, links in zip(packed, outdegrees, strict=True)]
    lengths = 4 * np.fromiter(map(len, whole), dtype=np.int64, count=len(whole))
    # Each page's places begin with a new byte; the padding behind them is left out.
    ends = np.cumsum(lengths)
    first_of_row = np.repeat(ends - lengths, outdegrees) - np.repeat(np.cumsum(outdegrees) - outdegrees, outdegrees)
    return places_from_bytes(b"".join(whole))[first_of_row + np.arange(len(first_of_row))]
