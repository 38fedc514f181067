"""Comparisons of two rankings against answers that can be derived, and against counting pairs one by one."""

import itertools
import math
import random

import numpy as np
import pytest

from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import kendall_tau, l1, mean_error, overlap


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
