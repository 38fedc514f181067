"""Link analysis on real graphs: base sets that change.

    python bench/link_analysis.py GRAPH...       # a file with URLs, or a crawl's store: hosts are sites

HITS and PageRank among the pages around 20 root sets of up to 200 pages, before and after 5 and 30 % of the root set
are taken away: how many of the first ten that are left stay, and what base sets have in common.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.graphs.graph_files import LoadedGraph, load_graph
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.graph_stats import subgraph
from minicrawl.rank.hits import base_set, hits

DRAWS, ROOT = 20, 200
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def first(values: Floats, k: int, pages: Ints | None = None) -> set[int]:
    among = np.arange(len(values)) if pages is None else pages
    return set(among[np.argsort(-values[among], kind="stable")[:k]].tolist())


def base_sets(loaded: LoadedGraph, draw: np.random.Generator) -> None:
    graph, _ = loaded
    inlinks, _ = graph.reverse()
    indegree = inlinks.outdegrees()
    centres = np.flatnonzero(indegree + graph.outdegrees() >= ROOT)
    centres = draw.choice(centres, DRAWS, replace=False) if len(centres) >= DRAWS else np.argsort(-indegree)[:DRAWS]
    methods: dict[str, Callable[[Graph], Floats]] = {
        "HITS": lambda near: hits(near).authorities,
        "PageRank": pagerank,
        "in-links": lambda near: near.reverse()[0].outdegrees().astype(np.float64),
    }
    for share in (0.05, 0.3):
        kept: dict[str, list[float]] = {name: [] for name in ("base set", *methods)}
        for centre in centres.tolist():
            around = np.union1d(
                graph.targets[graph.indptr[centre] : graph.indptr[centre + 1]],
                inlinks.targets[inlinks.indptr[centre] : inlinks.indptr[centre + 1]],
            )
            root = draw.choice(around, min(ROOT, len(around)), replace=False)
            fewer = draw.choice(root, max(1, round(len(root) * (1 - share))), replace=False)
            gone = np.setdiff1d(root, fewer)
            lost = graph_without(graph, gone)
            old, new = base_set(graph, root), base_set(lost, fewer)
            left = np.setdiff1d(old, gone)
            kept["base set"].append(len(np.intersect1d(left, new)) / len(np.union1d(left, new)))
            for name, method in methods.items():
                was, now = (method(subgraph(*of)) for of in ((graph, old), (lost, new)))
                best = old[np.argsort(-was, kind="stable")]
                after = new[np.argsort(-now, kind="stable")[:10]]
                kept[name].append(len(np.intersect1d(best[~np.isin(best, gone)][:10], after)) / 10)
        figures = [f"{name} {np.mean(some):.2f} (least {min(some):.2f})" for name, some in kept.items()]
        print(f"  {share:.0%} taken away: {', '.join(figures)}", flush=True)


def graph_without(graph: Graph, gone: Ints) -> Graph:
    is_gone = np.isin(np.arange(graph.size), gone)
    sources = graph.sources()
    kept = ~(is_gone[sources] | is_gone[graph.targets])
    return Graph.from_edges(sources[kept], graph.targets[kept], graph.size)


# Similarities of the rows of `pages` with all rows.


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("graphs", type=Path, nargs="+")
    given = parser.parse_args()
    for path in given.graphs:
        print(path.name)
        base_sets(load_graph(path), np.random.default_rng(0))


if __name__ == "__main__":
    main()
