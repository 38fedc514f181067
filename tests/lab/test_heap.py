"""The indexed heap against max()."""

import numpy as np
import pytest

from minicrawl.lab.heap import ABSENT, Heap, add, empty_heap, first, full_heap, moved, pop, risen


def greatest(heap: Heap, waiting: set[int]) -> int:
    """Largest key, of equals the lowest page."""
    return max(waiting, key=lambda page: (heap.key[page], -page))


@pytest.mark.parametrize("seed", range(5))
def test_any_sequence_of_moves_hands_out_the_greatest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pages = int(rng.integers(1, 40))
    heap = empty_heap(rng.integers(0, 6, pages))  # few keys: many ties
    waiting: set[int] = set()
    for _ in range(2000):
        page = int(rng.integers(pages))
        step = rng.integers(4)
        if step == 0 and page not in waiting:
            add(heap, page)
            waiting.add(page)
        elif step == 1 and waiting:
            assert pop(heap) == greatest(heap, waiting)
            waiting.remove(greatest(heap, waiting))
        elif step == 2 and page in waiting:
            heap.key[page] = rng.integers(0, 6)
            moved(heap, page)
        elif step == 3 and page in waiting:
            heap.key[page] += 1
            risen(heap, page)
        assert heap.size[0] == len(waiting)
        assert {page for page in range(pages) if heap.place[page] != ABSENT} == waiting
        if waiting:
            assert first(heap) == greatest(heap, waiting)


@pytest.mark.parametrize("pages", [1, 2, 5, 6, 100])
def test_full_heap_empties_in_order(pages: int) -> None:
    key = np.random.default_rng(pages).integers(-3, 3, pages)
    heap = full_heap(key)
    assert [pop(heap) for _ in range(pages)] == sorted(range(pages), key=lambda page: (-key[page], page))
