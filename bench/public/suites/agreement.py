"""Agreement of rankings: that of a finished crawl, and PageRank of whole graphs, with the exact one.

The distance of rankings from PageRank with damping .85 by the plainest power iteration (250 rounds of ten lines): of
a crawl, by its own account, at its end, and of libraries that are given the whole graph.

- L1 distance: the sum of all differences. The first 100: how many of them are among the exact first 100. Kendall's
  tau: 1 for the same order of all pages, ties included.
- Every library is told what brings it within 1e-10 in L1: several take another norm, or a number of steps, for a
  tolerance. CPU is of all threads, without what it takes to load the graph.
- scikit-network's own choice of method, power iteration, treats pages without links in another way; its RH does not.
- The graph of a crawl is that of the links that lxml finds in the pages; the crawl is not told it.
- Graphs: the documentation of the suite speed, webs of minicrawl's lab from fixed seeds (Apache-2.0), and those that
  are given with --graph.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence

import numpy as np
from public.bench import Bench, Suite
from public.peers import Peer
from public.results import OURS, PEER, Column, Row, Table

from minicrawl.graphs.graph_files import load_graph
from minicrawl.lab.webs import MODELS
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, kendall_tau, l1, overlap, pagerank

_DAMPING, _TOLERANCE = 0.85, 1e-10
_PEERS = (
    Peer("igraph", "PyPI", ("igraph>=0.11,<2", "numpy"), "GPL-2.0-or-later"),
    Peer("networkx", "PyPI", ("networkx>=3.4,<4", "numpy", "scipy"), "BSD-3-Clause"),
    Peer("networkit", "PyPI", ("networkit>=11,<12", "numpy", "scipy"), "MIT"),
    Peer("scikit-network", "PyPI", ("scikit-network>=0.33,<1",), "BSD-3-Clause"),
    Peer("fast-pagerank", "PyPI", ("fast-pagerank>=1,<2", "numpy", "scipy"), "MIT"),
)
_COLUMNS = (
    Column("L1 distance", "less", -1),
    Column("of the first 100", "more", 0),
    Column("Kendall's tau", "more", 6),
    Column("CPU, s", "less", 3),
)


def exact(graph: Graph) -> FloatArray:
    """PageRank by the plainest power iteration, until rounding is all that moves it."""
    sources = np.repeat(np.arange(graph.size), graph.outdegrees())
    shares = _DAMPING / np.maximum(graph.outdegrees(), 1)
    ranks = np.full(graph.size, 1.0 / graph.size)
    for _ in range(250):  # .85**250 < 1e-17
        passed = np.bincount(graph.targets, (ranks * shares)[sources], graph.size)
        ranks = passed + (1.0 - passed.sum()) / graph.size
    return ranks


def _row(name: str, kind: str, ranks: FloatArray, truth: FloatArray, seconds: list[float]) -> Row:
    tau = kendall_tau(ranks.round(15), truth.round(15))  # equal pages differ in the last digits
    return Row.of(
        name, kind, [l1(ranks, truth)], [100.0 * overlap(ranks.round(15), truth.round(15), 100)], [tau], seconds
    )


def _on(bench: Bench, title: str, graph: Graph, crawled: Sequence[Row] = ()) -> Table:
    """Libraries on a graph."""
    truth, runs = exact(graph), 1 if bench.is_quick else 3
    rows = list(crawled)
    seconds = []
    for _ in range(runs):
        started = time.process_time()
        ranks = pagerank(graph, _DAMPING, tolerance=_TOLERANCE)
        seconds.append(time.process_time() - started)
    rows.append(_row("minicrawl rank by power iteration", OURS, ranks, truth, seconds))
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/graph.npz", indptr=graph.indptr, indices=graph.targets)
        for name in bench.installed:
            found = bench.ask(name, "pagerank", {"graph": f"{folder}/graph.npz", "folder": folder, "runs": runs})
            for way_name, way_found in (found or {}).items():
                rows.append(_row(way_name, PEER, np.load(way_found["ranks"]), truth, way_found["seconds"]))
    note = f"{graph.size:,} pages, {len(graph.targets):,} links."
    return Table(title, _COLUMNS, rows, note)


def _run(bench: Bench) -> Iterator[Table]:
    for size in (2_000,) if bench.is_quick else (10_000, 100_000):
        graph = MODELS["power-law"](size, np.random.default_rng(0))
        yield _on(bench, f"A generated graph of {size:,} pages", graph)
    for path in bench.graphs:
        yield _on(bench, path.stem, load_graph(path)[0])


SUITE = Suite("agreement", "Agreement", __doc__, _PEERS, _run)
