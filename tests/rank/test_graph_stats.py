"""The figures of a graph gather what the parts say, exact or estimated as the size asks for."""

import numpy as np
import pytest

from minicrawl.rank import Graph, graph_stats

# Two pages that link to each other, one that leads to them, two behind them, one apart.
WEB = Graph.from_links([[1, 3], [0, 4], [0], [], [], []])


def test_figures_of_a_small_web() -> None:
    found = graph_stats(WEB, np.random.default_rng(0))
    assert (found.pages, found.links, found.dangling) == (6, 5, 3)
    assert (found.strong.count, found.weak.count) == (5, 2)
    assert (found.indegrees.largest, found.outdegrees.largest) == (2, 2)
    assert found.indegrees.mean == found.outdegrees.mean == pytest.approx(5 / 6)
    # 2 -> 0 -> 1 -> 4
    assert (found.distances.longest, found.distances.error) == (3, 0.0)
    assert (found.core_links, found.core_distances.longest, found.core_distances.average()) == (2, 1, 1.0)


def test_distances_of_a_large_web_are_estimated_and_say_so() -> None:
    found = graph_stats(WEB, np.random.default_rng(0), exact_work=4.0, registers=64)
    assert found.distances.error == pytest.approx(0.13)
    # Two pages with two links are few enough.
    assert found.core_distances.error == 0.0


def test_web_without_pages_has_figures() -> None:
    found = graph_stats(Graph.from_links([]), np.random.default_rng(0))
    assert (found.pages, found.strong.count, found.core_distances.longest) == (0, 0, 0)
