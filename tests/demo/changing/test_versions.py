"""The changes of a page: a Poisson process that is the same wherever it is asked for."""

import math
from itertools import pairwise
from random import Random

import pytest

from minicrawl.demo.changing.versions import BEGINNING, Absences, Changes

NOW = 1_800_000_000.0


@pytest.mark.parametrize("rate", [1e-5, 3e-4, 0.01])
def test_counts_are_those_of_a_poisson_process(rate):
    """Mean and variance of the counts in many stretches are both what the rate says, within five deviations."""
    stretch, pages = 30.0 / rate, 300
    counts = [len(Changes(f"page {page}", rate).between(NOW - stretch, NOW)) for page in range(pages)]
    mean = sum(counts) / pages
    # Two changes within a second are one.
    expected = stretch * -math.expm1(-rate)
    assert mean == pytest.approx(expected, abs=5 * math.sqrt(expected / pages))
    variance = sum((count - mean) ** 2 for count in counts) / (pages - 1)
    assert variance == pytest.approx(expected, rel=5 * math.sqrt(2 / pages))


def test_gaps_have_no_memory():
    """As many are longer than the mean as an exponential distribution has: a share of 1 / e."""
    times = Changes("a page", 0.001).between(NOW - 5e6, NOW)
    gaps = [after - before for before, after in pairwise(times)]
    share = sum(gap > 1000 for gap in gaps) / len(gaps)
    assert share == pytest.approx(1 / math.e, abs=5 * math.sqrt(0.25 / len(gaps)))


@pytest.mark.parametrize("rate", [0.0, 1e-12, 1e-6, 0.02, 0.1])
def test_the_last_change_is_the_last_of_them(rate):
    random, changes = Random(0), Changes("a page", rate)
    for _ in range(50):
        now = NOW + random.uniform(-1e6, 1e6)
        last = changes.last(now)
        assert BEGINNING <= last <= now
        assert changes.between(last, now) == []
        assert last == BEGINNING or changes.between(last - 1, now) == [last]


def test_what_has_been_never_changes():
    """Asked later, or for another stretch, the same changes stand in the same places."""
    changes = Changes("a page", 0.003)
    whole = changes.between(NOW - 10_000, NOW)
    assert len(whole) > 10
    assert [time for time in changes.between(NOW - 20_000, NOW + 5_000) if NOW - 10_000 < time <= NOW] == whole
    assert Changes("another", 0.003).between(NOW - 10_000, NOW) != whole


def test_nothing_happens_before_the_beginning():
    assert Changes("a page", 0.1).last(BEGINNING - 1e6) == BEGINNING


@pytest.mark.parametrize("lasting", [0, 1, 30])
def test_away_and_back_take_turns(lasting):
    absences = Absences("a page", 100.5, lasting)
    seconds = [NOW + second for second in range(3000)]
    states = [absences.is_away(second) for second in seconds]
    turned = [
        int(second)
        for second, before, after in zip(seconds[1:], states, states[1:], strict=False)
        if before is not after
    ]
    assert absences.turns(seconds[0], seconds[-1]) == turned
    assert sum(states) == pytest.approx(3000 / 100.5 * lasting, abs=lasting)
    assert absences.last_turn(seconds[-1]) == (turned[-1] if lasting else BEGINNING)
