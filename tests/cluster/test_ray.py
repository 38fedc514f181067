"""Two nodes of Ray on loopback: the crawl finds what one process finds, though an actor and a whole node are killed."""

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, WEB, check_same, crawled_alone, folder_at, until
from support.command_line import end_logs, run
from support.gathered import sound_pages
from support.needs import needs
from support.patience import PATIENCE

from minicrawl.cluster.ray import Call
from minicrawl.demo.web import serving
from minicrawl.errors import StoreError
from minicrawl.log import Output, begin

HEAD, OTHER = "127.0.0.2", "127.0.0.3"
"""Not 127.0.0.1, for which Ray takes the address that other machines reach."""
LITTLE = ("--num-cpus=0", f"--object-store-memory={100 * 2**20}", "--disable-usage-stats")
OPEN = {"RAY_AUTH_MODE": "disabled", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"}
"""Of the environment: these nodes have no token, and are several, also beside a crawl here that lets Ray have one."""


def free_port() -> int:
    """A port that no connection gets by itself before Ray is there: these have ports from 32768 on."""
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as line, suppress(OSError):
            line.bind(("", port))
            return port
    raise AssertionError("no port is free")


def python(*words: str, out: int = subprocess.PIPE, is_leader: bool = False) -> "subprocess.Popen[bytes]":
    """Python in a process of its own, which can talk to the nodes. is_leader: of a session of its own."""
    command, env = [sys.executable, *words], os.environ | OPEN
    return subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.DEVNULL, start_new_session=is_leader)


class Nodes:
    """The nodes, each in a session of its own. All that Ray writes is in a folder."""

    def __init__(self, folder: Path) -> None:
        self.address, self.folder = f"{HEAD}:{free_port()}", folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        """Start a node, and wait until it is seen; again where Ray gives it up, as one that needs half a minute."""
        head = ["--head", f"--port={self.address.rpartition(':')[2]}", "--include-dashboard=false"]
        words = [*head, f"--temp-dir={self.folder}"] if name == HEAD else [f"--address={self.address}"]
        words += [f"--node-ip-address={name}", "--min-worker-port=0", "--max-worker-port=0", *LITTLE, "--block"]
        program = "import sys; from minicrawl.cluster.ray import connected, nodes\n"
        program += "with connected(sys.argv[1]): print(*nodes())"
        for _ in range(3):
            node = python("-m", "ray.scripts.scripts", "start", *words, out=subprocess.DEVNULL, is_leader=True)
            self.running[name] = node
            while node.poll() is None:
                with python("-c", program, self.address) as looking:
                    if name.encode() in looking.communicate()[0].split():
                        return
            self.kill(name)
        raise AssertionError(f"{name} does not start")

    def kill(self, name: str) -> None:
        """Kill all processes of a node."""
        session = self.running[name].pid
        while pids := [pid for pid, of in sessions() if of == session]:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.running[name].wait()


def sessions() -> Iterator[tuple[int, int]]:
    """Processes with their sessions, but for those that have ended."""
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                yield int(entry.name), int(fields[3])


@pytest.mark.slow
@needs("ray")
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")
def test_an_actor_and_a_node_are_killed(tmp_path: Path) -> None:
    alone = crawled_alone(tmp_path / "alone.db")
    nodes = Nodes(Path(tempfile.mkdtemp(prefix="mc-ray-", dir="/tmp")))  # a short path: it has sockets
    folder = replace(folder_at(tmp_path / "web", 2), nodes={1: OTHER}).keep_ray(nodes.address)
    words = ["crawl", *WEB.seeds, "--store", str(folder.path), "--json", "-q", "--delay", "0.2", "--scope", "any"]
    words += ["--allow-private", *(f"--no-{name}" for name, value in SETTINGS.items() if value is False)]

    def crawled(port: int) -> bytes:
        with python("-m", "minicrawl", *words, "--connect-to", f"::127.0.0.1:{port}") as driver:
            try:
                there = until(folder.path, driver, lambda parts: {part["fetched"] > 1 for part in parts} == {True})
                os.kill(there[0]["pid"], signal.SIGKILL)
                until(folder.path, driver, lambda parts: [part["deaths"] for part in parts] == [1, 0])
                nodes.kill(OTHER)
                nodes.start(OTHER)
                return driver.communicate(timeout=PATIENCE)[0]
            finally:
                driver.kill()

    async def served() -> bytes:
        async with serving(WEB) as port:
            return await asyncio.to_thread(crawled, port)

    try:
        nodes.start(HEAD)
        nodes.start(OTHER)
        out = asyncio.run(served())
    finally:
        for name in nodes.running:
            nodes.kill(name)
        shutil.rmtree(nodes.folder, ignore_errors=True)
    report = json.loads(out)
    assert (report["reason"], report["deaths"]) == ("nothing-left", 2)
    check_same(sound_pages(folder.path), alone)


@needs("ray")
@pytest.mark.parametrize(
    ("address", "code", "sentence"),
    [("127.0.0.1:1", 3, "nothing listens at 127.0.0.1:1"), ("ray://127.0.0.1:1", 2, "on a node of the cluster")],
)
def test_a_cluster_that_cannot_be_used_is_told(address: str, code: int, sentence: str, tmp_path: Path) -> None:
    result = run("crawl", "http://a.test/", "--partitions", "2", "--ray", address, "--store", tmp_path / "web")
    assert (result.exit_code, sentence in result.stderr) == (code, True)
    assert not (tmp_path / "web").exists()


class Failing:
    """An actor that fails on every call, as Ray tells its caller."""

    class fails:  # noqa: N801 - a method of the actor
        @staticmethod
        async def remote() -> None:
            from ray.exceptions import RayTaskError

            try:
                raise OverflowError("too large")
            except OverflowError as error:
                trace = "".join(traceback.format_exception(error))
                raise RayTaskError("fails", trace, error).as_instanceof_cause() from None


@needs("ray")
def test_traceback_of_a_partition_that_fails_is_in_the_log_of_the_crawl(tmp_path: Path) -> None:
    begin(Output(str(tmp_path / "log"), False, "run"))
    try:
        with pytest.raises(StoreError, match=r"a partition failed: OverflowError\('too large'\)"):
            asyncio.run(Call(Failing())("fails"))
    finally:
        end_logs()
    assert 'raise OverflowError("too large")' in (tmp_path / "log").read_text()
