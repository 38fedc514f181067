"""Schedules that fetch pages again under a fixed budget, compared on pages with drawn change rates.

Freshness is the share of the time in which pages are as fetched, weighted by importance, in the second half of the
time. Budgets are fetches per page and mean time between two changes of a page. The pages worth most are fetched some at
a time; values and learned rates come from `opic.refresh`.
"""

import math
from statistics import fmean

import numpy as np
from scipy import special

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.refresh import PRIOR_SHAPE, learned, value

LEARNED = "importance and learned rate"
CASH, IN_TURN = "importance (order by cash)", "all in turn"
"""Schedules, by what they know."""
_OPTIMUM = "optimum, rates known"
BUDGETS = (0.3, 1.0, 3.0)
_PARTS = 128
"""Of the pages so small a part is fetched at once."""
_LEAST_AGE = 1e-9
_SHAPE = 1.1
"""Shape of the Pareto distribution of importance: the top hundredth of the pages has about half of it."""
_SPREAD = 1.5
"""Standard deviation of the logarithm of the rates."""
_COLUMNS = ("fetches per page and change", "schedule", "freshness", "never fetched")
_SHORT_OF = 0.02
"""Tolerated loss of freshness by unknown rates."""


World = tuple[FloatArray, FloatArray]
"""Importance of pages, and changes per unit of time, each of shape (pages,)."""


