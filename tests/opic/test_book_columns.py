"""Columns of the book per page, and their growth. That it follows from its columns alone: see test_ledger."""

import numpy as np
import pytest

from minicrawl.opic import UNIT, Book


def test_several_pages_are_discovered_at_once() -> None:
    book = Book(unit=5)
    assert book.discover(3) == range(3)
    assert book.discover(200) == range(3, 203)
    assert (book.births, book.never_visited) == (5 * 203, 5 * 203)
    assert book.importance() == pytest.approx(np.full(203, 1 / 203), rel=1e-12)


def test_room_is_not_knowledge() -> None:
    """Growing makes no page known."""
    book = Book()
    book.grow(100)
    assert (book.size, book.births, len(book.importance())) == (0, 0, 0)


def test_mirrors_hand_over_what_their_homes_take_over() -> None:
    """Two ledgers, pages 0 and 1 in one, 2 in the other, where 1 has a mirror; 2 links to 1, and 0 to 2's mirror."""
    left, right = Book(unit=20), Book(unit=20)
    left.discover(3)  # page 2 is the mirror of the other's page 0
    left.mirror(np.array([2]))
    right.discover(2)  # page 1 is the mirror of the other's page 1
    right.mirror(np.array([1]))
    left.visit(0, np.array([2]))
    right.visit(0, np.array([1]))
    assert (
        left.births,
        left.cash[2],
        right.births,
        right.cash[1],
    ) == (40, 17, 20, 17)
    assert left.is_mirror(slice(0, 3)).tolist() == [False, False, True]
    units = left.hand_over(np.array([2]))
    assert units.tolist() == [17]
    assert left.hand_over(np.array([2])).tolist() == [0]
    right.take_over(np.array([0]), units)
    left.take_over(np.array([1, 1]), np.array([10, 7]))
    right.hand_over(np.array([1]))
    assert (left.received(slice(0, left.size))[:2].tolist(), right.received(slice(0, right.size))[0]) == ([0, 17], 17)
    assert (left.carried, right.carried, left.never_visited) == (0, 0, 37)
    for book in (left, right):
        held = int(book.received(slice(0, book.size)).sum() - book.forwarded.sum()) + book.virtual
        assert held == book.carried
        counted = book.births, book.never_visited, book.in_all
        book.recount(book.virtual)
        assert counted == (book.births, book.never_visited, book.in_all)


def test_mirrors_have_no_importance_and_are_waited_for() -> None:
    book = Book()
    book.discover(3)
    book.mirror(np.array([2]))
    book.visit(0, np.array([1, 2]))
    book.visit(1, np.array([0]))
    book.visit(0, np.array([1, 2]), np.array([1, 2]))
    assert book.importance()[2] == 0.0
    assert book.importance().sum() == pytest.approx(1.0, abs=1e-12)
    assert book.total() == pytest.approx(_sum_of_x(book), rel=1e-12)
    assert book.worths(np.array([2]), 1.0).tolist() == [-1]
    waits = book.certificate()
    book.hand_over(np.array([2]))
    assert book.certificate() < waits


def _sum_of_x(book: Book) -> float:
    """Page by page: what links have brought, and of the virtual page's cash its part."""
    own = [page for page in range(book.size) if not book.is_mirror(np.array([page]))[0]]
    unvisited = [page for page in own if not book.forwarded[page]]
    held = book.virtual + sum(int(book.received(slice(0, book.size))[page]) + UNIT for page in unvisited)
    births = len(own) * UNIT
    return sum(int(book.received(slice(0, book.size))[page]) + held * UNIT / births for page in own)
