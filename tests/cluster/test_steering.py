"""A crawl in partitions, each in a process of its own, is steered over the socket of its folder."""

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SEEDS, SETTINGS, folder_at, keeper_at
from support.command_line import run
from support.counted_web import Asked, CountedWeb, counted_web
from support.gathered import all_violations
from support.lines import Line, asked
from support.sites import rows

from minicrawl.cluster.exchange import home_of
from minicrawl.cluster.keeper import Ended, Keeper
from minicrawl.cluster.steering import Steering
from minicrawl.control.commands import answering
from minicrawl.store.folder import Folder

Steer = Callable[[Folder, Keeper, CountedWeb], Awaitable[None]]


async def _steered(folder: Folder, web: CountedWeb, steer: Steer, given: dict[str, Any]) -> Ended:
    keeper = keeper_at(folder, web.port, SEEDS, SETTINGS | {"scope": "host", **given})
    async with answering(Steering(keeper).done, folder.path):
        crawl = asyncio.create_task(keeper.crawl())
        try:
            await until(folder, lambda status: status["state"] == "running" and status["fetched"] > 0)
            await steer(folder, keeper, web)
            await asked(folder.path, "stop")
        except BaseException:
            keeper.interrupt()
            keeper.interrupt()
            raise
        finally:
            await asyncio.wait([crawl])
        return crawl.result()


def steered(tmp_path: Path, steer: Steer, **settings: Any) -> tuple[Ended, CountedWeb, Folder]:
    """A slow run in two partitions that is steered and stopped; what all stores promise must hold then."""
    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=2000) as web:
        ended = asyncio.run(_steered(folder, web, steer, {"delay": 0.2, "ip_delay": 0.0} | settings))
    assert all_violations(folder.path) == []
    return ended, web, folder


async def until(folder: Folder, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Ask until the crawl says so. While one that has died begins, it says to ask later."""
    async with Line(folder.path) as line:
        while True:
            answer = await line.asks("status")
            if "try again later" not in answer.get("failed", "") and is_so(answer["done"]):
                return dict(answer["done"])


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ray")]

STARTED = "http://h0.test/"


def test_paused_it_asks_for_nothing_although_a_process_dies_and_ending_it_is_not_changed(tmp_path: Path) -> None:
    async def steer(folder: Folder, keeper: Keeper, web: CountedWeb) -> None:
        assert (await asked(folder.path, "pause"))["done"]["state"] == "paused"
        before = await until(folder, lambda status: not status["in_flight"])
        pid = before["partitions"][1]["pid"]
        os.kill(pid, signal.SIGKILL)
        status = await until(folder, lambda status: pid != status["partitions"][1]["pid"])
        assert (status["state"], status["seconds"]) == ("paused", before["seconds"])
        status = await until(folder, lambda status: status["partitions"][1]["state"] == "paused")
        assert sum(part["in_flight"] for part in status["partitions"]) == 0
        assert (await asked(folder.path, "resume"))["done"]["state"] == "running"
        await until(folder, lambda status: status["fetched"] > before["fetched"])
        assert (await asked(folder.path, "stop"))["done"]["state"] == "stopping"
        async with Line(folder.path) as line:
            while "failed" not in (answer := await line.asks("ban", host="h0.test")):
                continue
            assert "is starting or ending" in answer["failed"] or "has ended" in answer["failed"]
            assert (await line.asks("status"))["done"]["known"] > 0

    ended, _, _ = steered(tmp_path, steer)
    assert (ended.reason, ended.deaths) == ("interrupted", 1)


def test_seeds_bans_and_pages_go_home(tmp_path: Path) -> None:
    async def steer(folder: Folder, keeper: Keeper, web: CountedWeb) -> None:
        await until(folder, lambda _: ("h0.test", "/") in web.asked)
        new = [f"http://n{number}.test/" for number in range(8)]
        assert await asked(folder.path, "add", urls=[*new, STARTED], guessed=[]) == {"done": {"seeds": 9, "new": 8}}
        for url in new:
            home = home_of(url, folder)
            [(state,)] = rows(folder.here[home], f"SELECT state FROM pages WHERE url = '{url}'")
            other = rows(folder.here[1 - home], f"SELECT state FROM pages WHERE url = '{url}'")
            assert (state != "elsewhere", other) == (True, [])
        assert (await asked(folder.path, "ban", host="h0.test"))["done"] == {"host": "h0.test"}
        query = "SELECT value FROM meta WHERE key = 'banned_hosts'"
        banned = [json.loads(value) for store in folder.here for (value,) in rows(store, query)]
        assert sorted(map(len, banned)) in ([1], [0, 1])
        assert (await asked(folder.path, "status"))["done"]["banned"] == ["h0.test"]
        assert "is not a host of this crawl" in (await asked(folder.path, "ban", host="no.test"))["failed"]
        assert "neither a host nor a URL" in (await asked(folder.path, "again", url="::"))["failed"]
        assert "settings cannot change" in (await asked(folder.path, "set", settings={"delay": 3}))["failed"]
        look = (await asked(folder.path, "look", hosts=20))["done"]
        assert {host["host"] for host in look["hosts"]} >= {url[7:-1] for url in SEEDS}
        await asked(folder.path, "unban", host="h0.test")
        assert (await asked(folder.path, "again", url=STARTED))["done"] == {"url": STARTED}
        await until(folder, lambda _: web.asked.count(Asked("h0.test", "/")) == 2)
        await until(folder, lambda _: {one.host for one in web.asked} >= {url[7:-1] for url in new})

    steered(tmp_path, steer)


def test_a_folder_at_rest_is_told_so(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2).path
    for words in (["status"], ["set", "delay=2"], ["add", "http://x.test/"]):
        outcome = run("control", *words, "--store", folder)
        assert outcome.exit_code == 1
        assert f"no crawl runs on the partitions in {folder}" in outcome.stderr
