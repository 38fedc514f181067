"""Every algorithm of the experiment agrees with scipy, and counts what it says it does."""

from itertools import pairwise

import numpy as np

from minicrawl.lab.graphbench.algorithms import EVEN_GAZIT, TREES
from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.runs import components, distances
from minicrawl.lab.graphbench.sequences import Insertions


def test_distances_agree_and_updates_are_pairs_that_changed(sequence: Insertions) -> None:
    runs = {run.algorithm: run for run in distances(sequence)}
    assert list(runs) == [EVEN_GAZIT, TREES, "anew"]
    assert all(run.agrees for run in runs.values())
    like = np.zeros(0, dtype=np.int32)
    exact = [exact_distances(sequence.graph(count), like) for count in range(len(sequence.links) + 1)]
    changes = [np.count_nonzero(before != after) for before, after in pairwise(exact)]
    assert runs[TREES].updates == sum(changes)


def test_components_agree(sequence: Insertions) -> None:
    runs = components(sequence)
    assert all(run.agrees for run in runs)
    assert {run.algorithm for run in runs} == {"closure", "anew", "schedule", "merging"}
