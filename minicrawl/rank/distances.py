"""Distances between pages in links: breadth-first search, and all pairs at once.

d(x, y)     links on a shortest path from x to y
ball(y, t)  pages x with d(x, y) <= t: those that reach y in at most t links, y among them
N(t)        pairs (x, y) with d(x, y) <= t: the sizes of all balls of radius t, summed

    ball(y, 0) = {y}            ball(y, t + 1) = ball(y, t) | union of ball(x, t) over links x -> y

One search finds the distances from one page. For all pairs the balls of all pages grow together, a union of rows
per link and step: as bits, one per page x, they are exact (`neighbourhood`); as counters they are estimates
(`hyperball`). The same loop serves both.

Source of the measures: P. Boldi, S. Vigna, "Axioms for centrality", Internet Mathematics 10 (2014).

**HyperBall**, for graphs whose balls are too many to be counted exactly:

Source: P. Boldi, S. Vigna, "In-core computation of geometric centralities with HyperBall", ICDM workshops 2013;
the counter: P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, "HyperLogLog", 2007.

m       registers of a counter, a power of two
M[i]    register i: the largest r among the pages whose draw is (i, r)

Every page draws a register i, each alike, and a number r, with P(r) = 2**-r. A ball is the registers of its pages,
so that the union of two balls is the larger of each pair of registers, and its size is estimated as

    alpha_m * m**2 / sum_i 2**-M[i]                 alpha_m = 0.7213 / (1 + 1.079 / m); 0.709 for 64, 0.697 for 32
    m * ln(m / V)   where V registers are still 0 and the first estimate is at most 2.5 m

with a relative standard deviation of 1.04 / sqrt(m). A counter takes m bytes for a ball of any size. All
balls share their draws, so mean distances vary less: with 128 registers by 2.9 % where numbers of pairs do by 8.3 %
(twelve runs on the largest strong component of cnr-2000, 112,023 pages).
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.rank.graph import Graph

Balls = npt.NDArray[np.unsignedinteger]

_WORDS = 16
"""Words of 64 bits in a ball at a time: few enough that the balls of many pages stay in the processor's cache."""
_UNITED = 1 << 18  # bytes of balls processed at once
_FOLD = 8


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Number of pages reached as a function of the number of links.

    pairs: float64: pairs[t] is N(t), from t = 0 (the pages themselves) to its maximum.
    error: relative standard deviation of each pairs[t]; 0 when they are exact.
    """

    pairs: FloatArray
    error: float = 0.0

    @property
    def longest(self) -> int:
        """The largest finite distance; a lower bound where the distances are estimated."""
        return max(0, len(self.pairs) - 1)

    def average(self) -> float:
        """Mean of d(x, y) over the pairs x != y that have a distance; 0 if there are none.

        sum_t t (N(t) - N(t - 1)) / (N(longest) - N(0))
        """
        reached = np.diff(self.pairs)
        total = reached.sum()
        return float(np.arange(1, len(self.pairs)) @ reached / total) if total > 0.0 else 0.0

    def effective_diameter(self, share: float = 0.9) -> float:
        """The t at which N(t) is `share` of all connected pairs, interpolated linearly between whole t."""
        if not len(self.pairs):
            return 0.0
        return float(np.interp(share, self.pairs / self.pairs[-1], np.arange(len(self.pairs))))


def reverse(graph: Graph) -> Graph:
    """The graph with every link reversed, links without weights."""
    return graph.reverse()[0]


def links_of(graph: Graph, pages: Pages) -> npt.NDArray[np.int32]:
    """The targets of some pages, page after page."""
    stops = graph.indptr[pages + 1]
    counts = stops - graph.indptr[pages]
    ends = np.cumsum(counts)
    return graph.targets[np.repeat(stops - ends, counts) + np.arange(ends[-1] if len(ends) else 0)]


def distances_from(graph: Graph, pages: Pages | int) -> npt.NDArray[np.int32]:
    """Links to every page from the nearest of `pages`, shape (pages,); -1 if there is no path.

    A whole frontier advances at once: each page and each link is visited once.
    """
    distances = np.full(graph.size, -1, dtype=np.int32)
    frontier: Pages = np.atleast_1d(np.asarray(pages))
    distance = 0
    while len(frontier):
        distances[frontier] = distance
        distance += 1
        found = links_of(graph, frontier)
        found = found[distances[found] < 0]
        # A page found twice is listed twice: the last to sign for it keeps it.
        distances[found] = -2 - np.arange(len(found), dtype=np.int32)
        frontier = found[distances[found] == -2 - np.arange(len(found), dtype=np.int32)]
    return distances


def neighbourhood(graph: Graph) -> Neighbourhood:
    """Exact distances of all pairs, summed up: time for pages / 64 * links words a step, memory for a few balls."""
    inlinks = reverse(graph)
    found = Counter({0: graph.size} if graph.size else {})  # pairs at each distance
    for first in range(0, graph.size, 64 * _WORDS):
        sources = np.arange(first, min(first + 64 * _WORDS, graph.size))
        balls = np.zeros((graph.size, -(-len(sources) // 64)), dtype=np.uint64)
        balls[sources, (sources - first) // 64] = np.uint64(1) << ((sources - first) % 64).astype(np.uint64)
        sizes = np.zeros(graph.size, dtype=np.int64)
        sizes[sources] = 1
        for distance, grown in enumerate(growing(balls, graph, inlinks, np.bitwise_or, sources), start=1):
            size = np.bitwise_count(balls[grown]).sum(axis=1, dtype=np.int64)
            new = size - sizes[grown]
            sizes[grown] = size
            found[distance] += int(new.sum())
    return Neighbourhood(np.cumsum([float(found[distance]) for distance in sorted(found)]))


def growing(
    balls: Balls, graph: Graph, inlinks: Graph, union: "np.ufunc", changed: Pages | None = None
) -> Iterator[Pages]:
    """Grow all balls by one link, in place, until none changes; yields the pages whose ball grew at each step.

    balls: shape (pages, any): row y is the ball of y. union: combines several rows into one. changed: pages with a
    non-empty ball; None: all.
    """
    changed = np.arange(graph.size) if changed is None else changed
    while True:
        # Only where a ball has changed can the balls of its link targets change.
        is_next = np.zeros(graph.size, dtype=np.bool_)
        is_next[links_of(graph, changed)] = True
        changed = _grow(balls, inlinks, union, np.flatnonzero(is_next))
        if not len(changed):
            return
        yield changed


def _grow(balls: Balls, inlinks: Graph, union: "np.ufunc", pages: npt.NDArray[np.int64]) -> Pages:
    """Grow the balls of `pages`, which all have inlinks, by one link; returns the pages whose ball grew."""
    rows = -(-(inlinks.indptr[pages + 1] - inlinks.indptr[pages]) // _FOLD)
    most = max(1, _UNITED // (balls.shape[1] * balls.itemsize))
    ends = np.cumsum(rows)
    cuts = np.searchsorted(ends, np.arange(most, ends[-1] if len(ends) else 0, most))
    grown: list[tuple[Pages, Balls]] = []
    for some in np.split(pages, np.unique(cuts)):
        if len(some):
            old = balls[some]
            new = union(_united(balls, inlinks, union, some), old)
            has_grown = (new != old).any(axis=1)
            grown.append((some[has_grown], new[has_grown]))
    # Written at once, after the last read: a ball must not grow by two links in one step.
    for page, ball in grown:
        balls[page] = ball
    return np.concatenate([page for page, _ in grown]) if grown else pages


def _united(balls: Balls, inlinks: Graph, union: "np.ufunc", pages: Pages) -> Balls:
    """Union of the inlinks' balls, for each of `pages`."""
    starts, stops = inlinks.indptr[pages], inlinks.indptr[pages + 1]
    # In rows of _FOLD inlinks, whose balls are united column by column, ten times as fast as one by one.
    # The last inlink fills up the last row: repeating a member changes no union.
    rows = -(-(stops - starts) // _FOLD)
    begins = np.cumsum(rows) - rows
    first = np.repeat(starts - _FOLD * begins, rows) + _FOLD * np.arange(rows.sum())
    last = np.repeat(stops - 1, rows)
    united = balls.take(inlinks.targets[first], axis=0)
    for column in range(1, _FOLD):
        union(united, balls.take(inlinks.targets[np.minimum(first + column, last)], axis=0), out=united)
    return union.reduceat(united, begins, axis=0)


REGISTERS = 128
_ALPHA = {16: 0.673, 32: 0.697, 64: 0.709}
_POWERS = 0.5 ** np.arange(256)
_COUNTED = 1 << 14  # counters read at once


def hyperball(graph: Graph, rng: np.random.Generator, registers: int = REGISTERS) -> Neighbourhood:
    """Estimated distances of all pairs, summed up, in time for pages * registers + links * registers a step.

    registers: a power of two, at least 16: the estimates' relative standard deviation is 1.04 / sqrt(registers),
    and a page takes that many bytes, twice while balls grow.
    """
    if registers < 16 or registers & (registers - 1):
        raise ValueError(f"registers must be a power of two and at least 16, not {registers}")
    balls = counters(graph.size, rng, registers)
    sizes = estimates(balls)
    pairs = [sizes.sum()]
    for grown in growing(balls, graph, reverse(graph), np.maximum):
        # The second estimate is slightly above the first where they meet; a ball never shrinks.
        sizes[grown] = np.maximum(estimates(balls[grown]), sizes[grown])
        pairs.append(sizes.sum())
    return Neighbourhood(np.array(pairs if graph.size else []), 1.04 / math.sqrt(registers))


def counters(pages: int, rng: np.random.Generator, registers: int) -> npt.NDArray[np.uint8]:
    """A counter for every page, shape (pages, registers), with the page itself counted."""
    balls = np.zeros((pages, registers), dtype=np.uint8)
    balls[np.arange(pages), rng.integers(registers, size=pages)] = rng.geometric(0.5, pages).clip(max=255)
    return balls


def estimates(balls: npt.NDArray[np.uint8]) -> FloatArray:
    """Estimated number of pages counted by each counter."""
    sizes = np.zeros(len(balls))
    m = balls.shape[1]
    alpha = _ALPHA.get(m, 0.7213 / (1 + 1.079 / m))
    for first in range(0, len(balls), _COUNTED):
        some = balls[first : first + _COUNTED]
        size = alpha * m**2 / _POWERS[some].sum(axis=1)
        empty = np.count_nonzero(some == 0, axis=1)
        few = (size <= 2.5 * m) & (empty > 0)
        size[few] = m * np.log(m / empty[few])
        sizes[first : first + _COUNTED] = size
    return sizes
