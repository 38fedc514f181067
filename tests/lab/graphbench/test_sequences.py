"""Sequences of insertions bring as many updates as they promise."""

import numpy as np
import pytest

from minicrawl.lab.graphbench.distances import Trees, insert_by_trees
from minicrawl.lab.graphbench.sequences import complete, cubic, random_sparse


@pytest.mark.parametrize("size", [9, 30])
def test_cubic_sequence_brings_every_pair_of_ends_closer_again_and_again(size: int) -> None:
    """Of its last k links all but the first bring k * k pairs of an x and a z, and some of x and y, closer."""
    k, sequence = size // 3, cubic(size)
    trees = Trees.of(size)
    insert_by_trees(trees, sequence.links[:-k])
    updates = [insert_by_trees(trees, link[None]) for link in sequence.links[-k:]]
    assert [count - k * k for count in updates] == [k * (k - shortcut) for shortcut in range(k)]


def test_complete_sequence_has_every_link_once() -> None:
    links = complete(6, np.random.default_rng(0)).links.tolist()
    assert sorted(links) == [[source, target] for source in range(6) for target in range(6) if source != target]


def test_random_sequence_has_no_link_twice_and_none_to_oneself() -> None:
    links = random_sparse(20, np.random.default_rng(0)).links.tolist()
    assert len(links) == len(set(map(tuple, links)))
    assert all(source != target for source, target in links)
