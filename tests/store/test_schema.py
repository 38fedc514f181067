"""What tables say; the view that ranks pages, against the formulas of minicrawl.opic; kills while a store is made."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from support.sites import HOME, Site, crawl, rows

from minicrawl.crawler.books.invariants import violations
from minicrawl.errors import StoreError
from minicrawl.opic import Book
from minicrawl.opic.units import all_interpolated
from minicrawl.store.reader import open_store
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


SITE: Site = {HOME: ["/b", "/c"], HOME + "b": [HOME], HOME + "c": ["/b"]}

# Makes a store in one child after another: child n is killed at the n-th line of our own code that it runs, or at the
# n-th step of SQLite's machine, until one comes through.
_KILLER = """
import os, signal, sqlite3, sys
from pathlib import Path
from minicrawl.store import database
from minicrawl.store.writer import Writer

path, by_line = Path(sys.argv[1]), sys.argv[2] == "line"

def killed_at(number):
    left = number
    def step(*_):
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0
    def trace(frame, event, argument):
        if "store" in frame.f_code.co_filename:
            step()
            return trace
        return None
    if by_line:
        sys.settrace(trace)
    else:
        connect = sqlite3.connect
        def connected(*words, **options):
            db = connect(*words, **options)
            db.set_progress_handler(step, 3)
            return db
        sqlite3.connect = connected
    Writer(path)

number, kills = 1, 0
while True:
    for ending in ("", "-wal", "-shm", ".new", ".new-journal", ".new-wal", ".lock"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    child = os.fork()
    if not child:
        killed_at(number)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
    kills += 1
    Writer(path).close()
    with Writer(path) as writer:
        list(writer.pages(n=1))
    number += 1 + number // 6
print(kills)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db"


def commit(writer: Writer) -> None:
    with writer.transaction():
        writer.save_meta({"mark": 1})


@pytest.mark.parametrize("at", ["line", "step"])
def test_store_killed_while_it_is_made_opens(path: Path, at: str) -> None:
    words = [sys.executable, "-c", _KILLER, str(path), at]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) > 20, "as often it was killed, and opened"


def test_log_of_a_store_that_was_deleted_is_not_taken_for_the_new_ones(path: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed.db"
    with Writer(path) as writer:
        commit(writer)
        shutil.copy(f"{path}-wal", f"{killed}-wal")
    with Writer(killed) as writer:
        assert writer.meta("mark") is None


def test_commit_reaches_the_disk_before_it_returns(path: Path) -> None:
    with Writer(path) as writer:
        assert writer.db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


@pytest.mark.parametrize(
    ("said", "is_replaced"), [("was deleted or moved.*put it back", False), ("was replaced", True)]
)
def test_store_lost_while_it_is_written_to_is_noticed_at_the_next_commit(
    path: Path, said: str, is_replaced: bool
) -> None:
    moved, other = path.with_name("moved.db"), path.with_name("other.db")
    with Writer(path) as writer:
        commit(writer)
        path.rename(moved)
        if is_replaced:
            crawl(SITE, other, [HOME])
            other.replace(path)
        with pytest.raises(StoreError, match=f"{path} {said}") as error:
            commit(writer)
        assert error.value.exit_code == 3
    with open_store(moved) as store:
        assert store.meta("mark") == 1
    if is_replaced:
        with open_store(path) as store:
            assert (store.size(), list(violations(store))) == (3, [])


def test_one_crawl_at_a_time_by_whatever_path(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path.name)
    with Writer(path) as writer:
        commit(writer)
        with pytest.raises(StoreError, match="another crawl is using"):
            Writer(link)
        with open_store(link) as store:
            assert (store.is_in_use(), store.meta("mark")) == (True, 1)
    with Writer(link) as writer:
        commit(writer)
    assert not list(path.parent.glob("*-wal"))


def test_store_by_two_names_is_refused(path: Path) -> None:
    other = path.with_name("other.db")
    with Writer(path) as writer:
        os.link(path, other)
        for name in (other, path):
            with pytest.raises(StoreError, match=r"names \(hard links\) of one file|another crawl is using"):
                Writer(name)
        commit(writer)
    other.unlink()
    Writer(path).close()
