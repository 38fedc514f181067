"""Limits of pages of single hosts: by itself, and in crawls."""

import random
from pathlib import Path

import pytest
from support.intakes import intake_of
from support.sites import Server, Site, crawl, rows

from minicrawl.crawler.parts.host_pages import HostPages

A, B = "http://a.test/", "http://b.test/"
PAGES = [f"{A}{word}" for word in ("one", "two", "three", "four", "five", "six")]
SITE: Site = {A: [*PAGES, B], B: [f"{B}more"], f"{B}more": [], **{url: [A] for url in PAGES}}


@pytest.mark.parametrize("seed", range(2))
def test_no_host_has_more_places_than_its_limit(tmp_path: Path, seed: int) -> None:
    """Of hosts a to d the pages 12 n to 12 n + 11, by a set of those that have a place."""
    rng, limits = random.Random(seed), {"a.test": 3, "b.test": 0, "c.test": 7}
    intake = intake_of(tmp_path / "crawl.db")
    intake.start([f"http://{host}.test/{page}" for host in "abcd" for page in range(12)], 0.0)
    state = intake.state
    state.accounts.depth[: state.accounts.size] = 1
    answered = [("a.test", 1), ("a.test", 2), ("c.test", 25)]
    places, expected = HostPages(limits, answered, state.accounts, state.frontier), set(answered)
    for _ in range(3_000):
        page = rng.randrange(48)
        host = f"{'abcd'[page // 12]}.test"
        if rng.random() < 0.3:
            places.on_refusal(page)
            expected.discard((host, page))
            continue
        others = sum(name == host for name, number in expected if number != page)
        has_place = host == "d.test" or others < limits[host]
        assert places.refusal(page, "") == (None if has_place else "host-pages")
        if has_place:
            expected.add((host, page))
    state.writer.close()


def asked_of_a(store: Path) -> int:
    return int(rows(store, "SELECT count(*) FROM pages WHERE fetch IS NOT NULL AND url LIKE 'http://a.%'")[0][0])


def test_a_host_has_as_many_pages_read_as_it_may_and_others_have_all(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    _, server = crawl(SITE, store, [A], host_pages=["A.test=3"], per_host=4, concurrency=4)
    assert asked_of_a(store) == 3
    assert sum(url.startswith(A) and not url.endswith("robots.txt") for url in server.asked) == 3
    given_up = rows(store, "SELECT state, reason, count(*) FROM pages WHERE state <> 'fetched' GROUP BY 1, 2")
    assert given_up == [("error", "host-pages", 4)]
    assert rows(store, "SELECT count(*) FROM pages WHERE fetch IS NOT NULL AND url LIKE 'http://b.%'") == [(2,)]


def test_a_limit_holds_for_all_runs_and_a_higher_one_is_used_by_retry(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SITE, store, [A], host_pages=["a.test=2"], pages=3)
    crawl(SITE, store, [], host_pages=["a.test=2"])
    assert asked_of_a(store) == 2
    crawl(SITE, store, [], host_pages=["a.test=5"])
    assert asked_of_a(store) == 2
    crawl(SITE, store, [], host_pages=["a.test=5"], retry="host-pages")
    assert asked_of_a(store) == 5


def test_pages_that_robots_txt_forbids_take_no_place(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    rules = "User-agent: *\nDisallow: /one\nDisallow: /two\nDisallow: /three"
    crawl(Server(SITE, rules), store, [A], host_pages=["a.test=4"])
    assert asked_of_a(store) == 4
    assert rows(store, "SELECT count(*) FROM pages WHERE state = 'disallowed'") == [(3,)]


def test_seeds_are_crawled_whatever_the_limit_is(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", PAGES[:4], host_pages=["a.test=2"])
    assert asked_of_a(tmp_path / "crawl.db") == 4
