"""Components that follow a graph as it grows are held to networkx after every single insertion."""

from typing import Any

import networkx
import numpy as np
import pytest

from minicrawl.lab.graphbench.algorithms import ALGORITHMS, BICONNECTED, BITS, DISTANCES, STRONG, all_answers
from minicrawl.lab.graphbench.components import exact_biconnected
from minicrawl.lab.graphbench.sequences import Insertions, cubic, random_sparse, road

SEQUENCES = [random_sparse(size, np.random.default_rng(size), degree) for size in (1, 2, 13, 30) for degree in (1, 2)]
SEQUENCES += [cubic(12), road(25, np.random.default_rng(0))]


def by_networkx(problem: str, sequence: Insertions, count: int) -> list[list[bool]]:
    """Whether each two pages are in one component."""
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(sequence.size))
    graph.add_edges_from(sequence.links[:count].tolist())
    if problem == BICONNECTED:
        components: list[Any] = list(networkx.biconnected_components(networkx.Graph(graph)))
    elif problem == STRONG:
        components = list(networkx.strongly_connected_components(graph))
    else:
        components = list(networkx.weakly_connected_components(graph))
    pages = range(sequence.size)
    return [[x == y or any(x in some and y in some for some in components) for y in pages] for x in pages]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if one.problem != DISTANCES])
def test_components_are_right_after_every_insertion(name: str) -> None:
    algorithm = ALGORITHMS[name]
    for sequence in SEQUENCES:
        follower = algorithm.start(sequence, np.uint8)
        for count in range(len(sequence.links)):
            follower.insert(sequence.links[count : count + 1])
            expected = by_networkx(algorithm.problem, sequence, count + 1)
            assert all_answers(follower, sequence.size).astype(bool).tolist() == expected


@pytest.mark.parametrize("name", ["merging", "unions"])
def test_updates_are_components_lost(name: str) -> None:
    for sequence in SEQUENCES:
        follower = ALGORITHMS[name].start(sequence, np.int16)
        lost = sum(follower.insert(sequence.links[at : at + 3]) or 0 for at in range(0, len(sequence.links), 3))
        components = {tuple(row) for row in all_answers(follower, sequence.size).tolist()}
        assert lost == sequence.size - len(components)


@pytest.mark.slow
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", ["closure", "warshall"])
def test_blocks_of_bits_may_have_any_size(name: str, bits: int) -> None:
    """Pages 63 to 65 and 127 to 129 lie at the ends of blocks."""
    sequence = road(144, np.random.default_rng(0))
    half = len(sequence.links) // 2
    follower = ALGORITHMS[name].start(sequence, BITS[bits])
    follower.insert(sequence.links[:half])
    assert all_answers(follower, 144).astype(bool).tolist() == by_networkx(STRONG, sequence, half)
    assert follower.memory == 144 * -(-144 // bits) * bits // 8 * (2 if name == "warshall" else 1)


def test_biconnected_components_by_definition_are_those_of_networkx() -> None:
    for sequence in SEQUENCES:
        links = len(sequence.links)
        assert exact_biconnected(sequence.graph(links)).tolist() == by_networkx(BICONNECTED, sequence, links)


def test_links_closing_cycles_may_come_twice_or_lead_to_oneself() -> None:
    links = np.array([[0, 1], [1, 0], [2, 2], [1, 2], [0, 1], [2, 0], [2, 3], [3, 3]], dtype=np.int32)
    sequence = Insertions("by hand", 5, links)
    follower = ALGORITHMS["cycles"].start(sequence, np.int16)
    assert follower.insert(links) == 1  # 0 - 1 and 1 - 2 became one
    graph = Insertions("by hand", 5, links[links[:, 0] != links[:, 1]])
    assert all_answers(follower, 5).astype(bool).tolist() == by_networkx(BICONNECTED, graph, 6)
