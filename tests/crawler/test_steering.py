"""What is changed in a crawl while it runs: it has its effect at once, and stays."""

import asyncio
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.intakes import DAYS_LATER
from support.sites import Site, faults_in, rows
from support.skipping import apart
from support.steering import HOME, Steered, kept, kept_list, pages, steered, wide

from minicrawl.analysis.explain import explain
from minicrawl.errors import ConfigError, SeedError
from minicrawl.events import HostBanned, SeedsAdded, SettingChanged
from minicrawl.store.reader import open_store

# Settings.


@apart
async def test_shorter_delay_holds_for_hosts_that_wait_and_longer_one_for_what_comes(tmp_path: Path) -> None:
    server = Steered(wide(30))
    async with steered(server, tmp_path / "crawl.db", delay=3600, concurrency=1) as crawl:
        await server.until(1)
        await asyncio.sleep(100)
        assert len(server.asked) == 1
        await crawl.adjust(delay=1)
        await server.until(10)
        await crawl.adjust(delay=5)
        adjusted_at = asyncio.get_running_loop().time()
        await server.until(20)
        await crawl.adjust(delay=0)
        await server.until(31)
    gaps = [(earlier, later - earlier) for (earlier, _), (later, _) in pairwise(server.came)]
    assert all(1 <= gap < 1.2 for _, gap in gaps[1:8])
    assert all(5 <= gap < 5.5 for at, gap in gaps[9:18] if at > adjusted_at)
    assert all(gap < 0.1 for _, gap in gaps[21:])
    assert kept(tmp_path / "crawl.db", "delay") == 0


@apart
async def test_crawl_delay_holds_whatever_the_delay_becomes(tmp_path: Path) -> None:
    server = Steered(wide(6), robots="User-agent: *\nCrawl-delay: 10")
    async with steered(server, tmp_path / "crawl.db", delay=1, ignore_robots=False) as crawl:
        await server.until(2)
        await crawl.adjust(delay=0.5)
    asked = [at for at, url in server.came if "robots" not in url]
    assert min(later - earlier for earlier, later in pairwise(asked)) >= 10


TREE: Site = {
    HOME: ["/x/", "http://b.test/", "http://c.test/"],
    HOME + "x/": ["/x/1", "/y"],
    HOME + "x/1": ["/x/2", "http://b.test/1"],
    HOME + "x/2": ["/x/3"],
    HOME + "y": [],
    HOME + "x/3": [],
    "http://b.test/": [],
    "http://b.test/1": [],
    "http://c.test/": [],
}


@pytest.mark.parametrize(
    ("before", "after", "never", "found"),
    [
        ({}, {"scope": "host"}, {"http://b.test/"}, {HOME + "y"}),
        ({"scope": "host"}, {"scope": "any"}, set(), {"http://b.test/"}),
        ({}, {"deny": "/y"}, {HOME + "y"}, {HOME + "x/3"}),
        ({"deny": "b.test"}, {"deny": ()}, set(), {"http://b.test/"}),
        ({}, {"allow": ["/x/"]}, {HOME + "y", "http://b.test/"}, {HOME + "x/3"}),
        ({}, {"max_depth": 2}, {HOME + "x/2"}, {HOME + "x/1", HOME + "y"}),
        ({"max_depth": 1}, {"max_depth": 4}, set(), {HOME + "x/3"}),
    ],
)
@apart
async def test_which_links_are_followed(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], never: set[str], found: set[str]
) -> None:
    """From then on: the answer for the home page is still to come."""
    server = Steered(TREE)
    server.open.clear()
    async with steered(server, tmp_path / "crawl.db", **before) as crawl:
        await crawl.adjust(**after)
        server.open.set()
    asked = set(server.asked)
    assert asked & never == set()
    assert found <= asked
    assert faults_in(tmp_path / "crawl.db") == []


