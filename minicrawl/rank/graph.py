"""A link graph for link analysis: pages are integers 0..size-1, links are two arrays (CSR)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.opic.arrays import Pages


@dataclass(frozen=True, eq=False)
class Graph:
    """The outlinks of every page.

    indptr: int64, shape (size + 1,). targets: int32, shape (links,): page i links to
    targets[indptr[i] : indptr[i + 1]]. A target listed twice gets two shares; a page may list itself.
    """

    indptr: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]

    @classmethod
    def from_links(
        cls, links: Mapping[int, Sequence[int]] | Sequence[Sequence[int]], size: int | None = None
    ) -> "Graph":
        """The graph in which page i links to links[i].

        size: number of pages, by default len(links); those that a mapping leaves out have no links.
        """
        rows = links.items() if isinstance(links, Mapping) else enumerate(links)
        edges = [(source, target) for source, targets in rows for target in targets]
        sources, targets = np.array(edges, dtype=np.int64).reshape(-1, 2).T
        return cls.from_edges(sources, targets, len(links) if size is None else size)

    @classmethod
    def from_edges(cls, sources: npt.NDArray[np.integer], targets: npt.NDArray[np.integer], size: int) -> "Graph":
        """The graph with links sources[k] -> targets[k], both of shape (links,) and numbers below `size`.

        The links of a page keep their order.
        """
        for ends in (sources, targets):
            if len(ends) and not 0 <= ends.min() <= ends.max() < size:
                raise ValueError(f"the pages of a graph of size {size} are 0 to {size - 1}; a link leaves it")
        outdegree = np.bincount(sources, minlength=size)
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegree, dtype=np.int64)])
        return cls(indptr, targets[np.argsort(sources, kind="stable")].astype(np.int32))

    @property
    def size(self) -> int:
        """Number of pages."""
        return len(self.indptr) - 1

    def outdegrees(self) -> npt.NDArray[np.int64]:
        """Number of links of every page, shape (size,)."""
        return np.diff(self.indptr)

    def sources(self) -> npt.NDArray[np.int64]:
        """The page that every link comes from, rising, shape (links,)."""
        return np.repeat(np.arange(self.size), self.outdegrees())

    def dangling(self) -> npt.NDArray[np.int64]:
        """Pages without links, rising."""
        return np.flatnonzero(self.outdegrees() == 0)

    def transition(self, weights: npt.NDArray[np.float64] | None = None) -> "sparse.csc_array[np.float64]":
        """Transition matrix M of a walker's step, shape (size, size): M @ x is x one step later.

            M[j, i] = (weight of the links i -> j) / (weight of the links of i)

        weights: one per link in the order of `targets`, none negative; None: 1 each. A column sums to 1, or to 0 if
        all links of the page weigh 0.
        """
        shape = (self.size, self.size)
        outdegree = self.outdegrees()
        if weights is None:
            share = np.repeat(1.0 / np.maximum(outdegree, 1), outdegree)
        else:
            share = self.checked(weights)
            adjacency = sparse.csr_array((share, self.targets, self.indptr), shape=shape)
            total: npt.NDArray[np.float64] = adjacency.sum(axis=1)
            share = share / np.repeat(np.where(total > 0.0, total, 1.0), outdegree)
        return sparse.csr_array((share, self.targets, self.indptr), shape=shape).T

    def reverse(self, weights: npt.NDArray[np.float64] | None = None) -> tuple["Graph", npt.NDArray[np.float64] | None]:
        """The graph with every link reversed, the inlinks of a page in rising order, and their weights.

        None: as before, 1 each.
        """
        # Ones as bytes: a sum of many would overflow, but a conversion sums nothing.
        carried = np.ones(len(self.targets), dtype=np.int8) if weights is None else self.checked(weights)
        turned = sparse.csr_array((carried, self.targets, self.indptr), shape=(self.size, self.size)).tocsc()
        graph = Graph(turned.indptr.astype(np.int64), turned.indices.astype(np.int32))
        return graph, None if weights is None else turned.data

    def checked(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Weights as float64. Raises ValueError unless there is one per link, none negative."""
        checked = np.asarray(weights, dtype=np.float64)
        if checked.shape != self.targets.shape or not (checked >= 0.0).all() or not np.isfinite(checked.sum()):
            raise ValueError(f"weights must be {len(self.targets)} numbers, one per link, none negative")
        return checked


def linking_domains(graph: Graph, site: Pages, domain: Pages, sites: int) -> npt.NDArray[np.int64]:
    """Number of domains, other than its own, with a link to each site; shape (sites,).

    site: number of each page's site: hosts, registrable domains or any other division of the pages. domain: that of
    every page, a coarser division than `site` or the same: an owner of many hosts has one voice.
    """
    pages = graph.sources()
    leaves = domain[pages] != domain[graph.targets]
    voices = np.unique(domain[pages[leaves]].astype(np.int64) * sites + site[graph.targets[leaves]])
    return np.bincount(voices % max(sites, 1), minlength=sites)
