"""A crawl pauses before its disk is full, and goes on when there is room."""

import asyncio
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.skipping import apart
from support.steering import Steered, steered, wide

from minicrawl import log
from minicrawl.model import RunState
from minicrawl.system import is_short_of_room

GB = 10**9


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """free: bytes of a disk with room at first."""
    disk = SimpleNamespace(free=5 * GB)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: (100 * GB, 0, disk.free))
    return disk


@pytest.mark.parametrize(
    ("total", "free", "times", "is_short"),
    [
        (4000 * GB, GB - 1, 1.0, True),
        (4000 * GB, GB, 1.0, False),  # a part of a large disk is no lack
        (4000 * GB, GB, 1.25, True),
        (10 * GB, GB // 2 - 1, 1.0, True),
        (10 * GB, GB // 2, 1.0, False),  # nor are megabytes of a small one
    ],
)
def test_room_is_a_gigabyte_or_a_twentieth(
    monkeypatch: pytest.MonkeyPatch, total: int, free: int, times: float, is_short: bool
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: (total, total - free, free))
    assert is_short_of_room(Path(), times) == (free if is_short else None)


@apart
async def test_crawl_pauses_until_there_is_room(tmp_path: Path, disk: SimpleNamespace) -> None:
    server, told = Steered(wide(40)), []
    with log.following(["disk-short", "disk-enough"], lambda *event: told.append(event)):
        async with steered(server, tmp_path / "crawl.db", delay=1, concurrency=1) as crawl:
            await server.until(5)
            disk.free = GB - 1
            await asyncio.sleep(100)
            paused = len(server.asked)
            await crawl.resume()
            await asyncio.sleep(1000)
            assert crawl.status.state is RunState.PAUSED
            assert len(server.asked) - paused <= 2
            disk.free = GB + 1
            await asyncio.sleep(1000)
            assert crawl.status.state is RunState.PAUSED
            disk.free = 2 * GB
            await server.until(41)
    assert paused < 10
    assert [name for name, _, _ in told][-1] == "disk-enough"
    assert told[0][2] == {"path": str(tmp_path), "free": GB - 1}


@pytest.mark.parametrize("asks_again", [False, True])
@apart
async def test_time_runs_on_unless_its_user_pauses_it(tmp_path: Path, disk: SimpleNamespace, asks_again: bool) -> None:
    server, told = Steered(wide(40)), []
    with log.following(["disk-short"], lambda *event: told.append(event)):
        async with steered(server, tmp_path / "crawl.db", delay=1, concurrency=1, time=90_000) as crawl:
            await server.until(5)
            disk.free = 1
            await asyncio.sleep(88_000)
            assert (crawl.status.state, len(told)) == (RunState.PAUSED, 2)
            if asks_again:
                await crawl.pause()
            await asyncio.sleep(10_000)
            assert crawl.status.reason == (None if asks_again else "time")
    assert len(server.asked) < 10


@pytest.mark.parametrize("free", [5 * GB, 1], ids=["with room", "without"])
@apart
async def test_a_crawl_that_its_user_has_paused_stays_so(tmp_path: Path, disk: SimpleNamespace, free: int) -> None:
    server = Steered(wide(10))
    async with steered(server, tmp_path / "crawl.db", delay=1, concurrency=1) as crawl:
        await server.until(2)
        disk.free = free
        await asyncio.sleep(100 if free < GB else 0)
        await crawl.pause()
        for disk.free in (1, 5 * GB):
            await asyncio.sleep(1000)
        assert crawl.status.state is RunState.PAUSED
        await crawl.resume()
        await server.until(11)
