"""The visit loops, compiled: the plain books of `opic`, about ten times as fast.

Every function here takes a book and leaves it as repeated calls of the book's own `visit` would: equal to the unit, and
to the last bit of every float, as tests check. The formulas of what a page passes on (`damped`) are not
duplicated: those functions are compiled.

Pages are the graph's, all of them known to the book from the start; a page does not link to itself.

The indexed heap of pages by largest key stands for the plain queue (`opic.strategy.PageQueue`), which pushes a page
again at every rise; this one moves it, so it holds each page once, and keys may fall as well. Ties go to the lower page
number, so both return the same pages in the same order.

key     int64, shape (pages,): the larger the sooner; owned by the caller, who after each single change calls
        `moved` (or `risen`) before the next: a heap in which several keys have changed cannot be mended
heap    int32, shape (pages,): heap[0] is next; the children of heap[i] are heap[4 i + 1 .. 4 i + 4]
place   int32, shape (pages,): the position of a page in `heap`
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple  # Any: callables

import numba
import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from minicrawl.opic import Adaptive, Book
from minicrawl.opic.adaptive import PayOut
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.units import damped, interpolated
from minicrawl.rank import Graph

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
def moved(heap: Heap, page: int) -> None:
    """Restore the heap after a page's key has risen or fallen."""
    risen(heap, page)
    _down(heap, page)


@compiled
def _goes_before(key, one, other):  # type: ignore[no-untyped-def]
    return key[one] > key[other] or (key[one] == key[other] and one < other)


@compiled
def risen(heap: Heap, page: int) -> None:
    """Restore the heap after a page's key has risen."""
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


register_jitable(damped)
register_jitable(interpolated)

LAB_TOTAL = 2**52
"""Total cash in the lab: the clock of some thousand turnovers fits into 64 bits."""

INCOME, LEVEL, CLOCK = range(3)
VIRTUAL, RESTLESS = range(2)
_PAYS: PayOut = ("all", 0.0)


VisitLog = tuple[npt.NDArray[np.int32], IntArray]
"""Visits in order: the pages, and the cash spent by each visit, each of shape (visits,)."""


class Cash(NamedTuple):
    """An `Adaptive` in compiled code: its arrays, and its scalars in `till`."""

    standing: IntArray
    history: FloatArray
    last: FloatArray
    visited: npt.NDArray[np.bool_]
    till: IntArray


class Held(NamedTuple):
    """A `Book` in compiled code. `received`: B + R. `till`: virtual page, sum of |B + R - H|."""

    received: IntArray
    forwarded: IntArray
    till: IntArray


