"""When to fetch again: the interval is the best one, and rates are learned from what fetches find."""

import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic.refresh import freshness, interval, learned, learned_by_date, repriced

amounts = st.floats(1e-9, 1e9)


@given(amounts, amounts, amounts)
def test_the_interval_is_where_harmonic_freshness_pays_for_no_fetch_more(price, importance, rate):
    a = interval(price, importance, rate)
    # d/d rho of X log(rho / (rho + rate)), at rho = 1 / a, is the price
    assert importance * a * (rate * a / (1.0 + rate * a)) == pytest.approx(price, rel=1e-6)


@given(amounts, amounts, amounts, st.floats(1.001, 100.0))
def test_more_importance_and_more_changes_shorten_it_and_a_higher_price_lengthens_it(price, importance, rate, factor):
    a = interval(price, importance, rate)
    assert interval(price, importance * factor, rate) <= a
    assert interval(price, importance, rate * factor) <= a
    assert interval(price * factor, importance, rate) >= a


def test_a_page_that_always_changes_is_fetched_by_importance_alone():
    assert interval(6.0, 2.0, 1e12) == pytest.approx(3.0)


@pytest.mark.parametrize("first", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("gap", [0.3, 1.0, 3.0])
def test_a_rate_is_learned_whatever_it_was_taken_for(first, gap):
    random = np.random.default_rng(5)
    true, rate, information = 1.0, first, 0.0
    logs = []
    for fetch in range(4000):
        changed = bool(random.random() < -math.expm1(-true * gap))
        rate, information = learned(rate, information, gap, changed)
        if fetch >= 100:
            logs.append(math.log(rate))
    # what is forgotten leaves noise about the true rate, and a bias that is smaller than the noise
    assert abs(fmean(logs)) < 0.35
    assert np.std(logs) < 1.0


@given(amounts, st.floats(0.0, 1e6), st.floats(0.0, 1e12), st.booleans())
def test_one_fetch_moves_a_rate_by_a_factor_of_e_at_most_and_towards_what_it_found(rate, information, gap, changed):
    after, known = learned(rate, information, gap, changed)
    assert rate / math.e * 0.999 <= after <= rate * math.e * 1.001
    assert after >= rate if changed else after <= rate
    assert 0.0 <= known <= 0.8 * information + 1.0


@pytest.mark.parametrize("first", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("gap", [0.3, 3.0, 30.0])
def test_dates_of_changes_teach_the_rate_even_of_a_page_that_always_has_changed(first, gap):
    random = np.random.default_rng(5)
    true, rate, information = 1.0, first, 0.0
    logs = []
    for fetch in range(4000):
        age = random.exponential(1.0 / true)
        if age < gap:
            rate, information = learned_by_date(rate, information, gap, age)
        else:
            rate, information = learned(rate, information, gap, False)
        if fetch >= 100:
            logs.append(math.log(rate))
    assert abs(fmean(logs)) < 0.35
    assert np.std(logs) < 1.0


@given(amounts, st.floats(0.0, 1e6), st.floats(0.0, 1e12), st.floats(0.0, 1e12))
def test_one_date_moves_a_rate_by_a_factor_of_e_at_most(rate, information, gap, age):
    after, known = learned_by_date(rate, information, gap, min(age, gap))
    assert rate / math.e * 0.999 <= after <= rate * math.e * 1.001
    assert 0.0 <= known <= 0.8 * information + 1.0


def test_what_is_known_of_a_rate_is_forgotten():
    information = 100.0
    for _ in range(50):
        _, information = learned(1.0, information, 1e-12, False)
    assert information < 0.01


def test_the_price_rises_while_pages_are_overdue():
    assert repriced(2.0, 0.1, True) == pytest.approx(2.2)
    assert repriced(2.0, 0.1, False) == pytest.approx(1.8)
    assert repriced(2.0, 4.0, False) == pytest.approx(1.0)  # of one page alone, never to nothing


def test_freshness_is_the_chance_that_nothing_has_changed():
    assert freshness(0.0, 5.0) == 1.0
    assert freshness(math.log(2.0), 1.0) == pytest.approx(0.5)
