"""A running crawl as an object: what it tells, how it ends, and that it stands still when it is to."""

import asyncio
import contextlib
from itertools import pairwise
from pathlib import Path

import pytest
from support.sites import Server, faults_in, rows
from support.skipping import apart
from support.steering import HOME, Steered, kept, pages, steered, wide

from minicrawl import Crawl
from minicrawl.errors import ConfigError, CrawlEndedError, StoreError
from minicrawl.events import PageFetched, Paused, Resumed, Stopping
from minicrawl.model import RunState

# The block, and what it tells.


@apart
async def test_a_crawl_tells_what_happens_and_how_it_ended(tmp_path: Path) -> None:
    async with steered(Server(wide(3)), tmp_path / "crawl.db") as crawl:
        told = [event async for event in crawl.events()]
        report = await crawl.finished()
        assert crawl.status.state is RunState.ENDED
    fetched = [event for event in told if isinstance(event, PageFetched)]
    assert [(event.url, event.status, event.reason) for event in fetched] == [
        (url, 200, None) for url in [HOME, *pages(3)]
    ]
    assert sum(event.bytes for event in fetched) == report.bytes
    assert isinstance(told[-1], Stopping)
    assert (told[-1].reason, report.reason, report.fetched) == ("nothing-left", "nothing-left", 4)
    assert all(earlier.at <= later.at for earlier, later in pairwise(told))


@apart
async def test_settings_may_be_given_as_a_whole_or_by_name(tmp_path: Path) -> None:
    settings = {"pages": 9, "delay": 0}
    async with Crawl(HOME, tmp_path / "crawl.db", settings=settings, pages=2, transport=Server(wide(5))) as crawl:
        assert (crawl.settings.delay, crawl.settings.pages) == (0, 2)


