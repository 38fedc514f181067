"""Columns of the ledger per page, and their growth. That it follows from its columns alone: see test_ledger."""

import numpy as np
import pytest

from minicrawl.opic import UNIT, Ledger


def test_several_pages_are_discovered_at_once() -> None:
    ledger = Ledger(unit=5)
    assert ledger.discover(3) == range(3)
    assert ledger.discover(200) == range(3, 203)
    assert (ledger.births, ledger.never_visited) == (5 * 203, 5 * 203)
    assert ledger.importance() == pytest.approx(np.full(203, 1 / 203), rel=1e-12)


def test_room_is_not_knowledge() -> None:
    """Growing makes no page known."""
    ledger = Ledger()
    ledger.grow(100)
    assert (ledger.size, ledger.births, len(ledger.importance())) == (0, 0, 0)


def test_mirrors_hand_over_what_their_homes_take_over() -> None:
    """Two ledgers, pages 0 and 1 in one, 2 in the other, where 1 has a mirror; 2 links to 1, and 0 to 2's mirror."""
    left, right = Ledger(unit=20), Ledger(unit=20)
    left.discover(3)  # page 2 is the mirror of the other's page 0
    left.mirror(np.array([2]))
    right.discover(2)  # page 1 is the mirror of the other's page 1
    right.mirror(np.array([1]))
    left.visit(0, np.array([2]))
    right.visit(0, np.array([1]))
    assert (left.births, left.received[2], right.births, right.received[1]) == (40, 17, 20, 17)
    assert left.is_mirror(slice(0, 3)).tolist() == [False, False, True]
    units = left.hand_over(np.array([2]))
    assert units.tolist() == [17]
    assert left.hand_over(np.array([2])).tolist() == [0]
    right.take_over(np.array([0]), units)
    left.take_over(np.array([1, 1]), np.array([10, 7]))
    right.hand_over(np.array([1]))
    assert (left.received[:2].tolist(), right.received[0]) == ([0, 17], 17)
    assert (left.carried, right.carried, left.never_visited) == (0, 0, 37)
    for ledger in (left, right):
        held = int(ledger.received.sum() - ledger.forwarded.sum()) + ledger.virtual
        assert held == ledger.carried
        counted = ledger.births, ledger.never_visited, ledger.in_all
        ledger.recount(ledger.virtual)
        assert counted == (ledger.births, ledger.never_visited, ledger.in_all)


def test_mirrors_have_no_importance_and_are_waited_for() -> None:
    ledger = Ledger()
    ledger.discover(3)
    ledger.mirror(np.array([2]))
    ledger.visit(0, np.array([1, 2]))
    ledger.visit(1, np.array([0]))
    ledger.visit(0, np.array([1, 2]), np.array([1, 2]))
    assert ledger.importance()[2] == 0.0
    assert ledger.importance().sum() == pytest.approx(1.0, abs=1e-12)
    assert ledger.total() == pytest.approx(_sum_of_x(ledger), rel=1e-12)
    assert ledger.worths(np.array([2]), 1.0).tolist() == [-1]
    waits = ledger.certificate()
    ledger.hand_over(np.array([2]))
    assert ledger.certificate() < waits


def _sum_of_x(ledger: Ledger) -> float:
    """Page by page: what links have brought, and of the virtual page's cash its part."""
    own = [page for page in range(ledger.size) if not ledger.is_mirror(np.array([page]))[0]]
    unvisited = [page for page in own if not ledger.forwarded[page]]
    held = ledger.virtual + sum(int(ledger.received[page]) + UNIT for page in unvisited)
    births = len(own) * UNIT
    return sum(int(ledger.received[page]) + held * UNIT / births for page in own)
