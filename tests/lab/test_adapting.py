"""Windows too small and too large, and pages that rise."""

import numpy as np
import pytest

from minicrawl.lab.adapting import MONTHS, Found, experiment, rising
from minicrawl.lab.generate import power_law
from minicrawl.rank import kendall_tau


@pytest.mark.parametrize("seed", range(3))
def test_area_is_the_share_of_the_right_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rise, guess = rng.normal(0, 0.5, 60), rng.integers(0, 9, 60).astype(float)
    ones, others = guess[rise >= np.log(1.5)], guess[rise < np.log(1.5)]
    right = [(a > b) + (a == b) / 2 for a in ones for b in others]
    found = Found(guess, rise)
    assert found.auc == pytest.approx(sum(right) / len(right))
    moved = np.abs(rise) >= np.log(1.1)
    assert found.tau == kendall_tau(guess[moved], rise[moved])


def test_a_perfect_guess_has_all_pairs_right() -> None:
    rise = np.random.default_rng(0).normal(0, 1, 50)
    assert (Found(2 * rise, rise).auc, Found(2 * rise, rise).tau) == (1.0, pytest.approx(1.0))


@pytest.mark.slow
def test_ledger_tells_which_pages_rise() -> None:
    """Better than chance, and better than two windows: a change is in the ledger at the next visit of who links."""
    by_windows, by_ledger = rising(power_law(2000, np.random.default_rng(0)), 0.1, seed=0, lasting=12, since=3)
    assert 0.5 < by_windows.auc < by_ledger.auc <= 1.0


@pytest.mark.slow
def test_experiment_has_a_row_for_every_window_and_rate() -> None:
    graphs = [power_law(600, np.random.default_rng(0))]
    result = experiment(graphs, graphs, seed=0, rates=(0.0, 0.1), lasting=6, since=2)
    questions = [row[0] for row in result.rows]
    assert questions[: 2 * len(MONTHS)] == ["window"] * 2 * len(MONTHS)
    assert len(questions) == 2 * len(MONTHS) + 2 + 4
    assert len(result.claims) == 7
    errors = {row[2]: row[3] for row in result.rows if row[:2] == ("window", 0.1)}
    best = min(errors, key=errors.get)
    assert result.claims[0].held == (MONTHS[0] < best < MONTHS[-1])
