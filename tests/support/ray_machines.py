"""A Ray cluster of two nodes on loopback, as a user starts it, crawls on it, and kills of all that."""

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
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from support.cluster_folders import as_here
from support.cluster_runs import SETTINGS, WEB, check_same, folder_at
from support.gathered import all_violations, ranked_pages
from support.patience import PATIENCE
from support.sites import rows

from minicrawl.cluster.folder import Folder, found, make_store
from minicrawl.demo.web import serving
from minicrawl.store.ranks import RankedPage

MINICRAWL = [sys.executable, "-m", "minicrawl"]
HEAD, OTHER = "127.0.0.2", "127.0.0.3"
"""Not 127.0.0.1, for which Ray takes the address that other machines reach."""
SLOWLY, AT_ONCE = "0.5", "0"
"""Delays: with one page a host and half second, there is time for all that happens meanwhile."""
_LITTLE = ("--num-cpus=0", f"--object-store-memory={100 * 2**20}", "--disable-usage-stats")


def free_port() -> int:
    """A port to listen at that no connection gets by itself before Ray is there: these have ports from 32768 on."""
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as line, suppress(OSError):
            line.bind(("", port))
            return port
    raise AssertionError("no port is free")


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


def processes_of(sessions: Sequence[int], name: str = "") -> list[int]:
    """Processes of some sessions whose name begins so, without zombies."""
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
        with suppress(ProcessLookupError):
            os.kill(pid, kind)


@dataclass
class Ray:
    """Two nodes, each in a session of its own. All that Ray writes is in `folder`, which only its owner may enter."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="mc-ray-", dir="/tmp")))  # short: sockets
    port: int = field(default_factory=free_port)
    nodes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    sessions: list[int] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"{HEAD}:{self.port}"

    def start(self) -> None:
        """Start both nodes, the head first; and again, since Ray gives up a node that needs half a minute to start."""
        for _ in range(3):
            if self._starts(HEAD) and self._starts(OTHER):
                return
            self._end()
        raise AssertionError("\n".join(path.read_text() for path in self.folder.glob("*.log")))

    def _starts(self, name: str) -> bool:
        """Whether a node starts, and is then seen by those who connect."""
        if name in self.nodes:
            self.nodes[name].wait()
        head = [f"--port={self.port}", f"--temp-dir={self.folder / 'ray'}", "--include-dashboard=false"]
        words = ["--head", *head] if name == HEAD else [f"--address={self.address}"]
        words += [f"--node-ip-address={name}", "--min-worker-port=0", "--max-worker-port=0", *_LITTLE, "--block"]
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *words]
        with (self.folder / f"{name}.log").open("ab") as log:
            node = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.nodes[name] = node
        self.sessions.append(node.pid)
        program = "import sys; from minicrawl.cluster.ray import connected, nodes\n"
        program += "with connected(sys.argv[1]): print(*nodes())"
        command = [sys.executable, "-c", program, self.address]
        while node.poll() is None:
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if name in done.stdout.split():
                return True
            time.sleep(0.2)
        return False

    def stop(self) -> list[int]:
        """Stop all nodes, and remove what they wrote; the processes that did not end by themselves."""
        left = self._end()
        shutil.rmtree(self.folder, ignore_errors=True)
        return left

    def _end(self) -> list[int]:
        for node in self.nodes.values():
            node.terminate()
        until = time.monotonic() + PATIENCE
        while (left := self.left()) and time.monotonic() < until:
            time.sleep(0.1)
        kill(left)
        for node in self.nodes.values():
            node.wait()
        return left

    def hosts(self) -> list[int]:
        """The processes that have a partition."""
        return processes_of(self.sessions, "ray::Actor")

    def left(self) -> list[int]:
        """Processes of all nodes that ever ran."""
        return processes_of(self.sessions)


@dataclass
class Crawl:
    """A crawl of the web at a port, in two partitions, one on each node."""

    ray: Ray
    path: Path
    port: int

    def make(self) -> None:
        """Make its stores, each with some of the seeds."""
        folder = replace(folder_at(self.path, 2), nodes={1: OTHER}).keep_ray(self.ray.address)
        for number, store in enumerate(folder.stores):
            make_store(store, folder.cluster, number, 2)

    def start(self, delay: str, *more: str) -> "subprocess.Popen[bytes]":
        words = ["crawl", *WEB.seeds, "--store", str(self.path), "--json", "-q", *more]
        words += ["--connect-to", f"::127.0.0.1:{self.port}", "--delay", delay, "--scope", "any", "--allow-private"]
        words += [f"--no-{name}" for name, value in SETTINGS.items() if value is False]
        return subprocess.Popen([*MINICRAWL, *words], stdout=subprocess.PIPE)

    def ended(self, delay: str, *more: str) -> dict[str, Any]:
        """Let it crawl to its end; what it reports, and nothing else, on standard output."""
        with self.start(delay, *more) as driver:
            try:
                out, _ = driver.communicate(timeout=PATIENCE)
            finally:
                driver.kill()
        assert driver.returncode == 0, out
        report: dict[str, Any] = json.loads(out)
        return report

    def read(self) -> list[int]:
        """How many pages each partition has read."""
        query = "SELECT count(*) FROM pages WHERE state = 'fetched'"
        return [rows(store, query)[0][0] for store in self.here().stores]

    def wait_for(self, more: Sequence[int], driver: "subprocess.Popen[bytes]") -> None:
        """Wait until each partition has read so many pages more than now, or has none that waits.

        A partition that has none yet has no site, once all together have read twenty.
        """
        aims = [now + some for now, some in zip(self.read(), more, strict=True)]
        while any(now < aim and self._waits(n) for n, (now, aim) in enumerate(zip(self.read(), aims, strict=True))):
            assert driver.poll() is None, "the crawl has ended"
            time.sleep(0.1)

    def _waits(self, number: int) -> bool:
        store = self.here().stores[number]
        read = self.read()
        if not read[number] and sum(read) < 20:
            return True
        return bool(rows(store, "SELECT 1 FROM pages WHERE state = 'waiting' LIMIT 1"))

    def here(self) -> Folder:
        """Its folder, as if all stores were of one machine: these are."""
        return as_here(found(self.path))

    def audit(self) -> None:
        with self.here().opened() as stores:
            assert list(all_violations(stores)) == []

    def compare(self, alone: Mapping[str, RankedPage]) -> None:
        """What was found is what one process has found."""
        self.audit()
        with self.here().opened() as stores:
            assert not any(store.transfers.outbox() for store in stores), "it has settled"
            check_same({page.url: page for page in ranked_pages(stores)}, alone)

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
        """Kill all of Ray on both nodes, and the crawl, and audit; how many processes that were."""
        pids = [driver.pid, *self.ray.left()]
        kill(pids)
        driver.wait()
        while self.ray.left():
            kill(self.ray.left())
            time.sleep(0.05)
        self.audit()
        return len(pids)
