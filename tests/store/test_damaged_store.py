"""What can still be read of a damaged file, row by row."""

import sqlite3
from pathlib import Path

import pytest

from minicrawl.errors import StoreError
from minicrawl.store.damaged_store import DamagedStore


def file_of(path: Path, rows: int) -> Path:
    db = sqlite3.connect(path)
    with db:
        db.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT)")
        db.executemany("INSERT INTO things VALUES (?, ?)", ((number, f"{number}" * 50) for number in range(rows)))
    db.close()
    return path


def test_sound_file_is_read_whole_and_in_order(tmp_path: Path) -> None:
    damaged = DamagedStore(file_of(tmp_path / "a.db", 5000))
    assert [number for (number,) in damaged.rows("things", "id", ("id",))] == list(range(5000))
    assert len(damaged.all_rows("things", ("id", "text"))) == 5000
    damaged.close()


def test_all_but_what_is_damaged_is_read(tmp_path: Path) -> None:
    path = file_of(tmp_path / "a.db", 5000)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = bytes(4096)
    path.write_bytes(content)
    damaged = DamagedStore(path)
    found = [number for (number,) in damaged.rows("things", "id", ("id",))]
    assert found == sorted(set(found))
    assert 4000 < len(found) < 5000
    assert {0, 4999} <= set(found)
    damaged.close()


def test_file_that_is_none_of_ours_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no store at all\n" * 99)
    with pytest.raises(StoreError, match="use a backup"):
        DamagedStore(tmp_path / "notes.txt")
    with pytest.raises(StoreError, match="nothing of"):
        DamagedStore(tmp_path / "missing.db")
