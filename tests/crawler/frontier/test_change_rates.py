"""The rates assumed of pages, by what pages of their folder, host and web have shown."""

import math
from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl

from minicrawl.crawler.frontier.schedules import EVERY_HOST, ChangeRates, folder_of
from minicrawl.store.refreshes import GroupRate
from minicrawl.store.writer import Writer

DAY = 86_400.0
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
        assert [(row.host, row.folder) for row in writer.refreshes.group_rates()] == [(EVERY_HOST, ""), (0, ""), NEWS]
        again = ChangeRates(77.0)
        again.load(writer)
    assert again.of(again.group(*NEWS)) == rates.of(rates.group(*NEWS))
    assert list(rates.changed()) == []
