"""A crawl at one moment: while it runs, when it has ended, and in between."""

import asyncio
from pathlib import Path

import pytest
from support.patience import PATIENCE
from support.sites import crawl
from support.steering import HOME, Steered, steered, wide

from minicrawl.control.commands import listening
from minicrawl.dashboard.looks import EventLog, Looks
from minicrawl.dashboard.readings import Readings
from minicrawl.store.database import hold


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db"


def test_a_running_crawl_tells_what_it_does_and_a_resting_one_what_it_did(store: Path) -> None:
    looks, server = Looks(Readings(store), clock=lambda: 1e6), Steered(wide(20))

    async def main() -> None:
        server.open.clear()
        async with steered(server, store, delay=0, pages=30) as crawl, listening(crawl, store):
            await asyncio.to_thread(looks.look)  # from now on events are kept
            server.open.set()
            await server.until(10)
            await crawl.pause()
            while crawl.status.in_flight:
                await asyncio.to_thread(looks.look)
            look = await asyncio.to_thread(looks.look)
            assert (look["crawl"], look["state"], look["store"], look["at"]) == ("running", "paused", str(store), 1e6)
            assert (look["fetched"], look["known"], look["settings"]["delay"]) == (crawl.status.fetched, 21, 0.0)
            assert [(host["host"], host["doing"]) for host in look["hosts"]] == [("a.test", look["hosts"][0]["doing"])]
            assert sum(look["doing"].values()) == 1
            assert [(aim["name"], aim["done"], aim["of"], aim["left"]) for aim in look["aims"]] == [
                ("pages", look["fetched"], 30, None)
            ]
            events = looks.events(0)
            assert [event["url"] for event in events if event["what"] == "PageFetched"] == server.asked
            assert [event["number"] for event in events] == list(range(1, len(events) + 1))
            assert looks.events(events[-2]["number"]) == events[-1:]
            await crawl.ban("a.test")
            later = await asyncio.to_thread(looks.look)
            assert later["banned"] == ["a.test"]
            assert later["hosts"] == look["hosts"]  # it is too soon to look at all of them again
            await crawl.unban("a.test")
            await crawl.resume()
            await asyncio.wait_for(crawl.finished(), PATIENCE)

    asyncio.run(main())
    look = looks.look()
    assert (look["crawl"], look["state"], look["reason"]) == ("resting", "ended", "nothing-left")
    assert (look["fetched"], look["known"], look["read"], look["settings"]["delay"]) == (21, 21, 21, 0.0)


def test_a_crawl_that_begins_or_ends_says_less_and_has_all_fields(store: Path) -> None:
    """Every field that a page reads is there from the first look on, and keeps what it had at the end."""
    server = Steered(wide(3))

    async def main() -> None:
        async with steered(server, store, delay=0) as crawl, listening(crawl, store):
            looks = Looks(Readings(store))
            first = await asyncio.to_thread(looks.look)
            await asyncio.wait_for(crawl.finished(), PATIENCE)
            last = await asyncio.to_thread(looks.look)
            assert last["state"] == "ended"
            fresh = await asyncio.to_thread(Looks(Readings(store)).look)
            assert {name: fresh[name] for name in NOTHING} == NOTHING
            assert first.keys() | {"took"} == fresh.keys() | {"took"} == last.keys() | {"took"}

    asyncio.run(main())


NOTHING: dict[str, object] = {
    "coverage": None,
    "errors": None,
    "silence": None,
    "earlier": {"runs": 0, "fetched": 0, "bytes": 0, "seconds": 0.0},
    "requests": [],
    "hosts": [],
    "doing": {},
}


def test_a_store_that_is_not_there_is_no_crawl(store: Path) -> None:
    assert Looks(Readings(store), clock=lambda: 1.0).look() == {
        "crawl": "none",
        "state": "none",
        "store": str(store),
        "at": 1.0,
    }
    assert not store.exists()


def test_who_has_the_store_and_does_not_answer_is_busy(store: Path) -> None:
    crawl({HOME: []}, store, [HOME])
    lock = hold(store)
    try:
        assert Looks(Readings(store)).look()["crawl"] == "busy"
    finally:
        lock.release()
    assert Looks(Readings(store)).look()["crawl"] == "resting"


def test_events_of_several_runs_have_rising_numbers_that_show_what_was_missed() -> None:
    log = EventLog()
    assert log.take(1, [{"number": 4, "what": "a"}, {"number": 5, "what": "b"}])
    assert not log.take(1, [{"number": 5, "what": "b"}, {"number": 9, "what": "c"}])
    assert log.seen == 9
    assert log.take(2, [{"number": 1, "what": "d"}])
    assert [(event["number"], event["what"]) for event in log.behind(4)] == [(5, "b"), (9, "c"), (10, "d")]
