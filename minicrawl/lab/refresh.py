"""Schedules that fetch pages again under a fixed budget, compared on pages with drawn change rates.

Freshness is the share of the time in which pages are as fetched, weighted by importance, in the second half of the
time. Budgets are fetches per page and mean time between two changes of a page.

Each host keeps its pages in a heap by due time, at a price of its own if it cannot be asked as often as its pages are
due. Hosts that may be asked are in a heap by the due time of their first page at the common price. A tick has one
fetch, after which the page's host rests for `rest` ticks. Due times and learned rates come from `opic.refresh`,
compiled.
"""

import math
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from minicrawl.lab.heap import add, compiled, empty_heap, first, moved, pop
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.refresh import HOST_PRICE_GAIN, PRICE_GAIN, interval, learned, repriced
from minicrawl.report import Claim, Curve, Panel, Result

register_jitable(interval)
register_jitable(learned)
register_jitable(repriced)

UNIFORM, BY_RATE, NUTCH, STORMCRAWLER, CASH, TRUE_RATES, LEARNED = range(7)
"""Schedules: round robin; in proportion to change rates; an interval that shrinks by a fifth when a page has
changed, and grows by two fifths else; by half and by half; by importance alone; by importance and the true, or the
learned rate."""
_TRIES = 8
_TICKS = 2.0**32
"""Ticks per unit of time: due times are ordered by whole numbers."""


class World(NamedTuple):
    """Pages by host.

    importance: shape (pages,). rates: changes per unit of time, shape (pages,). starts: shape (hosts + 1,): host h has
    the pages starts[h] .. starts[h + 1] - 1.
    """

    importance: FloatArray
    rates: FloatArray
    starts: IntArray


class Kept(NamedTuple):
    """The freshness that a schedule achieved in the second half of its time.

    freshness: share of the time in which pages were as fetched, weighted by importance. never: share of pages never
    fetched. idle: share of ticks in which no host might be asked.
    """

    freshness: float
    never: float
    idle: float


class _Pages(NamedTuple):
    """Arrays of shape (pages,). `order`: a heap by due time for each host, in its slice."""

    due: FloatArray
    last: FloatArray
    rate: FloatArray
    information: FloatArray
    order: npt.NDArray[np.int64]


def keep_fresh(  # noqa: PLR0913 - parameters of the experiment
    world: World,
    schedule: int,
    *,
    fetches_per_time: float,
    until: float,
    first_rate: float = 0.5,
    rest: int = 0,
    own_price: bool = True,
    random: np.random.Generator,
) -> Kept:
    """Fetch pages by `schedule` from time 0 to `until`, each having been fetched shortly before.

    first_rate: assumed rate of a page before its second fetch. rest: ticks for which a host is not asked after a fetch.
    own_price: a host that is asked as often as it may be gets a price of its own.
    """
    n = len(world.importance)
    mean_interval = n / fetches_per_time
    last = -mean_interval * random.random(n)
    rate = np.full(n, first_rate if schedule == LEARNED else 1.0 / mean_interval)
    if schedule in (TRUE_RATES, BY_RATE):
        rate = world.rates * (1.0 if schedule == TRUE_RATES else fetches_per_time / world.rates.sum())
    pages = _Pages(last + mean_interval, last, rate, np.zeros(n), np.arange(n))
    hosts = empty_heap(np.zeros(len(world.starts) - 1, dtype=np.int64))
    ticks = round(until * fetches_per_time)
    chances = random.random(ticks)
    price = float(world.importance.mean()) * mean_interval
    fresh, never, idle = _keep_fresh(world, pages, hosts, schedule, chances, until, price, rest, own_price)
    return Kept(fresh, never, idle)


