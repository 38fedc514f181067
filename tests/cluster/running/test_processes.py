"""Partitions in processes: asked, killed, ended."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.cluster_runs import SEEDS, folder_at
from support.command_line import run as command
from support.counted_web import counted_web

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.processes import DeadError, Process, Processes
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings

NOWHERE = CrawlSettings.of({"connect_to": "::127.0.0.1:9", "delay": "60s"})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return folder_at(tmp_path / "web", 1)


def run(folder: Folder, act: Callable[[Process], Awaitable[None]], cluster: str | None = None) -> Process:
    """Do something to the process of a partition, which is to end whatever that was."""

    async def start() -> Process:
        brief = Brief(replace(folder, cluster=cluster or folder.cluster), 0, NOWHERE, Seeds(["http://a.test/"]))
        processes = Processes(1)
        process = await processes.start(brief)
        try:
            await act(process)
        finally:
            await process.end()
            await processes.aclose()
        return process

    return asyncio.run(start())


async def report(process: Process) -> None:
    answer = await process.ask({"do": "report"})
    assert answer is not None
    assert answer["crawled"] is False


def test_it_answers_and_ends_when_nobody_asks_any_more(folder: Folder) -> None:
    process = run(folder, report)
    assert not folder.is_in_use
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_a_run_waits_for_what_a_killed_one_has_left_and_not_for_one_that_runs(tmp_path: Path) -> None:
    """Processes whose keeper was killed end when they have the answers that they wait for."""
    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=3, seconds=3.0) as web:
        words = ["crawl", *SEEDS, "--store", str(folder.path), "--connect-to", f"::127.0.0.1:{web.port}"]
        words += ["--allow-private", "--delay", "0", "--scope", "host", "--json", "-q"]
        with subprocess.Popen([sys.executable, "-m", "minicrawl", *words], stdout=subprocess.DEVNULL) as killed:
            while len({folder.homes.home_of(f"http://{asked.host}/") for asked in web.asked}) < 2:
                time.sleep(0.01)
            refused = command(*words)
            killed.kill()
        assert (refused.exit_code, "another crawl is using" in refused.stderr) == (3, True)
        web.seconds = 0.0
        ended = command(*words)
    assert (ended.exit_code, json.loads(ended.stdout)["reason"]) == (0, "nothing-left")
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGTERM])
def test_one_that_a_signal_has_killed_is_dead(folder: Folder, kind: signal.Signals) -> None:
    async def kill(process: Process) -> None:
        await report(process)
        os.kill(process.pid, kind)
        with pytest.raises(DeadError, match=f"by signal {kind.value}"):
            while True:
                await process.ask({"do": "report"})

    run(folder, kill)


def test_it_is_ended_at_once(folder: Folder) -> None:
    async def kill(process: Process) -> None:
        process.kill()

    run(folder, kill)
    assert not folder.is_in_use


def test_one_that_fails_says_why(folder: Folder) -> None:
    async def ask(process: Process) -> None:
        with pytest.raises(StoreError, match="is not partition 0 of this crawl"):
            await process.ask({"do": "report"})

    run(folder, ask, cluster="another")
