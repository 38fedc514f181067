"""Curves have the right points, and few."""

import numpy as np
import pytest

from minicrawl.dashboard.curves import share_curve


@pytest.mark.parametrize("n", [0, 1, 7, 199, 200, 5000])
def test_points_are_sums_from_nothing_to_all(n: int) -> None:
    shares = np.random.default_rng(3).random(n)
    points = share_curve(shares)
    assert points[0] == (0, 0.0)
    assert points[-1][0] == n
    assert len(points) == min(n + 1, 200)
    for k, total in points:
        assert total == pytest.approx(shares[:k].sum())


def test_a_part_of_the_shares_is_enough() -> None:
    assert share_curve(np.array([3.0, 2.0, 1.0]), 2) == [(0, 0.0), (1, 3.0), (2, 5.0)]