def paper_book(graph: Graph) -> Adaptive:
    """A cash book that knows all pages, each with equal cash: the paper's start. Its virtual page pays all at once."""
    book = Adaptive(None, _PAYS, total=LAB_TOTAL)
    book.discover(np.full(graph.size, LAB_TOTAL // graph.size))
    return book


def visit_pages(book: Adaptive, graph: Graph, pages: npt.NDArray[np.int32]) -> VisitLog:
    """Visit `pages`, in this order: cycle, random or any other."""
    spent = np.zeros(len(pages), dtype=np.int64)
    with _opened(book) as cash:
        _visit_pages(cash, graph.indptr, graph.targets, pages, spent)
    return pages, spent


def visit_greedily(book: Adaptive, graph: Graph, visits: int, *, via: Graph | None = None) -> VisitLog:
    """Visit the page with the most cash, `visits` times; ties go to the lowest number.

    via: cash is passed along all paths of two links, the first in `via`, the second in `graph`.
    """
    pages, spent = np.zeros(visits, dtype=np.int32), np.zeros(visits, dtype=np.int64)
    with _opened(book) as cash:
        heap = full_heap(cash.standing)
        _visit_greedily(cash, _rows(graph, via), heap, pages, spent)
    return pages, spent


def interpolated_history(log: VisitLog, pages: int, window: float) -> tuple[FloatArray, FloatArray]:
    """History and clock of the last visit kept by the interpolation window, in units, each of shape (pages,).

    log: all visits of the run. window: T in units of the clock.
    """
    history, last = np.zeros(pages), np.zeros(pages)
    _interpolate(*log, window, history, last)
    return history, last


def settle_greedily(
    ledger: Book, graph: Graph, visits: int, as_read: Graph | None = None, *, via: Graph | None = None
) -> npt.NDArray[np.bool_]:
    """Visit the page with the largest residual |R - H|, `visits` times; ties go to the lowest number.

    as_read: the links of every page at its last visit; None: those of `graph`. via: see `visit_greedily`.
    Returns a flag for each page visited, shape (size,).
    """
    old = as_read or graph
    visited = np.zeros(graph.size, dtype=np.bool_)
    with _held(ledger) as held:
        residual = np.abs(held.received - held.forwarded)
        heap = full_heap(residual)
        _settle_greedily(held, _rows(graph, via), _rows(old, via), visited, heap, visits)
    return visited


@contextmanager
def _opened(book: Adaptive) -> Iterator[Cash]:
    """The book in compiled code; changes are written back afterwards."""
    if book.window is not None or (book.payees_are, book.lump) != _PAYS:
        raise TypeError("compiled visits need a book without a window, whose virtual page pays all pages at once")
    till = np.array([book.income, book.level, book.clock], dtype=np.int64)
    size = book.size
    cash = Cash(book.standing[:size], book.history[:size], book.last[:size], book.visited[:size], till)
    yield cash
    book.income, book.level, book.clock = cash.till.tolist()


@contextmanager
def _held(ledger: Book) -> Iterator[Held]:
    """The ledger in compiled code. The ledger recomputes its sums afterwards."""
    size = ledger.size
    if ledger.alias[:size].any():
        raise ValueError("compiled visits know no aliases; fold them into their targets")
    births, forwarded = ledger.birth(slice(0, size)), ledger.forwarded[:size]
    received = ledger.cash[:size] + forwarded + births
    restless = int(np.abs(received - forwarded).sum())
    held = Held(received, forwarded, np.array([ledger.virtual, restless], dtype=np.int64))
    yield held
    ledger.cash[:size] = received - births - forwarded
    ledger.recount(int(held.till[VIRTUAL]))


def _rows(graph: Graph, via: Graph | None) -> tuple[npt.NDArray[np.integer], ...]:
    """The arrays of `paths_of`; without `via` those of its graph are empty."""
    first = (graph.indptr[:0], graph.targets[:0]) if via is None else (via.indptr, via.targets)
    return (*first, graph.indptr, graph.targets)


@compiled
def links_of(indptr, targets, page):  # type: ignore[no-untyped-def]
    return targets[indptr[page] : indptr[page + 1]]


@compiled
def paths_of(rows, page):  # type: ignore[no-untyped-def]
    """Ends of the paths from `page`, a page as often as paths lead there."""
    via_indptr, via_targets, indptr, targets = rows
    if len(via_indptr) == 0:
        return links_of(indptr, targets, page)
    middles = links_of(via_indptr, via_targets, page)
    ends = np.empty((indptr[middles + 1] - indptr[middles]).sum(), dtype=targets.dtype)
    filled = 0
    for middle in middles:
        links = links_of(indptr, targets, middle)
        ends[filled : filled + len(links)] = links
        filled += len(links)
    return ends


@compiled
def spend(cash, page, degree):  # type: ignore[no-untyped-def]
    """`Adaptive.visit` except for the credits. Returns the cash spent by `page`, and the amount per outlink."""
    till = cash.till
    spent = cash.standing[page] + till[LEVEL]
    cash.history[page] += spent
    till[CLOCK] += spent
    cash.last[page] = till[CLOCK]
    share = damped(spent) // degree if degree else 0
    cash.standing[page] -= spent
    cash.visited[page] = True
    till[INCOME] += spent - share * degree
    till[LEVEL] += till[INCOME] // len(cash.standing)
    till[INCOME] %= len(cash.standing)
    return spent, share


@compiled
def _visit_pages(cash, indptr, targets, pages, spent):  # type: ignore[no-untyped-def]
    for visit, page in enumerate(pages):
        outlinks = links_of(indptr, targets, page)
        spent[visit], share = spend(cash, page, len(outlinks))
        for target in outlinks:
            cash.standing[target] += share


@compiled
def _visit_greedily(cash, rows, heap, pages, spent):  # type: ignore[no-untyped-def]
    for visit in range(len(pages)):
        page = heap.heap[0]
        outlinks = paths_of(rows, page)
        pages[visit] = page
        spent[visit], share = spend(cash, page, len(outlinks))
        moved(heap, page)
        for target in outlinks:
            cash.standing[target] += share
            risen(heap, target)


@compiled
def _interpolate(pages, spent, window, history, last):  # type: ignore[no-untyped-def]
    clock = 0
    for visit, page in enumerate(pages):
        history[page] = interpolated(history[page], float(spent[visit]), clock - last[page], window)
        clock += spent[visit]
        last[page] = clock


@compiled
def credit(held, target, units):  # type: ignore[no-untyped-def]
    """Change the cash received by `target`. Returns its residual."""
    before = abs(held.received[target] - held.forwarded[target])
    held.received[target] += units
    after = abs(held.received[target] - held.forwarded[target])
    held.till[RESTLESS] += after - before
    return after


@compiled
def forward(held, page, outlinks, old):  # type: ignore[no-untyped-def]
    """The part of `Book.visit` that concerns the page itself. Returns the amounts per outlink, now and before."""
    h, n = held.forwarded[page], held.received[page]
    held.till[RESTLESS] -= abs(n - h)
    held.forwarded[page] = n
    sent, taken = damped(n) // max(len(outlinks), 1), damped(h) // max(len(old), 1)
    held.till[VIRTUAL] += n - h - len(outlinks) * sent + len(old) * taken
    return sent, taken


@compiled
def _settle_greedily(held, rows, old_rows, visited, heap, visits):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    for _ in range(visits):
        page = heap.heap[0]
        outlinks = paths_of(rows, page)
        old = outlinks if visited[page] else paths_of(old_rows, page)
        visited[page] = True
        sent, taken = forward(held, page, outlinks, old)
        heap.key[page] = 0
        moved(heap, page)
        if np.array_equal(outlinks, old):  # the common case; only the difference has to be moved
            sent -= taken
            old = old[:0]
        for target in old:
            heap.key[target] = credit(held, target, -taken)
            moved(heap, target)
        for target in outlinks:
            heap.key[target] = credit(held, target, sent)
            moved(heap, target)
