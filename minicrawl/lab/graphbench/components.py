"""Strong components while links are inserted: by closure, by merging, and anew. One is known by its lowest page."""

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.sequences import Links
from minicrawl.rank import Graph
from minicrawl.rank.components import strong_components

IntArray = npt.NDArray[np.int64]


def exact_components(graph: Graph) -> IntArray:
    """The lowest page of every page's strong component."""
    return _lowest(strong_components(graph).of)


def _lowest(of: npt.NDArray[np.integer]) -> IntArray:
    _, first, number = np.unique(of, return_index=True, return_inverse=True)
    lowest: IntArray = first[number]
    return lowest


class Closure:
    """Who reaches whom, a bit a pair.

    Invariant: bit y of reach[x] says whether x reaches y; lowest[x] is the lowest page that x reaches and is reached
    from.
    """

    def __init__(self, size: int) -> None:
        pages = np.arange(size)
        self._reach = np.zeros((size, -(-size // 64)), dtype=np.uint64)
        self._word, self._bit = pages // 64, np.uint64(1) << (pages % 64).astype(np.uint64)
        self._reach[pages, self._word] = self._bit
        self.lowest: IntArray = pages.copy()
        self.mergers = 0

    def insert(self, links: Links) -> None:
        """Insert links; counts the components that are lost to others."""
        for u, v in links.tolist():
            reaches_v = self._reaching(v)
            if reaches_v[u]:
                continue
            reaches_u = self._reaching(u)
            self._reach[reaches_u & ~reaches_v] |= self._reach[v]
            if reaches_u[v]:
                after_v = self._reach[v, self._word] & self._bit != 0
                merged = np.flatnonzero(after_v & reaches_u)
                self.mergers += len(np.unique(self.lowest[merged])) - 1
                self.lowest[merged] = self.lowest[merged].min()

    def _reaching(self, page: int) -> npt.NDArray[np.bool_]:
        """Which pages reach it."""
        reaching: npt.NDArray[np.bool_] = self._reach[:, self._word[page]] & self._bit[page] != 0
        return reaching


class Merged:
    """Strong components of a graph that only grows, without its links: those within a component are dropped.

    Invariant: the links kept, between components, have the components' graph.
    """

    def __init__(self, size: int) -> None:
        self.of: IntArray = np.arange(size)
        self.count = size
        self._links = np.zeros((2, 0), dtype=np.int64)

    def insert(self, sources: npt.NDArray[np.integer], targets: npt.NDArray[np.integer]) -> None:
        """Insert a batch of links."""
        ends = np.concatenate([self._links, [self.of[sources], self.of[targets]]], axis=1)
        between_sources, between_targets = _between(ends)
        found = strong_components(Graph.from_edges(between_sources, between_targets, self.count))
        self._links = _between(found.of[ends].astype(np.int64))
        self.of, self.count = found.of[self.of].astype(np.int64), found.count

    def lowest(self) -> IntArray:
        """The lowest page of every page's component."""
        return _lowest(self.of)


def _between(ends: IntArray) -> IntArray:
    """Links between two components, each once; rows sources and targets."""
    ends = ends[:, ends[0] != ends[1]]
    keys = np.unique(ends[0] << 32 | ends[1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF])
