"""The exact diameter of a strong component, from few searches: ExactSumSweep.

Source: M. Borassi, P. Crescenzi, M. Habib, W. Kosters, A. Marino, F. Takes, "Fast diameter and radius BFS-based
computation in (weakly connected) real-world graphs", Theoretical Computer Science 586 (2015); the bounds by way of
one page are those of iFUB (P. Crescenzi, R. Grossi, M. Habib, L. Lanzi, A. Marino, 2012).

d(x, y)     links on a shortest path from x to y
out(x)      max_y d(x, y): eccentricity of x along links;  in(y) = max_x d(x, y): against links

The diameter is the largest out(x), and also the largest in(y). A search from v along links gives out(v), and for
every y a lower bound of in(y), d(v, y); a search against them gives in(v) and lower bounds of out. Both together
make upper bounds, for any path may be led by way of v:

    out(x) <= d(x, v) + out(v)              in(y) <= d(v, y) + in(v)

Done when, for one of the two, no page's upper bound exceeds the largest distance seen.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.rank.distances import distances_from, reverse
from minicrawl.rank.graph import Graph

_SWEEPS = 3
_OUT, _IN = 0, 1


@dataclass(frozen=True)
class Diameter:
    """Bounds after some breadth-first searches: lower <= diameter <= upper; equal unless searches were limited."""

    lower: int
    upper: int
    searches: int

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper


def diameter(graph: Graph, most_searches: int | None = None, inlinks: Graph | None = None) -> Diameter:
    """The largest distance in a strongly connected graph.

    most_searches: give up after about this many, with bounds. inlinks: `reverse(graph)`, if already computed.
    Raises ValueError where the graph is not strongly connected.
    """
    if not graph.size:
        return Diameter(0, 0, 0)
    sweep = _Sweep(graph, reverse(graph) if inlinks is None else inlinks)
    sweep.by_way_of(int(np.argmax(graph.outdegrees())))
    for _ in range(_SWEEPS):
        for way in (_IN, _OUT):
            sweep.search(sweep.remotest(way), way)
    gain = float("inf")
    while sweep.best < sweep.bound() and (most_searches is None or sweep.searches < most_searches):
        # A middle page lowers many bounds for two searches, as long as one exists. When a middle has closed
        # no more pages than it took searches, open pages are searched from, and every 16th time a middle is tried.
        way, before = sweep.nearer(), sweep.open()
        if gain > 1.0:
            sweep.by_way_of(sweep.middle())
            gain = (before - sweep.open()) / 2
        else:
            sweep.search(sweep.most_open(way), way)
            gain += 1 / 16
    return Diameter(sweep.best, sweep.bound(), sweep.searches)


class _Sweep:
    """Bounds of out(x) and in(x), each an array of row _OUT and _IN.

    Invariant: lower <= truth <= upper, and `best` is a distance that was seen.
    """

    def __init__(self, graph: Graph, inlinks: Graph) -> None:
        self._graphs = (graph, inlinks)
        self._lower = np.zeros((2, graph.size), dtype=np.int64)
        self._upper = np.full((2, graph.size), graph.size - 1, dtype=np.int64)
        self._sums = np.zeros((2, graph.size), dtype=np.int64)
        self._is_middle = np.zeros(graph.size, dtype=np.bool_)
        self.best = 0
        self.searches = 0

    def search(self, page: int, way: int) -> npt.NDArray[np.int32]:
        """Distances from `page` along links (_OUT) or to it (_IN)."""
        distances = distances_from(self._graphs[way], page)
        if distances.min() < 0:
            raise ValueError(
                "the diameter is that of a strongly connected graph; in this one some pages are not reached"
            )
        farthest = int(distances.max())
        self.searches += 1
        self.best = max(self.best, farthest)
        self._lower[way, page] = self._upper[way, page] = farthest
        np.maximum(self._lower[1 - way], distances, out=self._lower[1 - way])
        self._sums[1 - way] += distances
        return distances

    def by_way_of(self, page: int) -> None:
        """Lower the upper bounds of all pages by paths through `page`."""
        after, before = self.search(page, _OUT), self.search(page, _IN)
        for way, distances, rest in ((_OUT, before, after.max()), (_IN, after, before.max())):
            np.minimum(self._upper[way], distances + rest, out=self._upper[way])
        self._is_middle[page] = True

    def bound(self) -> int:
        """An upper bound on all distances."""
        return max(self.best, int(self._upper.max(axis=1).min()))

    def nearer(self) -> int:
        """The direction, _OUT or _IN, with fewer undecided pages: those whose upper bound exceeds `best`."""
        return int(np.argmin(np.count_nonzero(self._upper > self.best, axis=1)))

    def open(self) -> int:
        """Number of undecided pages in the direction of `nearer`."""
        return int(np.count_nonzero(self._upper > self.best, axis=1).min())

    def remotest(self, way: int) -> int:
        """The page with the largest total distance from pages searched from, among those of unknown eccentricity."""
        return int(np.argmax(np.where(self._lower[way] < self._upper[way], self._sums[way], -1)))

    def most_open(self, way: int) -> int:
        """The page with the largest upper bound; of ties, the remotest."""
        largest = self._upper[way] == self._upper[way].max()
        return int(np.argmax(np.where(largest, self._sums[way], -1)))

    def middle(self) -> int:
        """The page with the smallest apparent distances from and to all, among those not yet used by `by_way_of`."""
        reach = self._lower.sum(axis=0).astype(np.float64)
        nearest = reach + self._sums.sum(axis=0) / (1.0 + self._sums.sum())
        return int(np.argmin(np.where(self._is_middle, np.inf, nearest)))
