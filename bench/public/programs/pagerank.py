"""PageRank by a library, told what makes it come within 1e-10: several take another norm, or steps, for a tolerance.

    PYTHON pagerank.py LIBRARY < QUESTION

The question is JSON: `graph`, an .npz of indptr and indices; `folder`, for the ranks; `runs`. The answer has for each
way of the library its CPU seconds (user and system, all threads), without what it takes to build the library's graph.
"""

import json
import resource
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

_TOLERANCE = 1e-10
_DAMPING = 0.85
_STEPS = 142  # .85**142 < 1e-10

Ways = dict[str, Callable[[], Any]]


def of_igraph(indptr: Any, targets: Any) -> Ways:
    links = import_module("igraph").Graph(n=len(indptr) - 1, edges=_edges(indptr, targets), directed=True)
    return {"igraph by PRPACK": lambda: links.pagerank(damping=_DAMPING)}


def of_networkit(indptr: Any, targets: Any) -> Ways:
    networkit: Any = import_module("networkit")
    ends = tuple(np.ascontiguousarray(ends) for ends in _edges(indptr, targets).T)
    links = networkit.GraphFromCoo(ends, n=len(indptr) - 1, directed=True)

    def run() -> Any:
        every = networkit.centrality.SinkHandling.DistributeSinks
        ranks = networkit.centrality.PageRank(links, _DAMPING, _TOLERANCE * (1 - _DAMPING), distributeSinks=every)
        ranks.norm = networkit.centrality.Norm.L1_NORM
        return ranks.run().scores()

    return {"networkit": run}


def of_sknetwork(indptr: Any, targets: Any) -> Ways:
    ranking: Any = import_module("sknetwork.ranking")
    links = _matrix(indptr, targets)

    def way(solver: str, *how: float) -> Callable[[], Any]:
        return lambda: ranking.PageRank(_DAMPING, solver, *how).fit_predict(links)

    return {
        "scikit-network by RH": way("RH", _STEPS, 0.0),
        "scikit-network as it comes": way("piteration", _STEPS, _TOLERANCE * (1 - _DAMPING)),
    }


def of_fast_pagerank(indptr: Any, targets: Any) -> Ways:
    power = import_module("fast_pagerank").pagerank_power
    # Its tolerance is the L2 norm of a step.
    return {"fast-pagerank": lambda: power(_matrix(indptr, targets), _DAMPING, tol=_TOLERANCE / 10_000)}


def of_networkx(indptr: Any, targets: Any) -> Ways:
    networkx: Any = import_module("networkx")
    size = len(indptr) - 1
    links = networkx.DiGraph()
    links.add_nodes_from(range(size))
    links.add_edges_from(_edges(indptr, targets).tolist())

    def run() -> list[float]:
        # It stops at a step of size * tol.
        ranks = networkx.pagerank(links, _DAMPING, max_iter=1000, tol=_TOLERANCE * (1 - _DAMPING) / size)
        return [ranks[page] for page in range(size)]

    return {"networkx": run}


LIBRARIES: dict[str, Callable[[Any, Any], Ways]] = {
    "igraph": of_igraph,
    "networkit": of_networkit,
    "scikit-network": of_sknetwork,
    "fast-pagerank": of_fast_pagerank,
    "networkx": of_networkx,
}


def _edges(indptr: Any, targets: Any) -> Any:
    return np.column_stack([np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)), targets])


def _matrix(indptr: Any, targets: Any) -> Any:
    shape = (len(indptr) - 1, len(indptr) - 1)
    return import_module("scipy.sparse").csr_matrix((np.ones(len(targets)), targets, indptr), shape=shape)


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    warnings.simplefilter("ignore")
    question = json.load(sys.stdin)
    graph = np.load(question["graph"])
    answer = {}
    for number, (name, way) in enumerate(LIBRARIES[sys.argv[1]](graph["indptr"], graph["indices"]).items()):
        seconds = []
        for _ in range(question["runs"]):
            started = _cpu()
            ranks = np.array(way())
            seconds.append(_cpu() - started)
        file = Path(question["folder"]) / f"{number}.npy"
        np.save(file, ranks / ranks.sum())
        answer[name] = {"seconds": seconds, "ranks": str(file)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
