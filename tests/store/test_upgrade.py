"""Stores of older versions: whoever opens one first brings it up to date, and nothing is lost."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from support.sites import Site, crawl, of_version, random_site, rows

from minicrawl.crawler.books.invariants import violations
from minicrawl.errors import StoreError
from minicrawl.store.database import SCHEMA_VERSION, hold
from minicrawl.store.partitions.records import Records, to_bytes
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

SCHEMA = """SELECT m.name, c.name, c.type, c."notnull", c.dflt_value
    FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c ORDER BY m.name, c.cid"""
HOME = "http://a.test/"
ANEW = "'jump', 'run', 'expected', 'best_floor', 'is_ranked'"
"""What in `meta` is worked out again."""
WITHOUT_JUMP = "json_remove(value, '$.jump')"
TEXT = " ".join(f"<p>This is piece number {number} of what it says</p>" for number in range(50))


def contents(store: Path) -> list[list[tuple[object, ...]]]:
    """All that a store says of pages, but for the numbers of their answers and what is expected, which the next crawl
    works out."""
    info = "SELECT 'pages.' || name FROM pragma_table_info('pages') WHERE name NOT IN ('fetch')"
    columns = ", ".join(name for (name,) in rows(store, info))
    pages = f"SELECT {columns}, fetch IS NOT NULL, fetches.* FROM pages LEFT JOIN fetches ON fetches.id = fetch"
    said = [list(row) for row in rows(store, f"{pages} ORDER BY url")]
    info = "SELECT name FROM pragma_table_info('ranks') WHERE name <> 'expected'"
    ranked = ", ".join(name for (name,) in rows(store, info))
    number = columns.count(",") + 2
    return [
        [tuple(row[:number] + row[number + 1 :]) for row in said],
        rows(store, "SELECT url_hashes.* FROM url_hashes ORDER BY page"),
        rows(store, "SELECT * FROM links"),
        rows(store, f"SELECT key, iif(key = 'settings', {WITHOUT_JUMP}, value) FROM meta WHERE key NOT IN ({ANEW})"),
        rows(store, "SELECT id, name, crawl_delay, next_fetch FROM hosts"),
        rows(store, f"SELECT {ranked} FROM ranks"),
    ]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A crawl with pages waiting, read, gone, redirected and alike."""
    path = tmp_path / "crawl.db"
    linked, seeds = random_site(2)
    pages: Site = {HOME + "1": [], HOME + "2": HOME + "1", HOME + "gone": []}
    site: Site = {**linked, HOME: [HOME + "1", HOME + "2", HOME + "gone"], **pages}
    crawl(site, path, [HOME], jump="pages", discovery=0.5, pages=12)
    crawl({url: links for url, links in site.items() if url != HOME + "gone"}, path, seeds, discovery=0.5, pages=30)
    assert {state for (state,) in rows(path, "SELECT state FROM pages")} >= {"waiting", "fetched", "gone"}
    return path


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 16])
@pytest.mark.parametrize("opened", ["read", "written"])
def test_older_store_is_brought_up_to_date_by_whoever_opens_it(store: Path, version: int, opened: str) -> None:
    schema, before = rows(store, SCHEMA), contents(store)
    of_version(version, store)
    for _ in range(2):
        (open_store if opened == "read" else Writer)(store).close()
        assert rows(store, "PRAGMA user_version") == [(SCHEMA_VERSION,)]
        assert rows(store, SCHEMA) == schema
        assert contents(store) == before
    with open_store(store) as reader:
        assert list(violations(reader)) == []


@pytest.mark.parametrize("version", [1, 4, 7, 8, 9, 11, 12])
def test_crawl_goes_on_in_an_older_store(tmp_path: Path, version: int) -> None:
    site, seeds = random_site(2)
    stores = [tmp_path / "new.db", tmp_path / "old.db"]
    for store in stores:
        crawl(site, store, seeds, jump="pages", pages=5)
    of_version(version, stores[1])
    for store in stores:
        report, _ = crawl(site, store, [])
        assert report.reason == "nothing-left"
    outcomes = "SELECT url, state, standing, received, inlinks FROM pages ORDER BY id"
    assert rows(stores[1], outcomes) == rows(stores[0], outcomes)


