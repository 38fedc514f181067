"""The check of a store notices every broken promise."""

import sqlite3
from pathlib import Path

import pytest
from support.sites import Server, crawl, faults_in, random_site, rows

from minicrawl.crawler.books.invariants import wrong_voices
from minicrawl.store.reader import open_store

DAMAGES = {
    "cash appears": "UPDATE pages SET cash = cash + 1 WHERE id = 3",
    "cash is passed on twice": "UPDATE pages SET forwarded = forwarded + 1 WHERE state = 'fetched'",
    "the virtual page gains": "UPDATE meta SET value = value + 1 WHERE key = 'virtual'",
    "links are lost": "DELETE FROM links WHERE source = (SELECT max(source) FROM links)",
    "a link leads nowhere": "UPDATE links SET targets = x'ffffff00' WHERE source = (SELECT min(source) FROM links)",
    "a place that there is not": "UPDATE links SET targets = x'010000C0' WHERE length(targets) = 4",
    "a page is lost": "DELETE FROM pages WHERE id = 5",
    "a host is lost": "DELETE FROM hosts WHERE id = 0",
    "an unknown state": "UPDATE pages SET state = 'odd' WHERE id = 1",
    "no reason": "UPDATE pages SET reason = '' WHERE id = 1",
    "a read page waits": "UPDATE pages SET state = 'waiting' WHERE id = (SELECT min(id) FROM pages WHERE visited)",
    "a URL that cannot be found": "UPDATE pages SET url = url || 'x' WHERE id = 4",
    "in-links miscounted": "UPDATE pages SET inlinks = inlinks + 1 WHERE id = 6",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_audit_notices(crawled: Path, damage: str) -> None:
    assert faults_in(crawled) == []
    with sqlite3.connect(crawled) as db:
        assert db.execute(damage).rowcount
    db.close()
    assert faults_in(crawled) != []


# Links between sites are counted as pages have them, run after run, and a wrong count is told.


@pytest.mark.parametrize("seed", range(2))
def test_counts_hold_as_links_come_and_go_and_a_wrong_one_is_told(seed: int, tmp_path: Path) -> None:
    """Half of the site is lost, and comes back; pages are read again each time."""
    store, (site, seeds) = tmp_path / "crawl.db", random_site(seed)
    for half in (1, 2, 1):
        served = {url: links[::half] for at, (url, links) in enumerate(site.items()) if half == 1 or at % 2}
        crawl(Server(served), store, seeds, discovery=0.5, pages=60)
        assert faults_in(store) == []
    ((page, number, name),) = rows(store, "SELECT page, site, name FROM voices JOIN sites ON id = site LIMIT 1")
    for change in ("links + 2", "links - 2 - (1 << 32)"):
        rows(store, f"UPDATE voices SET links = {change} WHERE page = ? AND site = ?", page, number)
        with open_store(store) as reader:
            assert list(wrong_voices(reader)) == [f"the links of {name} that lead to page {page} are miscounted"]


def test_a_store_whose_walkers_jump_to_all_pages_counts_none(tmp_path: Path) -> None:
    site, seeds = random_site(1)
    crawl(site, tmp_path / "crawl.db", seeds, jump="pages")
    assert rows(tmp_path / "crawl.db", "SELECT count(*) FROM voices") == [(0,)]
    assert faults_in(tmp_path / "crawl.db") == []
