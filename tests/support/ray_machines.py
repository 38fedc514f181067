"""Machines of Ray on loopback, crawls on them as a user types these, and what is killed of all that."""

import asyncio
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from support.cluster_folders import as_here
from support.cluster_runs import SETTINGS, WEB, folder_at
from support.sites import rows

from minicrawl.cluster.audit import audit_all
from minicrawl.cluster.folder import Folder, Place, found, store_of
from minicrawl.cluster.machines.machine import Machine, running
from minicrawl.cluster.new_store import make_store
from minicrawl.demo.server import serving

COMMAND = [sys.executable, "-m", "minicrawl", "cluster"]
SLOWLY, AT_ONCE = "0.5", "0"
"""Delays: one page a host and half second is slow enough for all that happens meanwhile."""


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port: int = line.getsockname()[1]
        return port


@contextmanager
def served() -> Iterator[int]:
    """The web of cluster_runs, from a thread of its own; its port."""
    loop, ready, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    ports: list[int] = []

    async def serve() -> None:
        async with serving(WEB) as port:
            ports.append(port)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def holder_of(machine: Machine) -> int:
    """The process that holds a machine: all of Ray's there are in its session."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(f"{machine.place}/stop.sock")
        pid, _, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(pid)


def processes_of(sessions: Sequence[int], name: str = "") -> list[int]:
    """Those of some sessions whose name begins so, that are no zombies."""
    found_pids = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            head, _, rest = (entry / "stat").read_text().rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        if int(fields[3]) in sessions and fields[0] != "Z" and head.partition("(")[2].startswith(name):
            found_pids.append(int(entry.name))
    return found_pids


def kill(pids: Sequence[int], kind: signal.Signals = signal.SIGKILL) -> None:
    for pid in pids:
        try:
            os.kill(pid, kind)
        except ProcessLookupError:
            continue


@dataclass
class Ray:
    """Two machines, alpha and beta, and all that has run on them."""

    state: Path
    port: int = field(default_factory=free_port)
    sessions: dict[str, int] = field(default_factory=dict)
    all_sessions: list[int] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"XDG_STATE_HOME": str(self.state)}

    def start(self, *names: str, seconds: float = 240.0) -> None:
        """Start machines, alpha first."""
        for name in names:
            words = ["start", "--port", str(self.port)]
            if name != "alpha":
                words = ["join", f"127.0.0.1:{self.port}", "--folder", str(self.state / name)]
            head = {"MINICRAWL_TOKEN": self._token()} if name != "alpha" else {}
            command = [*COMMAND, *words, "--name", name]
            subprocess.run(
                command, env=self.environment | head, check=True, timeout=seconds, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
            (machine,) = [machine for machine in self._running() if machine.name == name]
            self.sessions[name] = holder_of(machine)
            self.all_sessions.append(self.sessions[name])

    def stop(self) -> None:
        """Stop all machines, and kill what has not ended by that, if anything."""
        subprocess.run([*COMMAND, "stop"], env=self.environment, check=False, timeout=240, capture_output=True)

    def hosts(self) -> list[int]:
        """The processes that have a partition."""
        return processes_of(list(self.sessions.values()), "ray::Host")

    def carriers(self) -> list[int]:
        """The processes that copy stores."""
        return processes_of(list(self.sessions.values()), "ray::Carrier")

    def kill_machine(self, name: str) -> None:
        kill(processes_of([self.sessions[name]]))

    def left(self) -> list[int]:
        """Processes of all machines that ever ran."""
        return processes_of(self.all_sessions)

    def listens_at(self) -> set[str]:
        """The addresses that processes of the machines listen at, IPv4 and IPv6."""
        inodes = set()
        for pid in self.left():
            for link in Path(f"/proc/{pid}/fd").iterdir():
                try:
                    inodes.add(os.readlink(link).removeprefix("socket:[").removesuffix("]"))
                except OSError:
                    continue
        lines = [line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().split("\n")]
        return {line[1].partition(":")[0] for line in lines if len(line) > 9 and line[3] == "0A" and line[9] in inodes}

    def _token(self) -> str:
        return next(self._running()).token

    def _running(self) -> Iterator[Machine]:
        before = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = str(self.state)
        try:
            return running()
        finally:
            if before is None:
                del os.environ["XDG_STATE_HOME"]
            else:
                os.environ["XDG_STATE_HOME"] = before


@dataclass
class Crawl:
    """A crawl of the web at a port, in two partitions, one on each machine."""

    ray: Ray
    path: Path
    port: int

    def make(self) -> None:
        """Make its stores, each with some of the seeds."""
        folder_at(self.path, 2, self._places)

    def _places(self, folder: Folder) -> Folder:
        """As the machines do it."""
        there = self.ray.state / "beta" / folder.cluster
        there.mkdir(parents=True)
        for number, parent in enumerate((folder.path, there)):
            make_store(store_of(parent, number), folder.cluster, number, 2)
        return replace(folder, places=(Place(), Place(str(there), machine="beta")))

    def start(self, delay: str, *more: str, machines: bool = True) -> "subprocess.Popen[bytes]":
        words = ["crawl", *WEB.seeds, "--store", str(self.path), "--partitions", "2", "-q", *more]
        words += ["--machines"] if machines else []
        words += ["--connect-to", f"::127.0.0.1:{self.port}", "--delay", delay, "--scope", "any", "--allow-private"]
        words += [f"--no-{name}" for name, value in SETTINGS.items() if value is False]
        return subprocess.Popen([*COMMAND, *words], env=self.ray.environment, stdout=subprocess.DEVNULL)

    def command(self, name: str, *words: str) -> "subprocess.Popen[bytes]":
        """Another command that begins."""
        command = [*COMMAND, name, *words, "--store", str(self.path), "--json"]
        return subprocess.Popen(command, env=self.ray.environment, stdout=subprocess.PIPE)

    def answer(self, name: str, *words: str) -> Any:
        """What another command says."""
        with self.command(name, *words) as begun:
            out, _ = begun.communicate(timeout=240)
            assert begun.returncode == 0, out
            return json.loads(out)

    def read(self) -> list[int]:
        """How many pages each partition has read."""
        query = "SELECT count(*) FROM pages WHERE state = 'fetched'"
        return [rows(store, query)[0][0] for store in found(self.path).stores]

    def wait_for(self, more: Sequence[int], running_driver: "subprocess.Popen[bytes]") -> None:
        """Wait until each partition has read so many pages more than now, or has none that waits."""
        aims = [now + some for now, some in zip(self.read(), more, strict=True)]
        while any(now < aim and self._waits(n) for n, (now, aim) in enumerate(zip(self.read(), aims, strict=True))):
            assert running_driver.poll() is None, "the crawl has ended"
            time.sleep(0.1)

    def _waits(self, number: int) -> bool:
        store = found(self.path).stores[number]
        return not self.read()[number] or bool(rows(store, "SELECT 1 FROM pages WHERE state = 'waiting' LIMIT 1"))

    def here(self) -> Folder:
        """Its folder, as if all stores were of one machine: these are."""
        return as_here(found(self.path))

    def audit(self) -> None:
        with self.here().opened() as stores:
            assert list(audit_all(stores)) == []

    def audit_frozen(self, driver: "subprocess.Popen[bytes]") -> None:
        """Audit at one moment of a crawl that runs."""
        stopped = [driver.pid, *self.ray.hosts()]
        kill(stopped, signal.SIGSTOP)
        try:
            self.audit()
        finally:
            kill(stopped, signal.SIGCONT)

    def kill_a_host(self, chance: random.Random, driver: "subprocess.Popen[bytes]") -> None:
        """Kill one that has a partition, whichever it is, and audit."""
        while not (hosts := self.ray.hosts()):
            time.sleep(0.1)
        kill([chance.choice(hosts)])
        self.audit_frozen(driver)

    def kill_everything(self, driver: "subprocess.Popen[bytes]") -> int:
        """Kill all of Ray on both machines, and the crawl, and audit; how many processes that were."""
        pids = [driver.pid, *self.ray.left()]
        kill(pids)
        driver.wait()
        while self.ray.left():
            kill(self.ray.left())
            time.sleep(0.05)
        self.audit()
        return len(pids)
