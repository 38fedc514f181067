"""PageRank: the share of its time that a walker spends at each page.

Sources: L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", Stanford 1999. T. Haveliwala,
S. Kamvar, D. Klein, C. Manning, G. Golub, "Computing PageRank using Power Extrapolation", Stanford 2003.

x           rank of every page, shape (size,), sum 1
M           transition matrix of the graph
p           preference: destinations of a walker that does not follow a link; uniform by default
damping     probability to follow a link, from a page that has one

    x = damping * (M @ x + x[dangling].sum() * p) + (1 - damping) * p

A walker at a dangling page (without links, or with links of weight 0) always jumps by p. So all that does not go along
links is distributed by p:

    x = damping * M @ x + (1 - sum(damping * M @ x)) * p
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from minicrawl.opic.arrays import FloatArray
from minicrawl.rank.graph import Graph

MOST_STEPS = 10_000
"""Steps or rounds after which every method stops, settled or not."""
_PERIOD = 4
"""Steps between two measurements of the movement per step."""
_FALL = 100.0
"""Factor by which the movement must have fallen since the last extrapolation for the next one."""


class Settled(NamedTuple):
    """Ranks of pages, shape (size,), sum 1, and the cost of computing them.

    visits: of pages with links, in all `rounds`; the others have nothing to pass on. links: followed in the visits.
    error: bound on the L1 distance from the exact ranks, but for rounding; 2 says nothing.
    """

    ranks: FloatArray
    rounds: int
    visits: int
    links: int
    error: float

    @classmethod
    def of_none(cls) -> "Settled":
        """The result for a graph without pages."""
        return cls(np.zeros(0), 0, 0, 0, 0.0)


def pagerank(
    graph: Graph,
    damping: float = 0.85,
    preference: FloatArray | None = None,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Rank of every page, float64, shape (size,), sum 1; empty for a graph without pages.

    The ranks of `settled_pagerank`, with the same arguments, errors and tolerance. With damping above .99 it may end
    before the tolerance is met; `settled_pagerank` reports that.
    """
    return settled_pagerank(graph, damping, preference, tolerance, weights=weights).ranks


def settled_pagerank(  # noqa: PLR0913 - parameters of the method, with defaults
    graph: Graph,
    damping: float = 0.85,
    preference: FloatArray | None = None,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
    most_steps: int = MOST_STEPS,
) -> Settled:
    """Rank of every page, by steps of power iteration.

    preference: weights that are not negative, shape (size,), of any positive sum; None: uniform.
    tolerance: the result is within that L1 distance of the exact one, but for rounding, unless most_steps came first;
    steps are taken four at a time.
    weights: of the links, not negative, shape (links,), as a link's chance to be the one that is taken; None: equal.

    Proof: let S be one step of power iteration. For u, v of sum 1, also with negative numbers in them,
    S(u) - S(v) = damping * M' @ (u - v), where the columns of M' are distributions; so ||S(u) - S(v)|| <=
    damping * ||u - v|| in L1. With the exact x = S(x) and c = ||S(v) - v||,

        ||S(v) - x|| <= damping * ||v - x|| <= damping * (c + ||S(v) - x||)
        ||S(v) - x|| <= damping / (1 - damping) * c

    for any v. Stops when that is at most the tolerance, or when a step moves no less than four steps before, as
    only rounding is left. No number of x is negative, so setting negative results to 0 brings them no farther from
    x.

    Extrapolation: links that go in small circles (menus, back links) keep errors alive whose size falls by just
    damping a step, and which come back every 1, 2 or 4 steps. With v from 4 steps before S(S(S(S(v)))) = v4, they
    are the same in v4 and damping**4 * v, so they are not in (v4 - damping**4 * v) / (1 - damping**4). Other errors
    may grow by that, so it is done only each time c has fallen to a hundredth; c falls from any v.

    Raises ValueError.
    """
    check(damping, tolerance, most_steps)
    if graph.size == 0:
        return Settled.of_none()
    x = p = distribution(preference, graph.size)
    step = _step(graph, damping, p, weights)
    last, mark, steps = math.inf, 2.0, 0
    while True:
        first = x
        for _ in range(_PERIOD):
            before, x = x, step(x)
        steps += _PERIOD
        change = float(np.abs(x - before).sum())
        if damping * change <= tolerance * (1.0 - damping) or change >= last or steps >= most_steps:
            break
        last = change
        if change <= mark / _FALL:
            returns = damping**_PERIOD
            x, last, mark = (x - returns * first) / (1.0 - returns), math.inf, change
    x = np.maximum(x, 0.0)
    outdegree = graph.outdegrees()
    visits, links = steps * int(np.count_nonzero(outdegree)), steps * len(graph.targets)
    return Settled(x / x.sum(), steps, visits, links, min(2.0, damping * change / (1.0 - damping)))


def power_steps(graph: Graph, start: FloatArray | None = None) -> Iterator[FloatArray]:
    """The steps of power iteration, without end, with damping .85 and uniform preference, beginning with `start`.

    start: shape (size,), sum 1; None: uniform.
    """
    p = distribution(None, graph.size)
    step = _step(graph, 0.85, p, None)
    x = p if start is None else start
    while True:
        yield x
        x = step(x)


def check(damping: float, tolerance: float, most_steps: int = MOST_STEPS) -> None:
    """Raise ValueError unless ranks can be computed with these settings."""
    if not 0.0 <= damping < 1.0:
        raise ValueError(f"damping must be at least 0 and below 1, not {damping}")
    if not tolerance > 0.0:
        raise ValueError(f"tolerance must be more than 0, not {tolerance}")
    if most_steps < 1:
        raise ValueError(f"most_steps must be at least 1, not {most_steps}")


def distribution(preference: FloatArray | None, size: int) -> FloatArray:
    """The preference divided by its sum; None: uniform. Raises ValueError for an invalid preference."""
    if preference is None:
        return np.full(size, 1.0 / size)
    p = np.asarray(preference, dtype=np.float64)
    if p.shape != (size,) or not (p >= 0.0).all() or not 0.0 < p.sum() < math.inf:
        raise ValueError(f"preference must be {size} numbers, none negative, not all 0")
    divided: FloatArray = p / p.sum()
    return divided


def _step(
    graph: Graph, damping: float, p: FloatArray, weights: FloatArray | None
) -> Callable[[FloatArray], FloatArray]:
    m = graph.transition(weights)
    m.data *= damping

    def step(x: FloatArray) -> FloatArray:
        after: FloatArray = np.asarray(m @ x)
        after += (1.0 - after.sum()) * p
        return after

    return step
