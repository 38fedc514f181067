"""Sequences of insertions bring as many updates as they promise."""

import networkx
import numpy as np
import pytest

from minicrawl.lab.graphbench.distances import Trees, exact_distances, insert_by_trees
from minicrawl.lab.graphbench.sequences import cubic, of_graph, random_sparse, road
from minicrawl.lab.webs import power_law
from minicrawl.rank import Graph


def cubic_updates(size: int) -> int:
    """The updates that `cubic` promises, except those at the source of the inserted link."""
    k = size // 3
    return (k - 1) ** 2 * (3 * k + 2) // 2


@pytest.mark.parametrize("size", [9, 12, 31])
def test_cubic_sequence_makes_the_updates_of_its_formula(size: int) -> None:
    """Counted by comparing all distances before and after every link, but for those from the link's own source."""
    sequence = cubic(size)
    beside, before = 0, exact_distances(sequence.graph(0), np.int32)
    for count, (source, _) in enumerate(sequence.links.tolist(), start=1):
        after = exact_distances(sequence.graph(count), np.int32)
        changed = before != after
        changed[source] = False
        beside, before = beside + int(np.count_nonzero(changed)), after
    assert beside == cubic_updates(size)
    assert len(sequence.links) == 4 * (sequence.size // 3) - 3


def test_cubic_sequence_of_300_pages_is_the_published_one() -> None:
    """With those at the source of the link its updates are 1,519,750."""
    sequence = cubic(300)
    assert (len(sequence.links), cubic_updates(300)) == (397, 1_479_951)
    assert insert_by_trees(Trees.of(300), sequence.links) == 1_519_750


def test_sparse_sequence_has_no_link_twice_and_none_to_oneself() -> None:
    links = random_sparse(20, np.random.default_rng(0)).links.tolist()
    assert len(links) == len(set(map(tuple, links)))
    assert all(source != target for source, target in links)


def test_roads_are_streets_of_a_grid_either_way() -> None:
    sequence = road(80, np.random.default_rng(1))
    assert sequence.size == 64
    links = list(map(tuple, sequence.links.tolist()))
    grid = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(8, 8), ordering="sorted")
    assert len(links) == len(set(links))
    assert {(v, u) for u, v in links} == set(links)
    assert all(grid.has_edge(u, v) for u, v in links)
    assert 0.8 * 2 * grid.number_of_edges() < len(links) < 2 * grid.number_of_edges()


def links_of(graph: Graph) -> list[tuple[int, int]]:
    return list(zip(graph.sources().tolist(), graph.targets.tolist(), strict=True))


def test_links_of_a_graph_are_inserted_once_each() -> None:
    graph = power_law(60, np.random.default_rng(0))
    sequence = of_graph(graph, np.random.default_rng(0))
    assert sorted(map(tuple, sequence.links.tolist())) == links_of(graph)


def test_some_pages_are_the_nearest_of_the_one_with_most_links() -> None:
    graph = Graph.from_links([[1], [0], [1, 3, 4], [5], [], [0, 1]])
    sequence = of_graph(graph, np.random.default_rng(0), most=4)
    kept = {1: 0, 2: 1, 3: 2, 4: 3}
    inside = [(kept[s], kept[t]) for s, t in links_of(graph) if s in kept and t in kept]
    assert (sequence.size, sorted(map(tuple, sequence.links.tolist()))) == (4, sorted(inside))
