"""Copies of columns in a store: a crawl reads the same from them as from the rows, to the unit."""

import os
import random
import re
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.intakes import DAYS_LATER, crawl_all, intake_of, next_page
from support.sites import Site, crawl, random_site, rows, wide_site

from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.books.page_block import PageBlock, of_rows, packed_of, page_blocks, wrong_copies
from minicrawl.crawler.intake import Intake
from minicrawl.model import State
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.reader import open_store
from minicrawl.store.upkeep import backup

COPIED = Sizes(arrays=1, block=7, rows=5)
"""A store of any size has copies, of few pages each."""


def joined(blocks: list[PageBlock]) -> dict[str, npt.NDArray[Any]]:
    return {name: np.concatenate([block.columns[name] for block in blocks]) for name in blocks[0].columns}


def stale_of(store: Path) -> list[int]:
    """Number of stale pages of each copy; copies and rows together say what the rows say."""
    with open_store(store, COPIED) as reader:
        copied, row_by_row = joined(list(page_blocks(reader))), joined(list(map(of_rows, reader.page_table.columns())))
        assert reader.page_blocks.flaws == []
        for name, values in row_by_row.items():
            assert values.tolist() == copied[name].tolist(), name
        assert list(wrong_copies(reader)) == []
        assert list(violations(reader)) == []
        return [kept.stale for kept in reader.page_blocks.kept.values()]


def taken_up(store: Path, sizes: Sizes, **settings: Any) -> dict[str, Any]:
    """The pages as a crawl knows them when it begins; nothing is written."""
    intake = intake_of(store, sizes=sizes, **settings)
    accounts, frontier = intake.state.accounts, intake.state.frontier
    found = {
        "columns": packed_of(accounts, frontier.pages.host_of, slice(0, accounts.size)),
        "attempts": sorted(intake.state.pages.attempts.items()),
        "answered": sorted(intake.state.hosts.answered),
        "sums": (
            accounts.book.total(),
            accounts.book.never_visited,
            accounts.turns,
            accounts.coverage.bound(),
        ),
        "order": handed_out(intake),
    }
    intake.state.writer.close()
    return found


def handed_out(intake: Intake) -> list[int]:
    pages = []
    while (page := next_page(intake.state.frontier, 1e9)) is not None:
        pages.append(page)
        intake.state.frontier.release(page, 1e9)
    return pages


def changing(seed: int) -> tuple[Site, list[str]]:
    """A site with redirects, and pages that fail, have gone and come back, otherwise for every seed."""
    rng = random.Random(seed)
    site, seeds = wide_site(seed % 3, 70, 4)
    changed: Site = dict(site)
    for url in rng.sample(list(site), 20):
        changed[url] = rng.choice([404, 410, 500, 503, rng.choice(list(site))])
    for url in rng.sample(list(site), 10):
        changed[url] = [*site[url], f"{url}/new{seed}"]
    return changed, seeds


@pytest.mark.parametrize("seed", range(2))
def test_copies_are_the_rows_after_every_run(tmp_path: Path, seed: int) -> None:
    """Of crawls with growth, deletion, failures, redirects and pages read again, by runs that copy and runs that only
    note what they touch."""
    store, rng, stale = tmp_path / "crawl.db", random.Random(seed), []
    for run in range(6):
        site, seeds = changing(10 * seed + run)
        sizes = COPIED if run in (0, 1) else rng.choice([COPIED, STANDARD_SIZES])
        settings: dict[str, Any] = {"refresh": True, "refresh_min": 1e-3, "time": 60}
        settings["pages"] = rng.choice([5, 15, 40])
        if seed % 2 and run % 2:
            settings = dict(DAYS_LATER)
        if run == 4:
            settings["retry"] = ("error",)
        crawl(site, store, [*seeds, f"http://more{run}.test/"], sizes=sizes, **settings)
        stale.append(sum(stale_of(store)))
        assert taken_up(store, COPIED) == taken_up(store, STANDARD_SIZES)
    states = {state for (state,) in rows(store, "SELECT DISTINCT state FROM pages")}
    assert states >= ({"fetched", "gone"} if seed % 2 else {"fetched", "error"})
    assert sum(stale) > 0
    assert len(rows(store, "SELECT * FROM page_blocks")) > 5


class Dying(sqlite3.Connection):
    """Kills the process instead of its statement number `left` of those that have to do with copies."""

    left = 0

    def execute(self, sql: str, *values: Any) -> Any:
        self._live(sql)
        return super().execute(sql, *values)

    def executemany(self, sql: str, *values: Any) -> Any:
        self._live(sql)
        return super().executemany(sql, *values)

    def _live(self, sql: str) -> None:
        if re.search("page_blocks|touched|BEGIN|COMMIT|UPDATE pages|INSERT INTO pages", sql):
            if not Dying.left:
                os.kill(os.getpid(), signal.SIGKILL)
            Dying.left -= 1


def killed_at(statement: int, act: Callable[[], None]) -> bool:
    """Do something in a process of its own that dies at a statement. Whether it came to that."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    try:
        real, Dying.left = sqlite3.connect, statement
        sqlite3.connect = lambda *where, **how: real(*where, **how, factory=Dying)  # type: ignore[assignment]
        act()
        os._exit(0)
    finally:
        os._exit(1)


def test_a_kill_at_any_step_leaves_no_copy_that_lies(tmp_path: Path) -> None:
    begun, (site, seeds) = tmp_path / "begun.db", changing(2)
    crawl(site, begun, seeds, sizes=COPIED, pages=12)

    def go_on(store: Path) -> None:
        intake = intake_of(store, sizes=COPIED)
        for _ in range(4):
            crawl_all(intake, random_site(2)[0], most=2)
        intake.commit({}, ranks=True)
        intake.state.writer.close()

    deaths, step = 0, 0
    for step in range(0, 10_000, 8):
        store = tmp_path / f"{step}.db"
        backup(begun, store)
        if not killed_at(step, lambda store=store: go_on(store)):  # type: ignore[misc]
            break
        deaths += 1
        stale_of(store)
        go_on(store)
        stale_of(store)
        store.unlink()
    assert deaths > 6


@pytest.mark.parametrize("column", ["cash = cash + 1", "state = 'gone'"])
def test_check_tells_a_copy_that_lies(tmp_path: Path, column: str) -> None:
    store, (site, seeds) = tmp_path / "crawl.db", random_site(1)
    crawl(site, store, seeds, sizes=COPIED)
    with open_store(store, COPIED) as reader:
        page = int(rows(store, f"SELECT max(id) FROM pages WHERE state = '{State.FETCHED}' AND host > 0")[0][0])
        rows(store, f"UPDATE pages SET {column} WHERE id = ?", page)
        assert f"the copy of pages from {page // 7 * 7} on is not what their rows say" in list(violations(reader))


def test_a_copy_that_cannot_be_used_is_passed_over_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, (site, seeds) = tmp_path / "crawl.db", random_site(1)
    crawl(site, store, seeds, sizes=COPIED)
    expected = taken_up(store, STANDARD_SIZES)
    assert caplog.messages == []
    rows(store, "UPDATE page_blocks SET packed = substr(packed, 1, 100) WHERE first = 7")
    assert taken_up(store, COPIED) == expected
    assert caplog.messages == [
        f"{store}: the copy of pages from 7 on is not whole; the rows of these pages are read instead, "
        "which takes longer"
    ]
    crawl(site, store, [], sizes=COPIED)
    stale_of(store)
