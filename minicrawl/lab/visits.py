"""Visits of the books of `opic` to the pages of a graph, one after the other and without end, in the papers' orders.

All pages of a graph are known to its book from the start. Visits are iterators of the pages visited: a visit is made
when its page is asked for.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import numpy as np

from minicrawl.opic import Adaptive, Book, PageQueue
from minicrawl.opic.arrays import Pages
from minicrawl.rank import Graph

LAB_TOTAL = 2**52
"""Total cash in the lab: the clock of some thousand turnovers fits into 64 bits."""

Links = Callable[[int], Pages]
"""The targets of a page's links."""


def links_of(graph: Graph) -> Links:
    """The links of a graph's pages."""
    starts, targets = graph.indptr.tolist(), graph.targets
    return lambda page: targets[starts[page] : starts[page + 1]]


def paper_book(size: int, *, has_edge: bool = False) -> Adaptive:
    """A cash book that knows all pages, each with equal cash: the paper's start. Its virtual page pays all at once.
    has_edge: see `Adaptive`."""
    book = Adaptive(None, has_edge=has_edge, total=LAB_TOTAL)
    book.discover(np.full(size, LAB_TOTAL // size))
    return book


def make(visits: Iterator[int], count: int) -> None:
    """Make the next `count` visits."""
    for _ in islice(visits, count):
        pass


def in_order(book: Adaptive, links: Links, pages: Iterable[int]) -> Iterator[int]:
    """Visit `pages`, in this order."""
    for page in pages:
        book.visit(page, links(page))
        yield page


def greedy(book: Adaptive, links: Links) -> Iterator[int]:
    """Visit the page with the most cash, again and again."""

    def visit(page: int) -> Pages:
        book.visit(page, links(page))
        return links(page)

    return _richest_first(book.size, book.standing.item, visit)


def settling(book: Book, links: Links, as_read: list[Pages]) -> Iterator[int]:
    """Visit the page with the most cash, had or owed, again and again.

    as_read: the links of every page at its last visit, of which it takes its cash back; kept up to date.
    """

    def visit(page: int) -> Pages:
        old, new = as_read[page], links(page)
        book.visit(page, new, old)
        as_read[page] = new.copy()  # a part of the graph's array would keep all of it in memory
        return new if np.array_equal(old, new) else np.concatenate([old, new])

    return _richest_first(book.size, lambda page: abs(book.cash.item(page) + book.birth_of(page)), visit)


def _richest_first(size: int, cash: Callable[[int], int], visit: Links) -> Iterator[int]:
    """Visit the page with the most cash; ties go to the lowest number. visit: returns the pages whose cash changes."""

    queue = PageQueue(cash)
    for page in range(size):
        queue.add(page)
    while (next_page := queue.pop()) is not None:
        changed = visit(next_page)
        queue.add(next_page)
        for other in changed.tolist():
            queue.rise(other, cash(other))  # or fall: the same in a queue that has an entry for every page
        yield next_page
