"""Fixed points against the linear system they solve."""

import numpy as np
import pytest

from minicrawl.opic.sites.fixed_point import fixed_point


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_solution_of_the_linear_system_in_fewer_steps_than_repeating_takes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = rng.random((50, 50)) ** 8
    m *= 0.85 / m.sum(axis=0)
    p = np.full(50, 1 / 50)
    steps = 0

    def step(x):
        nonlocal steps
        steps += 1
        return m @ x + 0.15 * p

    exact = np.linalg.solve(np.eye(50) - m, 0.15 * p)
    found = fixed_point(step, p, 1e-12)
    assert np.abs(found - exact).sum() == pytest.approx(0.0, abs=1e-11)
    assert steps < np.log(1e-12) / np.log(0.85) / 2
    assert found.sum() == pytest.approx(1.0)
