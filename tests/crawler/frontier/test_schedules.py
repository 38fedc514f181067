"""Intervals between fetches, assumed change rates, belief in the dates of servers."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import crawl

from minicrawl.crawler.frontier.schedules import (
    BELIEVED,
    CHANGED,
    EVERY_HOST,
    LONGEST,
    ByWorth,
    ChangeRates,
    after_proof,
    first_interval,
    folder_of,
    schedule_of,
)
from minicrawl.opic.refresh import WEEK, interval
from minicrawl.settings import CrawlSettings
from minicrawl.store.refreshes import GroupRate
from minicrawl.store.writer import Writer


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


def test_who_is_wrong_every_other_time_is_never_believed() -> None:
    belief = 0
    for number in range(100):
        belief = after_proof(belief, is_true=number % 2 == 0)
        assert belief < BELIEVED


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


NEWS = (0, "news")


def second_fetches(rates: ChangeRates, group: tuple[int, str], count: int, *, changed: bool) -> None:
    for _ in range(count):
        rates.note_second_fetch(rates.group(*group), DAY, changed=changed)


@pytest.mark.parametrize(
    ("url", "content_type", "folder"),
    [
        ("http://a.test/news/1.html", "text/html; charset=utf-8", "news"),
        ("http://a.test/news/2026/1", None, "news"),
        ("http://a.test/news", "text/html", ""),
        ("http://a.test/", "text/html", ""),
        ("http://a.test/?next=/a/b", "text/html", ""),
        ("http://a.test/doc/x.pdf", "application/pdf", "application/pdf:doc"),
    ],
)
def test_pages_belong_to_their_first_folder_and_media_type(url: str, content_type: str | None, folder: str) -> None:
    assert folder_of(url, content_type) == folder


@pytest.mark.parametrize("wrong", [1 / 8, 1.0, 8.0])
@pytest.mark.parametrize("gaps", [0.2, 1.0, 4.0])
def test_from_the_second_fetches_of_some_dozens_of_pages_the_rate_of_all_is_known(wrong: float, gaps: float) -> None:
    """Within a factor of 4 of the mean, whatever it was at first, and whenever pages are fetched."""
    random = np.random.default_rng(1)
    rates = ChangeRates(wrong / DAY)
    for rate in random.gamma(0.5, 2.0, 60):
        rates.note_second_fetch(0, gaps * DAY, changed=bool(random.random() < -math.expm1(-rate * gaps)))
    assert 0.25 < rates.of(0) * DAY < 4.0


def test_the_closest_group_that_has_shown_enough_tells() -> None:
    rates = ChangeRates(1.0 / DAY)
    second_fetches(rates, NEWS, 7, changed=True)
    assert rates.of(rates.group(*NEWS)) == rates.of(0)  # no group has shown enough
    second_fetches(rates, NEWS, 1, changed=True)
    second_fetches(rates, (0, "archive"), 40, changed=False)
    second_fetches(rates, (1, ""), 8, changed=True)
    news, archive = (rates.of(rates.group(0, folder)) for folder in ("news", "archive"))
    assert archive < 0.1 * news
    assert rates.of(rates.group(0, "about")) == rates.of(rates.group(0, ""))
    assert rates.of(rates.group(2, "x")) == rates.of(0)
    groups = np.array([rates.group(0, "news"), rates.group(0, "archive"), 0])
    assert rates.of_all(groups).tolist() == [news, archive, rates.of(0)]


def test_dates_tell_until_pages_are_fetched_twice_and_the_first_such_fetches_overrule_them() -> None:
    rates = ChangeRates(1.0 / DAY)
    group = rates.group(*NEWS)
    for _ in range(100):
        rates.note_date(group, 20 * DAY)
    assert rates.of(group) == pytest.approx(1.5 / (20 * DAY), rel=0.3)
    second_fetches(rates, NEWS, 2, changed=True)
    assert rates.of(group) > 0.1 / DAY


def test_folders_of_a_host_are_bounded() -> None:
    rates = ChangeRates(1.0 / DAY)
    assert len({rates.group(0, str(folder)) for folder in range(1000)}) == 65


def test_rates_are_kept(store: Path) -> None:
    crawl({"http://a.test/": []}, store, ["http://a.test/"])
    rates = ChangeRates(1.0 / DAY)
    second_fetches(rates, NEWS, 9, changed=False)
    with Writer(store) as writer:
        with writer.transaction():
            writer.put(GroupRate, rates.changed())
        kept = writer.rows("SELECT host, folder FROM group_rates ORDER BY host, folder")
        assert kept == [(EVERY_HOST, ""), (0, ""), NEWS]
        again = ChangeRates(77.0)
        again.load(writer)
    assert again.of(again.group(*NEWS)) == rates.of(rates.group(*NEWS))
    assert list(rates.changed()) == []
