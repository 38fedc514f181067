"""Searches and all pairs against networkx and closed forms."""

import networkx
import numpy as np
import pytest
from support.link_webs import all_distances, complete, cycle, dumbbell, path, random_graph, star

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
    np.fill_diagonal(expected, np.inf)
    assert found.harmonic == pytest.approx((1 / expected).sum(axis=0))


def test_harmonic_centrality_is_that_of_networkx() -> None:
    graph = random_graph(3)
    oracle = networkx.DiGraph(list(zip(np.repeat(np.arange(70), graph.outdegrees()), graph.targets, strict=True)))
    expected = networkx.harmonic_centrality(oracle)
    harmonic = neighbourhood(graph).harmonic
    assert [harmonic[page] for page in oracle] == pytest.approx([expected[page] for page in oracle])


@pytest.mark.parametrize(
    ("links", "longest", "average"),
    [
        (cycle(9), 8, 9 / 2),
        (path(9), 8, 10 / 3),  # (n + 1) / 3
        (star(9), 2, 2 * 8 / 9),  # 2 (n - 1) / n
        (complete(9), 1, 1),
        (dumbbell(5), 3, (2 * 5 * 4 + 2 * (1 + 2 * 4 * 2 + 4 * 4 * 3)) / 90),
        ([[], []], 0, 0),
        ([], 0, 0),
    ],
    ids=["cycle", "path", "star", "complete", "two cliques and a bridge", "no links", "no pages"],
)
def test_distances_have_closed_forms(links: list[list[int]], longest: int, average: float) -> None:
    found = neighbourhood(Graph.from_links(links))
    assert found.longest == longest
    assert found.average() == pytest.approx(average)


def test_effective_diameter_lies_on_the_line_between_two_distances() -> None:
    """A cycle of 10: N(t) = 10 (t + 1) of 100 pairs, so nine tenths at 8 and .85 at 7.5."""
    found = neighbourhood(Graph.from_links(cycle(10)))
    assert found.effective_diameter() == pytest.approx(8.0)
    assert found.effective_diameter(0.85) == pytest.approx(7.5)
    assert found.effective_diameter(0.05) == 0.0
