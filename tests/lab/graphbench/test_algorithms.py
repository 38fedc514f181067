"""Algorithms are found by name and by problem, and find what is right."""

from collections.abc import Callable
from functools import partial
from typing import Any

import networkx
import numpy as np
import pytest
from support.link_webs import ends

from minicrawl.lab.graphbench.algorithms import (
    ALGORITHMS,
    BITS,
    DISTANCES,
    FAR,
    PROBLEMS,
    STRONG,
    Trees,
    algorithms_of,
    all_answers,
    exact_distances,
    insert_by_trees,
    search_distances,
)
from minicrawl.lab.graphbench.sequences import APPENDIX, BENCHMARKS, Insertions, appendix, cubic, of_graph, road
from minicrawl.lab.graphbench.sequences import sparse_links as sparse
from minicrawl.lab.webs import power_law
from minicrawl.rank import Graph

OF_DISTANCES = [name for name, one in ALGORITHMS.items() if one.problem == DISTANCES]


@pytest.mark.parametrize("name", OF_DISTANCES)
def test_distances_are_right_after_every_batch(sequence: Insertions, name: str) -> None:
    follower = ALGORITHMS[name].start(sequence, np.int16)
    for start in range(0, len(sequence.links), 7):
        follower.insert(sequence.links[start : start + 7])
        exact = exact_distances(sequence.graph(start + 7))
        assert (all_answers(follower, sequence.size) == np.where(exact == FAR, -1, exact)).all()


def test_a_problem_stands_for_all_its_algorithms() -> None:
    assert list(algorithms_of("strong, bfs,strong")) == ["tarjan", "warshall", "closure", "bfs"]
    assert set(algorithms_of(",".join(PROBLEMS))) == set(ALGORITHMS)


def drawn(size: int, links: int) -> Insertions:
    return Insertions("sparse", size, sparse(size, links, np.random.default_rng(size)))


SEQUENCES = [drawn(size, degree * size) for size in (2, 13, 30) for degree in (1, 2)]
SEQUENCES += [Insertions("cubic", 12, cubic(12, 13, np.random.default_rng(0)))]
SEQUENCES += [Insertions("road", 25, road(25, 70, np.random.default_rng(0)))]


def by_networkx(sequence: Insertions, count: int) -> list[list[bool]]:
    """Whether each two pages are in one strong component."""
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(sequence.size))
    graph.add_edges_from(sequence.links[:count].tolist())
    components = list(networkx.strongly_connected_components(graph))
    pages = range(sequence.size)
    return [[any(x in some and y in some for some in components) for y in pages] for x in pages]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if one.problem == STRONG])
def test_components_are_right_after_every_insertion(name: str) -> None:
    for sequence in SEQUENCES:
        follower = ALGORITHMS[name].start(sequence, np.uint8)
        for count in range(len(sequence.links)):
            follower.insert(sequence.links[count : count + 1])
            assert all_answers(follower, sequence.size).astype(bool).tolist() == by_networkx(sequence, count + 1)


