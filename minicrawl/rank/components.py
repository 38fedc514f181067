"""Strong and weak components.

Two pages are in one strong component when each reaches the other along links; in one weak component when they
do so along links taken in either direction. Found by Pearce's form of Tarjan's algorithm (scipy), in time
proportional to pages and links.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.rank.graph import Graph


@dataclass(frozen=True, eq=False)
class Components:
    """The pages parted into components, numbered from 0.

    of: int32, shape (pages,): the component of every page. sizes: int64, shape (components,): pages in each.
    """

    of: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]

    @property
    def count(self) -> int:
        return len(self.sizes)

    def largest(self) -> npt.NDArray[np.int64]:
        """Pages of the largest component, rising; of equally large ones, the component with the first page."""
        if not self.count:
            return np.zeros(0, dtype=np.int64)
        is_largest = self.sizes == self.sizes.max()
        first = self.of[np.argmax(is_largest[self.of])]
        return np.flatnonzero(self.of == first)

    def share(self, some: npt.NDArray[np.integer], others: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """True where pages some[k] and others[k] are in one component."""
        same: npt.NDArray[np.bool_] = self.of[some] == self.of[others]
        return same


def strong_components(graph: Graph) -> Components:
    """The strong components of a graph."""
    return _components(graph, "strong")


def weak_components(graph: Graph) -> Components:
    """The weak components of a graph."""
    return _components(graph, "weak")


def subgraph(graph: Graph, pages: npt.NDArray[np.int64]) -> Graph:
    """The graph of some pages, rising, renumbered in that order; links to and from other pages are left out."""
    rows = _matrix(graph)[pages]
    inside = rows[:, pages].sorted_indices()
    return Graph(inside.indptr.astype(np.int64), inside.indices.astype(np.int32))


def _components(graph: Graph, connection: Literal["strong", "weak"]) -> Components:
    if not graph.size:
        return Components(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))
    # scipy loads its parts on first use.
    count, of = sparse.csgraph.connected_components(_matrix(graph), directed=True, connection=connection)
    return Components(of, np.bincount(of, minlength=count))


def _matrix(graph: Graph) -> "sparse.csr_array[np.int8]":
    ones = np.ones(len(graph.targets), dtype=np.int8)
    return sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
