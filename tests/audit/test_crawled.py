"""The tables that rules ask."""

from pathlib import Path

from support.sites import HOME, crawl

from minicrawl.audit.crawled import Crawled
from minicrawl.store.reader import open_store


def test_our_pages_are_those_of_the_seeds_sites(tmp_path: Path) -> None:
    site = {HOME: [f"{HOME}x", "http://www.a.test/", "http://b.test/"], f"{HOME}x": [], "http://b.test/": [HOME]}
    crawl({**site, "http://www.a.test/": []}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        Crawled(store)
        ours = [url for (url,) in store.each("SELECT url FROM audited WHERE is_page")]
        assert sorted(ours) == [HOME, f"{HOME}x", "http://www.a.test/"]


def test_stake_of_a_redirect_is_what_flows_into_it(tmp_path: Path) -> None:
    crawl({HOME: [f"{HOME}old"], f"{HOME}old": f"{HOME}new", f"{HOME}new": [HOME]}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        stake = Crawled(store).stake
        ((old, end, redirects),) = store.each(f"SELECT id, end_url, redirects FROM audited WHERE url = '{HOME}old'")
        assert (end, redirects) == (f"{HOME}new", 1)
        assert store.ranks.importance()[old] == 0 < stake[old] < 1
