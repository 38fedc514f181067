"""Random graphs and cycles, and all distances by scipy."""

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
