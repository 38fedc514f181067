"""Selection strategies for the next page, and the queue they order.

A strategy gives every page a priority, read from the book. The queue hands out the largest, of ties the oldest.
"""

import heapq
from array import array
from collections.abc import Callable
from hashlib import blake2b
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import IntArray, Pages
from minicrawl.opic.book import Book

_PAGE_BITS = 32
_PAGE_MASK = (1 << _PAGE_BITS) - 1
_ANY = 1 << 128
"""Upper limit of all entries; its negative is the lower limit."""
_FEWEST_HOT = 8
_HOT_SHARE = 16
_SPARE = 8

Jumps = npt.NDArray[np.float32]
"""What the virtual page would pay each page now, in units: its part of the cash of a page."""


class Strategy:
    """A priority for every page, the largest first. This one has the same for all: the page known longest is next."""

    follows_cash: ClassVar[bool] = False
    """True if a credit changes a page's priority."""

    def priority(self, page: int, book: Book, jumps: Jumps) -> int:
        """Priority of a page."""
        return 0

    def priorities(self, pages: Pages, book: Book, jumps: Jumps) -> IntArray:
        """Priorities of many pages."""
        return np.fromiter((self.priority(page, book, jumps) for page in pages.tolist()), np.int64, len(pages))


class Greedy(Strategy):
    """The page with the most cash first: what links have brought it, and its share of the virtual page's."""

    follows_cash = True

    def priority(self, page: int, book: Book, jumps: Jumps) -> int:
        return int(book.cash.item(page) + book.forwarded.item(page) + jumps.item(page))

    def priorities(self, pages: Pages, book: Book, jumps: Jumps) -> IntArray:
        return (book.cash.take(pages) + book.forwarded.take(pages) + jumps.take(pages)).astype(np.int64)


