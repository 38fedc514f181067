"""What a crawl would do, compared with what it does."""

import hashlib
from pathlib import Path

import pytest
from support.sites import HOME, Server, crawl, random_site, rows, wide_site

from minicrawl.analysis.dry_run import DryRun, dry_run
from minicrawl.crawler.admission.seeds import Seeds, gather_seeds

NOW = 1_900_000_000.0


def planned(store: Path, seeds: list[str] | Seeds = [], most: int = 20, **given: object) -> DryRun:  # noqa: B006
    found = seeds if isinstance(seeds, Seeds) else gather_seeds(seeds)
    return dry_run(given, (), found, store, most=most, now=NOW)


def in_order(plan: DryRun) -> list[str]:
    """All requests, the first one first."""
    each = sorted((request.place, request.after, request.url) for host in plan.hosts for request in host.requests)
    assert [after for _, after, _ in each] == sorted(after for _, after, _ in each)
    return [url for _, _, url in each]


def test_new_crawl_asks_each_host_for_robots_txt_and_then_for_its_seeds(tmp_path: Path) -> None:
    seeds = [HOME, HOME + "b", "http://b.test/", HOME + "b?utm_source=x", "c.test"]
    plan = planned(tmp_path / "crawl.db", seeds, delay=2.0, host_delay=["b.test=9s"])
    assert {host.host: (host.delay, [(one.url, one.after) for one in host.requests]) for host in plan.hosts} == {
        "a.test": (2.0, [(HOME + "robots.txt", 0.0), (HOME, 2.0), (HOME + "b", 4.0)]),
        "b.test": (9.0, [("http://b.test/robots.txt", 0.0), ("http://b.test/", 9.0)]),
        "c.test": (2.0, [("https://c.test/robots.txt", 0.0), ("https://c.test/", 2.0)]),
    }
    assert plan.waiting == 4
    assert plan.left_out == []
    assert list(tmp_path.iterdir()) == []  # no store, and nothing beside it


@pytest.mark.parametrize("strategy", ["greedy", "breadth-first"])
def test_pages_are_those_that_the_next_run_asks_for(store: Path, strategy: str) -> None:
    """As long as what comes back changes nothing: the rest of the web has gone."""
    site, seeds = wide_site(1)
    crawl(site, store, seeds, pages=30, strategy=strategy, ignore_robots=True)
    plan = planned(store, most=12)
    gone = Server({})
    crawl(gone, store, [], pages=12)
    if strategy == "breadth-first":
        assert gone.asked == in_order(plan)
    else:  # what a page has is given away when it is gone
        assert gone.asked[0] == in_order(plan)[0]
        assert len(set(gone.asked) & set(in_order(plan))) > 6


def test_store_is_as_it_was(store: Path) -> None:
    site, seeds = random_site(1)
    crawl(site, store, seeds, pages=20)
    before = hashlib.sha256(store.read_bytes()).digest()
    planned(store, [HOME], most=1000, discovery=0.5)
    assert hashlib.sha256(store.read_bytes()).digest() == before


def test_what_is_left_out_is_named_with_its_rule(store: Path) -> None:
    site = {HOME: ["/private/1", "/private/2", "/open", "http://banned.test/"]}
    crawl(Server(site, "User-agent: *\nDisallow: /private/\n"), store, [HOME], pages=1)
    rows(store, "UPDATE meta SET value = '[\"banned.test\"]' WHERE key = 'banned_hosts'")
    rows(store, "INSERT OR REPLACE INTO meta (key, value) VALUES ('banned_hosts', '[\"banned.test\"]')")
    rows(store, "UPDATE robots SET expires = ?", NOW + 3600)
    plan = planned(store, delay=1.0)
    assert HOME + "open" in in_order(plan)
    found = {one.reason: (one.pages, one.rule) for one in plan.left_out}
    assert found["robots"] == (2, "Disallow: /private/")
    assert found["host-banned"] == (1, None)