@pytest.mark.parametrize("version", [1, 4, 12])
def test_coverage_of_an_older_store_is_counted_anew(tmp_path: Path, version: int) -> None:
    """Before, walkers started at the seeds."""
    site: Site = {HOME: [HOME + "1", HOME + "2"], HOME + "1": [HOME], HOME + "2": 404}
    stores = [tmp_path / "new.db", tmp_path / "old.db"]
    for store in stores:
        crawl(site, store, [HOME], jump="pages")
    of_version(version, stores[1])
    open_store(stores[1]).close()
    assert rows(stores[1], "SELECT value ->> '$.coverage' FROM meta WHERE key = 'run'") == [(0.0,)]
    new, old = (crawl(site, store, [])[0] for store in stores)
    assert old.coverage == pytest.approx(new.coverage, abs=1e-6)


def test_cash_that_gone_pages_of_an_older_store_have_kept_is_forwarded(store: Path) -> None:
    """Before, a page that had gone with nothing forwarded was taken for one never visited, and kept what came later."""
    with sqlite3.connect(store) as db:
        forwarded = db.execute("SELECT sum(forwarded) FROM pages WHERE state = 'gone'").fetchone()[0]
        assert forwarded
        db.execute("UPDATE pages SET forwarded = 0 WHERE state = 'gone'")
        db.execute("UPDATE meta SET value = value - ? WHERE key = 'ledger_virtual'", (forwarded,))
    db.close()
    of_version(5, store)
    with open_store(store) as reader:
        assert list(violations(reader)) == []
    crawl({}, store, [])
    assert rows(store, "SELECT * FROM pages WHERE state = 'gone' AND received > 0 AND forwarded = 0") == []
    with open_store(store) as reader:
        assert list(violations(reader)) == []


def test_what_pages_can_be_told_by_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {HOME: [HOME + "b"], HOME + "b": [f"<title>b</title>{TEXT}"]}
    crawl(site, store, [HOME])
    query = "SELECT page, digest, payload, leader, distance FROM fetches ORDER BY page"
    before = rows(store, query)
    of_version(4, store)
    with open_store(store) as reader:
        assert rows(store, query) == before
        assert reader.recognised.fingerprint(1) is not None


def test_store_in_use_by_an_older_program_is_left_alone(store: Path) -> None:
    of_version(4, store)
    lock = hold(store)
    with pytest.raises(StoreError, match="another crawl is using"):
        open_store(store)
    lock.release()
    assert rows(store, "PRAGMA user_version") == [(4,)]


def test_upgrade_that_fails_changes_nothing(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_version(4, store)
    before = rows(store, "SELECT * FROM pages")

    def fails(url: str, key: bytes) -> int:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("minicrawl.store.upgrade.url_hash", fails)
    with pytest.raises(StoreError, match="is full"):
        open_store(store)
    assert rows(store, "SELECT * FROM pages") == before
    assert rows(store, "PRAGMA user_version") == [(4,)]


def test_records_on_their_way_lose_the_walkers_they_had(store: Path) -> None:
    urls = ["http://b.test/", "http://b.test/2"]
    numbers = {"inlinks": [1, 2], "depth": [3, 4], "chain_length": [0, 1], "cash": [5, 6], "received": [7, -8]}
    packed = to_bytes(Records(urls, ["", HOME], **{name: np.array(column) for name, column in numbers.items()}))
    with_walkers = packed[: 4 + 2 * 16] + bytes(range(16)) + packed[4 + 2 * 16 :]
    rows(store, "INSERT INTO outbox (home, number, cash, received, records) VALUES (1, 3, 11, -1, ?)", with_walkers)
    rows(store, "INSERT INTO neighbours (partition, sent, taken) VALUES (1, 3, 0), (2, 0, 4)")
    of_version(12, store)
    open_store(store).close()
    assert rows(store, "SELECT * FROM outbox") == [(1, 3, 11, -1, packed)]
    assert rows(store, "SELECT * FROM neighbours") == [(1, 3, 0, 7, 8, 0, 0), (2, 0, 4, 0, 0, 0, 0)]
