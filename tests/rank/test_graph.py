"""The links of a graph as two arrays, and what follows from them."""

import numpy as np
import pytest

from minicrawl.rank import Graph

LINKS = [[2, 1], [], [0, 0], [3]]


def test_links_keep_their_order() -> None:
    graph = Graph.from_links(LINKS)
    assert (graph.indptr.tolist(), graph.targets.tolist()) == ([0, 2, 2, 4, 5], [2, 1, 0, 0, 3])
    assert (graph.size, graph.outdegrees().tolist(), graph.dangling().tolist()) == (4, [2, 0, 2, 1], [1])
    assert graph.sources().tolist() == [0, 0, 2, 2, 3]


def test_pages_that_a_mapping_leaves_out_have_no_links() -> None:
    assert Graph.from_links({2: [0]}, size=4).indptr.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("stray", [-1, 4])
def test_link_that_leaves_the_graph_is_refused(stray: int) -> None:
    with pytest.raises(ValueError, match="the pages of a graph of size 4 are 0 to 3"):
        Graph.from_edges(np.array([0]), np.array([stray]), 4)


def test_walker_takes_each_link_alike_or_by_weight() -> None:
    graph, start = Graph.from_links([[1, 2], [2], []]), np.array([1.0, 0.0, 0.0])
    assert (graph.transition() @ start).tolist() == [0.0, 0.5, 0.5]
    assert (graph.transition(np.array([1.0, 3.0, 1.0])) @ start).tolist() == [0.0, 0.25, 0.75]
    assert (graph.transition(np.array([0.0, 0.0, 1.0])) @ start).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0, float("nan")]])
def test_weights_that_cannot_be_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights must be 5 numbers, one per link, none negative"):
        Graph.from_links(LINKS).transition(np.array(weights))
