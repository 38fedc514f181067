"""The indexed heap against max()."""

import numpy as np
import pytest

from minicrawl.lab.heap import first, full_heap, moved, risen


@pytest.mark.parametrize("seed", range(5))
def test_any_sequence_of_moves_keeps_the_greatest_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pages = int(rng.integers(1, 40))
    heap = full_heap(rng.integers(0, 6, pages))  # few keys: many ties
    for _ in range(2000):
        page = int(rng.integers(pages))
        if rng.integers(2):
            heap.key[page] = rng.integers(0, 6)
            moved(heap, page)
        else:
            heap.key[page] += 1
            risen(heap, page)
        assert first(heap) == max(range(pages), key=lambda page: (heap.key[page], -page))
