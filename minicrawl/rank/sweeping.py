"""PageRank page by page, the largest residuals first, as in the book of a crawl.

Sources: A. Moore, C. Atkeson, "Prioritized Sweeping", Machine Learning 13, 1993; F. McSherry, "A Uniform Approach to
Accelerated PageRank Computation", WWW 2005.

x           rank of every page, shape (size,), sum 1
p           preference: the walker's start
A           damping * M, M the transition matrix of the graph; its columns sum to at most damping
y           expected visits of a walker to each page, who starts by p and follows links until he would jump, or until
            the page is dangling
r           residual of y: received along links, or from p, and not passed on

    y = A @ y + p        x = y / sum(y)        r = A @ y + p - y

From y = 0 on y never passes the exact one: r stays >= 0, and y + r + A @ r + A @ A @ r + ... is exact. A visit of a
page adds its r to its y, and its r times a column of A to r.
"""

import numpy as np

from minicrawl.opic.arrays import FloatArray
from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import MOST_STEPS, Settled, check, distribution

_WORTH = 1.5
"""Residual, as a multiple of the mean, from which on a page is worth a visit, as in the book."""


def prioritized(  # noqa: PLR0913 - parameters of the method, with defaults
    graph: Graph,
    damping: float = 0.85,
    preference: FloatArray | None = None,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
    most_rounds: int = MOST_STEPS,
) -> Settled:
    """`settled_pagerank` by rounds that visit only pages with at least 1.5 times the mean residual.

    The mean is over pages with links that have a residual. When no page has that much (they have all the same), all of
    them are visited. Dangling pages have nothing to pass on: they are never visited; at the end y + r
    counts.

    Arguments, errors and the promise about the tolerance are those of `settled_pagerank`. Why it holds: the exact y is
    y + r + A @ r + ..., so y + r lacks at most e = damping / (1 - damping) * (sum of r over pages with links), and is
    within 2 * e / sum(y + r) of x when divided by its sum.
    """
    check(damping, tolerance, most_rounds)
    if graph.size == 0:
        return Settled.of_none()
    a = damping * graph.transition(weights)
    outdegree = graph.outdegrees()
    sources = np.flatnonzero(a.sum(axis=0))
    y, r = np.zeros(graph.size), distribution(preference, graph.size).copy()
    rounds = visits = links = 0
    while True:
        waiting = r[sources]
        left = float(waiting.sum())
        error = 2.0 * damping * left / ((1.0 - damping) * float(y.sum() + r.sum()))
        if error <= tolerance or rounds == most_rounds:
            break
        least = _WORTH * left / np.count_nonzero(waiting)
        is_due = waiting > 0.0
        if waiting.max() >= least:
            is_due &= waiting >= least
        due, moved = sources[is_due], waiting[is_due]
        y[due] += moved
        r[due] = 0.0
        r += np.asarray(a[:, due] @ moved)
        rounds, visits, links = rounds + 1, visits + len(due), links + int(outdegree[due].sum())
    y += r
    return Settled(y / y.sum(), rounds, visits, links, min(2.0, error))
