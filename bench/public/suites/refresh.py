"""Freshness: the share of importance that is as it was fetched, under a budget of fetches.

Freshness: the share of importance on pages that are as they were fetched, mean over time, where a budget is so many
fetches per page and mean time between two changes of a page.

- The first two tables are simulations by `minicrawl lab`: the code that values pages is the crawl's own, schedules of
  others are written after their documentation; no program of others runs here. Nobody but those that say so knows
  rates.
- The live crawl runs over HTTP against a web that changes thousands of times as fast as it would, with a budget of one
  fetch. Its bounds are for the fetches again of each quarter; in the first one pages are new, so it may lie above them.
- Importance is Pareto with shape 1.1 and rates are lognormal in the first table; the demo's web has its own.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import refresh as live
from changing.web import MEAN_INTERVAL, ChangingWeb
from public.bench import Bench, Suite
from public.results import BOUND, OURS, PEER, Column, Row, Table

from minicrawl.demo.web import DemoWeb
from minicrawl.lab.refresh import (
    BY_RATE,
    CASH,
    LEARNED,
    NUTCH,
    STORMCRAWLER,
    UNIFORM,
    Setup,
    World,
    keep_fresh,
    optimum,
)

_BUDGETS = (0.3, 1.0, 3.0)
_SCHEDULES = {
    "minicrawl": (LEARNED, OURS),
    "all pages in turn (uniform)": (UNIFORM, PEER),
    "in proportion to change rates (rates known)": (BY_RATE, PEER),
    "by importance alone": (CASH, PEER),
    "Apache Nutch's adaptive schedule": (NUTCH, PEER),
    "StormCrawler's adaptive scheduler": (STORMCRAWLER, PEER),
}
_OPTIMUM = "the most that any schedule can reach (rates known)"
_SECONDS, _SPEED, _PER_INTERVAL, _PAGES, _PARTS = 300.0, 8000.0, 1.0, 180, 4


def demo_world(seed: int, hosts: int = 40, pages: int = 4000) -> World:
    """Importance and change rates, in mean intervals, of the pages of the demo's changing web."""
    web = ChangingWeb(DemoWeb.generate(seed, hosts, pages), seed, 1.0)
    shares = {url: share for url, share in web.importance(0.0).items() if share > 0.0}
    rates = np.array([max(web.life(url).rate, 1e-9) for url in shares])
    importance = np.array(list(shares.values()))
    return World(importance / importance.sum(), rates / rates.mean(), np.array([0, len(rates)]))


def _simulated(title: str, worlds: list[World], until: float) -> Table:
    rows = []
    for name, (schedule, kind) in _SCHEDULES.items():
        columns = [
            [
                keep_fresh(
                    world, schedule, fetches_per_time=budget * len(world.rates), until=until,
                    first_rate=float(np.median(world.rates)), random=np.random.default_rng(seed),
                ).freshness
                for seed, world in enumerate(worlds)
            ]
            for budget in _BUDGETS
        ]  # fmt: skip
        rows.append(Row.of(name, kind, *columns))
    rows.append(
        Row.of(_OPTIMUM, BOUND, *([optimum(world, budget).freshness for world in worlds] for budget in _BUDGETS))
    )
    return Table(title, tuple(Column(f"{budget:g} fetches", "more", 3) for budget in _BUDGETS), rows)


def _crawled() -> Table:
    """A crawl that lives for minutes, of a web whose months are minutes."""
    web, least = live.wrongly_guessed(live.small_web(_PAGES), 0, _SPEED, "none")
    witness = live.Witness(web, _PER_INTERVAL * len(web.web.truth()) * _SPEED / MEAN_INTERVAL)
    with tempfile.TemporaryDirectory() as folder:
        began = time.time()
        options = ["--refresh", "--refresh-min", f"{least:g}s", "--config", "none"]
        asyncio.run(live.crawl(witness, _SECONDS, Path(folder) / "crawl.db", options, 0))
    found = live.windows(witness, began, began + _SECONDS, (), _PARTS)
    rows = [
        Row.of("minicrawl crawl --refresh", OURS, *([one.fresh] for one in found)),
        Row.of("all pages in turn (uniform)", BOUND, *([one.in_turn] for one in found)),
        Row.of(_OPTIMUM, BOUND, *([one.best] for one in found)),
    ]
    columns = tuple(
        Column(f"{100 * number // len(found)} % of the time", "more", 3) for number in range(1, len(found) + 1)
    )
    again = sum(one.answers for one in found)
    note = f"{again:,} fetches again in {_SECONDS:.0f} s, at most {witness.per_second:.1f} answers a second."
    return Table(f"A live crawl of {_PAGES} pages, by quarters of the time", columns, rows, note)


def _run(bench: Bench) -> Iterator[Table]:
    if bench.is_quick:
        yield _simulated("500 drawn pages", [Setup(pages=500).draw(0)], 10.0)
        return
    yield _simulated(
        "5,000 pages with drawn importance and rates, three draws", [Setup().draw(seed) for seed in range(3)], 60.0
    )
    yield _simulated("The demo's changing web, three webs", [demo_world(seed) for seed in range(3)], 60.0)
    yield _crawled()


SUITE = Suite("refresh", "Refresh", __doc__, (), _run)
