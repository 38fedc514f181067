"""minicrawl status"""

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

from support.command_line import run
from support.patience import PATIENCE
from support.steering import Steered, steered, wide

from minicrawl.analysis.status import Partition
from minicrawl.cli.status import _partition_lines
from minicrawl.control.listening import listening
from minicrawl.model import State


def test_status_counts_every_known_page_once(store: Path) -> None:
    status = json.loads(run("status", "--json", "--store", store).stdout)
    assert status["stopped"] == "nothing-left"
    assert status["states"] == {"fetched": 3, "error": 1, "alias": 1}
    assert sum(status["reasons"].values()) == status["known"] == 5
    assert "stopped: nothing-left" in run("status", "--store", store).output


def test_watching_a_crawl_at_rest_shows_it_once(store: Path) -> None:
    once, watched = run("status", "--store", store), run("status", "--watch", "--store", store)
    assert (watched.exit_code, watched.output) == (0, f"{once.output}\n")
    assert json.loads(run("status", "--watch", "60", "--json", "--store", store).output)["now"] is None
    assert "leave one of them out" in run("status", "--watch", "--graph", "--store", store).stderr
    for seconds in ("nan", "inf", "0"):
        refused = run("status", "--watch", seconds, "--store", store)
        assert (refused.exit_code, "--watch takes 0.1 to 86,400 seconds" in refused.stderr) == (2, True)


def test_watching_a_running_crawl_goes_on_until_it_ends(tmp_path: Path) -> None:
    """Pages of its memory count at once; a pipe has a line a look, and the last says how it ended."""
    store, server = tmp_path / "crawl.db", Steered(wide(30))

    async def watched() -> list[bytes]:
        command = [sys.executable, "-m", "minicrawl", "status", "--watch", ".1", "--json", "--store", str(store)]
        async with steered(server, store, delay=0) as crawl, listening(crawl, store):
            await server.until(5)
            await crawl.pause()
            watching = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
            assert watching.stdout is not None
            lines = [await watching.stdout.readline() for _ in range(2)]
            await crawl.resume()
            await asyncio.wait_for(crawl.finished(), PATIENCE)
        lines += (await watching.stdout.read()).splitlines()
        assert await watching.wait() == 0
        return lines

    looks = [json.loads(line) for line in asyncio.run(watched())]
    assert [look["running"] for look in looks] == [True] * (len(looks) - 1) + [False]
    assert looks[1]["now"]["state"] == "paused"
    assert looks[1]["now"]["fetched"] >= 5
    assert (looks[-1]["stopped"], looks[-1]["now"]) == ("nothing-left", None)


def test_watching_on_a_terminal_redraws_in_place_and_ends_well_with_ctrl_c(tmp_path: Path) -> None:
    store, server = tmp_path / "crawl.db", Steered(wide(30))

    async def watched() -> tuple[int, bytes]:
        master, slave = pty.openpty()
        command = [sys.executable, "-m", "minicrawl", "status", "--watch", ".1", "--store", str(store)]
        async with steered(server, store, delay=0) as crawl, listening(crawl, store):
            await server.until(5)
            await crawl.pause()
            watching = await asyncio.create_subprocess_exec(*command, stdout=slave, stderr=slave)
            shown = b""
            while shown.count(b"known ") < 3:
                shown += await asyncio.to_thread(os.read, master, 65_536)
            watching.send_signal(signal.SIGINT)
            return await watching.wait(), shown

    code, shown = asyncio.run(watched())
    assert code == 0
    assert re.search(rb"\r\x1b\[\d+A\x1b\[J", shown)
    assert b"memory    paused: " in shown


def test_figures_of_partitions_stand_below_their_headings_on_any_terminal() -> None:
    pages = {state.value: 10 ** (number + 1) for number, state in enumerate(State)}
    parts = [Partition(number, pages, 5, 6, None) for number in range(2)]
    for columns in (40, 80, None):
        lines = list(_partition_lines(parts, columns))
        assert columns is None or max(map(len, lines)) <= columns
        for heading, *rows in (lines[at : at + 3] for at in range(0, len(lines), 3)):
            ends = [match.end() for match in re.finditer(r"to send|\S+", heading)]
            assert all([match.end() for match in re.finditer(r"\S+", row)] == ends for row in rows)
