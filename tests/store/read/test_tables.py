"""One connection that is asked: named tuples by the names of columns, snapshots, and damage told."""

import sqlite3
from pathlib import Path

import pytest

from minicrawl.errors import StoreError
from minicrawl.sizes import STANDARD_SIZES
from minicrawl.store.read.tables import Tables
from minicrawl.store.rows import HostRow
from minicrawl.store.writer import Writer


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    with Writer(tmp_path / "crawl.db") as writer, writer.transaction():
        writer.save_hosts([HostRow(number, f"{number}.test", 0.0, 0.0) for number in range(5)])
    return Tables(tmp_path / "crawl.db", sqlite3.connect(tmp_path / "crawl.db", isolation_level=None), STANDARD_SIZES)


def test_rows_are_named_tuples_of_their_kind(tables: Tables) -> None:
    assert tables.record(HostRow, "hosts WHERE name = ?", "3.test") == HostRow(3, "3.test", 0.0, 0.0)
    assert tables.record(HostRow, "hosts WHERE name = ?", "x") is None
    assert [row.id for row in tables.records(HostRow, "hosts WHERE id > ? ORDER BY id", 2)] == [3, 4]
    tables.db.close()


def test_rows_come_one_by_one_and_in_blocks(tables: Tables) -> None:
    query = "SELECT id FROM hosts ORDER BY id"
    assert list(tables.each(query)) == [(0,), (1,), (2,), (3,), (4,)]
    assert [len(rows) for rows in tables.blocks(query, 2)] == [2, 2, 1]
    tables.db.close()


def test_snapshot_within_a_snapshot_ends_with_the_outer_one(tables: Tables) -> None:
    with tables.snapshot():
        with tables.snapshot():
            pass
        assert tables.db.in_transaction
    assert not tables.db.in_transaction
    tables.db.close()


def test_failing_query_and_impossible_size_are_damage(tables: Tables) -> None:
    assert tables.size() == 0
    with pytest.raises(StoreError):
        tables.rows("SELECT nothing FROM nowhere")
    tables.db.close()
