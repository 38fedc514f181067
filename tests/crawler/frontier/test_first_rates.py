"""What a page is taken for before anything is known of it: found quickly, wherever it begins."""

import math

import numpy as np
import pytest

from minicrawl.crawler.frontier.first_rates import FirstRates, first_interval
from minicrawl.opic.refresh import WEEK

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


def test_at_first_a_page_changes_once_a_week_or_sooner_if_it_may_be_fetched_sooner() -> None:
    assert [first_interval(least) for least in (MINUTE, HOUR, DAY)] == [168 * MINUTE, WEEK, WEEK]
    assert FirstRates(HOUR).of(3) == 1.0 / WEEK


@pytest.mark.parametrize("interval", [2 * MINUTE, DAY, 300 * DAY])
@pytest.mark.parametrize("gaps", [0.2, 1.0, 4.0])
def test_from_the_second_fetches_of_some_dozens_of_pages_the_rate_of_all_is_known(interval: float, gaps: float) -> None:
    """Within a factor of 4 of the median, whatever it was at first, and whenever pages are fetched."""
    random = np.random.default_rng(1)
    first = FirstRates(HOUR)
    for rate in random.lognormal(0.0, 1.5, 200):
        first.note_second_fetch(gaps * interval, changed=bool(random.random() < -math.expm1(-rate * gaps)))
    assert 0.25 < first.of(0) * interval < 4.0


def test_a_host_with_some_learned_rates_has_a_first_rate_of_its_own() -> None:
    first = FirstRates(HOUR)
    for _ in range(7):
        first.note_learned(5, 0.5)
    assert first.of(5) == first.of(6) == 1.0 / WEEK
    first.note_learned(5, 0.5)
    assert first.of(5) == pytest.approx(0.5)
    assert first.of(6) == 1.0 / WEEK
