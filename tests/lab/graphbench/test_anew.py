"""Distances found anew after every batch of links are held to scipy."""

from collections.abc import Callable

import pytest

from minicrawl.lab.graphbench.anew import Growing, insert_and_relax, insert_and_search
from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.sequences import Insertions


@pytest.mark.parametrize("find", [insert_and_search, insert_and_relax])
def test_distances_are_right_after_every_batch(sequence: Insertions, find: Callable[..., None]) -> None:
    growing = Growing.of(sequence.size, sequence.links)
    for start in range(0, len(sequence.links), 3):
        find(growing, sequence.links[start : start + 3])
        exact = exact_distances(sequence.graph(start + 3), growing.distance)
        assert (growing.distance == exact).all()
