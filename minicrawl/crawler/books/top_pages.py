"""Candidates for the most important pages, so that the store finds these without reading all others.

Every commit changes the received cash of many pages, and an index of it would have to be rewritten each time. But few
pages become one of the best: a commit adds those of its changed pages that have become worthy.
"""

import math
import sys

import numpy as np

from minicrawl.opic import Book
from minicrawl.opic.arrays import IntArray, Pages, flagged, slices

KEPT = 1_000
_SLACK = 1.02
"""Factor by which the virtual page's cash per unit of birth cash may grow before all pages are read again."""


class TopPages:
    """Invariant: every page whose X is `floor` or more is kept, so no page left out is better than one kept.
    X: the numerator of importance, see Book.

    Pages that were worth as much once may be kept, too; when they are too many, `floor` rises and they go.
    """

    def __init__(self) -> None:
        self.floor = 0.0
        self._pages: set[int] = set()
        self._held = 0.0
        self._shared_out = -1

    def changes(self, book: Book, changed: Pages) -> tuple[list[int], bool]:
        """(pages to add, given those `changed` since the last call; whether all earlier ones are deleted)."""
        if not self.floor or book.held() > self._held or book.shared_out != self._shared_out:
            return self._anew(book), True
        worthy = changed[book.worths(changed, self._held) >= self.floor]
        added = [page for page in worthy.tolist() if page not in self._pages]
        if len(self._pages) + len(added) > 2 * KEPT:
            return self._anew(book), True
        self._pages.update(added)
        return added, False

    def _anew(self, book: Book) -> list[int]:
        self._held, self._shared_out = _SLACK * book.held(), book.shared_out
        self.floor = sys.float_info.min
        if book.size > KEPT:
            best = most_important(book, KEPT)
            self.floor = max(self.floor, float(book.worths(best, self._held).min()))
        pages = self._worthy(book)
        if len(pages) > KEPT + KEPT // 2:  # many share the last place
            self.floor = math.nextafter(self.floor, math.inf)
            pages = self._worthy(book)
        self._pages = set(pages)
        return pages

    def _worthy(self, book: Book) -> list[int]:
        found = (flagged(book.worths(rows, self._held) >= self.floor) + rows.start for rows in slices(book.size))
        return [page for pages in found for page in pages.tolist()]


def most_important(book: Book, count: int) -> IntArray:
    """The `count` pages with the largest importance, in any order: block by block, without an array of all pages."""
    pages, best = np.zeros(0, dtype=np.int64), np.zeros(0)
    for rows in slices(book.size):
        pages = np.concatenate([pages, np.arange(rows.start, rows.stop)])
        best = np.concatenate([best, book.worths(rows, book.held())])
        if len(best) > count:
            largest = np.argpartition(-best, count)[:count]
            pages, best = pages[largest], best[largest]
    return pages