class Random(Strategy):
    """Any page: drawn from the seed and the page, so a restart draws the same."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def priority(self, page: int, book: Book, jumps: Jumps) -> int:
        return int.from_bytes(blake2b(b"%d %d" % (self._seed, page), digest_size=7).digest())


STRATEGIES: dict[str, Strategy] = {
    "greedy": Greedy(),
    "random": Random(),
    "cycle": Strategy(),  # of pages never read, the one that waits longest is the one known longest
    "breadth-first": Strategy(),
}


def packed(page: int, priority: int) -> int:
    """One integer that sorts by falling priority, then by rising page."""
    return (-priority << _PAGE_BITS) | page


def unpacked(entry: int) -> int:
    """The page in a packed entry."""
    return entry & _PAGE_MASK


def priority_in(entry: int) -> int:
    """The priority in a packed entry."""
    return -(entry >> _PAGE_BITS)


def bests(pages: Pages, priorities: IntArray, starts: IntArray) -> list[int]:
    """The packed entry that sorts first in each group. starts: first index of each group; pages rise within it."""
    largest = np.maximum.reduceat(priorities, starts)
    places = np.flatnonzero(priorities == np.repeat(largest, np.diff(starts, append=len(pages))))
    chosen = pages[places[np.searchsorted(places, starts)]]
    return list(map(packed, chosen.tolist(), largest.tolist()))


class PageQueue:
    """Pages by falling priority.

    The *hot* pages have entries in a heap; of the others, the *cold* ones, only the numbers are kept. Every entry
    below `_bound` is hot. When the heap runs dry, the best of the cold pages become hot, after a scan of all; when it
    has grown too long, its worst pages become cold. Either way a fixed part of the pages moves, so the cost of a page
    is independent of the number waiting. Without `waiting_of` all pages are hot.

    A page's priority mostly rises while it waits, so an outdated entry ranks behind the page's newest one: push again
    at every rise, and skip outdated entries. A page that falls is added once more. A cold page that rises below the
    bound stays cold. Leftovers of pages already handed out are dropped when they are met.
    """

    __slots__ = ("_bound", "_cold", "_entries", "_priority_of", "_waiting_of", "least", "waiting")

    def __init__(
        self,
        priority_of: Callable[[int], int | None],
        waiting_of: Callable[[Pages], tuple[Pages, IntArray]] | None = None,
        cold: Pages | None = None,
        best: int | None = None,
    ) -> None:
        """priority_of: the present priority of a page; None if it does not wait here. waiting_of: filters pages by
        those that wait here, with their priorities. cold: pages that wait from the start. best: entry of the next one
        among them; None: found on demand."""
        self._entries: list[int] = [] if best is None else [best]
        self._priority_of = priority_of
        self._waiting_of = waiting_of
        self._cold = array("I") if cold is None else _numbers(cold)
        if best is None:
            self._bind(_ANY if cold is None else -_ANY)
        else:
            self._bind(best + 1)
        self.waiting = len(self._cold)
        """Pages in the queue."""

    def add(self, page: int) -> int:
        """Add a page that waits here from now on. Returns its priority."""
        priority = self._priority_of(page)
        assert priority is not None, "a page is added when it waits"
        self.waiting += 1
        if not self.rise(page, priority):
            self._cold.append(page)
            self._compact()
        return priority

    def rise(self, page: int, priority: int) -> bool:
        """Move a waiting page up to its present priority. Returns False for a cold page that stays so."""
        entry = (-priority << _PAGE_BITS) | page
        if entry >= self._bound:
            return False
        heapq.heappush(self._entries, entry)
        if len(self._entries) > _SPARE + 2 * self._hot():
            self._cool_down()
        return True

    def fall(self, page: int) -> int:
        """Move a waiting page down to its present priority, and return that. Its earlier entries are outdated."""
        self.waiting -= 1
        return self.add(page)

    def peek(self) -> int | None:
        """The entry of the next page; None when no page waits."""
        if not self.waiting:
            self._entries.clear()
            self._cold = array("I")
            self._bind(_ANY)
            return None
        entries = self._entries
        while entries and not self._is_current(entries[0]):
            heapq.heappop(entries)
        if not entries:
            self._warm_up()
        return self._entries[0]

    def pop(self) -> int | None:
        """Remove the next page."""
        entry = self.peek()
        if entry is None:
            return None
        heapq.heappop(self._entries)
        self.waiting -= 1
        return entry & _PAGE_MASK

    def _is_current(self, entry: int) -> bool:
        return self._priority_of(entry & _PAGE_MASK) == -(entry >> _PAGE_BITS)

    def _bind(self, bound: int) -> None:
        """Make all entries below the bound hot."""
        self._bound = bound
        self.least = -(bound >> _PAGE_BITS)
        """No page of a lower priority is hot: such a page may rise without a push."""

    def _hot(self) -> int:
        """Number of pages that become hot at once, or stay hot."""
        if self._waiting_of is None:
            return self.waiting
        return max(_FEWEST_HOT, self.waiting // _HOT_SHARE)

    def _cool_down(self) -> None:
        """Drop outdated entries, and make all but the best pages cold."""
        entries = sorted({entry for entry in self._entries if self._is_current(entry)})
        if len(entries) > self._hot():
            self._bind(entries[self._hot()])
            del entries[self._hot() :]
        if self._waiting_of is not None:
            # Also pages without a current entry: of pages that rise together, some are yet to be pushed.
            self._cold.extend(set(map(unpacked, self._entries)).difference(map(unpacked, entries)))
            self._compact()
        self._entries = entries

    def _warm_up(self) -> None:
        """Make the best of the cold pages hot; the heap is empty."""
        assert self._waiting_of is not None, "without cold pages the heap has every page that waits"
        pages, priorities = self._waiting_of(_distinct(self._cold))
        cold, bound, hot = array("I"), _ANY, self._hot()
        if len(pages) > hot:
            least = np.partition(priorities, -hot)[-hot]
            are_hot = priorities > least
            ties = np.flatnonzero(priorities == least)[: hot - np.count_nonzero(are_hot)]
            are_hot[ties] = True
            bound = packed(int(pages[ties[-1]]) + 1, int(least))
            cold = _numbers(pages[~are_hot])
            pages, priorities = pages[are_hot], priorities[are_hot]
        self._bind(bound)
        self._entries = list(map(packed, pages.tolist(), priorities.tolist()))
        heapq.heapify(self._entries)
        self._cold = cold

    def _compact(self) -> None:
        """Drop numbers of pages that are listed twice or no longer wait, once there are too many."""
        if len(self._cold) > _SPARE + 2 * self.waiting and self._waiting_of is not None:
            self._cold = _numbers(self._waiting_of(_distinct(self._cold))[0])


def _distinct(numbers: "array[int]") -> IntArray:
    """The distinct ones of some page numbers, rising: np.unique() takes three times as long for a hundred."""
    rising = np.frombuffer(numbers, dtype=np.uint32).astype(np.int64)
    rising.sort()
    are_first = np.ones(len(rising), dtype=np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=are_first[1:])
    return rising[are_first]


def _numbers(pages: Pages) -> "array[int]":
    return array("I", pages.astype(np.uint32).tobytes())
