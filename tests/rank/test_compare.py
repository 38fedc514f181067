"""Comparisons of two rankings against answers that can be derived, and against counting pairs one by one."""

import itertools
import math
import random

import numpy as np
import pytest

from minicrawl.rank import kendall_tau, l1, mean_error, overlap
from minicrawl.rank.compare import differences
from minicrawl.rank.pagerank import FloatArray

NAN = math.nan


def values(*numbers: float) -> FloatArray:
    return np.array(numbers, dtype=np.float64)


def random_values(rng: random.Random, n: int, ties: bool) -> FloatArray:
    return values(*(float(rng.randrange(1, 5)) if ties else rng.random() + 0.01 for _ in range(n)))


def slow_overlap(a: FloatArray, b: FloatArray, k: int) -> float:
    firsts = [set(sorted(range(len(x)), key=lambda page: (-x[page], page))[:k]) for x in (a, b)]
    return len(firsts[0] & firsts[1]) / len(firsts[0])


def slow_tau(a: FloatArray, b: FloatArray) -> float:
    """tau_b, pair by pair."""
    same = opposite = only_a = only_b = 0
    for i, j in itertools.combinations(range(len(a)), 2):
        x, y = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
        same += x * y > 0
        opposite += x * y < 0
        only_a += x == 0 and y != 0
        only_b += x != 0 and y == 0
    return float((same - opposite) / math.sqrt((same + opposite + only_a) * (same + opposite + only_b)))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_overlap_and_tau_are_those_of_the_slow_way(seed: int, ties: bool) -> None:
    rng = random.Random(seed)
    n = rng.randrange(3, 40)
    a, b = random_values(rng, n, ties), random_values(rng, n, ties)
    assert kendall_tau(a, b) == pytest.approx(slow_tau(a, b), abs=1e-12)
    for k in (1, 2, n, 100):
        assert overlap(a, b, k) == slow_overlap(a, b, k)


@pytest.mark.parametrize("a", [values(7), values(2, 2, 2)])
def test_tau_of_what_has_no_order_is_nan(a: FloatArray) -> None:
    assert math.isnan(kendall_tau(a, a))


@pytest.mark.parametrize(("a", "k"), [(values(), 3), (values(1, 2), 0)])
def test_overlap_of_nothing_is_an_error(a: FloatArray, k: int) -> None:
    with pytest.raises(ValueError, match="at least one page"):
        overlap(a, a, k)


def test_distributions_without_a_common_page_are_2_apart() -> None:
    assert l1(values(0.5, 0.5, 0), values(0, 0, 1)) == 2.0
    assert l1(values(0.5, 0.5), values(0.5, 0.5)) == 0.0


def test_mean_error_is_in_percent_and_does_not_depend_on_scale() -> None:
    """X is 0.3 0.1 0.6, Imp 0.25 0.25 0.5: off by 20, 60 and 20 % of Imp; the tenth of 3 pages is the last one."""
    x, imp = values(3, 1, 6), values(1, 1, 2)
    assert mean_error(x, imp) == pytest.approx((100 / 3, 20.0))
    assert mean_error(7 * x, 5 * imp) == pytest.approx(mean_error(x, imp))


@pytest.mark.parametrize(("n", "count"), [(1, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
def test_top_is_the_tenth_rounded_up_and_ties_go_by_page_number(n: int, count: int) -> None:
    """Of pages that are all alike, the first `count` alone are estimated at twice what the others are."""
    x = np.where(np.arange(n) < count, 2.0, 1.0)
    assert mean_error(x, np.ones(n)).top == pytest.approx(100 * abs(2 * n / (n + count) - 1))


@pytest.mark.parametrize("truth", [values(1, 0), values(0, 0), values(1, -1)])
def test_page_without_importance_has_no_relative_error(truth: FloatArray) -> None:
    with pytest.raises(ValueError, match=r"page 1 has no importance|positive sum"):
        mean_error(values(1, 1), truth)


# How two rankings differ


def test_a_ranking_does_not_differ_from_itself_at_another_scale() -> None:
    a = values(5, 3, 3, 1, 0)
    found = differences(a, 7 * a)
    assert found.common == 5
    assert (found.tau, found.l1) == pytest.approx((1.0, 0.0))
    assert found.overlaps == {10: 1.0, 100: 1.0, 1000: 1.0}
    assert [len(pages) for pages in (found.risen(9), found.fallen(9), found.only_before())] == [0, 0, 0]


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
    assert found.tau == pytest.approx(1.0)
    assert found.risen(9).tolist() == found.fallen(9).tolist() == []
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


def test_most_moved_share_comes_first_among_the_risen_and_among_the_fallen() -> None:
    """Shares .4 .3 .2 .1 against .1 .3 .25 .35."""
    found = differences(values(4, 3, 2, 1), values(2, 6, 5, 7))
    assert (found.risen(9).tolist(), found.fallen(9).tolist()) == ([3, 2], [0])
    assert found.risen(1).tolist() == [3]
    assert found.shares_after.tolist() == pytest.approx([0.1, 0.3, 0.25, 0.35])


def test_pages_of_one_ranking_alone_make_no_other_fall() -> None:
    found = differences(values(2, 1, 1, NAN, NAN), values(2, 1, 1, 90, NAN))
    assert found.risen(9).tolist() == found.fallen(9).tolist() == []
    assert found.shares_before.tolist() == found.shares_after.tolist() == [0.5, 0.25, 0.25, 0.0, 0.0]


def test_page_that_had_nothing_rises_and_one_that_has_nothing_left_falls() -> None:
    found = differences(values(9, 8, 7, 0), values(0, 8, 7, 9))
    assert (found.risen(9).tolist(), found.fallen(9).tolist()) == ([3], [0])
    nothing = differences(values(0, 0), values(0, 0))
    assert nothing.risen(9).tolist() == nothing.fallen(9).tolist() == []


def test_rankings_without_pages_have_nothing_to_compare() -> None:
    found = differences(values(), values())
    assert (found.common, found.overlaps) == (0, {})
    assert math.isnan(found.tau)


def test_values_that_are_all_nothing_have_no_shares() -> None:
    assert math.isnan(differences(values(0, 0), values(1, 0)).l1)
