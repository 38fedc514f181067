"""The check of a store notices every broken promise."""

import sqlite3
from pathlib import Path

import pytest
from support.sites import faults_in

from minicrawl.crawler.books.invariants import violations
from minicrawl.store.reader import open_store

DAMAGES = {
    "cash appears": "UPDATE pages SET cash = cash + 1 WHERE id = 3",
    "cash is passed on twice": "UPDATE pages SET forwarded = forwarded + 1 WHERE state = 'fetched'",
    "the virtual page gains": "UPDATE meta SET value = value + 1 WHERE key = 'virtual'",
    "links are lost": "DELETE FROM links WHERE source = (SELECT max(source) FROM links)",
    "a link leads nowhere": "UPDATE links SET targets = x'ffffff00' WHERE source = (SELECT min(source) FROM links)",
    "a place that there is not": "UPDATE links SET places = x'03' WHERE length(targets) BETWEEN 4 AND 16",
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
    with open_store(crawled) as store:
        assert list(violations(store)) != []
