"""The experiment's rows and claims, on a small web; and the optimum against a search."""

import numpy as np
import pytest

from minicrawl.lab.refresh import (
    CASH,
    LEARNED,
    TRUE_RATES,
    UNIFORM,
    World,
    keep_fresh,
    optimum,
)
from minicrawl.opic.refresh import value


def test_the_optimum_spends_the_budget_where_it_is_worth_most() -> None:
    random = np.random.default_rng(0)
    web = World(np.array([0.6, 0.3, 0.1]), np.array([1.0, 0.2, 5.0]), np.array([0, 3]))

    def fresh(shares: np.ndarray) -> float:
        x = web.rates / (3.0 * shares)
        return float((web.importance * -np.expm1(-x) / x).sum())

    best = max(fresh(shares) for shares in random.dirichlet(np.ones(3), 50_000) + 1e-12)
    assert optimum(web, 1.0).freshness == pytest.approx(best, abs=1e-3)
    assert optimum(web, 1.0).freshness >= best - 1e-9


pytestmark = pytest.mark.slow  # the loop takes seconds to compile


def world(pages: int, hosts: int = 1, seed: int = 0) -> World:
    random = np.random.default_rng(seed)
    importance = random.pareto(1.1, pages) + 1.0
    rates = random.lognormal(0.0, 1.5, pages)
    starts = np.linspace(0, pages, hosts + 1).astype(np.int64)
    return World(importance / importance.sum(), rates, starts)


@pytest.mark.parametrize("budget", [0.5, 2.0])
def test_in_turn_every_page_is_as_fresh_as_its_rate_and_the_interval_say(budget: float) -> None:
    web = world(400)
    kept = keep_fresh(web, UNIFORM, fetches_per_time=400 * budget, until=200.0, random=np.random.default_rng(1))
    x = web.rates / budget
    assert kept.freshness == pytest.approx(float((web.importance * (1 - np.exp(-x)) / x).sum()), abs=0.002)
    assert kept.never == 0.0


@pytest.mark.parametrize("rest", [0, 3])
def test_pages_that_are_valued_now_and_then_are_as_fresh_as_if_all_were_before_every_fetch(rest: int) -> None:
    web = world(300, hosts=12 if rest else 1)
    kept = keep_fresh(web, TRUE_RATES, fetches_per_time=300.0, until=60.0, rest=rest, random=np.random.default_rng(2))
    assert kept.freshness == pytest.approx(_looking_at_all(web, 300.0, 60.0, rest), abs=0.004)


def _looking_at_all(web: World, fetches_per_time: float, until: float, rest: int) -> float:
    """Freshness in the second half if the page worth most is looked for among all before every fetch."""
    pages = len(web.importance)
    last = -np.random.default_rng(2).random(pages) * pages / fetches_per_time
    fresh, since, host = 0.0, until / 2.0, np.repeat(np.arange(len(web.starts) - 1), np.diff(web.starts))
    ready = np.zeros(len(web.starts) - 1)

    def fresh_time(page: int, now: float) -> float:
        begin, rate = max(last[page], since), web.rates[page]
        fresh = (np.exp(-rate * (begin - last[page])) - np.exp(-rate * (now - last[page]))) / rate
        return max(0.0, float(fresh))

    for tick in range(round(until * fetches_per_time)):
        now = tick / fetches_per_time
        values = value(web.importance, web.rates, np.maximum(now - last, 1e-9))
        page = int(np.where(ready[host] <= tick, values, 0.0).argmax())
        ready[host[page]] = tick + rest + 1
        fresh += web.importance[page] * fresh_time(page, now) if now > since else 0.0
        last[page] = now
    fresh += sum(web.importance[page] * fresh_time(page, until) for page in range(pages))
    return float(fresh) / (until - since)


@pytest.mark.parametrize("wrong", [1 / 8, 8.0])
@pytest.mark.parametrize("budget", [0.3, 1.0, 3.0])
def test_a_wrong_first_guess_costs_little_from_the_first_interval_on(wrong: float, budget: float) -> None:
    web = world(180, seed=4)
    best = optimum(World(web.importance, web.rates / web.rates.mean(), web.starts), budget).freshness
    for until, share, short in ((1.0, 0.9, 1.0), (9.0, 0.9, 0.03)):
        kept = keep_fresh(
            World(web.importance, web.rates / web.rates.mean(), web.starts),
            LEARNED,
            fetches_per_time=180 * budget,
            until=until,
            since=0.0 if until == 1.0 else 3.0,
            first_rate=float(np.median(web.rates / web.rates.mean())) * wrong,
            random=np.random.default_rng(7),
        )
        assert kept.freshness >= share * best
        assert kept.freshness >= best - short


def test_importance_and_rate_are_better_than_importance_alone_and_that_than_none() -> None:
    web, kept = world(2000, seed=3), {}
    for schedule in (UNIFORM, CASH, LEARNED):
        kept[schedule] = keep_fresh(
            web, schedule, fetches_per_time=2000.0, until=40.0, random=np.random.default_rng(3)
        ).freshness
    assert kept[UNIFORM] + 0.02 < kept[CASH]
    assert kept[CASH] + 0.02 < kept[LEARNED]


def test_a_host_is_not_asked_before_it_has_rested() -> None:
    web = world(60, hosts=3)
    kept = keep_fresh(web, LEARNED, fetches_per_time=60.0, until=30.0, rest=5, random=np.random.default_rng(4))
    assert kept.idle == pytest.approx(0.5, abs=0.01)  # three hosts, each at every sixth tick
    assert kept.never == 0.0
