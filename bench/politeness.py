"""Politeness, measured at the server: no gap below the promised one, per host and per IP address, across kill -9 too.

    python bench/politeness.py [--hosts 200] [--addresses 40] [--delay 1] [--seconds 60] [--kills 3] [--partitions N]
        [options of 'minicrawl crawl']

Serves many hosts on few loopback addresses: most are plain, others have a Crawl-delay, or answer with 429 or 503, with
Retry-After or without. A crawl of them is killed some times and run again. A gap is the time between two requests, for
Retry-After that from the end of the answer. A request without answer promises the plain delay, and an answer that may
not have been read before a kill the least of what is promised with it and without: it may have told a delay. With
partitions, of 'minicrawl crawl --partitions', all processes are killed at once.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_UNREAD = 0.25  # seconds before a kill within which an answer may not have been read


def _now() -> float:
    return asyncio.get_running_loop().time()


@dataclass
class Asked:
    """One request: when it came, when its answer was sent, and how long its host is to be left alone after that."""

    host: str
    address: str
    path: str
    arrived: float
    answered: float | None = None
    status: int = 0
    rest: float = 0.0

    @property
    def end(self) -> float:
        return self.arrived if self.answered is None else self.answered


class Witness:
    """A server of many hosts that notes every request.

    crawl_delay, retry_after: seconds that some of the hosts ask for. latency: how long every answer takes.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own, by name
        self,
        hosts: int,
        addresses: int,
        *,
        crawl_delay: float,
        retry_after: int,
        pages: int = 10**6,
        latency: float = 0.0,
    ) -> None:
        self._crawl_delay, self._retry_after, self._pages, self._latency = crawl_delay, retry_after, pages, latency
        self._hosts = [f"h{number}.test" for number in range(hosts)]
        self._addresses = [f"127.0.0.{number + 2}" for number in range(addresses)]
        self._ports: dict[str, int] = {}
        self._asked_of: dict[str, int] = {}
        self._connections: set[asyncio.Task[None]] = set()
        self.log: list[Asked] = []
        self.kills: list[tuple[float, float]] = []  # from when on nothing was noted, and when it was over

    @property
    def seeds(self) -> list[str]:
        return [f"http://{host}/0" for host in self._hosts]

    def address(self, host: str) -> str:
        return self._addresses[self._hosts.index(host) * len(self._addresses) // len(self._hosts)]

    @property
    def connect_to(self) -> list[str]:
        """Rules that send every host to its address."""
        return [f"{host}:80:{self.address(host)}:{self._ports[self.address(host)]}" for host in self._hosts]

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        servers = []
        for address in self._addresses:
            server = await asyncio.start_server(self._serve, address, 0)
            self._ports[address] = server.sockets[0].getsockname()[1]
            servers.append(server)
        try:
            yield
        finally:
            for server in servers:
                server.close()
            await self.drained()

    async def drained(self) -> None:
        """Until all has been read that a crawl which is no more has sent."""
        await asyncio.gather(*self._connections)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection: Any = asyncio.current_task()
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                arrived = _now()
                path = head.split(b" ", 2)[1].decode()
                host = head.lower().partition(b"\r\nhost: ")[2].partition(b"\r\n")[0].decode()
                asked = Asked(host, writer.get_extra_info("sockname")[0], path, arrived)
                self.log.append(asked)
                answer = self._answer(asked)
                await asyncio.sleep(self._latency)
                asked.answered = _now()  # before it is sent, so that no gap looks shorter than it is
                writer.write(answer)
                await writer.drain()
        writer.close()

    def _answer(self, asked: Asked) -> bytes:
        kind = self._hosts.index(asked.host) % 10
        headers, body = "content-type: text/html", ""
        asked.status = 200
        if asked.path == "/robots.txt":
            body = "User-agent: *\n" + (f"Crawl-delay: {self._crawl_delay}\n" if kind == 1 else "Disallow: /no\n")
        else:
            turn = self._asked_of[asked.host] = self._asked_of.get(asked.host, -1) + 1
            number = int(asked.path[1:])
            links = (link for link in (2 * number + 1, 2 * number + 2) if link < self._pages)
            body = "".join(f'<a href="/{link}">to</a>' for link in links) or "<p>"
            if kind in (2, 3) and turn % 3 == 0:
                asked.status = 429 if kind == 2 else 503
                asked.rest = self._retry_after
                headers += f"\r\nretry-after: {self._retry_after}"
            elif kind in (4, 5) and turn % 4 < 2:
                asked.status = 429 if kind == 4 else 503
        return f"HTTP/1.1 {asked.status} so\r\n{headers}\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()

    def gaps(self, delay: float) -> Iterator[tuple[str, float, float]]:
        """(host, gap, what was promised) for every two requests to a host."""
        last: dict[str, tuple[Asked, float]] = {}
        states: dict[str, set[float]] = {}
        for asked in sorted(self.log, key=lambda asked: asked.arrived):
            if asked.host in last:
                before, promised = last[asked.host]
                yield asked.host, asked.arrived - before.arrived, promised
            unread = states.get(asked.host, {0.0})
            read = {self._read(asked, crawl_delay) for crawl_delay in unread}
            rest = asked.end - asked.arrived + asked.rest if asked.rest else 0.0
            if self._is_read(asked):
                states[asked.host] = read
            elif asked.answered is None:
                states[asked.host], rest = unread, 0.0
            else:
                states[asked.host], rest = unread | read, 0.0
            last[asked.host] = asked, max(delay, rest, min(states[asked.host]))

    def _read(self, asked: Asked, crawl_delay: float) -> float:
        """The delay that a host's robots.txt asks for, once an answer is read."""
        is_robots = asked.path == "/robots.txt" and self._hosts.index(asked.host) % 10 == 1
        return self._crawl_delay if is_robots else crawl_delay

    def address_gaps(self) -> Iterator[tuple[str, float]]:
        """(address, gap) for every two requests to an address."""
        last: dict[str, Asked] = {}
        for asked in sorted(self.log, key=lambda asked: asked.arrived):
            if asked.address in last:
                yield asked.address, asked.arrived - last[asked.address].arrived
            last[asked.address] = asked

    def _is_read(self, asked: Asked) -> bool:
        return asked.answered is not None and not any(
            asked.arrived <= over and asked.answered > begun - _UNREAD for begun, over in self.kills
        )


def kill_session(leader: int) -> None:
    """Kill all processes of a session, whatever groups they are in, its leader first, who would start others again."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    for pid in sorted(pids, key=lambda pid: pid != leader):
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(pid) == leader:
                os.kill(pid, signal.SIGKILL)


async def _begun(command: list[str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL, start_new_session=True)


async def measured(arguments: argparse.Namespace, store: Path) -> Witness:
    """Crawl, kill, crawl again."""
    witness = Witness(arguments.hosts, arguments.addresses, crawl_delay=45.0, retry_after=7, latency=0.02)
    async with witness.serving():
        rules = [part for rule in witness.connect_to for part in ("--connect-to", rule)]
        words = ["crawl", "--partitions", str(arguments.partitions)]
        words = words if arguments.partitions else ["crawl", "--no-progress"]
        command = [sys.executable, "-m", "minicrawl", *words, *witness.seeds, *rules, "--allow-private", "-q"]
        command += ["--delay", str(arguments.delay), "--concurrency", "256"]
        command += arguments.options
        if arguments.workers:
            command += ["--workers", str(arguments.workers)]
        for run in range(arguments.kills + 1):
            crawl = await _begun([*command, "--store", str(store)])
            await asyncio.sleep(arguments.seconds / (arguments.kills + 1) + 0.137 * run)
            begun = _now()
            kill_session(crawl.pid)
            await crawl.wait()
            await witness.drained()
            witness.kills.append((begun, _now()))
    return witness


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--addresses", type=int, default=40)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--partitions", type=int, default=0)
    arguments, options = parser.parse_known_args()
    arguments.options = options
    with tempfile.TemporaryDirectory() as folder:
        witness = asyncio.run(measured(arguments, Path(folder) / "crawl.db"))
    gaps, address_gaps = list(witness.gaps(arguments.delay)), list(witness.address_gaps())
    early = [gap for gap in gaps if gap[1] < gap[2]]
    early_addresses = [gap for gap in address_gaps if gap[1] < arguments.delay]
    asked = {asked.host for asked in witness.log}
    print(f"{len(witness.log)} requests to {len(asked)} hosts, {len(witness.kills)} kills")
    spare = min(gap - promised for _, gap, promised in gaps)
    print(f"{len(gaps)} gaps of hosts, {len(early)} below the promise; the closest {spare:.4f} s above it")
    spare = min(gap for _, gap in address_gaps) - arguments.delay
    print(f"{len(address_gaps)} gaps of addresses, {len(early_addresses)} below; the closest {spare:.4f} s above")
    for host, gap, promised in early[:20]:
        print(f"  {host}: {gap:.4f} s, promised {promised:g} s")
    for address, gap in early_addresses[:20]:
        print(f"  {address}: {gap:.4f} s, promised {arguments.delay:g} s")


if __name__ == "__main__":
    main()
