"""The file of the index: made, opened, held, thrown away."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from minicrawl.errors import StoreError
from minicrawl.search.index.index_file import (
    hold_index,
    index_errors,
    index_path,
    open_index,
    remove_index,
    store_mark,
)

MARK = store_mark(b"store")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db.search"


def test_index_is_beside_its_store(tmp_path: Path) -> None:
    assert index_path(tmp_path / "crawl.db") == tmp_path / "crawl.db.search"


def test_index_is_made_once_and_read_by_others(path: Path) -> None:
    with open_index(path, MARK, writes=True) as index:
        with index.transaction():
            index.set_meta(end=7)
        with open_index(path, MARK) as reader:
            assert reader.meta("end") == 7
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.set_meta(end=8)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]


def test_what_breaks_off_leaves_the_index_as_it_was(path: Path) -> None:
    with open_index(path, MARK, writes=True) as index:
        with pytest.raises(KeyError), index.transaction():
            index.set_meta(end=1)
            raise KeyError
        assert index.meta("end") is None


def test_index_of_another_store_is_not_taken(path: Path) -> None:
    open_index(path, MARK, writes=True).close()
    for writes in (False, True):
        with pytest.raises(StoreError, match="index of another store"):
            open_index(path, store_mark(b"other"), writes=writes)


@pytest.mark.parametrize(
    ("deed", "sentence"),
    [
        ("PRAGMA user_version = 99", "another version; 'minicrawl index --rebuild'"),
        ("PRAGMA application_id = 1", "belongs to another program"),
    ],
)
def test_file_that_is_no_index_of_ours_is_named(tmp_path: Path, deed: str, sentence: str) -> None:
    path = tmp_path / f"{abs(hash(deed))}.search"
    open_index(path, MARK, writes=True).close()
    with sqlite3.connect(path) as db:
        db.execute(deed)
    db.close()
    with pytest.raises(StoreError, match=sentence):
        open_index(path, MARK)


def test_index_that_is_broken_can_be_thrown_away(path: Path) -> None:
    path.write_bytes(b"x" * 5_000)
    with pytest.raises(StoreError, match="index --rebuild"):
        open_index(path, MARK, writes=True)
    remove_index(path)
    open_index(path, MARK, writes=True).close()


def test_one_writes_at_a_time(path: Path) -> None:
    with hold_index(path), pytest.raises(StoreError, match="another process is writing"), hold_index(path):
        pass
    with hold_index(path):
        pass


def test_a_full_disk_is_no_reason_to_build_the_index_anew(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (x)")
        db.execute("PRAGMA max_page_count = 3")
        with pytest.raises(StoreError, match="is full; free some space and run again") as caught, index_errors(path):
            db.execute("INSERT INTO t VALUES (zeroblob(100000))")
        assert "rebuild" not in str(caught.value)
    with pytest.raises(StoreError, match="is full; free some space"), index_errors(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(StoreError, match="--rebuild"), index_errors(path):
        raise sqlite3.DatabaseError("file is not a database")