@apart
async def test_what_is_wrong_from_the_start_is_raised_at_the_start(store: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'pages'"):
        Crawl(HOME, store, pagez=1)  # type: ignore[call-arg]
    with pytest.raises(ConfigError, match="workers must be 0"):
        async with Crawl(HOME, store, workers=1, transport=Server({})):
            raise AssertionError
    assert not store.exists()


@apart
async def test_exception_in_the_block_stops_the_crawl_and_loses_nothing(store: Path) -> None:
    server = Steered(wide(20))
    with pytest.raises(ZeroDivisionError):
        async with steered(server, store):
            await server.until(3)
            raise ZeroDivisionError
    assert 3 <= len(server.asked) < 21
    fetched = rows(store, "SELECT count(*) FROM pages WHERE state = 'fetched'")[0][0]
    assert fetched >= 3
    assert faults_in(store) == []
    async with steered(server, store, []):
        pass
    assert len(server.asked) == 21


@apart
async def test_cancelled_block_stops_the_crawl_and_loses_nothing(store: Path) -> None:
    server = Steered(wide(20))

    async def steer() -> None:
        async with steered(server, store) as crawl:
            async for _ in crawl.events():
                pass

    task = asyncio.create_task(steer())
    await server.until(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert server.in_flight == 0
    assert {task.get_name() for task in asyncio.all_tasks()} & {"minicrawl"} == set()
    assert faults_in(store) == []


@apart
async def test_crawl_that_fails_is_raised_at_the_end_of_the_block(tmp_path: Path) -> None:
    """And by whatever waits for it: here its file is put elsewhere."""
    server, store = Steered(wide(20)), tmp_path / "crawl.db"
    with pytest.raises(StoreError):
        async with steered(server, store) as crawl:
            server.open.clear()
            store.rename(tmp_path / "gone.db")
            with pytest.raises(StoreError):
                await crawl.pause()
            with pytest.raises(CrawlEndedError):
                await crawl.resume()


# Pausing and stopping.


@apart
async def test_a_pause_leaves_the_rest_of_the_time(tmp_path: Path) -> None:
    server = Steered(wide(2000))

    async with steered(server, tmp_path / "crawl.db", delay=1, time=60) as crawl:
        events = crawl.events()
        await server.until(10)
        await crawl.pause()
        before = crawl.status
        asked = len(server.asked)
        await asyncio.sleep(5000)
        assert (crawl.status.state, len(server.asked)) == (RunState.PAUSED, asked)
        assert crawl.status.seconds == before.seconds
        await crawl.resume()
        report = await crawl.finished()
        told = [event async for event in events if isinstance(event, Paused | Resumed | Stopping)]
    assert (report.reason, round(report.seconds)) == ("time", 60)
    assert 58 <= report.fetched <= 62
    assert [type(event) for event in told] == [Paused, Resumed, Stopping]
    assert isinstance(told[1], Resumed)
    assert told[1].seconds == pytest.approx(5000, abs=0.1)


@apart
async def test_requests_in_flight_are_finished_and_committed_in_a_pause(tmp_path: Path) -> None:
    server, store = Steered(wide(20)), tmp_path / "crawl.db"

    async with steered(server, store, delay=0, per_host=4) as crawl:
        await server.until(1)
        await server.hold_back(4)
        await crawl.pause()
        assert crawl.status.in_flight == 4
        server.open.set()
        await asyncio.sleep(5)
        assert (crawl.status.in_flight, len(server.asked)) == (0, 5)
        assert rows(store, "SELECT count(*) FROM fetches") == [(5,)]
        await crawl.resume()
    assert len(server.asked) == 21


@apart
async def test_paused_crawl_with_nothing_left_does_not_end(tmp_path: Path) -> None:
    server = Server({HOME: []})

    async with steered(server, tmp_path / "crawl.db") as crawl:
        await crawl.pause()
        await crawl.pause()
        await asyncio.sleep(1000)
        assert crawl.status.state is RunState.PAUSED
        assert await crawl.add_seeds(["http://b.test/"]) == 1
        await crawl.resume()
        await crawl.resume()
    assert sorted(server.asked) == [HOME, "http://b.test/"]


@pytest.mark.parametrize("now", [False, True])
@pytest.mark.parametrize("paused", [False, True])
@apart
async def test_a_crawl_stops_when_it_is_asked_to(store: Path, now: bool, paused: bool) -> None:
    server = Steered(wide(20))
    async with steered(server, store, delay=0, per_host=4) as crawl:
        await server.until(1)
        await server.hold_back(4)
        if paused:
            await crawl.pause()
        await crawl.stop(now=now)
        assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]
        server.open.set()
        report = await crawl.finished()
        await crawl.stop()
    assert (report.reason, report.fetched) == ("interrupted", 1 if now else 5)
    assert faults_in(store) == []
    asked = len(server.asked)
    async with steered(server, store, []):
        pass
    assert len(server.asked) - asked == (20 if now else 16)


@apart
async def test_what_is_asked_of_a_crawl_that_has_ended_is_told(tmp_path: Path) -> None:
    async with steered(Server({HOME: []}), tmp_path / "crawl.db") as crawl:
        await crawl.finished()
        with pytest.raises(CrawlEndedError, match="has ended"):
            await crawl.pause()
        with pytest.raises(CrawlEndedError):
            await crawl.adjust(delay=2)


@apart
async def test_crawl_that_ends_while_commands_wait_does_or_refuses_each(tmp_path: Path) -> None:
    """Whenever a command comes, from the last answer to the last commit: what is said to be done is in the store."""
    for turns in range(0, 40, 3):
        store = tmp_path / f"{turns}.db"
        is_done = False
        async with steered(Server({HOME: []}), store, delay=0) as crawl:
            for _ in range(5 * turns):
                await asyncio.sleep(0)
            with contextlib.suppress(CrawlEndedError):
                await crawl.adjust(delay=7)
                is_done = True
        assert (kept(store, "delay") == 7) == is_done
