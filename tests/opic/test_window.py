"""The window policies: how they are written, and which visits each one keeps."""

import math

import numpy as np
import pytest

from minicrawl.opic.window import (
    Basic,
    Fixed,
    ImprovedFixed,
    Interpolation,
    Measure,
    Variable,
    Window,
    parse_window,
)

# Visits that ended at clock 10, 20, 30, 40: each starts where the one before it ended.
VISITS = [Measure(0.0, 1.0), Measure(10.0, 2.0), Measure(20.0, 3.0), Measure(30.0, 4.0)]


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("basic", Basic()),
        ("interpolation", Interpolation(5.5)),
        ("variable:8", Variable(8)),
        ("variable:1", Variable(1)),
        ("fixed:4", Fixed(4.0)),
        ("fixed:0.25", Fixed(0.25)),
        ("improved-fixed:4,3", ImprovedFixed(4.0, 3)),
        ("improved-fixed:1.5,1", ImprovedFixed(1.5, 1)),
    ],
)
def test_policy_is_read_as_written(text: str, policy: Window) -> None:
    """Turnovers are asked for beside the policy, and only interpolation uses them."""
    assert parse_window(text, turnovers=5.5) == policy


@pytest.mark.parametrize(
    "text",
    [
        "",
        "everything",
        "Basic",
        " basic",
        "basic:1",
        "interpolation:3",
        "variable",
        "variable:",
        "variable:0",
        "variable:-2",
        "variable:1.5",
        "variable:many",
        "variable:1,2",
        "variable:inf",
        "variable:nan",
        "fixed",
        "fixed:0",
        "fixed:-1",
        "fixed:long",
        "fixed:4,3",
        "fixed:nan",
        "improved-fixed",
        "improved-fixed:4",
        "improved-fixed:4,",
        "improved-fixed:4,0",
        "improved-fixed:4,2.5",
        "improved-fixed:0,3",
        "improved-fixed:4,3,2",
        "improved-fixed:nan,3",
    ],
)
def test_bad_policy_is_refused(text: str) -> None:
    """A size that is no number is no size either: nan is neither above nor below 0."""
    with pytest.raises(ValueError, match=r"."):
        parse_window(text, turnovers=8.0)


def test_policies_are_values() -> None:
    """Equal sizes make equal policies, and none can be changed."""
    assert {Variable(3), Variable(3), Variable(4)} == {Variable(3), Variable(4)}
    with pytest.raises(AttributeError):
        Variable(3).count = 4  # type: ignore[misc]


def test_basic_keeps_all_of_the_past() -> None:
    assert Basic().record(40.0, 2.0, 1e9, 1.0) == 42.0


@pytest.mark.parametrize(
    ("past", "cash", "elapsed", "in_hand", "expected"),
    [
        pytest.param(100, 10, 0, 50, 110.0, id="nothing-elapsed"),  # T = 100
        pytest.param(100, 10, 25, 50, 85.0, id="a-quarter-of-the-past-falls-out"),
        pytest.param(100, 10, 99, 50, 11.0, id="almost-all"),
        pytest.param(100, 10, 100, 50, 10.0, id="exactly-the-window"),
        pytest.param(100, 10, 400, 50, 2.5, id="cash-gathered-over-four-windows"),
        pytest.param(0, 10, 30, 50, 10.0, id="no-past"),
        pytest.param(100, 0, 25, 50, 75.0, id="no-cash"),
        pytest.param(100, 10, 25, 12.5, 10.0, id="the-window-is-in-turnovers"),  # T = 25
    ],
)
def test_interpolation_on_hand_computed_numbers(
    past: int, cash: int, elapsed: int, in_hand: float, expected: float
) -> None:
    """H (T - elapsed) / T + c within the window, c T / elapsed beyond it."""
    assert Interpolation(2.0).record(past, cash, elapsed, in_hand) == pytest.approx(expected, rel=1e-15)


def test_interpolation_is_continuous_where_the_window_ends() -> None:
    just_before = Interpolation(1.0).record(77.0, 5.0, math.nextafter(100, 0), 100.0)
    at = Interpolation(1.0).record(77.0, 5.0, 100.0, 100.0)
    assert just_before == pytest.approx(at, rel=1e-12)


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (Variable(1), [4.0]),
        (Variable(3), [2.0, 3.0, 4.0]),
        (Variable(9), [1.0, 2.0, 3.0, 4.0]),
        # The clock stands at 40 and one turnover is 10: Fixed(T) asks for visits after 40 - 10 T.
        (Fixed(0.5), [4.0]),
        (Fixed(1.0), [4.0]),
        (Fixed(1.01), [3.0, 4.0]),
        (Fixed(2.0), [3.0, 4.0]),
        (Fixed(2.5), [2.0, 3.0, 4.0]),
        (Fixed(4.0), [1.0, 2.0, 3.0, 4.0]),
        (Fixed(99.0), [1.0, 2.0, 3.0, 4.0]),
        (ImprovedFixed(0.5, 3), [2.0, 3.0, 4.0]),
        (ImprovedFixed(2.5, 1), [2.0, 3.0, 4.0]),
        (ImprovedFixed(2.5, 9), [1.0, 2.0, 3.0, 4.0]),
        (ImprovedFixed(99.0, 1), [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_window_keeps_the_visits_it_promises(policy: Window, kept: list[float]) -> None:
    """A visit at the very edge of a fixed window has fallen out of it; the visit just made never does."""
    assert [measure.cash for measure in policy.kept(VISITS, 40.0, 10.0)] == kept


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "policy",
    [Variable(1), Variable(3), Fixed(0.5), Fixed(4.0), ImprovedFixed(1.5, 2), ImprovedFixed(0.1, 4), Basic()],
    ids=repr,
)
def test_many_pages_at_once_keep_what_each_keeps(policy: Window, seed: int) -> None:
    """`counts` of all visits of some pages is `kept` page by page."""
    draw = np.random.default_rng(seed)
    now, in_hand = 100.0, 10.0
    newer, end, counted, kept = [], [], [], []
    for visits in draw.integers(1, 9, 30).tolist():
        ends = np.sort(draw.uniform(0.0, now, visits)).tolist()
        measures = [Measure(start, 1.0) for start in [0.0, *ends[:-1]]]
        kept.append(len(policy.kept(measures, now, in_hand)))
        newer.append(np.arange(visits)[::-1])
        end.append(np.array(ends))
    for ages, ends_of in zip(newer, end, strict=True):
        counted.append(int(policy.counts(ages, ends_of, now, in_hand).sum()))
    assert counted == kept