@compiled
def _keep_fresh(world, pages, hosts, schedule, chances, until, price, rest, own_price):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    starts, ticks, n = world.starts, len(chances), len(world.importance)
    prices = np.zeros(len(starts))
    prices[:-1] = price if own_price and rest else 0.0
    prices[-1] = price  # the common price; the others are of the hosts
    for host in range(len(starts) - 1):
        for at in range((starts[host + 1] - starts[host] - 2) // 2, -1, -1):
            _down(pages, starts[host], starts[host + 1], at)
        if starts[host] < starts[host + 1]:
            hosts.key[host] = -in_ticks(pages.due[pages.order[starts[host]]])
            add(hosts, host)
    resting = np.full(rest + 1, -1, dtype=np.int64)
    is_fetched = np.zeros(n, dtype=np.bool_)
    since = until / 2.0
    fresh, idle = 0.0, 0
    for tick in range(ticks):
        now = tick * until / ticks
        back = resting[tick % (rest + 1)]
        if back >= 0:
            resting[tick % (rest + 1)] = -1
            is_late = pages.due[pages.order[starts[back]]] <= now
            prices[back] = repriced(prices[back], HOST_PRICE_GAIN / (starts[back + 1] - starts[back]), is_late)
            hosts.key[back] = -in_ticks(_host_due(world, pages, prices, schedule, back))
            add(hosts, back)
        if hosts.size[0] == 0:
            idle += 1
            continue
        host = _first_host(world, pages, prices, schedule, hosts, now)
        page = pages.order[starts[host]]
        prices[-1] = repriced(prices[-1], PRICE_GAIN / n, -hosts.key[host] <= in_ticks(now))
        gap = now - pages.last[page]
        changed = chances[tick] < -math.expm1(-world.rates[page] * gap)
        fresh += world.importance[page] * fresh_time(world.rates[page], pages.last[page], now, since)
        is_fetched[page] |= now >= since
        _learn(schedule, pages, page, gap, changed)
        pages.last[page] = now
        pages.due[page] = _due(world, pages, schedule, max(prices[-1], prices[host]), page)
        _down(pages, starts[host], starts[host + 1], 0)
        hosts.key[host] = -in_ticks(_host_due(world, pages, prices, schedule, host))
        if rest:
            pop(hosts)
            resting[tick % (rest + 1)] = host
        else:
            moved(hosts, host)
    for page in range(n):
        fresh += world.importance[page] * fresh_time(world.rates[page], pages.last[page], until, since)
    return fresh / (until - since), 1.0 - is_fetched.sum() / n, idle / ticks


@compiled
def _first_host(world, pages, prices, schedule, hosts, now):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    """The host whose page is due first. Prices have moved since the hosts were ordered: check a few times."""
    for _ in range(_TRIES):
        host = first(hosts)
        due = in_ticks(_host_due(world, pages, prices, schedule, host))
        if due <= max(-hosts.key[host], in_ticks(now)):
            break
        hosts.key[host] = -due
        moved(hosts, host)
    return first(hosts)


@compiled
def _host_due(world, pages, prices, schedule, host):  # type: ignore[no-untyped-def]
    """The due time, at the common price, of the page that is first at the host's own price."""
    start, stop = world.starts[host], world.starts[host + 1]
    for _ in range(_TRIES):
        page = pages.order[start]
        due = _due(world, pages, schedule, max(prices[-1], prices[host]), page)
        if due <= pages.due[page]:
            break
        pages.due[page] = due
        _down(pages, start, stop, 0)
    return _due(world, pages, schedule, prices[-1], pages.order[start])


@compiled
def _due(world, pages, schedule, price, page):  # type: ignore[no-untyped-def]
    return pages.last[page] + _interval(schedule, price, world.importance[page], pages.rate[page])


@compiled
def _interval(schedule, price, importance, rate):  # type: ignore[no-untyped-def]
    if schedule == UNIFORM:
        return 1.0
    if schedule == CASH:
        return price / importance
    if schedule < CASH:
        return 1.0 / rate
    return interval(price, importance, rate)


@compiled
def _learn(schedule, pages, page, gap, changed):  # type: ignore[no-untyped-def]
    if schedule == NUTCH:
        pages.rate[page] /= 0.8 if changed else 1.4
    elif schedule == STORMCRAWLER:
        pages.rate[page] /= 0.5 if changed else 1.5
    elif schedule == LEARNED:
        pages.rate[page], pages.information[page] = learned(pages.rate[page], pages.information[page], gap, changed)


@compiled
def fresh_time(rate, last, until, since):  # type: ignore[no-untyped-def]
    """Expected time from `since` (or `last`) to `until` for which a page fetched at `last` is unchanged."""
    begin = max(last, since)
    if until <= begin:
        return 0.0
    return (math.exp(-rate * (begin - last)) - math.exp(-rate * (until - last))) / rate


@compiled
def in_ticks(time):  # type: ignore[no-untyped-def]
    return int(time * _TICKS)


@compiled
def _down(pages, start, stop, at):  # type: ignore[no-untyped-def]
    """Restore the heap of a host whose page `at` may be due later than its children."""
    due, order = pages.due, pages.order
    page = order[start + at]
    while start + 2 * at + 1 < stop:
        child = 2 * at + 1
        if start + child + 1 < stop and due[order[start + child + 1]] < due[order[start + child]]:
            child += 1
        if due[order[start + child]] >= due[page]:
            break
        order[start + at] = order[start + child]
        at = child
    order[start + at] = page


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
"""Shape of the Pareto distribution of importance: the top hundredth of the pages has about half of it."""
_SPREAD = 1.5
"""Standard deviation of the logarithm of the rates."""
_HOSTS = 200
_RESTS = (4, 8, 20)
_COLUMNS = ("fetches per page and change", "rest of a host in fetches", "schedule", "freshness", "never fetched")
_SHORT_OF = 0.02
"""Tolerated loss of freshness by unknown rates."""


@dataclass(frozen=True)
class Setup:
    """pages: of a world; worlds: number drawn, from `seed` on; until: mean times between two changes."""

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
    """All schedules under all budgets; and two of them on hosts that must rest after a fetch."""
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
    """The upper bound of all schedules: every page at even intervals, with known rates.

    A page fetched at intervals a is fresh for (1 - e^-x) / x of the time, x = rate a. The sum is largest, for a given
    number of fetches, where one more fetch is worth the same on every page (Cho, Garcia-Molina: "Effective Page Refresh
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
    """Solve 1 - e^-x (1 + x) = worth for x; infinite for worth >= 1."""
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
