"""The view that ranks pages, against the formulas of minicrawl.opic, in states that no crawl comes to."""

import random
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.sites import rows

from minicrawl.opic import Ledger
from minicrawl.opic.window import Interpolation
from minicrawl.store.writer import Writer

WINDOWS = [Interpolation(2.0), Interpolation(8.0)]


class Page(NamedTuple):
    """A random row of `pages`."""

    id: int
    state: str
    visited: int
    standing: int
    history: float
    clock: float
    received: int
    forwarded: int


def some_pages(rng: random.Random, now: int) -> list[Page]:
    """Visited long ago, just now, in between or never; gone, failed or another's alias."""
    pages = []
    for page in range(60):
        state = rng.choice(["waiting", "fetched", "fetched", "alias", "gone", "error"])
        visited = state != "waiting"
        clock = rng.choice([0, now, rng.randrange(now), now - rng.randrange(min(now, 300))])
        standing, history = rng.randrange(10**6), float(rng.randrange(10**6))
        received, forwarded = rng.randrange(2**24, 2**26), rng.randrange(2**23) if visited else 0
        pages.append(Page(page, state, visited, standing, history, float(clock), received, forwarded))
    return pages


def store_of(path: Path, pages: list[Page], meta: dict[str, Any]) -> None:
    Writer(path).close()
    with sqlite3.connect(path) as db:
        names = ", ".join(Page._fields)
        marks = ", ".join("?" * len(Page._fields))
        db.executemany(
            f"INSERT INTO pages (url, host, reason, depth, {names}) VALUES ('http://a.test/', 0, 'ok', 0, {marks})",
            pages,
        )
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
    db.close()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_view_computes_what_the_books_compute(tmp_path: Path, window: Interpolation, seed: int) -> None:
    rng = random.Random(seed)
    now, level, in_hand = rng.choice([1, 1_000, 10**9]), rng.randrange(10**6), rng.choice([1, 64, 4_096, 10**8])
    pages = some_pages(rng, now)
    visited = np.array([page.visited for page in pages], dtype=np.bool_)
    alias, gone = (np.array([page.state == state for page in pages]) for state in ("alias", "gone"))
    received, forwarded = (np.array(column) for column in list(zip(*pages, strict=True))[-2:])
    ledger = Ledger.of(received, forwarded, gone, alias, 12_345)
    ledger.recount(12_345)
    scalars = {
        "interpolation_size": window.size(in_hand),
        "level": level,
        "clock": now,
        "ledger_virtual": 12_345,
        "ledger_never_visited": ledger.never_visited,
        "ledger_births": ledger.births,
        "ledger_total": ledger.total(),
    }
    path = tmp_path / "crawl.db"
    store_of(path, pages, scalars)

    clock = np.array([page.clock for page in pages])
    cash = np.array([page.standing for page in pages]) + level * visited
    history = np.array([page.history for page in pages])
    now_counted = window.now(history, cash.astype(np.float64), now - clock, in_hand)
    found = np.array(rows(path, "SELECT importance, history, cash FROM weighed ORDER BY id"), dtype=np.float64)
    assert found[:, 0] == pytest.approx(ledger.importance(), rel=1e-9, abs=1e-15)
    assert found[:, 1] == pytest.approx(np.where(alias, 0.0, now_counted), rel=1e-12)
    assert found[:, 2].tolist() == cash.tolist()
