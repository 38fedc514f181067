"""Schedules that fetch pages again under a fixed budget, compared on pages with drawn change rates.

Freshness is the share of the time in which pages are as fetched, weighted by importance, in the second half of the
time. Budgets are fetches per page and mean time between two changes of a page.

Each host keeps its pages in a heap by the value of a fetch, or by due time for schedules that know none. Hosts that may
be asked are in a heap by their first page. A tick has one fetch, after which the page's host rests for `rest` ticks.
Pages are valued as in the crawl (crawler/frontier/due_pages.py): when they are due at the present price, and all of
them after a thirty-second has been fetched. Values, due times and learned rates come from `opic.refresh`, compiled.
"""

import math
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.heap import add, compiled, empty_heap, first, full_heap, moved, pop
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.refresh import PRIOR_SHAPE, interval, learned, value

register_jitable(interval)
register_jitable(learned)
register_jitable(value)

UNIFORM, BY_RATE, NUTCH, STORMCRAWLER, CASH, TRUE_RATES, LEARNED = range(7)
"""Schedules: round robin; in proportion to change rates; an interval that shrinks by a fifth when a page has
changed, and grows by two fifths else; by half and by half; by importance alone; by importance and the true, or the
learned rate."""
_FEWEST, _SHARE = 8, 32
_LEAST_AGE = 1e-9
_LONGEST = 1e6
_NO_EVENT = -(2**62)
_TICKS = 2.0**32
"""Steps of a key per unit of time, or doubling of a value: heaps are ordered by whole numbers."""


class World(NamedTuple):
    """Pages by host.

    importance: shape (pages,). rates: changes per unit of time, shape (pages,). starts: shape (hosts + 1,): host h has
    the pages starts[h] .. starts[h + 1] - 1.
    """

    importance: FloatArray
    rates: FloatArray
    starts: IntArray


class Kept(NamedTuple):
    """The freshness that a schedule achieved from `since` on.

    freshness: share of the time in which pages were as fetched, weighted by importance. never: share of pages never
    fetched. idle: share of all ticks in which no host might be asked.
    """

    freshness: float
    never: float
    idle: float


class _Pages(NamedTuple):
    """Arrays of shape (pages,). key: the larger the sooner. `order`: a heap by key for each host, in its slice; place:
    of each page there. shape: 0 of pages not fetched twice."""

    key: IntArray
    last: FloatArray
    rate: FloatArray
    shape: FloatArray
    order: IntArray
    place: IntArray
    host: IntArray


def keep_fresh(  # noqa: PLR0913 - parameters of the experiment
    world: World,
    schedule: int,
    *,
    fetches_per_time: float,
    until: float,
    since: float | None = None,
    first_rate: float = 0.5,
    rest: int = 0,
    random: np.random.Generator,
) -> Kept:
    """Fetch pages by `schedule` from time 0 to `until`, each having been fetched shortly before.

    since: freshness is measured from then on; None: in the second half. first_rate: assumed rate of a page before its
    second fetch, until such fetches tell. rest: ticks for which a host is not asked after a fetch.
    """
    n = len(world.importance)
    mean_interval = n / fetches_per_time
    last = -mean_interval * random.random(n)
    rate = np.full(n, 1.0 / mean_interval)
    if schedule in (TRUE_RATES, BY_RATE):
        rate = world.rates * (1.0 if schedule == TRUE_RATES else fetches_per_time / world.rates.sum())
    host = np.repeat(np.arange(len(world.starts) - 1), np.diff(world.starts))
    pages = _Pages(np.zeros(n, np.int64), last, rate, np.zeros(n), np.arange(n), np.arange(n), host)
    hosts = empty_heap(np.zeros(len(world.starts) - 1, dtype=np.int64))
    due = full_heap(np.full(n, _NO_EVENT))
    chances = random.random(round(until * fetches_per_time))
    since = until / 2.0 if since is None else since
    fresh, never, idle = _keep_fresh(world, pages, hosts, due, schedule, chances, (since, until), first_rate, rest)
    return Kept(fresh, never, idle)