@apart
async def test_several_settings_are_changed_together_told_and_remembered(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    async with steered(Steered(wide(20)), store) as crawl:
        events = crawl.events()
        await crawl.adjust(delay="2s", concurrency="8", deny=["x", "y"], time="30m", sitemaps=False, boost="a=2")
        assert (crawl.settings.delay, crawl.settings.concurrency, crawl.settings.time) == (2.0, 8, 1800.0)
        await crawl.stop(now=True)
        told = [event async for event in events if isinstance(event, SettingChanged)]
    changes = {event.name: (event.before, event.after) for event in told}
    assert changes["delay"] == ("0.01", "2.0")
    assert changes["deny"] == ("none", "x, y")
    assert changes.keys() == {"delay", "concurrency", "deny", "time", "sitemaps", "boost"}
    assert (kept(store, "delay"), kept(store, "concurrency"), kept(store, "deny")) == (2.0, 8, ["x", "y"])
    assert kept(store, "sitemaps") is False


# Seeds, hosts, pages.


@apart
async def test_seeds_are_added_and_those_that_were_given_up_are_asked_for_again(tmp_path: Path) -> None:
    server = Steered({HOME: ["/gone", "/2", "/3"], HOME + "2": [], HOME + "3": [], "http://b.test/": []})
    store = tmp_path / "crawl.db"
    async with steered(server, store, delay=1) as crawl:
        events = crawl.events()
        await server.until(2)
        await crawl.pause()
        await asyncio.sleep(5)
        assert rows(store, "SELECT state FROM pages WHERE url LIKE '%gone'") == [("error",)]
        server.site[HOME + "gone"] = []
        assert await crawl.add_seeds(["http://b.test/", HOME, HOME + "gone"]) == 1
        assert rows(store, "SELECT state FROM pages WHERE url LIKE '%gone'") == [("waiting",)]
        assert faults_in(store) == []
        with pytest.raises(SeedError, match="not an http or https URL"):
            await crawl.add_seeds(["mailto://x"])
        await crawl.resume()
        told = [event async for event in events if isinstance(event, SeedsAdded)]
    assert [(event.seeds, event.new) for event in told] == [(3, 1)]
    assert Counter(server.asked) == {HOME: 1, HOME + "gone": 2, HOME + "2": 1, HOME + "3": 1, "http://b.test/": 1}
    assert rows(store, "SELECT DISTINCT state FROM pages") == [("fetched",)]
    assert faults_in(store) == []


@apart
async def test_a_banned_host_is_not_asked_until_that_is_taken_back(tmp_path: Path) -> None:
    server, store = Steered(wide(10, "a.test", "b.test")), tmp_path / "crawl.db"
    async with steered(server, store, delay=1) as crawl:
        events = crawl.events()
        await server.until(5)
        await crawl.ban("b.test")
        assert crawl.status.banned == ("b.test",)
        assert kept_list(store, "banned_hosts") == ["b.test"]
        await asyncio.sleep(2)
        asked = sum("b.test" in url for url in server.asked)
        assert (await crawl.finished()).reason == "nothing-left"
        told = [event async for event in events if isinstance(event, HostBanned)]
        assert [event.host for event in told] == ["b.test"]
    assert asked < 10
    assert sum("b.test" in url for url in server.asked) == asked
    assert sum("a.test" in url for url in server.asked) == 11

    with open_store(store) as reader:
        waiting = next(url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'waiting'"))
        why = explain(reader, waiting)
    assert (why.state, why.reason) == ("waiting", "host-banned")
    assert "banned" in (why.meaning or "")

    async with steered(server, store, [], delay=1) as crawl:  # it holds for the next run
        assert crawl.status.banned == ("b.test",)
        assert (await crawl.finished()).reason == "nothing-left"
    assert sum("b.test" in url for url in server.asked) == asked

    async with steered(server, store, [], delay=1) as crawl:
        await crawl.unban("http://b.test/whatever")
    assert sorted(set(server.asked)) == sorted(server.asked)
    assert len(server.asked) == 21
    assert rows(store, "SELECT state FROM pages WHERE url = ?", waiting) == [("fetched",)]
    assert faults_in(store) == []


@apart
async def test_robots_txt_that_leads_to_a_banned_host_does_not_hold_up_the_crawl(tmp_path: Path) -> None:
    class Elsewhere(Steered):
        async def _answer(self, request: httpx.Request) -> httpx.Response:  # type: ignore[override]
            if str(request.url) == HOME + "robots.txt":
                return httpx.Response(301, headers={"location": "http://b.test/rules.txt"})
            return await super()._answer(request)

    server = Elsewhere({"http://b.test/": [HOME], HOME: []})
    store = tmp_path / "crawl.db"
    async with steered(server, store, "http://b.test/", delay=1, ignore_robots=False, time=600) as crawl:
        await server.until(1)
        await crawl.ban("b.test")
        asked = len(server.came)
        await crawl.finished()
    assert HOME not in server.asked
    assert not any("b.test" in url for _, url in server.came[asked:])


@pytest.mark.parametrize(
    ("strategy", "reads_again"),
    [("greedy", {}), ("breadth-first", {"discovery": 0.5}), ("random", {"refresh": True})],
    ids=str,
)
@apart
async def test_a_page_is_asked_for_again_as_the_next_one(
    tmp_path: Path, strategy: str, reads_again: dict[str, Any]
) -> None:
    """One that waits, one that was read, one that was given up; each once."""
    server, store = Steered(wide(30)), tmp_path / "crawl.db"
    server.site[HOME + "5"] = 404
    settings = {"delay": 1, "strategy": strategy, "pages": 80, "traps": False}
    async with steered(server, store, **settings, **reads_again) as crawl:
        await server.until(3)
        await crawl.again(HOME + "5")
        await server.until(5)
        waiting = next(url for url in reversed(pages(30)) if url not in [*server.asked, HOME + "5"])
        await crawl.pause()
        await asyncio.sleep(5)
        asked = len(server.asked)
        chosen = [HOME, HOME + "5", waiting]
        for url in chosen:
            await crawl.again(url)
            await crawl.again(url)
        assert faults_in(store) == []
        assert len(kept_list(store, "asked_first")) == len(set(chosen))
        await crawl.resume()
        await server.until(asked + len(set(chosen)))
        assert set(server.asked[asked:]) == set(chosen)
        await asyncio.sleep(0.9)
        await crawl.adjust(concurrency=9)
        assert kept_list(store, "asked_first") == []
        await crawl.stop()
    assert faults_in(store) == []


@apart
async def test_page_that_has_gone_is_not_asked_for_again(tmp_path: Path) -> None:
    server, store = Steered(wide(3)), tmp_path / "crawl.db"
    async with steered(server, store) as crawl:
        await crawl.finished()
    server.site[HOME] = 404
    async with steered(server, store, [], **DAYS_LATER) as crawl:
        await crawl.again(HOME)
        await asyncio.sleep(3 * 86_400)
        with pytest.raises(ConfigError, match="is gone"):
            await crawl.again(HOME)
        await crawl.stop()
