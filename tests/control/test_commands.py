"""Commands to a running crawl, and to a resting one in its store."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.sites import Site, crawl, crawled_anew, rows
from support.skipping import apart
from support.steering import HOME, Steered, kept, kept_list, steered, wide

from minicrawl.control.commands import RestingCrawl, done, event_as_json
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.books.invariants import violations
from minicrawl.errors import ConfigError, StoreError
from minicrawl.events import Event, Progressed
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

NONE: list[tuple[dict[str, Any], str]] = [
    ({}, "has no command 'None'; it has add, again, ban"),
    ({"do": "dance"}, "has no command 'dance'"),
    ({"do": "pause", "now": True}, "pause takes no 'now'"),
    ({"do": "stop", "now": "yes"}, "stop does not accept now = 'yes'"),
    ({"do": "ban", "host": 3}, "ban does not accept host = '3'"),
    ({"do": "ban", "host": "\ud800"}, "is not a host of this crawl"),
    ({"do": "again", "url": "mailto:x@y.test"}, "is not an http or https URL"),
    ({"do": "again", "url": "\ud800"}, "is not an http or https URL"),
    ({"do": "set", "settings": {}}, "set does not accept settings"),
    ({"do": "set", "settings": {"delay": []}}, "--delay"),
    ({"do": "set", "settings": {"delay": float("nan")}}, "--delay"),
    ({"do": "set", "settings": {"concurrency": 3, "deny": ["("]}}, "--deny"),
    ({"do": "set", "settings": {"workers": 1}}, "workers must be 0"),
    ({"do": "set", "settings": {"deny": {"a": 1}}}, "--deny"),
    ({"do": "set", "settings": {"ca_file": "/etc/passwd"}}, "cannot change while a crawl runs"),
    ({"do": "set", "settings": {"\ud800": 1}}, "no setting is called"),
    ({"do": "look", "after": "1"}, "look does not accept after = '1'"),
    ({"do": "look", "hosts": -1}, "look does not accept hosts"),
    ({"do": "add", "urls": ["/etc/passwd"], "guessed": []}, "add does not accept urls"),
    ({"do": "add", "urls": [HOME], "guessed": [HOME]}, "must be an https URL among the added ones"),
    ({"do": "add", "urls": "http://b.test/", "guessed": []}, "add does not accept urls"),
    ({"do": "add", "urls": [HOME], "guessed": ["https://b.test/"]}, "must be an https URL among the added ones"),
]


@apart
async def test_what_is_no_command_is_one_sentence_and_changes_nothing(tmp_path: Path) -> None:
    async with steered(Steered(wide(3)), tmp_path / "crawl.db") as crawl:
        await crawl.pause()
        before = crawl.settings, crawl.status.known
        for asked, problem in NONE:
            with pytest.raises(ConfigError) as told:
                await done(crawl, asked)
            assert problem in str(told.value)
            assert "\n" not in str(told.value)
        assert (crawl.settings, crawl.status.known) == before
        await crawl.resume()


@apart
async def test_each_command_does_what_it_says(tmp_path: Path) -> None:
    server, store = Steered(wide(20)), tmp_path / "crawl.db"

    async with steered(server, store, delay=1) as crawl:
        await server.until(2)
        assert (await done(crawl, {"do": "pause"}))["state"] == "paused"
        status = await done(crawl, {"do": "status"})
        assert {"state", "fetched", "known", "in_flight", "workers", "limits", "pid", "version"} <= status.keys()
        assert (status["state"], status["known"], status["limits"]["pages"]) == ("paused", 21, None)
        assert (await done(crawl, {"do": "resume"}))["state"] == "running"
        told = await done(crawl, {"do": "set", "settings": {"delay": "2", "pages": 9}})
        assert told == {
            "changed": [
                {"name": "pages", "before": "none", "after": "9"},
                {"name": "delay", "before": "1", "after": "2.0"},
            ]
        }
        seeds = {"do": "add", "urls": ["https://b.test/", HOME, HOME], "guessed": ["https://b.test/"]}
        assert await done(crawl, seeds) == {"seeds": 2, "new": 1}
        assert await done(crawl, {"do": "ban", "host": "B.test"}) == {"host": "b.test"}
        assert (await done(crawl, {"do": "status"}))["banned"] == ("b.test",)
        assert await done(crawl, {"do": "unban", "host": "b.test"}) == {"host": "b.test"}
        assert await done(crawl, {"do": "again", "url": "a.test"}) == {"url": HOME}
        assert (await done(crawl, {"do": "workers"}))["workers"] == []
        look = await done(crawl, {"do": "look", "after": 0, "hosts": 9})
        assert look["settings"]["delay"] == 2.0
        assert sum(look["doing"].values()) == 2
        assert {host["host"] for host in look["hosts"]} == {"a.test", "b.test"}
        await done(crawl, {"do": "ban", "host": "b.test"})
        events = (await done(crawl, {"do": "look", "after": 0}))["events"]
        assert {"number": 1, "what": "HostBanned", "host": "b.test"}.items() <= events[0].items()
        assert (await done(crawl, {"do": "look", "after": events[-1]["number"]}))["hosts"] == []
        assert (await done(crawl, {"do": "stop"}))["state"] == "stopping"
    assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]
    assert kept(store, "delay") == 2


def test_events_are_told_with_all_that_they_have() -> None:
    told = [kind for kind in Event.__subclasses__() if kind is not Progressed]  # which is a look, and in no log
    assert len(told) >= 8
    for number, kind in enumerate(told):
        event = kind(*kind.__struct_fields__)  # type: ignore[arg-type]
        values = dict(zip(kind.__struct_fields__, kind.__struct_fields__, strict=True))
        assert event_as_json(number, event) == {"number": number, "what": kind.__name__, **values}


SITE: Site = {
    HOME: ["/a", "/gone", "http://b.test/"],
    HOME + "a": [HOME],
    HOME + "gone": 404,
    "http://b.test/": [HOME],
    "http://c.test/": ["http://c.test/x"],
    "http://c.test/x": [],
}
store = crawled_anew(SITE, [HOME], pages=2, scope="site")
"""A crawl that was stopped after two pages."""


def next_run(store: Path) -> list[str]:
    """What the next run asks for."""
    _, server = crawl(SITE, store, [])
    return server.asked


def test_settings_are_those_of_the_next_run(store: Path) -> None:
    changed = asyncio.run(RestingCrawl(store).change_settings({"scope": "any", "delay": "2s", "concurrency": 1}))
    assert [(one.name, one.before, one.after) for one in changed] == [("scope", "site", "any"), ("delay", "0.0", "2.0")]
    assert (kept(store, "scope"), kept(store, "delay")) == ("any", 2.0)
    asyncio.run(RestingCrawl(store).take_seeds(Seeds(["http://c.test/"])))
    assert "http://c.test/x" in next_run(store)


def test_seeds_are_known_with_all_that_is_granted_to_a_page(store: Path) -> None:
    assert asyncio.run(RestingCrawl(store).take_seeds(Seeds(["http://c.test/", HOME]))) == 1
    with open_store(store) as reader:
        assert list(violations(reader)) == []
    assert {"http://c.test/", "http://c.test/x"} <= set(next_run(store))


def test_a_banned_host_is_not_asked_until_that_is_taken_back(store: Path) -> None:
    asyncio.run(RestingCrawl(store).take_seeds(Seeds(["http://c.test/"])))
    assert asyncio.run(RestingCrawl(store).ban("http://C.test/x")) == "c.test"
    assert kept_list(store, "banned_hosts") == ["c.test"]
    assert not any("c.test" in url for url in next_run(store))
    assert asyncio.run(RestingCrawl(store).unban("c.test")) == "c.test"
    assert {"http://c.test/", "http://c.test/x"} <= set(next_run(store))


def test_a_page_that_was_given_up_is_asked_for_again_and_first(store: Path) -> None:
    next_run(store)
    assert asyncio.run(RestingCrawl(store).again(HOME + "gone")) == HOME + "gone"
    assert asyncio.run(RestingCrawl(store).again("a.test/a")) == HOME + "a"
    assert sorted(next_run(store)) == [HOME + "a", HOME + "gone"]


def test_what_is_wrong_changes_nothing(store: Path) -> None:
    before = store.read_bytes()
    resting = RestingCrawl(store)
    for change in (
        resting.change_settings({"delay": "2", "scope": "some"}),
        resting.change_settings({"timeout": "2"}),
        resting.change_settings({"x": 1}),
        resting.ban("nowhere.test"),
        resting.unban("a.test"),
        resting.again("http://a.test/unknown"),
        resting.again("mailto:x@y.test"),
    ):
        with pytest.raises(ConfigError):
            asyncio.run(change)
    assert store.read_bytes() == before


def test_certificates_and_ranks_stay_as_they_were(store: Path, tmp_path: Path) -> None:
    pem = Path(__file__).parent.parent / "support" / "tls.pem"
    crawl(SITE, store, [], pages=1, ca_file=pem, scope="site")
    before = rows(store, "SELECT url, rank, importance FROM ranks ORDER BY rank")
    asyncio.run(RestingCrawl(store).ban("a.test"))
    assert kept(store, "ca_file") == str(pem)
    assert rows(store, "SELECT url, rank, importance FROM ranks ORDER BY rank") == before
    with open_store(store) as reader:
        assert reader.meta("is_ranked")
        assert reader.meta("stopped") == "pages"


def test_a_store_that_is_in_use_or_missing_is_told(store: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl at"):
        RestingCrawl(tmp_path / "none.db")
    writer = Writer(store)
    with pytest.raises(StoreError, match="another crawl is using"):
        asyncio.run(RestingCrawl(store).ban("a.test"))
    writer.close()
