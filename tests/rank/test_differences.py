"""How two rankings differ, where the answer can be derived."""

import math

import numpy as np
import pytest

from minicrawl.rank.compare import differences
from minicrawl.rank.pagerank import FloatArray

NAN = math.nan


def values(*numbers: float) -> FloatArray:
    return np.array(numbers, dtype=np.float64)


def test_a_ranking_does_not_differ_from_itself_at_another_scale() -> None:
    a = values(5, 3, 3, 1, 0)
    found = differences(a, 7 * a)
    assert (found.common, found.tau, found.l1) == (5, pytest.approx(1.0), pytest.approx(0.0))
    assert found.overlaps == {10: 1.0, 100: 1.0, 1000: 1.0}
    assert [len(pages) for pages in (found.movers(9), found.only_before(), found.only_after())] == [0, 0, 0]


def test_equal_values_share_the_best_place_and_pages_that_are_not_there_have_none() -> None:
    found = differences(values(5, 3, 3, NAN, 1), values(1, NAN, 2, 2, 2))
    assert found.before.tolist() == [1, 2, 2, 0, 4]
    assert found.after.tolist() == [4, 0, 1, 1, 1]
    assert (found.common, found.only_before().tolist(), found.only_after().tolist()) == (3, [1], [3])


def test_values_that_differ_by_rounding_are_equal() -> None:
    """Whichever of three such pages has the last digit more, they share a place, and the order of the rest counts."""
    a = values(9, 1, 1 + 1e-15, 1 - 1e-15, 0.5, NAN)
    b = values(9, 1 + 1e-15, 1, 1, 0.5, NAN)
    found = differences(a, b)
    assert found.before.tolist() == found.after.tolist() == [1, 2, 2, 2, 5, 0]
    assert (found.tau, found.movers(9).tolist()) == (pytest.approx(1.0), [])
    assert differences(a, b, tops=(2,)).overlaps == {2: 1.0}


def test_pages_only_in_one_come_best_first() -> None:
    found = differences(values(1, 9, NAN, 4), values(NAN, NAN, 1, NAN))
    assert (found.only_before().tolist(), found.only_after().tolist()) == ([1, 3, 0], [2])
    assert found.overlaps == {10: 0.0, 100: 0.0, 1000: 0.0}
    assert math.isnan(found.tau)
    assert found.l1 == 2.0


def test_distance_is_over_the_union_and_order_over_what_is_common() -> None:
    """Shares .5 .25 .25 - against .25 .25 - .5: apart by .25 + 0 + .25 + .5."""
    found = differences(values(2, 1, 1, NAN), values(1, 1, NAN, 2))
    assert found.l1 == pytest.approx(1.0)
    assert found.common == 2


def test_overlap_is_of_as_many_pages_as_both_have() -> None:
    """The first two of the short one are first and last of the long one's three."""
    found = differences(values(3, 2, 1), values(2, NAN, 1), tops=(1, 2, 50))
    assert found.overlaps == {1: 1.0, 2: 0.5, 50: 0.5}


def test_the_farthest_moved_is_that_of_the_greatest_ratio_of_places() -> None:
    """From 2 to 1 and from 1 to 2 is a factor 2, the better place first; from 20 to 30 one of 1.5."""
    n = 40
    before = -np.arange(n, dtype=np.float64) + n
    after = before.copy()
    after[[0, 1]] = before[[1, 0]]
    after[19:30] = np.roll(before[19:30], 1)
    found = differences(before, after)
    first = found.movers(3).tolist()
    assert first[:2] == [0, 1]
    assert [(found.before[page], found.after[page]) for page in first] == [(1, 2), (2, 1), (20, 30)]


def test_page_that_has_nothing_in_one_ranking_is_no_mover() -> None:
    assert differences(values(9, 8, 7, 0), values(0, 7, 8, 9)).movers(9).tolist() == [1, 2]


def test_rankings_without_pages_have_nothing_to_compare() -> None:
    found = differences(values(), values())
    assert (found.common, found.overlaps) == (0, {})
    assert math.isnan(found.tau)


def test_values_that_are_all_nothing_have_no_shares() -> None:
    assert math.isnan(differences(values(0, 0), values(1, 0)).l1)
