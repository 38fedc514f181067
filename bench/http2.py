"""CPU, bytes and connections of a page by HTTP/1.1 and by HTTP/2, over TLS, one host.

    python bench/http2.py [--pages N]

The server and a relay that counts bytes are in a process of their own. Of each kind:

in turn      a request after the other, over connections that are kept
16 at once   the same, 16 requests at a time
new          a connection for each page, as where a host's turn comes less than twice in half a minute
"""

import argparse
import asyncio
import gzip
import multiprocessing
import random
import ssl
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.http2_server import PEM, Http2Server
from support.misbehaving import answer
from support.raw_server import Server, says

from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.crawler.http.httpx_transport import HttpxTransport
from minicrawl.model import PageRequest
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.timing import Timing

FIELDS = {"server": "x", "date": "Tue, 24 Nov 2026 20:44:08 GMT", "content-type": "text/html", "etag": '"6565-61f"'}
FIELDS |= {"content-encoding": "gzip", "last-modified": "Tue, 24 Nov 2026 20:44:08 GMT", "vary": "Accept-Encoding"}
WAYS = {"in turn": (1, True), "16 at once": (16, True), "new": (1, False)}


def page() -> bytes:
    """26 kB of HTML, 12 kB packed."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(2000)]
    lines = (f'<p>{" ".join(rng.choices(words, k=40))} <a href="/{number}">x</a>' for number in range(80))
    return gzip.compress("".join(lines).encode(), 6)


async def serve(to: Connection) -> None:
    body = page()
    counts = {"up": 0, "down": 0, "connections": 0}
    plain = says(answer(body, *(f"{name}: {value}" for name, value in FIELDS.items())), tls=True)
    http2 = Http2Server(lambda _: (200, FIELDS | {"content-length": str(len(body))}, body))

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: str) -> None:
        while data := await reader.read(1 << 18):
            counts[way] += len(data)
            writer.write(data)
            await writer.drain()
        writer.close()

    async def relayed(server: Server | Http2Server) -> int:
        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            counts["connections"] += 1
            there, back = await asyncio.open_connection("127.0.0.1", server.port)
            await asyncio.gather(pump(reader, back, "up"), pump(there, writer, "down"), return_exceptions=True)

        listening = await asyncio.start_server(relay, "127.0.0.1", 0)
        port: int = listening.sockets[0].getsockname()[1]
        return port

    async with plain, http2:
        to.send((await relayed(plain), await relayed(http2)))
        while True:
            await asyncio.to_thread(to.recv)
            to.send(dict(counts))
            counts.update(dict.fromkeys(counts, 0))


def serving(to: Connection) -> None:
    asyncio.run(serve(to))


async def measured(kind: str, way: str, ports: tuple[int, int], pages: int, server: Connection) -> str:
    """Ask for pages, and tell what one has taken."""
    at_once, keeps = WAYS[way]
    port = ports["2" in kind]
    timing = Timing(keep_alive=30.0 if keeps else 0.0)
    rules = (ConnectTo(None, None, "127.0.0.1", port),)
    settings = CrawlSettings(connect_to=rules, allow_private=True, ca_file=PEM)
    transport, host = None, "h.test"
    if kind.startswith("httpx"):
        limits = httpx.Limits(max_keepalive_connections=100 if keeps else 0)
        trusting = ssl.create_default_context(cafile=str(PEM))
        own = httpx.AsyncHTTPTransport(verify=trusting, http1="1" in kind, http2="2" in kind, limits=limits)
        transport, host = HttpxTransport(own, timing), f"127.0.0.1:{port}"
    numbers = iter(range(pages))

    async def ask() -> None:
        for number in numbers:
            found = await fetcher.fetch(PageRequest(f"https://{host}/{number}"))
            assert len(found.body) > 20_000, found.reason

    async with Fetcher(settings, transport, timing) as fetcher:
        await fetcher.fetch(PageRequest(f"https://{host}/"))
        server.send(None)
        server.recv()
        before = time.process_time()
        await asyncio.gather(*(ask() for _ in range(at_once)))
        cpu = time.process_time() - before
        server.send(None)
        counts = server.recv()
    sizes = f"{counts['up'] / pages:,.0f} + {counts['down'] / pages:,.0f} bytes"
    return f"{way:11} {kind:9} {1000 * cpu / pages:.2f} ms, {sizes}, {counts['connections']} connections"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1500)
    pages = parser.parse_args().pages
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serving, args=(there,), daemon=True)
    process.start()
    ports = here.recv()
    for way in WAYS:
        for kind in ("HTTP/1.1", "HTTP/2", "httpx 1", "httpx 2"):
            print(asyncio.run(measured(kind, way, ports, pages, here)))
    process.terminate()


if __name__ == "__main__":
    main()
