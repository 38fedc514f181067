"""Keeping pages fresh: schedules side by side, on pages whose change rates are drawn.

Freshness is the share of the time that pages are as they were fetched, weighted by importance, in the second half of
the time. Budgets are fetches per page and mean time between two changes of a page.
"""

from dataclasses import dataclass
from statistics import fmean

import numpy as np

from minicrawl.lab.due_pages import (
    BY_RATE,
    CASH,
    LEARNED,
    NUTCH,
    STORMCRAWLER,
    TRUE_RATES,
    UNIFORM,
    Kept,
    World,
    keep_fresh,
)
from minicrawl.opic.arrays import FloatArray
from minicrawl.report import Claim, Curve, Panel, Result

BUDGETS = (0.3, 1.0, 3.0)
LEARNED_NAME = "importance and learned rate"
SCHEDULES = {
    LEARNED_NAME: LEARNED,
    "importance and true rate": TRUE_RATES,
    "importance (order by cash)": CASH,
    "all in turn": UNIFORM,
    "StormCrawler, adaptive": STORMCRAWLER,
    "Nutch, adaptive": NUTCH,
    "change rate": BY_RATE,
}
_BOTH = (LEARNED_NAME, "importance and true rate")
_OPTIMUM = "optimum, rates known"
_SHAPE = 1.1
"""Of the Pareto distribution of importance: a hundredth of the pages has some half of it."""
_SPREAD = 1.5
"""Standard deviation of the logarithm of the rates."""
_HOSTS = 200
_RESTS = (4, 8, 20)
_COLUMNS = ("fetches per page and change", "rest of a host in fetches", "schedule", "freshness", "never fetched")
_SHORT_OF = 0.02
"""What not knowing the rates may cost."""


@dataclass(frozen=True)
class Setup:
    """pages: of a world; worlds: how many are drawn, from `seed` on; until: mean times between two changes."""

    pages: int = 20_000
    worlds: int = 3
    until: float = 60.0
    seed: int = 0

    def draw(self, seed: int, hosts: int = 1) -> World:
        """Pages of Pareto importance and lognormal change rates of mean 1, on hosts with Zipf sizes."""
        random = np.random.default_rng(seed)
        importance = random.pareto(_SHAPE, self.pages) + 1.0
        rates = random.lognormal(0.0, _SPREAD, self.pages)
        sizes = 1.0 / np.arange(1, hosts + 1)
        starts = np.concatenate([[0], np.cumsum(sizes) / sizes.sum() * self.pages]).round().astype(np.int64)
        return World(importance / importance.sum(), rates / rates.mean(), starts)


def experiment(setup: Setup) -> Result:
    """All schedules under all budgets; and the two that share hosts which must rest after a fetch."""
    rows: list[tuple[float, int, str, float, float]] = []
    for budget in BUDGETS:
        rows.append((budget, 0, _OPTIMUM, *_mean([optimum(setup.draw(s), budget) for s in _seeds(setup)])))
        for name, schedule in SCHEDULES.items():
            kept = [_kept(setup, seed, schedule, budget) for seed in _seeds(setup)]
            rows.append((budget, 0, name, *_mean(kept)))
    for rest in _RESTS:
        for name, own_price in ((f"{LEARNED_NAME}, one price", False), (f"{LEARNED_NAME}, prices of hosts", True)):
            kept = [_kept(setup, seed, LEARNED, 1.0, rest, own_price=own_price) for seed in _seeds(setup)]
            rows.append((1.0, rest, name, *_mean(kept)))
    return Result("refresh", "Keeping pages fresh under a budget", _COLUMNS, rows, [_panel(rows)], _claims(rows))


def _seeds(setup: Setup) -> range:
    return range(setup.seed, setup.seed + setup.worlds)


def _kept(setup: Setup, seed: int, schedule: int, budget: float, rest: int = 0, *, own_price: bool = True) -> Kept:  # noqa: PLR0913 - parameters of the experiment
    world = setup.draw(seed, _HOSTS if rest else 1)
    return keep_fresh(
        world,
        schedule,
        fetches_per_time=budget * setup.pages,
        until=setup.until,
        rest=rest,
        own_price=own_price,
        random=np.random.default_rng(seed),
    )


