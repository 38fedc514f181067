"""Searches and all pairs against networkx and closed forms."""

import numpy as np
import pytest
from support.link_webs import all_distances, cycle, random_graph

from minicrawl.rank import Graph
from minicrawl.rank.distances import distances_from, neighbourhood


@pytest.mark.parametrize("seed", range(5))
def test_search_finds_the_distance_from_the_nearest_page(seed: int) -> None:
    graph = random_graph(seed)
    expected = all_distances(graph)[[3, 40]].min(axis=0)
    expected[np.isinf(expected)] = -1
    assert distances_from(graph, np.array([3, 40])).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [70, 1100])
def test_all_pairs_are_those_of_scipy(size: int) -> None:
    graph = random_graph(size, size)
    expected = all_distances(graph)
    found = neighbourhood(graph)
    longest = int(expected[np.isfinite(expected)].max())
    assert found.pairs.tolist() == [np.count_nonzero(expected <= distance) for distance in range(longest + 1)]
    assert found.average() == pytest.approx(expected[np.isfinite(expected) & (expected > 0)].mean())
    assert (found.longest, found.error) == (longest, 0.0)


@pytest.mark.parametrize("links", [[[], []], []], ids=["no links", "no pages"])
def test_without_links_there_are_no_distances(links: list[list[int]]) -> None:
    found = neighbourhood(Graph.from_links(links))
    assert (found.longest, found.average()) == (0, 0.0)


def test_effective_diameter_lies_on_the_line_between_two_distances() -> None:
    """A cycle of 10: N(t) = 10 (t + 1) of 100 pairs, so nine tenths at 8 and .85 at 7.5."""
    found = neighbourhood(Graph.from_links(cycle(10)))
    assert found.effective_diameter() == pytest.approx(8.0)
    assert found.effective_diameter(0.85) == pytest.approx(7.5)
    assert found.effective_diameter(0.05) == 0.0
