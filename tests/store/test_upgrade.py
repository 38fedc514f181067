"""Stores of older versions: whoever opens one first brings it up to date, and nothing is lost."""

from pathlib import Path

import pytest
from support.sites import Site, crawl, of_version, random_site, rows

from minicrawl.crawler.books.invariants import violations
from minicrawl.store.database import SCHEMA_VERSION
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

SCHEMA = """SELECT m.name, c.name, c.type, c."notnull", c.dflt_value
    FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c ORDER BY m.name, c.cid"""
HOME = "http://a.test/"
ANEW = "'jump', 'run', 'expected', 'best_floor', 'is_ranked'"
"""What in `meta` is worked out again."""
WITHOUT_JUMP = "json_remove(value, '$.jump')"


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


@pytest.mark.parametrize("version", [1, 12])
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
