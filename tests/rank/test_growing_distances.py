"""Distances that follow a graph as it grows are held to networkx, after every page."""

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.rank.growing_distances import GrowingDistances, far, insert_links, no_links


def exact(graph: "networkx.DiGraph[int]", size: int, like: np.ndarray) -> list[list[int]]:
    found = dict(networkx.all_pairs_shortest_path_length(graph))
    return [[found[x].get(y, far(like)) for y in range(size)] for x in range(size)]


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=5)), max_size=12))
def test_distances_are_right_after_every_page(pages: list[tuple[int, list[int]]]) -> None:
    """A page may have its links in several turns, list one again, and link to itself."""
    growing = GrowingDistances()
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    for page, targets in pages:
        known = max([growing.size - 1, page, *targets]) + 1
        graph.add_nodes_from(range(known))
        graph.add_edges_from((page, target) for target in targets)
        growing.grow(known)
        growing.insert(page, np.array(targets, dtype=np.int32))
        assert growing.distance().tolist() == exact(graph, known, growing.distance())


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_pairs_are_counted_by_distance(links: list[tuple[int, int]]) -> None:
    growing, graph = GrowingDistances(), networkx.DiGraph(links)
    graph.add_nodes_from(range(8))
    growing.grow(8)
    for source, target in links:
        growing.insert(source, np.array([target]))
    found = [d for row in exact(graph, 8, growing.distance()) for d in row if d < far(growing.distance())]
    assert growing.pairs().tolist() == [found.count(d) for d in range(max(found) + 1)]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64])
def test_the_longest_distance_that_fits_is_kept(dtype: type) -> None:
    """Two distances of "no way" and a link are added up: they must not become small."""
    size = min(far(np.zeros(0, dtype)), 200)
    distance = no_links(size, dtype)
    for page in range(size - 1):
        insert_links(distance, page, np.array([page + 1]))
    expected = [[y - x if y >= x else far(distance) for y in range(size)] for x in range(size)]
    assert distance.tolist() == expected


def test_no_pages_have_no_pairs() -> None:
    assert GrowingDistances().pairs().tolist() == []
