"""A crawl in partitions, each in a process of its own, is steered over the socket of its folder."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SEEDS, folder_at
from support.command_line import run
from support.counted_web import Asked, CountedWeb
from support.lines import Line, asked
from support.sites import rows
from support.steered_parts import sought, steered, until

from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.keeper import Keeper

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ray")]

STARTED = "http://h0.test/"


def test_one_that_is_paused_asks_for_nothing_although_a_process_dies(tmp_path: Path) -> None:
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

    ended, _, _ = steered(tmp_path, steer)
    assert (ended.reason, ended.deaths) == ("interrupted", 1)


def test_what_is_set_holds_for_all_and_for_later_runs(tmp_path: Path) -> None:
    pages: list[int] = []

    async def steer(folder: Folder, keeper: Keeper, web: CountedWeb) -> None:
        await asked(folder.path, "look")  # from then on events are kept
        await asked(folder.path, "pause")
        paused = await until(folder, lambda status: not status["in_flight"])
        pages.append(paused["fetched"] + 60)
        answer = (await asked(folder.path, "set", settings={"delay": 0.05, "concurrency": 6, "pages": pages[0]}))[
            "done"
        ]
        assert {one["name"]: one["after"] for one in answer["changed"]} == {
            "delay": "0.05",
            "concurrency": "6",
            "pages": str(pages[0]),
        }
        kept = [json.loads(value) for (value,) in sought(folder, "SELECT value FROM meta WHERE key = 'settings'")]
        assert [(one["delay"], one["concurrency"]) for one in kept] == [(0.05, 3)] * 2
        look = (await asked(folder.path, "look", hosts=10))["done"]
        assert (look["settings"]["delay"], look["limits"]["pages"]) == (0.05, pages[0])
        assert look["settings"]["workers"] == 0, "one a core"
        assert {host["host"] for host in look["hosts"]} == {url[7:-1] for url in SEEDS}
        assert any(event["what"] == "SettingChanged" for event in look["events"])
        await asked(folder.path, "resume")
        await until(folder, lambda status: status["state"] not in ("paused", "running"))

    ended, _, folder = steered(tmp_path, steer)
    answered = sought(folder, "SELECT id FROM pages WHERE fetch IS NOT NULL")
    assert (ended.reason, ended.fetched, len(answered)) == ("pages", pages[0], pages[0])
    assert folder.settings == {}, "as it was read before the run"
    assert found(folder.path).settings["delay"] == 0.05


REFUSED: dict[str, dict[str, Any]] = {
    "--workers cannot change while partitions run": {"workers": 3},
    "is less than one request for each of 2 processes": {"concurrency": 1},
    "began with no delay between requests to an IP address": {"ip_delay": 3},
    "--timeout cannot change while a crawl runs": {"timeout": 3},
}


def test_what_cannot_be_set_changes_nothing(tmp_path: Path) -> None:
    async def steer(folder: Folder, keeper: Keeper, web: CountedWeb) -> None:
        before, kept = keeper.settings, found(folder.path).settings
        for sentence, given in REFUSED.items():
            answer = await asked(folder.path, "set", settings={"max_depth": 9, **given})
            assert sentence in answer["failed"]
            assert keeper.settings == before
            assert found(folder.path).settings == kept

    steered(tmp_path, steer)


def test_seeds_bans_and_pages_go_home(tmp_path: Path) -> None:
    async def steer(folder: Folder, keeper: Keeper, web: CountedWeb) -> None:
        await until(folder, lambda _: ("h0.test", "/") in web.asked)
        new = [f"http://n{number}.test/" for number in range(8)]
        assert await asked(folder.path, "add", urls=[*new, STARTED], guessed=[]) == {"done": {"seeds": 9, "new": 8}}
        for url in new:
            home = folder.homes.home_of(url)
            [(state,)] = rows(folder.stores[home], f"SELECT state FROM pages WHERE url = '{url}'")
            other = rows(folder.stores[1 - home], f"SELECT state FROM pages WHERE url = '{url}'")
            assert (state != "elsewhere", other) == (True, [])
        assert (await asked(folder.path, "ban", host="h0.test"))["done"] == {"host": "h0.test"}
        banned = [json.loads(value) for (value,) in sought(folder, "SELECT value FROM meta WHERE key = 'banned_hosts'")]
        assert sorted(map(len, banned)) in ([1], [0, 1])
        assert (await asked(folder.path, "status"))["done"]["banned"] == ["h0.test"]
        assert "no host that this crawl knows" in (await asked(folder.path, "ban", host="no.test"))["failed"]
        assert "neither a host nor a URL" in (await asked(folder.path, "again", url="::"))["failed"]
        await asked(folder.path, "unban", host="h0.test")
        assert (await asked(folder.path, "again", url=STARTED))["done"] == {"url": STARTED}
        await until(folder, lambda _: web.asked.count(Asked("h0.test", "/")) == 2)
        await until(folder, lambda _: {one.host for one in web.asked} >= {url[7:-1] for url in new})

    steered(tmp_path, steer)


def test_one_that_ends_is_watched_and_not_changed(tmp_path: Path) -> None:
    async def steer(folder: Folder, keeper: Keeper, web: CountedWeb) -> None:
        assert (await asked(folder.path, "stop"))["done"]["state"] == "stopping"
        async with Line(folder.path) as line:
            while "failed" not in (answer := await line.asks("ban", host="h0.test")):
                continue
            assert "begins or ends just now" in answer["failed"] or "has ended" in answer["failed"]
            assert (await line.asks("status"))["done"]["known"] > 0

    assert steered(tmp_path, steer)[0].reason == "interrupted"


def test_a_folder_at_rest_is_told_so(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2).path
    for words in (["status"], ["set", "delay=2"], ["add", "http://x.test/"]):
        outcome = run("control", *words, "--store", folder)
        assert outcome.exit_code == 1
        assert f"no crawl runs on the partitions in {folder}" in outcome.stderr
