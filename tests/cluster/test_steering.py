"""A crawl in partitions, each in a process of its own, is steered over the socket of its folder."""

import json
import os
import signal
from pathlib import Path

import pytest
from support.cluster_runs import SEEDS, folder_at
from support.command_line import run
from support.counted_web import Asked, CountedWeb
from support.lines import Line, asked
from support.sites import rows
from support.steered_parts import sought, steered, until

from minicrawl.cluster.exchange import home_of
from minicrawl.cluster.keeper import Keeper
from minicrawl.store.partitions.folder import Folder

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
        banned = [json.loads(value) for (value,) in sought(folder, "SELECT value FROM meta WHERE key = 'banned_hosts'")]
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