def keep_fresh(
    world: World, schedule: str, *, budget: float, until: float, random: np.random.Generator
) -> tuple[float, float]:
    """Fetch pages by `schedule` from time 0 to `until`, each having been fetched shortly before.

    Returns, of the second half of the time: freshness, the share of it in which pages were as fetched, weighted by
    importance; and the share of pages never fetched.
    """
    importance, rates = world
    n, since = len(rates), until / 2.0
    at_once = max(n // _PARTS, 1)
    steps = round(until * budget * n / at_once)
    last = -random.random(n) / budget
    shape, first, first_shape = np.zeros(n), float(np.median(rates)), PRIOR_SHAPE
    rate: FloatArray = np.full(n, np.inf if schedule == CASH else first)
    fresh, is_fetched = 0.0, np.zeros(n, dtype=np.bool_)
    for step in range(steps):
        now = step * until / steps
        age = np.maximum(now - last, _LEAST_AGE)
        worth = age if schedule == IN_TURN else value(importance, rate, age)
        pages = np.argpartition(-worth, at_once - 1)[:at_once]
        fresh += float((importance[pages] * _fresh_time(rates[pages], last[pages], now, since)).sum())
        if schedule == LEARNED:
            has_changed = random.random(at_once) < -np.expm1(-rates[pages] * age[pages])
            for page, gap, changed in zip(pages.tolist(), age[pages].tolist(), has_changed.tolist(), strict=True):
                known = (rate.item(page), shape.item(page)) if shape[page] else (first, PRIOR_SHAPE)
                if not shape[page]:
                    first, first_shape = learned(first, first_shape, gap, changed)
                rate[page], shape[page] = learned(*known, gap, changed)
            rate[shape == 0.0] = first
        is_fetched[pages] |= now >= since
        last[pages] = now
    fresh += float((importance * _fresh_time(rates, last, until, since)).sum())
    return fresh / (until - since), 1.0 - float(is_fetched.mean())


def _fresh_time(rate: FloatArray, last: FloatArray, until: float, since: float) -> FloatArray:
    """Expected time from `since` (or `last`) to `until` for which pages fetched at `last` are unchanged."""
    begin = np.minimum(np.maximum(last, since), until)
    fresh: FloatArray = (np.exp(-rate * (begin - last)) - np.exp(-rate * (until - last))) / rate
    return np.where(until > begin, fresh, 0.0)


def optimum(world: World, budget: float) -> tuple[float, float]:
    """The upper bound of all schedules, as of `keep_fresh`: every page at even intervals, with known rates.

    A page fetched at intervals a is fresh for (1 - e^-x) / x of the time, x = rate a. The sum is largest, for a given
    number of fetches, where one more fetch is worth the same on every page (Cho, Garcia-Molina: "Effective Page Refresh
    Policies for Web Crawlers", TODS 2003), and nothing on pages that are never fetched:

        X / rate (1 - e^-x (1 + x)) = price
    """
    importance, rates = world
    fetches = budget * len(rates)
    low, high = 0.0, float((importance / rates).max())
    for _ in range(100):
        price = (low + high) / 2.0
        x = special.gammaincinv(2.0, np.minimum(price * rates / importance, 1.0))  # infinite for 1
        low, high = (price, high) if (rates / x).sum() > fetches else (low, price)
    fresh = -np.expm1(-x) / x
    return float((importance * fresh).sum()), float(np.isinf(x).mean())


def drawn(pages: int, seed: int, values: FloatArray | None = None) -> World:
    """Pages of drawn importance and lognormal change rates of mean 1. values: pages draw importance from these, with
    repeats; None: Pareto."""
    random = np.random.default_rng(seed)
    importance = random.pareto(_SHAPE, pages) + 1.0 if values is None else random.choice(values, pages)
    rates = random.lognormal(0.0, _SPREAD, pages)
    return importance / importance.sum(), rates / rates.mean()


def experiment(pages: int, worlds: int, seed: int, values: FloatArray | None = None, until: float = 60.0) -> Result:
    """All schedules under all budgets. worlds: number drawn, from `seed` on, see `drawn`; until: mean times between two
    changes."""
    rows: list[tuple[float, str, float, float]] = []
    webs = [(number, drawn(pages, number, values)) for number in range(seed, seed + worlds)]
    for budget in BUDGETS:
        for name in (_OPTIMUM, LEARNED, CASH, IN_TURN):
            kept = [
                optimum(world, budget)
                if name == _OPTIMUM
                else keep_fresh(world, name, budget=budget, until=until, random=np.random.default_rng(number))
                for number, world in webs
            ]
            rows.append((budget, name, fmean(fresh for fresh, _ in kept), fmean(never for _, never in kept)))
    return Result("refresh", "Keeping pages fresh under a budget", _COLUMNS, rows, [_panel(rows)], _claims(rows))


def _panel(rows: list[tuple[float, str, float, float]]) -> Panel:
    names = dict.fromkeys(row[1] for row in rows)
    curves = [Curve(name, BUDGETS, [row[2] for row in rows if row[1] == name]) for name in names]
    return Panel("freshness by budget", "fetches per page and mean time between changes", "freshness", curves)


def _claims(rows: list[tuple[float, str, float, float]]) -> list[Claim]:
    fresh = {(budget, name): value for budget, name, value, _ in rows}
    ours = [fresh[budget, LEARNED] for budget in BUDGETS]
    best = [fresh[budget, _OPTIMUM] for budget in BUDGETS]
    others = [max(fresh[budget, CASH], fresh[budget, IN_TURN]) for budget in BUDGETS]
    starved = max(never for _, name, _, never in rows if name == LEARNED)
    return [
        Claim(
            f"with rates that are learned, freshness is within {_SHORT_OF} of the optimum for known ones",
            all(one >= other - _SHORT_OF for one, other in zip(ours, best, strict=True)),
            _pairs(ours, best),
        ),
        Claim(
            "freshness is above that of a schedule without importance or rates",
            all(one > other for one, other in zip(ours, others, strict=True)),
            _pairs(ours, others),
        ),
        Claim("no page is left out for good", math.isclose(starved, 0.0), f"{starved:.2%} of the pages at most"),
    ]


def _pairs(ours: list[float], others: list[float]) -> str:
    return ", ".join(
        f"{one:.3f} and {other:.3f} at {budget:g}" for one, other, budget in zip(ours, others, BUDGETS, strict=True)
    )
