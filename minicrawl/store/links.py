"""Outlinks as bytes: 4 per target, little endian, in document order."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_TARGETS = np.dtype("<i4")


@dataclass(frozen=True)
class LinkGraph:
    """A link graph as CSR.

    sources: int64, shape (rows,), rising page numbers. indptr: int64, shape (rows + 1,). targets: int32,
    shape (links,): the outlinks of sources[k] are targets[indptr[k] : indptr[k + 1]].
    size: number of known pages, with or without links.
    """

    sources: npt.NDArray[np.int64]
    indptr: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    size: int

    def rows(self, rows: npt.NDArray[np.int64]) -> "LinkGraph":
        """The graph of some of its rows, given by rising index into `sources`."""
        starts, outdegrees = self.indptr[rows], np.diff(self.indptr)[rows]
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegrees)])
        places = np.repeat(starts - indptr[:-1], outdegrees) + np.arange(indptr[-1])
        return LinkGraph(self.sources[rows], indptr, self.targets[places], self.size)


def to_bytes(targets: npt.NDArray[np.int32]) -> bytes:
    return targets.astype(_TARGETS, copy=False).tobytes()


def from_bytes(blob: bytes) -> npt.NDArray[np.int32]:
    return np.frombuffer(blob, dtype=_TARGETS).astype(np.int32, copy=False)


def to_graph(rows: Iterable[tuple[int, bytes]], size: int) -> LinkGraph:
    """The graph of (source, targets) rows as they are stored."""
    sources: list[int] = []
    blobs: list[bytes] = []
    for source, blob in rows:
        sources.append(source)
        blobs.append(blob)
    outdegrees = np.fromiter((len(blob) for blob in blobs), dtype=np.int64, count=len(blobs)) // _TARGETS.itemsize
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegrees)])
    return LinkGraph(np.array(sources, dtype=np.int64), indptr, from_bytes(b"".join(blobs)), size)
