"""The window policies on numbers worked out by hand."""

import math

import pytest

from minicrawl.opic.window import Basic, Interpolation


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
