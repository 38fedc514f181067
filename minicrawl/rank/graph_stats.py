"""Statistics of a graph's structure, all in one: the output of `minicrawl graph stats`.

Components and degrees are exact at any size. Distances of all pairs are exact where that takes seconds, and estimated
by HyperBall beyond; each `Neighbourhood` says which it is.
"""

from dataclasses import dataclass

import numpy as np

from minicrawl.rank.components import Components, strong_components, subgraph, weak_components
from minicrawl.rank.degrees import Degrees, degree_distribution
from minicrawl.rank.distances import Neighbourhood, neighbourhood, reverse
from minicrawl.rank.graph import Graph
from minicrawl.rank.hyperball import REGISTERS, hyperball

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

    def distances(of: Graph, inlinks: Graph) -> Neighbourhood:
        if of.size * len(of.targets) <= exact_work:
            return neighbourhood(of, inlinks)
        return hyperball(of, rng, registers, inlinks)

    strong = strong_components(graph)
    core = subgraph(graph, strong.largest())
    inlinks, core_inlinks = reverse(graph), reverse(core)
    return GraphStats(
        pages=graph.size,
        links=len(graph.targets),
        dangling=len(graph.dangling()),
        strong=strong,
        weak=weak_components(graph),
        indegrees=degree_distribution(inlinks.outdegrees()),
        outdegrees=degree_distribution(graph.outdegrees()),
        distances=distances(graph, inlinks),
        core_links=len(core.targets),
        core_distances=distances(core, core_inlinks),
    )
