"""Hosts that want what is not theirs: one machine of loopback is every name, port and scheme.

Every origin links and redirects to every other one, in all the ways that a page or an answer can. origins.pem: a key
and its certificate for the names in ORIGINS, good for a hundred years, trusted by nobody else.
"""

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from support.loopback import Connections

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport
from minicrawl.settings import ConnectTo

PEM = Path(__file__).parent / "origins.pem"
OWNER = "https://h.test"
ORIGINS = (
    *(OWNER, "http://h.test", "http://h.test:81", "https://h.test:444", "http://sub.h.test", "https://sub.h.test"),
    "http://h.test.",
    "https://xh.test",
    "http://evil.test",
    "https://evil.test",
    "https://h.test.evil.test",
)
_REDIRECTS = ("301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent")


class Asked(NamedTuple):
    """A request. `headers`: by name in lower case."""

    origin: str
    path: str
    headers: dict[str, str]


def pages(asked: Asked) -> list[bytes]:
    """Lines of the head, and the body: links to all other origins, redirects to them, a robots.txt that redirects."""
    number = ORIGINS.index(asked.origin)
    if asked.path == "/robots.txt":
        to = ORIGINS[(number + 1) % len(ORIGINS)]
        return [b"HTTP/1.1 302 Found", f"Location: {to}/rules".encode(), b"", b""]
    if asked.path == "/rules":
        return [b"HTTP/1.1 200 OK", b"Content-Type: text/plain", b"", b""]
    if asked.path.startswith("/to/"):
        to = ORIGINS[int(asked.path[4:])]
        status = _REDIRECTS[int(asked.path[4:]) % len(_REDIRECTS)]
        return [f"HTTP/1.1 {status}".encode(), f"Location: {to}/moved".encode(), b"", b""]
    if asked.path != "/":
        return [b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"", b"<p>nothing"]
    links = [f"{origin}/{kind}" for origin in ORIGINS for kind in ("", "linked")]
    links += [f"/to/{other}" for other in range(len(ORIGINS))]
    links += ["https://h.test@evil.test/user", "//evil.test/bare", "https:\\\\evil.test\\back"]
    body = "".join(f'<a href="{link}">to</a>' for link in links)
    return [b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"", body.encode()]


class Web:
    """Serves `reply` at every origin, and remembers what was asked for."""

    def __init__(self, reply: Callable[[Asked], list[bytes]] = pages, tls: ssl.SSLContext | None = None) -> None:
        self.reply = reply
        self.asked: list[Asked] = []
        self.connect_to: tuple[ConnectTo, ...] = ()
        self._connections = Connections(self._answer)
        self._tls = tls or ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(PEM)

    def having(self, header: str) -> dict[str, str]:
        """Origins that were sent a header, and with what value."""
        return {asked.origin: asked.headers[header] for asked in self.asked if header in asked.headers}

    async def __aenter__(self) -> "Web":
        self._servers = [
            await asyncio.start_server(self._connections.serve, "127.0.0.1", 0, ssl=context)
            for context in (None, self._tls)
        ]
        plain, secure = (server.sockets[0].getsockname()[1] for server in self._servers)
        secure_ports = [ConnectTo(None, port, "127.0.0.1", secure) for port in (443, 444)]
        self.connect_to = (*secure_ports, ConnectTo(None, None, "127.0.0.1", plain))
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        await self._connections.end()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            *lines, body = self.reply(self._noted(head, writer))
            lines.insert(1, b"Content-Length: %d" % len(body))
            writer.write(b"\r\n".join([*lines, body]))
            await writer.drain()

    def _noted(self, head: str, writer: asyncio.StreamWriter) -> Asked:
        line, *fields = head.removesuffix("\r\n\r\n").split("\r\n")
        headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        scheme = "http" if writer.get_extra_info("ssl_object") is None else "https"
        asked = Asked(f"{scheme}://{headers['host']}", line.split()[1], headers)
        self.asked.append(asked)
        return asked


def crawled(web: Web, store: Path, seeds: list[str], **settings: Any) -> CrawlReport:
    """Crawl from seeds, all origins being the web's."""

    async def run() -> CrawlReport:
        async with web:
            options: Any = {"delay": 0.0, "traps": False, "sitemaps": False, "ca_file": PEM} | settings
            return await acrawl(seeds, store, connect_to=web.connect_to, allow_private=True, **options)

    return asyncio.run(run())
