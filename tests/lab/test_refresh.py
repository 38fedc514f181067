"""The experiment's rows and claims, on a small web; and the optimum against a search."""

import numpy as np
import pytest

from minicrawl.lab.due_pages import World
from minicrawl.lab.refresh import BUDGETS, LEARNED_NAME, SCHEDULES, Setup, experiment, optimum


def test_the_optimum_spends_the_budget_where_it_is_worth_most():
    random = np.random.default_rng(0)
    web = World(np.array([0.6, 0.3, 0.1]), np.array([1.0, 0.2, 5.0]), np.array([0, 3]))

    def fresh(shares: np.ndarray) -> float:
        x = web.rates / (3.0 * shares)
        return float((web.importance * -np.expm1(-x) / x).sum())

    best = max(fresh(shares) for shares in random.dirichlet(np.ones(3), 50_000) + 1e-12)
    assert optimum(web, 1.0).freshness == pytest.approx(best, abs=1e-3)
    assert optimum(web, 1.0).freshness >= best - 1e-9


@pytest.mark.slow
def test_the_schedule_of_importance_and_learned_rates_holds_its_claims():
    result = experiment(Setup(pages=2000, worlds=1))
    assert {row[2] for row in result.rows} >= {LEARNED_NAME, *SCHEDULES}
    assert {row[0] for row in result.rows} == set(BUDGETS)
    assert [claim.sentence for claim in result.claims if not claim.held] == []
