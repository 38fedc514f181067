"""PageRank without pages that lead nowhere: those are removed, the others are ranked, then the removed are ranked.

Source: L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", Stanford 1999, section 2.7: pages
without links "do not affect the ranking of any other page directly", so they are removed until all ranks are known.
That is not quite so, as the rank they would have passed on goes elsewhere; `minicrawl.rank.pagerank` keeps them.

layers      pages removed together: those without links, then those with links only to these, and so on
M, p        transition matrix of the whole graph, preference, as in pagerank.py
x           rank: of the pages left, in their own graph; then of the layers, the one removed last first,

    x[j] = (1 - damping) * p[j] + damping * sum_i M[j, i] * x[i]
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.rank.distances import links_of
from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import MOST_STEPS, FloatArray, Settled, distribution, settled_pagerank

Pages = npt.NDArray[np.int64]


class Pruned(NamedTuple):
    """Ranks of all pages, sum 1, shape (size,), and the removed layers. settled: of the pages that stayed."""

    ranks: FloatArray
    layers: list[Pages]
    settled: Settled


def dangling_layers(graph: Graph) -> list[Pages]:
    """The pages without links; those that link only to these; and so on. Links are unweighted here."""
    inlinks, _ = graph.reverse()
    left = graph.outdegrees()
    layer = graph.dangling()
    layers = []
    while len(layer):
        layers.append(layer)
        sources, counts = np.unique(links_of(inlinks, layer), return_counts=True)
        left[sources] -= counts
        layer = sources[left[sources] == 0].astype(np.int64)
    return layers


def pruned_pagerank(  # noqa: PLR0913 - parameters of the method, with defaults
    graph: Graph,
    damping: float = 0.85,
    preference: FloatArray | None = None,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
    most_steps: int = MOST_STEPS,
) -> Pruned:
    """PageRank of the pages that are no dead ends, and then of the others.

    A page whose links all weigh nothing stays. Raises ValueError as `settled_pagerank` does, and where no page is left,
    or none at which walkers start.
    """
    p = distribution(preference, graph.size)
    layers = dangling_layers(graph)
    stays = np.ones(graph.size, dtype=np.bool_)
    for layer in layers:
        stays[layer] = False
    left = np.flatnonzero(stays)
    if not len(left) or not p[left].any():
        raise ValueError("every page leads to pages without links only, so that nothing is left to rank")
    sources = graph.sources()
    between = stays[sources] & stays[graph.targets]
    number = np.cumsum(stays) - 1
    core = Graph.from_edges(number[sources[between]], number[graph.targets[between]], len(left))
    kept = None if weights is None else weights[between]
    settled = settled_pagerank(core, damping, p[left], tolerance, weights=kept, most_steps=most_steps)
    x = np.zeros(graph.size)
    x[left] = settled.ranks
    m = graph.transition(weights).tocsr()
    for layer in reversed(layers):
        x[layer] = (1.0 - damping) * p[layer] + damping * (m[layer] @ x)
    return Pruned(x / x.sum(), layers, settled)
