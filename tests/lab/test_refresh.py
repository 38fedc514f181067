"""The experiment's schedules, on a small web; and the optimum against a search."""

import numpy as np
import pytest

from minicrawl.lab.refresh import CASH, IN_TURN, LEARNED, drawn, keep_fresh, optimum


def test_the_optimum_spends_the_budget_where_it_is_worth_most() -> None:
    random = np.random.default_rng(0)
    importance, rates = web = np.array([0.6, 0.3, 0.1]), np.array([1.0, 0.2, 5.0])

    def fresh(shares: np.ndarray) -> float:
        x = rates / (3.0 * shares)
        return float((importance * -np.expm1(-x) / x).sum())

    best = max(fresh(shares) for shares in random.dirichlet(np.ones(3), 50_000) + 1e-12)
    assert optimum(web, 1.0)[0] == pytest.approx(best, abs=1e-3)
    assert optimum(web, 1.0)[0] >= best - 1e-9


@pytest.mark.parametrize("budget", [0.5, 2.0])
def test_in_turn_every_page_is_as_fresh_as_its_rate_and_the_interval_say(budget: float) -> None:
    importance, rates = web = drawn(400, 0)
    freshness, never = keep_fresh(web, IN_TURN, budget=budget, until=100.0, random=np.random.default_rng(1))
    x = rates / budget
    assert freshness == pytest.approx(float((importance * (1 - np.exp(-x)) / x).sum()), abs=0.002)
    assert never == 0.0


def test_importance_and_rate_are_better_than_importance_alone_and_that_than_none() -> None:
    web, kept = drawn(500, 3), {}
    for schedule in (IN_TURN, CASH, LEARNED):
        kept[schedule], _ = keep_fresh(web, schedule, budget=1.0, until=40.0, random=np.random.default_rng(3))
    assert kept[IN_TURN] + 0.02 < kept[CASH]
    assert kept[CASH] + 0.02 < kept[LEARNED] < optimum(web, 1.0)[0]
