"""When to fetch again: by value, at the best interval, with rates that are learned from what fetches find.

Discovery versus refresh: the share of discoveries is held, and given up only when it must be.
"""

import math
import random
from itertools import product
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic.refresh import (
    MOST_GAPS,
    MOST_SHAPE,
    PRIOR_SHAPE,
    DiscoveryBudget,
    freshness,
    interval,
    learned,
    learned_by_date,
    value,
)

amounts = st.floats(1e-9, 1e9)


@given(amounts, amounts, amounts)
def test_the_interval_is_where_harmonic_freshness_pays_for_no_fetch_more(
    price: float, importance: float, rate: float
) -> None:
    a = interval(price, importance, rate)
    # d/d rho of X log(rho / (rho + rate)), at rho = 1 / a, is the price
    assert importance * a * (rate * a / (1.0 + rate * a)) == pytest.approx(price, rel=1e-6)


def test_a_page_that_always_changes_is_fetched_by_importance_alone() -> None:
    assert interval(6.0, 2.0, 1e12) == pytest.approx(3.0)


@given(amounts, amounts, amounts)
def test_a_page_is_due_when_its_value_reaches_the_price(price: float, importance: float, rate: float) -> None:
    assert value(importance, rate, interval(price, importance, rate)) == pytest.approx(price, rel=1e-6)


def mean_and_variance(rate: float, shape: float, gap: float) -> tuple[float, float]:
    """Of a rate after a change in a gap, by Bayes' rule on a grid of logarithms."""
    logs = np.linspace(-60.0, 20.0, 200_001)
    rates = np.exp(logs + np.log(rate))
    density = np.exp(shape * logs - shape * np.exp(logs)) * -np.expm1(-rates * gap)
    density /= density.sum()
    mean = float(density @ rates)
    return mean, float(density @ rates**2) - mean**2


@given(st.floats(1e-6, 1e3), st.floats(0.3, MOST_SHAPE), st.floats(MOST_SHAPE / MOST_GAPS, 1e3))
def test_a_change_is_learned_as_by_the_rule_of_bayes(rate: float, shape: float, changes: float) -> None:
    after, known = learned(rate, shape, changes / rate, True)
    mean, variance = mean_and_variance(rate, shape, changes / rate)
    assert after == pytest.approx(mean, rel=1e-3)
    assert after**2 / known == pytest.approx(variance, rel=1e-2)


@given(amounts, st.floats(0.3, 100.0), st.floats(1e-3, 1e12), st.booleans())
def test_one_fetch_moves_a_rate_towards_what_it_found(rate: float, shape: float, gap: float, changed: bool) -> None:
    after, known = learned(rate, shape, gap, changed)
    assert after >= rate * 0.999999 if changed else after <= rate
    assert 0.0 < after < math.inf
    assert min(shape, MOST_SHAPE) * 0.999 <= known <= MOST_SHAPE + 1.001


