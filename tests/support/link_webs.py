"""Small graphs with closed forms, random ones, and all their distances by scipy."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.rank import Graph

Links = list[list[int]]


def random_graph(seed: int, size: int = 70, degree: int = 3) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_links([rng.integers(size, size=rng.integers(degree + 1)).tolist() for _ in range(size)])


def all_distances(graph: Graph) -> npt.NDArray[np.float64]:
    """By scipy, shape (size, size); inf where no path leads."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    distances: npt.NDArray[np.float64] = sparse.csgraph.shortest_path(matrix, unweighted=True)
    return distances


def cycle(n: int) -> Links:
    return [[(page + 1) % n] for page in range(n)]


def path(n: int) -> Links:
    return [[page + 1] for page in range(n - 1)] + [[]]


def star(n: int) -> Links:
    """A centre and n - 1 leaves, linked both ways."""
    return [list(range(1, n))] + [[0]] * (n - 1)


def complete(n: int) -> Links:
    return [[other for other in range(n) if other != page] for page in range(n)]


def dumbbell(n: int) -> Links:
    """Two cliques of n pages, and a bridge both ways between their last and first."""
    links = complete(n) + [[other + n for other in row] for row in complete(n)]
    links[n - 1].append(n)
    links[n].append(n - 1)
    return links
