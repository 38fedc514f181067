"""Pages and links as rules read them."""

from pathlib import Path

import numpy as np
from support.sites import crawl

from minicrawl.audit.crawled import Crawled
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def test_our_pages_are_those_of_the_seeds_sites(tmp_path: Path) -> None:
    site = {HOME: [f"{HOME}x", "http://www.a.test/", "http://b.test/"], f"{HOME}x": [], "http://b.test/": [HOME]}
    crawl({**site, "http://www.a.test/": []}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        crawled = Crawled(store)
        ours = crawled.urls(np.flatnonzero(crawled.is_page).tolist()).values()
        assert sorted(ours) == [HOME, f"{HOME}x", "http://www.a.test/"]
        assert set(crawled.columns.status.tolist()) == {200}


def test_stake_of_a_redirect_is_what_flows_into_it(tmp_path: Path) -> None:
    crawl({HOME: [f"{HOME}old"], f"{HOME}old": f"{HOME}new", f"{HOME}new": [HOME]}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        crawled = Crawled(store)
        old = crawled.find([f"{HOME}old"])[f"{HOME}old"]
        assert crawled.importance[old] == 0 < crawled.stake[old] < 1
