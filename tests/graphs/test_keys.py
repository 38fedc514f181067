"""Links as keys: sorted, each once, and divided into the rows of a graph."""

import numpy as np

from minicrawl.graphs.graph_files import graph_of_keys, keys_of, sources_of, targets_of
from minicrawl.rank import Graph


def test_keys_are_the_links_each_once() -> None:
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 12, (2, 200))
    expected = sorted(set(zip(*ends.tolist(), strict=True)))
    keys = np.unique(keys_of(*ends))
    assert list(zip(sources_of(keys).tolist(), targets_of(keys).tolist(), strict=True)) == expected
    sources, targets = np.array(expected).T
    graph, same = graph_of_keys(keys, 15), Graph.from_edges(sources, targets, 15)
    assert (graph.indptr.tolist(), graph.targets.tolist()) == (same.indptr.tolist(), same.targets.tolist())


def test_keys_hold_the_largest_page_number() -> None:
    largest = 2**31 - 1
    keys = np.unique(keys_of(np.array([largest, 0, largest]), np.array([0, largest, largest])))
    assert sources_of(keys).tolist() == [0, largest, largest]
    assert targets_of(keys).tolist() == [largest, 0, largest]


def test_no_keys_make_a_graph_without_links() -> None:
    graph = graph_of_keys(np.unique(np.zeros(0, dtype=np.int64)), 3)
    assert (graph.indptr.tolist(), graph.targets.tolist()) == ([0, 0, 0, 0], [])
