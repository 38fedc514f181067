"""Links in the order of insertion: of complete, sparse and road graphs, of files, and the worst case."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.rank import Graph
from minicrawl.rank.distances import distances_from
from minicrawl.rank.graph_stats import subgraph

Links = npt.NDArray[np.int32]
"""Insertions in order, shape (m, 2): source and target."""
Pages = npt.NDArray[np.integer]
_CLOSED = 0.1
"""Share of the streets between two neighbours that a road graph lacks."""


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


def complete(size: int, rng: np.random.Generator) -> Insertions:
    """All links among some pages, in random order."""
    ends = np.divmod(rng.permutation(size * size), size)
    links = np.stack(ends, axis=1).astype(np.int32)
    return Insertions("complete", size, links[links[:, 0] != links[:, 1]])


def cubic(size: int) -> Insertions:
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
    return Insertions("cubic", 3 * k, np.concatenate([*chains, shortcuts]).astype(np.int32))


def random_sparse(size: int, rng: np.random.Generator, degree: int = 4) -> Insertions:
    """Links between random pages, `degree` per page, each drawn link once."""
    links = rng.integers(size, size=(degree * size, 2), dtype=np.int32)
    links = links[links[:, 0] != links[:, 1]]
    _, first = np.unique(links, axis=0, return_index=True)
    return Insertions("sparse", size, links[np.sort(first)])


def road(size: int, rng: np.random.Generator) -> Insertions:
    """Crossings on a square grid, a street either way between neighbours, one in ten missing; in random order.

    Distances are long, as in a net of roads. size: rounded down to a square.
    """
    side = int(size**0.5)
    crossings = np.arange(side * side, dtype=np.int32).reshape(side, side)
    streets = np.concatenate(
        [
            np.stack([crossings[:, :-1].ravel(), crossings[:, 1:].ravel()], axis=1),
            np.stack([crossings[:-1].ravel(), crossings[1:].ravel()], axis=1),
        ]
    )
    open_ones = streets[rng.random(len(streets)) >= _CLOSED]
    return Insertions("road", side * side, rng.permutation(np.concatenate([open_ones, open_ones[:, ::-1]])))


def of_graph(graph: Graph, rng: np.random.Generator, most: int | None = None) -> Insertions:
    """The links of a graph, in random order. most: maximum number of pages: those nearest to the page with the most
    links."""
    if most is not None and most < graph.size:
        distances = distances_from(graph, int(np.argmax(graph.outdegrees())))
        order = np.lexsort((distances, distances < 0))
        return of_graph(subgraph(graph, np.sort(order[:most])), rng)
    links = np.stack([graph.sources(), graph.targets], axis=1).astype(np.int32)
    return Insertions("graph", graph.size, rng.permutation(links))
