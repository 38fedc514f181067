"""Random graphs and cycles, all distances by scipy, and ranks by networkx."""

from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.rank import Graph


def random_graph(seed: int, size: int = 70, degree: int = 3) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_links([rng.integers(size, size=rng.integers(degree + 1)).tolist() for _ in range(size)])


def heavy_graph(seed: int, size: int) -> Graph:
    """With pages without links, links to oneself, links listed twice and heavy in-degrees."""
    rng = np.random.default_rng(seed)
    outdegree = rng.integers(0, 9, size) * (rng.random(size) > 0.2)
    return Graph.from_links([(size * rng.random(o) ** 3).astype(int).tolist() for o in outdegree])


def all_distances(graph: Graph) -> npt.NDArray[np.float64]:
    """By scipy, shape (size, size); inf where no path leads."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    distances: npt.NDArray[np.float64] = sparse.csgraph.shortest_path(matrix, unweighted=True)
    return distances


def cycle(n: int) -> list[list[int]]:
    return [[(page + 1) % n] for page in range(n)]


def as_lists(graph: Graph) -> list[list[int]]:
    return [some.tolist() for some in np.split(graph.targets, graph.indptr[1:-1])]


def ends(graph: Graph) -> list[tuple[int, int]]:
    """Source and target of every link."""
    return list(zip(graph.sources().tolist(), graph.targets.tolist(), strict=True))


def by_networkx(
    graph: Graph,
    damping: float = 0.85,
    preference: npt.NDArray[Any] | None = None,
    weights: npt.NDArray[Any] | None = None,
) -> list[float]:
    """PageRank; a link that is listed twice counts twice."""
    drawn: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
    drawn.add_nodes_from(range(graph.size))
    each = [1.0] * len(graph.targets) if weights is None else weights.tolist()
    drawn.add_weighted_edges_from((*link, weight) for link, weight in zip(ends(graph), each, strict=True))
    jump = None if preference is None else dict(enumerate(preference.tolist()))
    ranks = networkx.pagerank(drawn, damping, personalization=jump, tol=1e-15, max_iter=3000)
    return [ranks[page] for page in range(graph.size)]
