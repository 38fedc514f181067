"""Algorithms are found by name and by problem, and find what is right."""

import numpy as np
import pytest

from minicrawl.lab.graphbench.algorithms import (
    ALGORITHMS,
    BITS,
    DISTANCES,
    PROBLEMS,
    algorithms_of,
    all_answers,
    exact_answers,
)
from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.sequences import Insertions, random_sparse
from minicrawl.rank.growing_distances import far

OF_DISTANCES = [name for name, one in ALGORITHMS.items() if one.problem == DISTANCES]


@pytest.mark.parametrize("name", OF_DISTANCES)
def test_distances_are_right_after_every_batch(sequence: Insertions, name: str) -> None:
    follower = ALGORITHMS[name].start(sequence, np.int16)
    for start in range(0, len(sequence.links), 7):
        follower.insert(sequence.links[start : start + 7])
        exact = exact_distances(sequence.graph(start + 7), np.int16)
        assert (all_answers(follower, sequence.size) == np.where(exact == far(exact), -1, exact)).all()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", ["even-gazit", "pages"])
def test_a_distance_takes_so_many_bits(name: str, bits: int) -> None:
    sequence = random_sparse(20, np.random.default_rng(0))
    follower = ALGORITHMS[name].start(sequence, BITS[bits])
    follower.insert(sequence.links)
    assert follower.memory == 20 * 20 * bits // 8
    exact = exact_answers(DISTANCES, sequence.graph(len(sequence.links)))
    assert (all_answers(follower, 20) == exact).all()


def test_a_problem_stands_for_all_its_algorithms() -> None:
    assert list(algorithms_of("strong, bfs,strong")) == ["tarjan", "warshall", "closure", "bfs"]
    assert set(algorithms_of(",".join(PROBLEMS))) == set(ALGORITHMS)
