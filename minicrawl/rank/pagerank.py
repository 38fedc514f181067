"""PageRank: the share of its time that a walker spends at each page.

Source: L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", Stanford 1999.

x           rank of every page, shape (size,), sum 1
M           transition matrix of the graph
p           preference: where a walker goes who does not follow a link; uniform by default
damping     probability to follow a link, from a page that has one

    x = damping * (M @ x + x[dangling].sum() * p) + (1 - damping) * p
"""

import math
from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from minicrawl.rank.graph import Graph

FloatArray = npt.NDArray[np.float64]


def pagerank(
    graph: Graph, damping: float = 0.85, preference: FloatArray | None = None, tolerance: float = 1e-12
) -> FloatArray:
    """Rank of every page, float64, shape (size,), sum 1; empty for a graph without pages.

    preference: weights that are not negative, shape (size,), of any positive sum; None: uniform.
    tolerance: the result is within that L1 distance of the exact one, but for rounding.

    One step brings any two distributions closer by the factor damping in L1, so a step that moved x by c
    ended within c * damping / (1 - damping) of the exact rank. Stops at c <= tolerance * (1 - damping).
    """
    if not 0.0 <= damping < 1.0:
        raise ValueError(f"damping must be at least 0 and below 1, not {damping}")
    if not tolerance > 0.0:
        raise ValueError(f"tolerance must be more than 0, not {tolerance}")
    if graph.size == 0:
        return np.zeros(0)
    enough = tolerance * (1.0 - damping)
    steps = pairwise(power_steps(graph, damping, preference))
    for before, x in islice(steps, _most_steps(damping, enough)):
        if np.abs(x - before).sum() <= enough:
            break
    return x


def power_steps(
    graph: Graph, damping: float = 0.85, preference: FloatArray | None = None, start: FloatArray | None = None
) -> Iterator[FloatArray]:
    """The steps of power iteration, without end: `start` (default: the preference), then one step after another."""
    p = _distribution(preference, graph.size)
    m, dangling = graph.transition(), graph.dangling()
    x = p if start is None else start
    while True:
        yield x
        x = damping * (m @ x + x[dangling].sum() * p) + (1.0 - damping) * p
        x /= x.sum()


def _distribution(preference: FloatArray | None, size: int) -> FloatArray:
    if preference is None:
        return np.full(size, 1.0 / size)
    p = np.asarray(preference, dtype=np.float64)
    if p.shape != (size,) or not (p >= 0.0).all() or not 0.0 < p.sum() < math.inf:
        raise ValueError(f"preference must be {size} numbers, none negative, not all 0")
    distribution: FloatArray = p / p.sum()
    return distribution


def _most_steps(damping: float, change: float) -> int:
    """Steps until one moves x by no more than `change`: step k moves it by at most 2 * damping**(k-1)."""
    return 1 + math.ceil(max(0.0, math.log(change / 2) / math.log(damping))) if damping else 1
