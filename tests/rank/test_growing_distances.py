"""Distances that follow a graph as it grows are held to networkx, after every page."""

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.rank.distances import far, insert_links, no_links


def exact(graph: "networkx.DiGraph[int]", size: int, like: np.ndarray) -> list[list[int]]:
    found = dict(networkx.all_pairs_shortest_path_length(graph))
    return [[found[x].get(y, far(like)) for y in range(size)] for x in range(size)]


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), min_size=1, max_size=5)), max_size=12))
def test_distances_are_right_after_every_page(pages: list[tuple[int, list[int]]]) -> None:
    """A page may have its links in several turns, list one again, and link to itself."""
    distance = no_links(10)
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(10))
    for page, targets in pages:
        graph.add_edges_from((page, target) for target in targets)
        insert_links(distance, page, np.array(targets, dtype=np.int32))
        assert distance.tolist() == exact(graph, 10, distance)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64])
def test_the_longest_distance_that_fits_is_kept(dtype: type) -> None:
    """Two distances of "no way" and a link are added up: they must not become small."""
    size = min(far(np.zeros(0, dtype)), 200)
    distance = no_links(size, dtype)
    for page in range(size - 1):
        insert_links(distance, page, np.array([page + 1]))
    expected = [[y - x if y >= x else far(distance) for y in range(size)] for x in range(size)]
    assert distance.tolist() == expected
