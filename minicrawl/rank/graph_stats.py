"""Statistics of a graph's structure, all in one: the output of `minicrawl graph stats`.

Components and degrees are exact at any size. Distances of all pairs are exact where that takes seconds, and estimated
by HyperBall beyond; each `Neighbourhood` says which it is.

**Components**: two pages are in one strong component when each reaches the other along links; in one weak component
when they do so along links taken in either direction. Found by Pearce's form of Tarjan's algorithm (scipy), in time
proportional to pages and links.

**Degree distributions**, and the power law that fits their tail best:

Source: A. Clauset, C. Shalizi, M. Newman, "Power-law distributions in empirical data", SIAM Review 51 (2009).

x       degrees of the tail, whole numbers >= xmin; n of them
zeta    Hurwitz zeta function, zeta(alpha, xmin) = sum over k >= 0 of (k + xmin)**-alpha

    P(x) = x**-alpha / zeta(alpha, xmin)

alpha is the likeliest one, where n ln zeta(alpha, xmin) + alpha sum(ln x) is smallest, with the standard error

    1 / sqrt(n * (d/d alpha)**2 ln zeta(alpha, xmin))

xmin is the start of the tail for which a power law fits best, by the Kolmogorov-Smirnov distance: the largest
difference between the share of the tail that is at least x and the law's share.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy
from scipy import sparse

from minicrawl.rank.distances import REGISTERS, Neighbourhood, hyperball, neighbourhood
from minicrawl.rank.graph import Graph


@dataclass(frozen=True, eq=False)
class Components:
    """The components of the pages, numbered from 0.

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
        """True if pages some[k] and others[k] are in one component."""
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


_FEWEST = 50
"""Fewest pages in a tail: a shorter one fits any law (section 3.2 of the source)."""
_MOST_TAILS = 150
_STEEPEST = 20.0
_STEP = 1e-3


@dataclass(frozen=True)
class PowerLaw:
    """The tail of a degree distribution: P(degree = x) proportional to x**-alpha for x >= xmin.

    error: standard error of alpha. tail: pages with at least xmin links. distance: Kolmogorov-Smirnov distance
    between tail and law, from 0 to 1.
    """

    alpha: float
    error: float
    xmin: int
    tail: int
    distance: float


@dataclass(frozen=True, eq=False)
class Degrees:
    """A degree distribution.

    values: degrees that occur, rising. counts: pages with each; both int64. law: the tail's power law; None if
    there is no tail to speak of.
    """

    values: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    law: PowerLaw | None

    @property
    def mean(self) -> float:
        pages = self.counts.sum()
        return float(self.values @ self.counts / pages) if pages else 0.0

    @property
    def largest(self) -> int:
        return int(self.values[-1]) if len(self.values) else 0


def degree_distribution(degrees: npt.NDArray[np.integer]) -> Degrees:
    """The distribution of the degrees of all pages."""
    values, counts = np.unique(degrees.astype(np.int64), return_counts=True)
    return Degrees(values, counts, _law(values[values > 0], counts[values > 0]))


def _law(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> PowerLaw | None:
    """The best fit among some 150 tails of at least 50 pages; of equal fits, the longest tail. None: no such tail has
    two different degrees."""
    tails = np.flatnonzero(np.cumsum(counts[::-1])[::-1] >= _FEWEST)
    tails = tails[tails < len(values) - 1]
    if len(tails) > _MOST_TAILS:
        # Large degrees are many and close together: few of them are worth a try.
        tails = np.unique(np.geomspace(1, len(tails), _MOST_TAILS).astype(np.int64)) - 1
    laws = [fitted(values[first:], counts[first:], int(values[first])) for first in tails]
    return min(laws, key=lambda law: law.distance, default=None)


def fitted(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], xmin: int) -> PowerLaw:
    """The power law of a tail. values: its degrees, rising, all from xmin on; counts: pages with each."""
    n = int(counts.sum())
    mean_log = float(np.log(values) @ counts) / n

    def unlikeliness(alpha: float) -> float:
        return math.log(scipy.special.zeta(alpha, xmin)) + alpha * mean_log

    # Convex in alpha. scipy loads its parts on first use.
    alpha = float(scipy.optimize.minimize_scalar(unlikeliness, bounds=(1.0 + 2 * _STEP, _STEEPEST), method="bounded").x)
    h = _STEP
    curvature = (unlikeliness(alpha + h) - 2 * unlikeliness(alpha) + unlikeliness(alpha - h)) / h**2
    error = 1.0 / math.sqrt(n * curvature) if curvature > 0.0 else math.inf
    # Between two occurring degrees the law's share falls, so both ends of each step are compared.
    ours = np.cumsum(counts[::-1])[::-1] / n
    after = np.append(ours[1:], 0.0)
    at = scipy.special.zeta(alpha, values) / scipy.special.zeta(alpha, xmin)
    past = scipy.special.zeta(alpha, values + 1) / scipy.special.zeta(alpha, xmin)
    distance = float(max(np.abs(ours - at).max(), np.abs(after - past).max()))
    return PowerLaw(alpha, error, xmin, n, distance)


EXACT_WORK = 2e10
"""Pages times links up to which distances of all pairs are counted exactly: some 6 seconds."""


@dataclass(frozen=True, eq=False)
class GraphStats:
    """Statistics of a web's structure.

    pages, links: numbers of both. dangling: pages without links.
    strong, weak: its components.
    indegrees, outdegrees: distributions of links to pages, and from them.
    distances: of all pairs of pages.
    core_links: links within the core, the largest strong component. core_distances: of the core alone, in which
    every page reaches every other, so that the longest is its diameter.
    """

    pages: int
    links: int
    dangling: int
    strong: Components
    weak: Components
    indegrees: Degrees
    outdegrees: Degrees
    distances: Neighbourhood
    core_links: int
    core_distances: Neighbourhood


def graph_stats(
    graph: Graph, rng: np.random.Generator, *, exact_work: float = EXACT_WORK, registers: int = REGISTERS
) -> GraphStats:
    """Compute the statistics of a graph.

    exact_work: largest pages * links at which distances of all pairs are counted. rng, registers: for `hyperball`
    beyond that.
    """

    def distances(of: Graph) -> Neighbourhood:
        is_small = of.size * len(of.targets) <= exact_work
        return neighbourhood(of) if is_small else hyperball(of, rng, registers)

    strong = strong_components(graph)
    core = subgraph(graph, strong.largest())
    return GraphStats(
        pages=graph.size,
        links=len(graph.targets),
        dangling=len(graph.dangling()),
        strong=strong,
        weak=weak_components(graph),
        indegrees=degree_distribution(np.bincount(graph.targets, minlength=graph.size)),
        outdegrees=degree_distribution(graph.outdegrees()),
        distances=distances(graph),
        core_links=len(core.targets),
        core_distances=distances(core),
    )