@compiled
def _keep_fresh(world, pages, hosts, due, schedule, chances, times, first_rate, rest):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    starts, ticks, n = world.starts, len(chances), len(world.importance)
    since, until = times
    assumed = np.array([first_rate, PRIOR_SHAPE])
    resting = np.full(rest + 1, -1, dtype=np.int64)
    is_resting = np.zeros(len(starts), dtype=np.bool_)
    is_fetched = np.zeros(n, dtype=np.bool_)
    fresh, idle, price, paid = 0.0, 0, 0.0, 0.0
    left, between = 0, max(n // _SHARE, _FEWEST)  # fetches until all are valued anew
    has_values = schedule >= CASH
    for tick in range(ticks):
        now = tick * until / ticks
        if left == 0 and (has_values or tick == 0):
            price = math.exp(paid / between)
            left, paid = between, 0.0
            _value_all(world, pages, schedule, assumed, now)
            for page in range(n if has_values else 0):
                _await(world, pages, due, schedule, assumed, price, page)
            for host in range(len(starts) - 1):
                _offer(pages, starts, hosts, is_resting, host)
        back = resting[tick % (rest + 1)]
        if back >= 0:
            resting[tick % (rest + 1)] = -1
            is_resting[back] = False
            _offer(pages, starts, hosts, is_resting, back)
        while has_values and due.key[first(due)] >= -in_ticks(now):
            page = first(due)
            due.key[page] = _NO_EVENT
            moved(due, page)
            _value_one(world, pages, schedule, assumed, page, now)
            _offer(pages, starts, hosts, is_resting, pages.host[page])
        if hosts.size[0] == 0:
            idle += 1
            continue
        host = first(hosts)
        page = pages.order[starts[host]]
        gap = now - pages.last[page]
        if has_values:
            left -= 1
            paid += math.log(value(world.importance[page], _rate(pages, schedule, assumed, page), max(gap, _LEAST_AGE)))
        changed = chances[tick] < -math.expm1(-world.rates[page] * gap)
        fresh += world.importance[page] * fresh_time(world.rates[page], pages.last[page], now, since)
        is_fetched[page] |= now >= since
        _learn(schedule, pages, assumed, page, gap, changed)
        pages.last[page] = now
        _value_one(world, pages, schedule, assumed, page, now)
        if has_values:
            _await(world, pages, due, schedule, assumed, price, page)
        if rest:
            pop(hosts)
            is_resting[host] = True
            resting[tick % (rest + 1)] = host
        _offer(pages, starts, hosts, is_resting, host)
    for page in range(n):
        fresh += world.importance[page] * fresh_time(world.rates[page], pages.last[page], until, since)
    return fresh / (until - since), 1.0 - is_fetched.sum() / n, idle / ticks


@compiled
def _offer(pages, starts, hosts, is_resting, host):  # type: ignore[no-untyped-def]
    """Put a host in the place of its first page, unless it rests."""
    if is_resting[host] or starts[host] == starts[host + 1]:
        return
    hosts.key[host] = pages.key[pages.order[starts[host]]]
    if hosts.place[host] >= 0:
        moved(hosts, host)
    else:
        add(hosts, host)


@compiled
def _value_all(world, pages, schedule, assumed, now):  # type: ignore[no-untyped-def]
    for page in range(len(pages.key)):
        pages.key[page] = _key(world, pages, schedule, assumed, page, now)
    for host in range(len(world.starts) - 1):
        start, stop = world.starts[host], world.starts[host + 1]
        pages.order[start:stop] = start + np.argsort(-pages.key[start:stop])
    for place in range(len(pages.key)):
        pages.place[pages.order[place]] = place


@compiled
def _key(world, pages, schedule, assumed, page, now):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    if schedule == UNIFORM:
        return -in_ticks(pages.last[page])
    if schedule < CASH:
        return -in_ticks(pages.last[page] + min(1.0 / pages.rate[page], _LONGEST))
    age = max(now - pages.last[page], _LEAST_AGE)
    return in_ticks(math.log2(value(world.importance[page], _rate(pages, schedule, assumed, page), age)))


@compiled
def _value_one(world, pages, schedule, assumed, page, now):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    pages.key[page] = _key(world, pages, schedule, assumed, page, now)
    _sift(pages, world.starts, page)


@compiled
def _await(world, pages, due, schedule, assumed, price, page):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    """Let a page be valued again when it is due."""
    rate = _rate(pages, schedule, assumed, page)
    due.key[page] = -in_ticks(pages.last[page] + interval(price, world.importance[page], rate))
    moved(due, page)


@compiled
def _rate(pages, schedule, assumed, page):  # type: ignore[no-untyped-def]
    if schedule == CASH:
        return np.inf
    return assumed[0] if schedule == LEARNED and not pages.shape[page] else pages.rate[page]


@compiled
def _learn(schedule, pages, assumed, page, gap, changed):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    if schedule == NUTCH:
        pages.rate[page] /= 0.8 if changed else 1.4
    elif schedule == STORMCRAWLER:
        pages.rate[page] /= 0.5 if changed else 1.5
    elif schedule == LEARNED:
        if not pages.shape[page]:
            pages.rate[page], pages.shape[page] = assumed[0], PRIOR_SHAPE
            assumed[0], assumed[1] = learned(assumed[0], assumed[1], gap, changed)
        pages.rate[page], pages.shape[page] = learned(pages.rate[page], pages.shape[page], gap, changed)


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
def _sift(pages, starts, page):  # type: ignore[no-untyped-def]
    """Restore the heap of a page's host after its key has risen or fallen."""
    key, order, place = pages.key, pages.order, pages.place
    start, stop = starts[pages.host[page]], starts[pages.host[page] + 1]
    at = place[page] - start
    while at and key[order[start + (at - 1) // 2]] < key[page]:
        parent = order[start + (at - 1) // 2]
        order[start + at], place[parent] = parent, start + at
        at = (at - 1) // 2
    while start + 2 * at + 1 < stop:
        child = 2 * at + 1
        if start + child + 1 < stop and key[order[start + child + 1]] > key[order[start + child]]:
            child += 1
        if key[order[start + child]] <= key[page]:
            break
        order[start + at], place[order[start + child]] = order[start + child], start + at
        at = child
    order[start + at], place[page] = page, start + at


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
_WRONG = {"8 times too slow": 1.0 / 8.0, "8 times too fast": 8.0}
_FIRST = 1.0
"""First mean times between two changes, in which freshness is compared after a wrong first guess."""


@dataclass(frozen=True)
class Setup:
    """pages: of a world; worlds: number drawn, from `seed` on; until: mean times between two changes.

    importance: the values that pages draw theirs from, with repeats; None: Pareto.
    """

    pages: int = 5_000
    worlds: int = 3
    until: float = 60.0
    seed: int = 0
    importance: FloatArray | None = None

    def draw(self, seed: int, hosts: int = 1) -> World:
        """Pages of drawn importance and lognormal change rates of mean 1, on hosts with Zipf sizes."""
        random = np.random.default_rng(seed)
        values = self.importance
        importance = random.pareto(_SHAPE, self.pages) + 1.0 if values is None else random.choice(values, self.pages)
        rates = random.lognormal(0.0, _SPREAD, self.pages)
        sizes = 1.0 / np.arange(1, hosts + 1)
        starts = np.concatenate([[0], np.cumsum(sizes) / sizes.sum() * self.pages]).round().astype(np.int64)
        return World(importance / importance.sum(), rates / rates.mean(), starts)


def experiment(setup: Setup) -> Result:
    """All schedules under all budgets, ours also after wrong first guesses; and two on hosts that must rest."""
    rows: list[tuple[float, int, str, float, float]] = []
    for budget in BUDGETS:
        rows.append((budget, 0, _OPTIMUM, *_mean([optimum(setup.draw(s), budget) for s in _seeds(setup)])))
        for name, schedule in SCHEDULES.items():
            kept = [_kept(setup, seed, schedule, budget) for seed in _seeds(setup)]
            rows.append((budget, 0, name, *_mean(kept)))
        for name, factor in _WRONG.items():
            kept = [_kept(setup, seed, LEARNED, budget, first=factor) for seed in _seeds(setup)]
            rows.append((budget, 0, f"first guess {name}, first interval", *_mean(kept)))
    for rest in _RESTS:
        for name in (LEARNED_NAME, "all in turn"):
            kept = [_kept(setup, seed, SCHEDULES[name], 1.0, rest) for seed in _seeds(setup)]
            rows.append((1.0, rest, name, *_mean(kept)))
    return Result("refresh", "Keeping pages fresh under a budget", _COLUMNS, rows, [_panel(rows)], _claims(rows))


def _seeds(setup: Setup) -> range:
    return range(setup.seed, setup.seed + setup.worlds)


def _kept(  # noqa: PLR0913 - parameters of the experiment
    setup: Setup, seed: int, schedule: int, budget: float, rest: int = 0, first: float | None = None
) -> Kept:
    """first: first guess in terms of the median rate; then freshness is that of the first interval."""
    world = setup.draw(seed, _HOSTS if rest else 1)
    return keep_fresh(
        world,
        schedule,
        fetches_per_time=budget * setup.pages,
        until=setup.until if first is None else _FIRST,
        since=None if first is None else 0.0,
        first_rate=float(np.median(world.rates)) * (1.0 if first is None else first),
        rest=rest,
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
    starved = max(never[budget, 0, LEARNED_NAME] for budget in BUDGETS)
    early = [min(fresh[budget, 0, f"first guess {name}, first interval"] for name in _WRONG) for budget in BUDGETS]
    resting = [fresh[1.0, rest, LEARNED_NAME] for rest in _RESTS]
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
            "after a wrong first guess the first interval has nine tenths of the optimum",
            all(one >= 0.9 * other for one, other in zip(early, best, strict=True)),
            _pairs(early, best),
        ),
        Claim(
            "where hosts must rest it stays above all in turn without rests",
            min(resting) > fresh[1.0, 0, "all in turn"],
            ", ".join(f"{value:.3f} with {rest}" for value, rest in zip(resting, _RESTS, strict=True)),
        ),
    ]


def _pairs(ours: list[float], others: list[float]) -> str:
    return ", ".join(
        f"{one:.3f} and {other:.3f} at {budget:g}" for one, other, budget in zip(ours, others, BUDGETS, strict=True)
    )