@pytest.mark.parametrize("first", [1 / 8, 1.0, 8.0])
@pytest.mark.parametrize("gap", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("has_dates", [False, True])
def test_a_rate_is_learned_whatever_it_was_taken_for(first: float, gap: float, has_dates: bool) -> None:
    random = np.random.default_rng(5)
    true, rate, shape = 1.0, first, PRIOR_SHAPE
    logs = []
    for fetch in range(4000):
        age = random.exponential(1.0 / true)
        if has_dates and age < gap:
            rate, shape = learned_by_date(rate, shape, age)
        else:
            rate, shape = learned(rate, shape, gap, bool(age < gap))
        if fetch >= 20:
            logs.append(math.log(rate))
    # what is forgotten leaves noise about the true rate, and a bias that is smaller than the noise
    assert abs(fmean(logs)) < 0.4
    assert np.std(logs) < 1.0


@pytest.mark.parametrize(("factor", "changed"), [(1e-3, True), (1 / 8, True), (8.0, False)])
def test_two_fetches_overrule_a_first_guess(factor: float, changed: bool) -> None:
    """Each in the mean time between two changes: what was 1,000 times too slow or 8 times too fast is within a
    factor of 7."""
    rate, shape = factor, PRIOR_SHAPE
    for _ in range(2):
        rate, shape = learned(rate, shape, 1.0, changed)
    assert 1 / 7 < rate < 7


def test_freshness_is_the_chance_that_nothing_has_changed() -> None:
    assert freshness(0.0, 2.0, 5.0) == 1.0
    assert freshness(math.log(2.0), 1e9, 1.0) == pytest.approx(0.5)
    draws = np.random.default_rng(1).gamma(0.5, 2.0 / 0.5, 200_000)
    assert freshness(2.0, 0.5, 0.3) == pytest.approx(np.exp(-0.3 * draws).mean(), abs=0.003)


SHARES = [0.0, 0.2, 0.5, 0.8, *(random.Random(4).random() for _ in range(20))]


def turn(budget: DiscoveryBudget, has_never_visited: bool, has_visited: bool) -> bool | None:
    """One fetch as the budget decides; None: nothing is fetched."""
    discovers = budget.discovers(has_never_visited, has_visited)
    if discovers is not None:
        budget.charge(discovers=discovers)
    return discovers


def assert_share_is_held(budget: DiscoveryBudget, fetches: int = 3000) -> None:
    """With both kinds on offer discoveries among the first n fetches stay within 2 of q n, for every n."""
    discoveries = 0
    for n in range(1, fetches + 1):
        discoveries += turn(budget, True, True) is True
        assert abs(discoveries - budget.share * n) <= 2


@pytest.mark.parametrize("share", SHARES)
def test_at_most_a_hundred_fetches_make_up_for_what_was_missing(share: float) -> None:
    """However long one kind was missing; then each stretch in which both are on offer holds the share by itself."""
    budget = DiscoveryBudget(share)
    for is_there in (True, False):
        assert {turn(budget, is_there, not is_there) for _ in range(5000)} == {is_there}
        made_up = 0
        while 0.0 < share < 1.0 and turn(budget, True, True) is not is_there:
            made_up += 1
        assert made_up * (share if is_there else 1.0 - share) <= 101
        if share > 0.0:
            assert_share_is_held(budget)


@pytest.mark.parametrize(("share", "hidden"), [*product([0.3, 0.5, 0.7], [0.1, 0.3, 0.4]), (0.8, 0.1)])
def test_share_is_held_over_all_where_hosts_are_busy(share: float, hidden: float) -> None:
    """As with many requests at once: either kind may be on no host that can be asked now."""
    budget, draw = DiscoveryBudget(share), random.Random(hidden)
    offers = [(draw.random() >= hidden, draw.random() >= hidden) for _ in range(4000)]
    fetches = [made for offer in offers if (made := turn(budget, *offer)) is not None]
    assert abs(sum(fetches) / len(fetches) - share) <= 0.02


def test_a_credit_brought_along_counts() -> None:
    """As after a restart: the account goes on where it stood."""
    whole, resumed = DiscoveryBudget(0.3), DiscoveryBudget(0.3)
    for _ in range(7):
        turn(whole, True, True)
        turn(resumed, True, True)
    resumed = DiscoveryBudget(0.3, resumed.credit)
    assert [turn(whole, True, True) for _ in range(50)] == [turn(resumed, True, True) for _ in range(50)]


@pytest.mark.parametrize("has_visited", [True, False])
def test_share_of_one_never_refreshes(has_visited: bool) -> None:
    budget = DiscoveryBudget()
    for _ in range(100):
        assert turn(budget, True, has_visited) is True
        assert turn(budget, False, has_visited) is None


def test_share_of_zero_discovers_only_when_nothing_can_be_refreshed() -> None:
    budget = DiscoveryBudget(0.0)
    for _ in range(100):
        assert turn(budget, True, True) is False
        assert turn(budget, True, False) is True


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_no_offer_costs_nothing(share: float) -> None:
    budget = DiscoveryBudget(share, credit=0.75)
    assert turn(budget, False, False) is None
    assert budget.credit == 0.75


@pytest.mark.parametrize("share", SHARES)
def test_share_is_held_among_the_fetches_that_took_place(share: float) -> None:
    """Decisions that no fetch follows do not count, as many as there are."""
    budget = DiscoveryBudget(share)
    draw = random.Random(share)
    n = discoveries = 0
    while n < 2000:
        decided = budget.discovers(True, True)
        assert decided is not None
        if draw.random() < 0.4:
            budget.charge(discovers=decided)
            n += 1
            discoveries += decided
            assert abs(discoveries - share * n) <= 2
