"""Components that follow a graph as it grows are held to networkx after every single insertion."""

import networkx
import numpy as np
import pytest

from minicrawl.lab.graphbench.algorithms import ALGORITHMS, BITS, STRONG, all_answers
from minicrawl.lab.graphbench.sequences import Insertions, cubic, random_sparse, road

SEQUENCES = [random_sparse(size, np.random.default_rng(size), degree) for size in (1, 2, 13, 30) for degree in (1, 2)]
SEQUENCES += [cubic(12), road(25, np.random.default_rng(0))]


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
    sequence = road(144, np.random.default_rng(0))
    half = len(sequence.links) // 2
    follower = ALGORITHMS[name].start(sequence, BITS[bits])
    follower.insert(sequence.links[:half])
    assert all_answers(follower, 144).astype(bool).tolist() == by_networkx(sequence, half)
    assert follower.memory == 144 * -(-144 // bits) * bits // 8 * (2 if name == "warshall" else 1)
