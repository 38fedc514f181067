"""Sequences of insertions that every algorithm is tried on."""

import numpy as np
import pytest

from minicrawl.lab.graphbench.sequences import Insertions, complete, cubic, random_sparse, road

SEQUENCES = [
    complete(9, np.random.default_rng(0)),
    cubic(12),
    road(16, np.random.default_rng(0)),
    *(random_sparse(14, np.random.default_rng(s)) for s in range(4)),
]


@pytest.fixture(params=SEQUENCES, ids=lambda sequence: f"{sequence.name} {len(sequence.links)}")
def sequence(request: pytest.FixtureRequest) -> Insertions:
    sequence: Insertions = request.param
    return sequence
