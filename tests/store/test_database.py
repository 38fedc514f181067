"""Opening the file: what an older schema lacks is added, and what was committed is on the disk."""

import sqlite3
from pathlib import Path

import pytest
from sites import crawl, random_site, rows

from minicrawl.crawl.audit import audit
from minicrawl.store import database
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def test_columns_that_an_older_schema_lacks_are_added_with_their_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "crawl.db"
    site, seeds = random_site(2)
    crawl(site, store, seeds, pages=5)
    hosts = rows(store, "SELECT * FROM hosts")
    newest = database.SCHEMA_VERSION + 2
    monkeypatch.setattr(database, "SCHEMA_VERSION", newest)
    columns = ("mark INTEGER NOT NULL DEFAULT 7", "note TEXT")
    monkeypatch.setattr(database, "_NEW_COLUMNS", {newest: {"hosts": columns}})
    with open_store(store) as reader:
        assert len(reader.top(3)) == 3  # a reader leaves an old store as it is
    for _ in range(2):
        Writer(store).close()
        assert rows(store, "SELECT * FROM hosts") == [(*host, 7, None) for host in hosts]
        assert rows(store, "PRAGMA user_version") == [(newest,)]
    with open_store(store) as reader:
        assert list(audit(reader)) == []


def test_table_that_is_new_itself_is_made_with_its_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "crawl.db"
    Writer(store).close()
    schema = rows(store, "SELECT sql FROM sqlite_master WHERE name = 'digests'")
    with sqlite3.connect(store) as db:
        db.execute("DROP TABLE digests")
        db.execute("PRAGMA user_version = 2")
    db.close()
    monkeypatch.setattr(database, "_NEW_COLUMNS", {4: {"digests": ("digest INTEGER",)}})
    monkeypatch.setattr(database, "_NEW_TABLES", {3: ("digests",)})
    monkeypatch.setattr(database, "_NEW_INDEXES", {})
    Writer(store).close()
    assert rows(store, "SELECT sql FROM sqlite_master WHERE name = 'digests'") == schema


def test_commit_reaches_the_disk_before_it_returns(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crawl.db")
    assert writer._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    writer.close()
