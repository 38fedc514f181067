"""The diameter against all distances and closed forms."""

import pytest
from support.link_webs import all_distances, cycle, random_graph

from minicrawl.rank import Graph
from minicrawl.rank.components import strong_components, subgraph
from minicrawl.rank.diameter import diameter
from minicrawl.rank.distances import neighbourhood


def core(graph: Graph) -> Graph:
    return subgraph(graph, strong_components(graph).largest())


@pytest.mark.parametrize("seed", range(5))
def test_diameter_is_the_largest_of_all_distances(seed: int) -> None:
    graph = core(random_graph(seed, 50 + 40 * seed, 2 + seed % 4))
    found = diameter(graph)
    assert (found.lower, found.upper) == (all_distances(graph).max(),) * 2


@pytest.mark.parametrize(
    ("links", "expected"),
    [(cycle(40), 39), ([[]], 0), ([], 0)],
    ids=["cycle", "one page", "no pages"],
)
def test_diameter_has_closed_forms(links: list[list[int]], expected: int) -> None:
    found = diameter(Graph.from_links(links))
    assert found.is_exact
    assert found.lower == expected


def test_diameter_takes_few_searches() -> None:
    graph = core(random_graph(1, 3000, 8))
    found = diameter(graph)
    assert found.lower == neighbourhood(graph).longest
    assert found.searches < graph.size / 10


def test_searches_that_are_limited_leave_bounds() -> None:
    graph = core(random_graph(1, 3000, 8))
    exact, limited = diameter(graph).lower, diameter(graph, most_searches=8)
    assert limited.lower <= exact <= limited.upper
    assert limited.searches <= 10


def test_diameter_needs_a_strongly_connected_graph() -> None:
    with pytest.raises(ValueError, match="some pages are not reached"):
        diameter(Graph.from_links([[1], []]))
