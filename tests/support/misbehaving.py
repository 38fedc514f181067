"""A server that answers as no server should, byte for byte, one fault per host.

A fault is the bytes it sends before it hangs up, or an act that does with the connection what it likes. Host
"gzip-bomb.first.test" has the fault "gzip-bomb" on its first page, "gzip-bomb.robots.test" in its robots.txt,
"gzip-bomb.target.test" on the page that another one redirects to; the rest of each host is a small, sound site.
"""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping

from support.loopback import LoopbackServer

POSITIONS = ("first", "robots", "target")
FAULTY_PATHS = {"first": "/", "robots": "/robots.txt", "target": "/fault"}
PAGE = b'<html><title>Faulty</title><a href="/found">found</a></html>\n'
ROBOTS = b"User-agent: *\nDisallow: /forbidden\n"
_PACE = 0.5  # seconds between the bytes of a slow answer
_LINKS: dict[str, dict[str, list[str]]] = {
    "first": {"/rest": []},
    "robots": {"/": ["/rest", "/forbidden"], "/rest": [], "/forbidden": []},
    "target": {"/": ["/moved", "/rest"], "/rest": []},
}


class Peer:
    """A connection whose request for `path` has been read, as a fault sees it.

    `body`: what a sound server would send; `number`: which request of its connection this is, from 1 on.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, number: int) -> None:
        self.path, self.number = path, number
        self.body = ROBOTS if path == "/robots.txt" else PAGE
        self._reader, self._writer = reader, writer

    async def send(self, *pieces: bytes) -> None:
        """Write, as fast as the client reads. Raises ConnectionError once it has gone."""
        for piece in pieces:
            self._writer.write(piece)
            await self._writer.drain()
            if self._writer.is_closing():
                raise ConnectionResetError

    async def send_forever(self, block: bytes) -> None:
        while True:
            await self.send(block)

    async def repeat(self, block: bytes) -> None:
        """The same again and again, with a pause between."""
        while not await self.leaves_within(_PACE):
            await self.send(block)

    async def drip(self, data: bytes) -> None:
        """A byte at a time, and the last one for ever."""
        place = 0
        while not await self.leaves_within(_PACE):
            await self.send(data[place : place + 1] or data[-1:])
            place += 1

    async def leaves(self) -> None:
        """Until the client gives up: in a fetch that is the crawl's own timeout."""
        await self._reader.read()

    async def leaves_within(self, seconds: float) -> bool:
        """Whether the client gives up so soon; enough time for it to read what was sent."""
        try:
            async with asyncio.timeout(seconds):
                await self._reader.read()
        except TimeoutError:
            return False
        return True

    def reset(self) -> None:
        """Send RST in place of FIN."""
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


Act = Callable[[Peer], Awaitable[None]]
Reply = bytes | Act


class MisbehavingServer(LoopbackServer):
    """Serves `faults` by name on loopback. `requests`: (host, head) of all requests, in the order they came."""

    def __init__(self, faults: Mapping[str, Reply]) -> None:
        super().__init__()
        self._faults = faults
        self.requests: list[tuple[str, bytes]] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number, fault = 0, None
        while fault is None:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"PRI "):  # HTTP/2
                break
            number += 1
            path, host = head.split(b" ", 2)[1].decode(), _host(head)
            self.requests.append((host, head))
            fault = self._fault(host, path)
            if callable(fault):
                await fault(Peer(reader, writer, path, number))
                break
            writer.write(fault if fault is not None else _sound(host, path))
            await writer.drain()

    def _fault(self, host: str, path: str) -> Reply | None:
        name, position = host.split(".")[:2]
        return self._faults[name] if path == FAULTY_PATHS[position] else None


def _host(head: bytes) -> str:
    line = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"host:"))
    return line.partition(b":")[2].strip().decode()


def _sound(host: str, path: str) -> bytes:
    """What the sound part of a host answers: pages as listed, hops to redirect along, no robots.txt."""
    position = host.split(".")[1]
    if path == "/robots.txt":
        return answer(b"", status="404 Not Found")
    if path == "/moved":
        return redirect(b"/fault")
    if path.startswith("/hop/") and path != "/hop/0":
        return redirect(f"/hop/{int(path.removeprefix('/hop/')) - 1}".encode())
    if path in ("/loop/a", "/loop/b"):
        return redirect(b"/loop/b" if path == "/loop/a" else b"/loop/a")
    links = _LINKS[position].get(path, [])
    return answer("".join(f'<a href="{link}">to</a>' for link in links).encode())


def answer(body: bytes = PAGE, *headers: str | bytes, status: str = "200 OK", length: object = None) -> bytes:
    """A response in HTTP/1.1, HTML unless a header says otherwise; `length`: what it claims, "" for nothing."""
    lines = [line if isinstance(line, bytes) else line.encode() for line in headers]
    if not any(line.lower().startswith(b"content-type") for line in lines):
        lines.insert(0, b"Content-Type: text/html")
    if length != "":
        lines.append(f"Content-Length: {len(body) if length is None else length}".encode())
    return b"\r\n".join([f"HTTP/1.1 {status}".encode(), *lines, b"", body])


def redirect(location: bytes, *headers: str | bytes) -> bytes:
    return answer(b"", b"Location: " + location, *headers, status="302 Found")


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    """A response in chunks that are written out: size, CRLF, bytes, CRLF."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(chunks) + end


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)
