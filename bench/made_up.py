"""A server that makes up a web without end, cheaply: for benchmarks of the crawl.

    python bench/made_up.py HOSTS LATENCY CHILDREN FAILING

On loopback, for as long as its standard input is open; its port is the first line it prints, the least time between
two requests to each host the second. Page n of a host links to CHILDREN pages further down there, and to a dozen near
the top of other hosts. It answers after LATENCY seconds ("0" or ".1-.3", drawn evenly). A share FAILING of the hosts
never answers, or only after 5 s.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

_WORDS = [a + b for a in ("ba", "de", "ki", "lo", "mu", "na", "pe", "ri") for b in ("sto", "rim", "gal", "vent", "dor")]
_ROBOTS = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


class MadeUpWeb:
    """The server, in a process of its own. `gaps` once it has ended: seconds, the least of each host, rising."""

    def __init__(self, hosts: int, latency: str = "0", children: int = 2, failing: float = 0.0) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__, str(hosts), latency, str(children), str(failing)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._server.stdout is not None
        self.port = int(self._server.stdout.readline())
        self.seeds = [f"http://h{number}.test/" for number in range(hosts)]
        self.gaps: list[float] = []

    @property
    def cpu(self) -> float:
        """CPU seconds of the server so far."""
        fields = Path(f"/proc/{self._server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self.gaps = json.loads(self._server.communicate(b"")[0])


class Connection(asyncio.Protocol):
    """One connection; a request comes in one piece."""

    last: ClassVar[dict[str, float]] = {}
    gaps: ClassVar[dict[str, float]] = {}

    def __init__(self, hosts: int, latency: tuple[float, float], children: int, failing: float) -> None:
        self._hosts, self._latency, self._children, self._failing = hosts, latency, children, failing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        head = data.decode().split("\r\n")
        path = head[0].split(" ")[1]
        host = next(line[6:] for line in head if line.lower().startswith("host: "))
        self._note(host)
        number = int(host[1:].partition(".")[0])
        wait = random.uniform(*self._latency)
        if self._failing and number % round(1 / self._failing) == 0:
            if number % 2 == 0:
                return  # it never answers
            wait = 5.0
        if wait:
            asyncio.get_running_loop().call_later(wait, self._answer, number, path)
        else:
            self._answer(number, path)

    def _note(self, host: str) -> None:
        now = time.monotonic()
        if host in self.last:
            self.gaps[host] = min(self.gaps.get(host, 1e9), now - self.last[host])
        self.last[host] = now

    def _answer(self, host: int, path: str) -> None:
        if path == "/robots.txt":
            self._transport.write(_ROBOTS)
            return
        number = path[1:] or "0"
        body = page(host, int(number), self._hosts, self._children).encode() if number.isdigit() else b"nothing"
        status = "200 OK" if number.isdigit() else "404 Not Found"
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


def page(host: int, number: int, hosts: int, children: int) -> str:
    """The page of a URL, always the same."""
    rng = random.Random(host * 1_000_003 + number)
    links = [f"/{children * number + k}" for k in range(1, children + 1)]
    links += [f"http://h{rng.randrange(hosts)}.test/{rng.randrange(1 + number // 4)}" for _ in range(12)]
    words = " ".join(rng.choices(_WORDS, k=120))
    return f"<!doctype html><title>{host} {number}</title><p>{words}" + "".join(
        f'<p><a href="{link}">{rng.choice(_WORDS)}</a>' for link in links
    )


async def serve(hosts: int, latency: str, children: int, failing: float) -> None:
    low, _, high = latency.partition("-")
    wait = (float(low), float(high or low))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(hosts, wait, children, failing), "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    print(json.dumps(sorted(Connection.gaps.values())))


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