@pytest.mark.slow
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", ["closure", "warshall"])
def test_blocks_of_bits_may_have_any_size(name: str, bits: int) -> None:
    """Pages 63 to 65 and 127 to 129 lie at the ends of blocks."""
    sequence = Insertions("road", 144, road(144, 476, np.random.default_rng(0)))
    half = len(sequence.links) // 2
    follower = ALGORITHMS[name].start(sequence, BITS[bits])
    follower.insert(sequence.links[:half])
    assert all_answers(follower, 144).astype(bool).tolist() == by_networkx(sequence, half)
    assert follower.memory == 144 * -(-144 // bits) * bits // 8 * (2 if name == "warshall" else 1)


@pytest.mark.parametrize("find", [exact_distances, partial(exact_distances, method="FW"), search_distances])
def test_distances_found_anew_are_those_of_networkx(sequence: Insertions, find: Callable[..., Any]) -> None:
    graph: networkx.DiGraph[int] = networkx.DiGraph(sequence.links.tolist())
    graph.add_nodes_from(range(sequence.size))
    found = dict(networkx.all_pairs_shortest_path_length(graph))
    distance = find(sequence.graph(len(sequence.links)))
    pages = range(sequence.size)
    assert distance.tolist() == [[found[x].get(y, FAR) for y in pages] for x in pages]


def test_distances_and_updates_are_right_after_every_insertion(sequence: Insertions) -> None:
    trees = Trees.of(sequence.size)
    for count in range(len(sequence.links)):
        before, exact = trees.distance.copy(), exact_distances(sequence.graph(count + 1))
        updates = insert_by_trees(trees, sequence.links[count : count + 1])
        assert (trees.distance == exact).all()
        assert updates == np.count_nonzero(before != exact)


def test_trees_hold_shortest_paths(sequence: Insertions) -> None:
    trees = Trees.of(sequence.size)
    insert_by_trees(trees, sequence.links)
    links = set(map(tuple, sequence.links.tolist()))
    for x in range(sequence.size):
        reached = [y for y in range(sequence.size) if 0 < trees.distance[x, y] < FAR]
        for y in reached:
            parent = trees.parent[x, y]
            assert (parent, y) in links
            assert trees.distance[x, parent] == trees.distance[x, y] - 1
        children = []
        for parent in range(sequence.size):
            child = trees.child[x, parent]
            while child >= 0:
                children.append(child)
                child = trees.after[x, child]
        assert sorted(children) == reached


@pytest.mark.parametrize("size", [9, 12, 31])
def test_cubic_sequence_makes_the_updates_of_its_formula(size: int) -> None:
    """Counted by comparing all distances before and after every link, but for those from the link's own source."""
    k = size // 3
    sequence = Insertions("cubic", 3 * k, cubic(size, 4 * k - 3, np.random.default_rng(0)))
    beside, before = 0, exact_distances(sequence.graph(0))
    for count, (source, _) in enumerate(sequence.links.tolist(), start=1):
        after = exact_distances(sequence.graph(count))
        changed = before != after
        changed[source] = False
        beside, before = beside + int(np.count_nonzero(changed)), after
    assert beside == (k - 1) ** 2 * (3 * k + 2) // 2


@pytest.mark.parametrize("name", APPENDIX)
def test_graphs_of_the_appendix_have_its_pages_and_links(name: str) -> None:
    size, links, _ = APPENDIX[name]
    found = appendix(name, np.random.default_rng(0))
    assert (found.size, len(found.links)) == (size, links)
    assert len(np.unique(found.links, axis=0)) == links
    assert (found.links[:, 0] != found.links[:, 1]).all()
    assert 0 <= found.links.min() < found.links.max() < size


def test_densities_are_those_that_the_document_prints() -> None:
    printed = {"a1500": 0.09, "a300": 0.44, "a900": 0.15, "c100": 100, "c200": 100, "c400": 100, "c800": 100}
    printed |= {"ga": 0.21, "id": 1.03, "sc1": 19.64, "sc2": 25, "sc3": 50}
    assert {name: round(100 * links / (size * (size - 1)), 2) for name, (size, links, _) in APPENDIX.items()} == printed
    assert set(BENCHMARKS) < set(printed)


@pytest.mark.parametrize(("size", "links"), [(64, 180), (70, 160), (256, 672)])
def test_roads_are_streets_of_a_grid_either_way_that_join_all_crossings(size: int, links: int) -> None:
    found = list(map(tuple, road(size, links, np.random.default_rng(1)).tolist()))
    side = int(size**0.5)
    assert len(set(found)) == links
    assert {(v, u) for u, v in found} == set(found)
    assert all(abs(u - v) == side or (abs(u - v) == 1 and u // side == v // side) for u, v in found)
    graph: networkx.DiGraph[int] = networkx.DiGraph(found)
    assert len(graph) == size
    assert networkx.is_strongly_connected(graph)


def test_links_of_a_graph_are_inserted_once_each() -> None:
    graph = power_law(60, np.random.default_rng(0))
    sequence = of_graph(graph, np.random.default_rng(0))
    assert sorted(map(tuple, sequence.links.tolist())) == ends(graph)


def test_some_pages_are_the_nearest_of_the_one_with_most_links() -> None:
    graph = Graph.from_links([[1], [0], [1, 3, 4], [5], [], [0, 1]])
    sequence = of_graph(graph, np.random.default_rng(0), most=4)
    kept = {1: 0, 2: 1, 3: 2, 4: 3}
    inside = [(kept[s], kept[t]) for s, t in ends(graph) if s in kept and t in kept]
    assert (sequence.size, sorted(map(tuple, sequence.links.tolist()))) == (4, sorted(inside))
