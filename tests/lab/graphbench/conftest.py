"""Sequences of insertions that every algorithm is tried on."""

import numpy as np
import pytest

from minicrawl.lab.graphbench.sequences import Insertions, cubic, road, sparse_links


def sequence_of(name: str, size: int, links: int, seed: int = 0) -> Insertions:
    draw = {"sparse": sparse_links, "cubic": cubic, "road": road}[name]
    return Insertions(name, size, draw(size, links, np.random.default_rng(seed)))


SEQUENCES = [
    sequence_of("sparse", 9, 72),  # complete
    sequence_of("cubic", 12, 13),
    sequence_of("road", 16, 44),
    *(sequence_of("sparse", 14, 50, seed) for seed in range(4)),
]


@pytest.fixture(params=SEQUENCES, ids=lambda sequence: f"{sequence.name} {len(sequence.links)}")
def sequence(request: pytest.FixtureRequest) -> Insertions:
    sequence: Insertions = request.param
    return sequence
