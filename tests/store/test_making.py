"""A store that is killed while it is made, and one that is lost while a crawl writes to it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.sites import HOME, Site, crawl

from minicrawl.crawler.books.invariants import violations
from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

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
