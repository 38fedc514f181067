"""Which pages a sitemap has."""

from pathlib import Path

from support.sites import Site, canonical, crawl, rows

from minicrawl.analysis.owner.sitemap_pages import sitemap_pages
from minicrawl.analysis.top.expected import best_first
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def test_pages_can_be_opened_and_do_not_ask_to_be_left_out(tmp_path: Path) -> None:
    site: Site = {
        HOME: ["/on", "/gone", "/moved", "/copy", "/hidden", "/silent", "/on?x=1&y=2"],
        HOME + "on": [HOME],
        HOME + "on?x=1&y=2": ["other"],
        HOME + "moved": HOME + "on",
        HOME + "copy": [canonical(HOME + "on")],
        HOME + "hidden": ["<meta name=robots content=noindex>"],
        HOME + "silent": ["<meta name=robots content=none>"],
    }
    path = tmp_path / "crawl.db"
    crawl(site, path, [HOME])
    (page,) = rows(path, "SELECT id FROM pages WHERE url = ?", HOME + "on")[0]
    columns = "page, fetched_at, due, rate, information, fetches, changes, changed_at, blocks, answers"
    rows(path, f"INSERT INTO refresh ({columns}) VALUES (?, 1, 1, 1, 1, 2, 1, 86400.0, x'', '=#')", page)
    with open_store(path) as store, store.snapshot():
        found = list(sitemap_pages(store, best_first(store, None)[1]))
    assert {entry.url: entry.changed for entry in found} == {
        HOME: None,
        HOME + "on": "1970-01-02T00:00:00Z",
        HOME + "on?x=1&y=2": None,
    }
    assert [entry.importance for entry in found] == sorted((entry.importance for entry in found), reverse=True)
