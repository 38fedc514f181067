"""The cost of PageRank here and elsewhere, and the distance of the results.

    python bench/pagerank_peers.py GRAPH [RUNS]

GRAPH is any graph file 'minicrawl lab' reads. Prints for our ways, and for those of igraph, networkit, scikit-network,
fast-pagerank and networkx that can be imported: the least CPU seconds (user and system, all threads) of RUNS runs
(default 3), all told to come within 1e-10; that without what it takes to build the peer's own graph; and the
largest and the summed difference to igraph's PRPACK, or to our own at 1e-15 where there is no igraph.

Each peer is told what makes it come that near: several take another norm, or a number of steps, for a tolerance.
"""

import resource
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from minicrawl.graphs.loading import load_graph
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.pagerank import FloatArray
from minicrawl.rank.sweeping import gauss_seidel, prioritized

_TOLERANCE = 1e-10
_DAMPING = 0.85
_STEPS = 142  # .85**142 < 1e-10

Way = Callable[[], Any]


def ours(graph: Graph) -> dict[str, Way]:
    return {
        "minicrawl: pagerank": lambda: pagerank(graph, _DAMPING, tolerance=_TOLERANCE),
        "minicrawl: Gauss-Seidel": lambda: gauss_seidel(graph, _DAMPING, tolerance=_TOLERANCE).ranks,
        "minicrawl: prioritized": lambda: prioritized(graph, _DAMPING, tolerance=_TOLERANCE).ranks,
    }


def of_igraph(graph: Graph) -> dict[str, Way]:
    links = import_module("igraph").Graph(n=graph.size, edges=_edges(graph), directed=True)
    return {
        "igraph: PRPACK": lambda: links.pagerank(damping=_DAMPING),
        "igraph: ARPACK": lambda: links.pagerank(damping=_DAMPING, implementation="arpack"),
    }


def of_networkit(graph: Graph) -> dict[str, Way]:
    networkit: Any = import_module("networkit")
    sources, targets = (np.ascontiguousarray(ends) for ends in _edges(graph).T)
    links = networkit.GraphFromCoo((sources, targets), n=graph.size, directed=True)

    def run() -> Any:
        ranks = networkit.centrality.PageRank(
            links,
            _DAMPING,
            _TOLERANCE * (1 - _DAMPING),
            distributeSinks=networkit.centrality.SinkHandling.DistributeSinks,
        )
        ranks.norm = networkit.centrality.Norm.L1_NORM
        return ranks.run().scores()

    return {"networkit": run}


def of_sknetwork(graph: Graph) -> dict[str, Way]:
    ranking: Any = import_module("sknetwork.ranking")
    links = _matrix(graph)

    def way(solver: str, steps: int, tolerance: float) -> Way:
        return lambda: ranking.PageRank(_DAMPING, solver, steps, tolerance).fit_predict(links)

    return {
        "scikit-network: RH": way("RH", _STEPS, 0.0),
        "scikit-network: bicgstab": way("bicgstab", 0, 1e-16),
        "scikit-network: diteration": way("diteration", _STEPS, 0.0),
        "scikit-network: piteration": way("piteration", _STEPS, _TOLERANCE * (1 - _DAMPING)),
    }


def of_fast_pagerank(graph: Graph) -> dict[str, Way]:
    power = import_module("fast_pagerank").pagerank_power
    # Its tolerance is the L2 norm of a step.
    return {"fast-pagerank: power": lambda: power(_matrix(graph), _DAMPING, tol=_TOLERANCE / 10_000)}


def of_networkx(graph: Graph) -> dict[str, Way]:
    networkx: Any = import_module("networkx")
    links = networkx.DiGraph()
    links.add_nodes_from(range(graph.size))
    links.add_edges_from(_edges(graph).tolist())

    def run() -> list[float]:
        # It stops at a step of size * tol.
        ranks = networkx.pagerank(links, _DAMPING, max_iter=1000, tol=_TOLERANCE * (1 - _DAMPING) / graph.size)
        return [ranks[page] for page in range(graph.size)]

    return {"networkx": run}


PEERS: dict[str, Callable[[Graph], dict[str, Way]]] = {
    "igraph": of_igraph,
    "networkit": of_networkit,
    "sknetwork": of_sknetwork,
    "fast_pagerank": of_fast_pagerank,
    "networkx": of_networkx,
}


def main() -> None:
    warnings.simplefilter("ignore")
    graph = load_graph(sys.argv[1]).graph
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    ways = ours(graph)
    for peer, build in PEERS.items():
        if find_spec(peer):
            ways |= build(graph)
    found = {name: least(way, runs) for name, way in ways.items()}
    _, exact = found.get("igraph: PRPACK") or (0.0, pagerank(graph, _DAMPING, tolerance=1e-15))
    print(f"{graph.size:,} pages, {len(graph.targets):,} links, {len(graph.dangling()):,} pages dangling\n")
    print(f"{'':<28} {'CPU s':>8} {'largest':>9} {'L1':>9}")
    for name, (seconds, ranks) in sorted(found.items(), key=lambda item: item[1][0]):
        apart = np.abs(ranks - exact)
        print(f"{name:<28} {seconds:>8.3f} {apart.max():>9.1e} {apart.sum():>9.1e}")


def least(way: Way, runs: int) -> tuple[float, FloatArray]:
    """The least CPU seconds, and the ranks, of sum 1."""
    seconds = []
    for _ in range(runs):
        started = _cpu()
        ranks = np.array(way())
        seconds.append(_cpu() - started)
    shares: FloatArray = ranks / ranks.sum()
    return min(seconds), shares


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _edges(graph: Graph) -> Any:
    return np.column_stack([np.repeat(np.arange(graph.size), graph.outdegrees()), graph.targets])


def _matrix(graph: Graph) -> Any:
    shape = (graph.size, graph.size)
    return sparse.csr_matrix((np.ones(len(graph.targets)), graph.targets, graph.indptr), shape=shape)


if __name__ == "__main__":
    main()
