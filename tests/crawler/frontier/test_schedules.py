"""Intervals between fetches, assumed change rates, belief in the dates of servers."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.frontier.schedules import (
    BELIEVED,
    CHANGED,
    LONGEST,
    ByWorth,
    after_proof,
    first_interval,
    schedule_of,
)
from minicrawl.opic.refresh import WEEK, interval
from minicrawl.settings import CrawlSettings


def test_an_interval_by_worth_keeps_to_its_bounds() -> None:
    schedule = ByWorth(least=10.0, most=1000.0)
    assert schedule.interval(100.0, 2.0, 0.01) == interval(100.0, 2.0, 0.01)
    assert schedule.interval(1e-9, 2.0, 1e9) == 10.0
    assert schedule.interval(1e9, 2.0, 1e-9) == 1000.0


@given(
    st.floats(1e-9, 1e9),
    st.floats(1e-9, 1e9),
    st.lists(st.floats(1e-12, 1e12) | st.just(CHANGED), min_size=2),
    st.booleans(),
)
def test_a_page_that_changes_less_often_rests_longer_and_so_does_one_of_less_worth(
    price: float, amount: float, amounts: list[float], is_worth: bool
) -> None:
    """At any price and within any bounds."""
    for schedule in (ByWorth(1e-6, 1e12), ByWorth(3600.0, 90 * 86_400.0)):
        rests = [
            schedule.interval(price, min(each, 1e12), amount) if is_worth else schedule.interval(price, amount, each)
            for each in sorted(amounts)
        ]
        assert rests == sorted(rests, reverse=True)


def test_the_simple_rule_is_the_same_for_every_page() -> None:
    schedule = schedule_of(CrawlSettings(recrawl_after=172_800.0, refresh=True))
    assert schedule.reason(172_800.0) == "fixed"
    assert {schedule.interval(price, worth, 1e-6) for price in (1.0, 1e6) for worth in (1e-3, 1e3)} == {172_800.0}
    assert schedule_of(CrawlSettings(refresh_min=7200.0)) == ByWorth(7200.0, LONGEST)


MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


def test_at_first_a_page_changes_once_a_week_or_sooner_if_it_may_be_fetched_sooner() -> None:
    assert [first_interval(least) for least in (MINUTE, HOUR, DAY)] == [168 * MINUTE, WEEK, WEEK]


def test_who_is_wrong_every_other_time_is_never_believed_and_who_is_right_is_soon() -> None:
    belief = 0
    for number in range(100):
        belief = after_proof(belief, is_true=number % 2 == 0)
        assert belief < BELIEVED
    for _ in range(BELIEVED + 1):
        belief = after_proof(belief, is_true=True)
    assert belief >= BELIEVED


@given(st.lists(st.booleans()))
def test_whatever_was_before_a_few_wrong_dates_end_belief_and_a_few_right_ones_bring_it_back(
    proofs: list[bool],
) -> None:
    belief = 0
    for is_true in proofs:
        belief = after_proof(belief, is_true=is_true)
    for _ in range(3):
        belief = after_proof(belief, is_true=False)
    assert belief < BELIEVED
    for _ in range(BELIEVED + 1):
        belief = after_proof(belief, is_true=True)
    assert belief >= BELIEVED