def _mean(kept: list[Kept]) -> tuple[float, float]:
    return fmean(one.freshness for one in kept), fmean(one.never for one in kept)


def optimum(world: World, budget: float) -> Kept:
    """What no schedule can be above: every page at even intervals, the rates known.

    A page fetched every a is fresh for (1 - e^-x) / x of the time, x = rate a. That is largest, in all and for the
    fetches there are, where one fetch more is worth the same on every page (Cho, Garcia-Molina: "Effective Page Refresh
    Policies for Web Crawlers", TODS 2003), and nothing on pages that are never fetched:

        X / rate (1 - e^-x (1 + x)) = price
    """
    importance, rates = world.importance, world.rates
    fetches = budget * len(rates)
    low, high = 0.0, float((importance / rates).max())
    for _ in range(100):
        price = (low + high) / 2.0
        x = _changes_between(price * rates / importance)
        low, high = (price, high) if (rates / x).sum() > fetches else (low, price)
    fresh = -np.expm1(-x) / x
    return Kept(float((importance * fresh).sum()), float(np.isinf(x).mean()), 0.0)


def _changes_between(worth: FloatArray) -> FloatArray:
    """x at which 1 - e^-x (1 + x) = worth; infinite where there is none, as worth is 1 or more."""
    low, high = np.zeros(len(worth)), np.full(len(worth), 60.0)
    for _ in range(60):
        x = (low + high) / 2.0
        is_less = 1.0 - np.exp(-x) * (1.0 + x) < worth
        low, high = np.where(is_less, x, low), np.where(is_less, high, x)
    return np.where(worth >= 1.0, np.inf, high)


def _panel(rows: list[tuple[float, int, str, float, float]]) -> Panel:
    curves = [
        Curve(name, BUDGETS, [row[3] for row in rows if row[2] == name and not row[1]])
        for name in (_OPTIMUM, *SCHEDULES)
    ]
    return Panel("freshness by budget", "fetches per page and mean time between changes", "freshness", curves)


def _claims(rows: list[tuple[float, int, str, float, float]]) -> list[Claim]:
    fresh = {(budget, rest, name): value for budget, rest, name, value, _ in rows}
    never = {(budget, rest, name): value for budget, rest, name, _, value in rows}
    ours = [fresh[budget, 0, LEARNED_NAME] for budget in BUDGETS]
    best = [fresh[budget, 0, _OPTIMUM] for budget in BUDGETS]
    others = [max(fresh[budget, 0, name] for name in SCHEDULES if name not in _BOTH) for budget in BUDGETS]
    starved = max(value for (_, _, name), value in never.items() if name.startswith(LEARNED_NAME))
    last = fresh[1.0, _RESTS[-1], f"{LEARNED_NAME}, prices of hosts"]
    shared = fresh[1.0, _RESTS[-1], f"{LEARNED_NAME}, one price"]
    return [
        Claim(
            f"with rates that are learned, freshness is within {_SHORT_OF} of the optimum for known ones",
            all(one >= other - _SHORT_OF for one, other in zip(ours, best, strict=True)),
            _pairs(ours, best),
        ),
        Claim(
            "it is above that of every schedule that leaves importance or rates out",
            all(one > other for one, other in zip(ours, others, strict=True)),
            _pairs(ours, others),
        ),
        Claim("no page is left out for good", starved == 0.0, f"{starved:.2%} of the pages at most"),
        Claim(
            f"where hosts rest for {_RESTS[-1]} fetches, prices of their own are better than one for all",
            last > shared,
            f"{last:.3f} and {shared:.3f}",
        ),
    ]


def _pairs(ours: list[float], others: list[float]) -> str:
    return ", ".join(
        f"{one:.3f} and {other:.3f} at {budget:g}" for one, other, budget in zip(ours, others, BUDGETS, strict=True)
    )
