"""The sums behind the order by anticipated cash, held to what they say, counted anew."""

from pathlib import Path

import pytest
from support.sites import Site, crawl, random_site, rows

from minicrawl.opic import GRANT, SEED_GRANTS


def host(url: str) -> str:
    return url.split("/")[2]


def counted(store: Path) -> dict[str, tuple[int, int]]:
    """C and R of every host that has a page, as its pages say."""
    query = """
        SELECT hosts.name, sum(iif(visited, 0, standing)), sum(visited)
        FROM pages JOIN hosts ON hosts.id = pages.host GROUP BY hosts.id"""
    return {name: (waiting, visited) for name, waiting, visited in rows(store, query)}


def kept(store: Path) -> dict[str, tuple[int, int]]:
    query = "SELECT name, waiting, anticipated_hosts.visited FROM anticipated_hosts JOIN hosts ON hosts.id = host"
    return {name: (waiting, visited) for name, waiting, visited in rows(store, query)}


def brought(store: Path) -> dict[str, int]:
    query = "SELECT url, brought FROM anticipated JOIN pages ON pages.id = page WHERE brought"
    return dict(rows(store, query))


@pytest.mark.parametrize("pages", [1, 7, 23, 60])
def test_sums_are_those_of_the_pages(tmp_path: Path, pages: int) -> None:
    site, seeds = random_site(5, pages=90)
    store = tmp_path / "crawl.db"
    crawl(site, store, seeds, pages=pages, strategy="anticipated", ignore_robots=True)
    assert kept(store) == counted(store)


def test_links_within_a_site_bring_nothing_and_those_of_others_what_they_carry(tmp_path: Path) -> None:
    """The seed's host is www.one.test, that of its first link one.test: one site. The other link leads elsewhere."""
    store = tmp_path / "crawl.db"
    site = {
        "http://www.one.test/": ["http://one.test/", "http://two.test/"],
        "http://one.test/": [],
        "http://two.test/": [],
    }
    crawl(site, store, ["http://www.one.test/"], pages=1, strategy="anticipated", ignore_robots=True)
    seed = SEED_GRANTS * GRANT
    assert brought(store) == {"http://two.test/": 17 * seed // 20 // 2}
    query = "SELECT name, spent, brought FROM anticipated_hosts JOIN hosts ON hosts.id = host ORDER BY name"
    assert rows(store, query) == [
        ("one.test", 0, 0),
        ("two.test", 0, 17 * seed // 20 // 2),
        ("www.one.test", seed, seed),
    ]


def test_what_a_link_has_brought_is_taken_back_with_the_link(tmp_path: Path) -> None:
    """One page is read again, and links to nothing any more. The page behind its link was never asked for."""
    store = tmp_path / "crawl.db"
    home, other = "http://one.test/", "http://two.test/"
    settings = {"strategy": "anticipated", "ignore_robots": True, "delay": 0.0}
    crawl({home: [other], other: []}, store, [home], pages=1, **settings)
    assert brought(store)[other] > 0
    crawl({home: [], other: []}, store, [home], pages=1, discovery=0.0, **settings)
    assert brought(store) == {}


def test_another_order_forgets_the_sums_and_this_one_takes_them_from_the_links(tmp_path: Path) -> None:
    """The seed has sent 17/40 of what it was granted along either link."""
    store = tmp_path / "crawl.db"
    home, own, other = "http://one.test/", "http://one.test/1", "http://two.test/"
    site: Site = {home: [own, other], own: [other, home], other: []}
    crawl(site, store, [home], pages=1, ignore_robots=True)
    assert rows(store, "SELECT count(*) FROM anticipated_hosts") == [(0,)]
    crawl(site, store, [home], pages=1, strategy="anticipated", ignore_robots=True)
    assert kept(store) == counted(store)
    assert brought(store) == {other: 17 * SEED_GRANTS * GRANT // 40}
    crawl(site, store, [home], pages=1, strategy="greedy", ignore_robots=True)
    assert rows(store, "SELECT count(*) FROM anticipated_hosts") == [(0,)]
    assert rows(store, "SELECT value FROM meta WHERE key = 'anticipates'") == [(0,)]
