"""Links in the order of insertion: of the twelve graphs of the document's appendix C, and of files."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.rank import Graph
from minicrawl.rank.distances import distances_from
from minicrawl.rank.graph_stats import subgraph

Links = npt.NDArray[np.int32]
"""Insertions in order, shape (m, 2): source and target."""
Pages = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Insertions:
    """Links among `size` pages, in the order of insertion."""

    name: str
    size: int
    links: Links

    def graph(self, count: int) -> Graph:
        """The graph of the first `count` links."""
        sources, targets = self.links[:count].T
        return Graph.from_edges(sources, targets, self.size)


@dataclass(frozen=True, eq=False)
class Follower:
    """A graph that grows, and what an algorithm knows of it.

    insert: takes the next links, and returns the number of updates, None if not counted. answer: takes pages x and
    pages y, both of shape (k,), and returns a number for each two (`algorithms`). memory: bytes of all arrays.
    """

    insert: Callable[[Links], int | None]
    answer: Callable[[Pages, Pages], npt.ArrayLike]
    memory: int


def appendix(name: str, rng: np.random.Generator) -> Insertions:
    """One of APPENDIX, with the pages and links of the document's. Its roads and checks are drawn."""
    size, links, draw = APPENDIX[name]
    return Insertions(name, size, draw(size, links, rng))


def sparse_links(size: int, links: int, rng: np.random.Generator) -> Links:
    """So many of the links between different pages, each once, in random order; size * (size - 1) are all of them."""
    sources, steps = np.divmod(rng.permutation(size * (size - 1))[:links], size - 1)
    return np.stack([sources, (sources + 1 + steps) % size], axis=1).astype(np.int32)


def cubic(size: int, links: int, rng: np.random.Generator) -> Links:
    """A sequence of 4/3 n - 3 links that makes (k - 1)**2 * (3 k + 2) / 2 updates, k = n / 3: after Ausiello et al.

    A chain x1 -> .. -> xk, and one of twice as many pages, y1 -> .. -> y2k. Then xk links to y1, to y2 and so on to
    y(k-1): the i-th of these brings the 2 k + 1 - i pages from yi on closer to all xs.

        sum for i = 1 .. k - 1 of (k - 1) * (2 k + 1 - i)  =  (k - 1)**2 * (3 k + 2) / 2

    are the updates at pages other than xk, whose link it is: 1,479,951 for n = 300. The chains grow at their front,
    where a link brings nothing closer to any page but its own.
    """
    k = size // 3
    x, y = np.arange(k), k + np.arange(2 * k)
    chains = [np.stack([chain[:-1], chain[1:]], axis=1)[::-1] for chain in (x, y)]
    shortcuts = np.stack([np.full(k - 1, x[-1]), y[: k - 1]], axis=1)
    return np.concatenate([*chains, shortcuts]).astype(np.int32)


def road(size: int, links: int, rng: np.random.Generator) -> Links:
    """Crossings on a grid, and `links` / 2 streets between neighbours, each either way; in random order.

    All crossings reach each other, and distances are long, as in a net of roads. The last row may be shorter.
    """
    side, crossings = int(size**0.5), np.arange(size)
    right = crossings[(crossings % side < side - 1) & (crossings + 1 < size)]
    down = crossings[crossings + side < size]
    ends = np.concatenate([np.stack([right, right + 1]), np.stack([down, down + side])], axis=1)
    ends = rng.permutation(ends, axis=1)
    order = sparse.csr_array((np.arange(1, len(ends[0]) + 1), (ends[0], ends[1])), shape=(size, size))
    of_tree = sparse.csgraph.minimum_spanning_tree(order).data.astype(np.int64) - 1
    others = np.setdiff1d(np.arange(len(ends[0])), of_tree)
    streets = ends[:, np.concatenate([of_tree, others])[: links // 2]]
    return rng.permutation(np.concatenate([streets, streets[::-1]], axis=1).T).astype(np.int32)


_Draw = Callable[[int, int, np.random.Generator], Links]
APPENDIX: dict[str, tuple[int, int, _Draw]] = {
    "a1500": (1500, 1997, cubic),
    "a300": (300, 397, cubic),
    "a900": (900, 1197, cubic),
    "c100": (100, 9_900, sparse_links),
    "c200": (200, 39_800, sparse_links),
    "c400": (400, 159_600, sparse_links),
    "c800": (800, 639_200, sparse_links),
    "ga": (1557, 5016, road),
    "id": (256, 672, road),
    "sc1": (8, 11, sparse_links),
    "sc2": (8, 14, sparse_links),
    "sc3": (4, 6, sparse_links),
}
"""The graphs of the appendix by their file names: pages, links, and how they are drawn; of its roads the lab knows the
numbers only."""
BENCHMARKS = ("a300", "a900", "c100", "c400", "ga", "id")
"""Graphs 1 to 6 of the document's figures."""


def of_graph(graph: Graph, rng: np.random.Generator, most: int | None = None) -> Insertions:
    """The links of a graph, in random order. most: maximum number of pages: those nearest to the page with the most
    links."""
    if most is not None and most < graph.size:
        distances = distances_from(graph, int(np.argmax(graph.outdegrees())))
        order = np.lexsort((distances, distances < 0))
        return of_graph(subgraph(graph, np.sort(order[:most])), rng)
    links = np.stack([graph.sources(), graph.targets], axis=1).astype(np.int32)
    return Insertions("graph", graph.size, rng.permutation(links))
