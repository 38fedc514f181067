"""Every algorithm takes the next links, and has all distances then."""

import numpy as np
import pytest

from minicrawl.lab.graphbench.algorithms import ALGORITHMS, BITS, EVEN_GAZIT, PAGES, TREES
from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.sequences import Insertions, random_sparse


@pytest.mark.parametrize("name", ALGORITHMS)
def test_distances_are_right_after_every_batch(sequence: Insertions, name: str) -> None:
    follower = ALGORITHMS[name](sequence, np.int16)
    for start in range(0, len(sequence.links), 7):
        follower.insert(sequence.links[start : start + 7])
        exact = exact_distances(sequence.graph(start + 7), follower.distance)
        assert (follower.distance == exact).all()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", [EVEN_GAZIT, PAGES])
def test_a_distance_takes_so_many_bits(name: str, bits: int) -> None:
    sequence = random_sparse(20, np.random.default_rng(0))
    follower = ALGORITHMS[name](sequence, BITS[bits])
    follower.insert(sequence.links)
    assert follower.memory == 20 * 20 * bits // 8
    assert (follower.distance == exact_distances(sequence.graph(len(sequence.links)), follower.distance)).all()


def test_trees_take_four_page_numbers_a_pair_beside_the_distance() -> None:
    sequence = random_sparse(20, np.random.default_rng(0))
    assert ALGORITHMS[TREES](sequence, np.int32).memory == 20 * 20 * (4 + 4 * 2)
