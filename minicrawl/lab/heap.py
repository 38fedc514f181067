"""An indexed heap of pages by largest key, compiled.

The plain queue (`opic.strategy.PageQueue`) pushes a page again at every rise; this one moves it, so it holds each
page once, and keys may fall as well. Ties go to the lower page number, so both return the same pages in the
same order.

key     int64, shape (pages,): the larger the sooner; owned by the caller, who after each single change calls
        `moved` (or `risen`) before the next: a heap in which several keys have changed cannot be mended
heap    int32, shape (pages,): heap[0] is next; the children of heap[i] are heap[4 i + 1 .. 4 i + 4]
place   int32, shape (pages,): the position of a page in `heap`
"""

from typing import Any, NamedTuple  # Any: callables

import numba
import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import IntArray

_CHILDREN = 4


class Heap(NamedTuple):
    """An indexed heap of all pages."""

    key: IntArray
    heap: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]


def full_heap(key: IntArray) -> Heap:
    """A heap of all pages over `key`."""
    pages = np.arange(len(key), dtype=np.int32)
    heap = Heap(key, pages, pages.copy())
    _heapify(heap)
    return heap


def compiled(function: Any) -> Any:
    """The function as machine code. Integers are exact; floats are not reordered.

    Compiled again in every process, in about a second: code cached on disk would not notice a change in its callees.
    """
    return numba.njit(function)


@compiled
def first(heap: Heap) -> int:
    """The next page. The heap must not be empty."""
    return int(heap.heap[0])


@compiled
def moved(heap: Heap, page: int) -> None:
    """Restore the heap after a page's key has risen or fallen."""
    _up(heap, page)
    _down(heap, page)


@compiled
def risen(heap: Heap, page: int) -> None:
    """Restore the heap after a page's key has risen."""
    _up(heap, page)


@compiled
def _goes_before(key, one, other):  # type: ignore[no-untyped-def]
    return key[one] > key[other] or (key[one] == key[other] and one < other)


@compiled
def _up(heap: Heap, page: int) -> None:
    at = heap.place[page]
    while at > 0:
        parent = heap.heap[(at - 1) // _CHILDREN]
        if not _goes_before(heap.key, page, parent):
            break
        heap.heap[at] = parent
        heap.place[parent] = at
        at = (at - 1) // _CHILDREN
    heap.heap[at] = page
    heap.place[page] = at


@compiled
def _down(heap: Heap, page: int) -> None:
    at, size = heap.place[page], len(heap.heap)
    while _CHILDREN * at + 1 < size:
        best_at = _CHILDREN * at + 1
        for child in range(best_at + 1, min(best_at + _CHILDREN, size)):
            if _goes_before(heap.key, heap.heap[child], heap.heap[best_at]):
                best_at = child
        best = heap.heap[best_at]
        if not _goes_before(heap.key, best, page):
            break
        heap.heap[at] = best
        heap.place[best] = at
        at = best_at
    heap.heap[at] = page
    heap.place[page] = at


@compiled
def _heapify(heap: Heap) -> None:
    for at in range((len(heap.heap) - 2) // _CHILDREN, -1, -1):
        _down(heap, heap.heap[at])
