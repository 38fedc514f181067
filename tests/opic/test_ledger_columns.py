"""What the ledger keeps per page, and how it grows. That it follows from its columns alone: see test_ledger."""

import numpy as np
import pytest

from minicrawl.opic import Ledger


def test_several_pages_are_discovered_at_once():
    ledger = Ledger(unit=5)
    assert ledger.discover(3) == range(3)
    assert ledger.discover(200) == range(3, 203)
    assert (ledger.births, ledger.never_visited) == (5 * 203, 5 * 203)
    assert ledger.importance() == pytest.approx(np.full(203, 1 / 203), rel=1e-12)


def test_room_is_not_knowledge():
    """Growing makes no page known."""
    ledger = Ledger()
    ledger.grow(100)
    assert (ledger.size, ledger.births, len(ledger.importance())) == (0, 0, 0)
