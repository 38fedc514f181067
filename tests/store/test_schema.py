"""What tables say; the view that ranks pages, against the formulas of minicrawl.opic, in states no crawl comes to."""

import random
import sqlite3
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from support.sites import rows

from minicrawl.opic import Book
from minicrawl.opic.units import all_interpolated
from minicrawl.store.writer import Writer


class Page(NamedTuple):
    """A random row of `pages`."""

    id: int
    state: str
    visited: int
    cash: int
    forwarded: int
    history: float
    clock: float


def some_pages(rng: random.Random, now: int) -> list[Page]:
    """Visited long ago, just now, in between or never; gone, failed or another's alias."""
    pages = []
    for page in range(60):
        state = rng.choice(["waiting", "fetched", "fetched", "alias", "gone", "error"])
        visited = state != "waiting"
        clock = rng.choice([0, now, rng.randrange(now), now - rng.randrange(min(now, 300))])
        history, forwarded = float(rng.randrange(10**6)), rng.randrange(2**23) if visited else 0
        cash = rng.randrange(2**24, 2**26) - forwarded
        pages.append(Page(page, state, visited, cash, forwarded, history, float(clock)))
    return pages


@pytest.mark.parametrize("seed", range(4))
def test_view_computes_what_the_book_computes(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    now, window = rng.choice([1, 1_000, 10**9]), rng.choice([1, 64, 4_096, 10**8])
    pages = some_pages(rng, now)
    alias, gone = (np.array([page.state == state for page in pages]) for state in ("alias", "gone"))
    book = Book.of(
        np.array([page.cash for page in pages]), np.array([page.forwarded for page in pages]), gone, alias, 12_345
    )
    book.recount(12_345)
    scalars = {"window": window, "clock": now, "virtual": 12_345, "total": book.total()}
    scalars |= {"never_visited": book.never_visited, "births": book.births}
    path = tmp_path / "crawl.db"
    Writer(path).close()
    with sqlite3.connect(path) as db:
        db.executemany(
            f"INSERT INTO pages (url, host, reason, depth, inlinks, chain_length, attempts, {', '.join(Page._fields)}) "
            "VALUES ('http://a.test/', 0, 'ok', 0, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?)",
            pages,
        )
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", scalars.items())
    db.close()

    clock = np.array([page.clock for page in pages])
    cash = book.cash_of(slice(0, 60))
    history = np.array([page.history for page in pages])
    now_counted = all_interpolated(history, cash, now - clock, window)
    found = np.array(rows(path, "SELECT importance, history, cash FROM weighed ORDER BY id"), dtype=np.float64)
    assert found[:, 0] == pytest.approx(book.importance(), rel=1e-9, abs=1e-15)
    assert found[:, 1] == pytest.approx(np.where(alias, 0.0, now_counted), rel=1e-12)
    assert found[:, 2].tolist() == cash.tolist()
