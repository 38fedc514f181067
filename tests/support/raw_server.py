"""A server whose connections a function talks over, in the clear or in TLS, and what is fetched from it."""

import asyncio
from collections.abc import Sequence
from typing import Any

from support.loopback import Answering, LoopbackServer, in_tls, quiet_port
from support.misbehaving import answer
from support.sites import Site, html

from minicrawl.crawler.sources.local import fetch_options
from minicrawl.model import Fetched, PageRequest
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.http.transport import Sign
from minicrawl.web.net.open_files import Room


class Server(LoopbackServer):
    """Hands each connection to `talk`. `heads`: all requests; `connections`: how many were made."""

    def __init__(self, talk: Answering, *, tls: bool = False, protocols: Sequence[str] = ()) -> None:
        """protocols: to agree on in TLS (RFC 7301)."""
        super().__init__(in_tls(*protocols) if tls else None)
        self._talk = talk
        self.heads: list[bytes] = []
        self.connections = 0

    async def head(self, reader: asyncio.StreamReader) -> bytes:
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        return self.heads[-1]

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        await self._talk(reader, writer)


def says(*replies: bytes, tls: bool = False) -> Server:
    """A server that answers the requests of a connection in turn, the last reply again and again."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = 0
        while True:
            await server.head(reader)
            writer.write(replies[min(number, len(replies) - 1)])
            await writer.drain()
            number += 1

    server = Server(talk, tls=tls)
    return server


class SiteServer(Server):
    """Has the pages of a site by their URLs. shut_at: the answer after which nobody is let in; each ends its line."""

    def __init__(self, site: Site, shut_at: int | None = None) -> None:
        super().__init__(self.pages)
        self.site, self.shut_at, self.port = site, shut_at, quiet_port()

    async def pages(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fields = () if self.shut_at is None else ("Connection: close",)
        while True:
            asked, *lines = (await self.head(reader)).decode().split("\r\n")
            host = next(line[6:] for line in lines if line.lower().startswith("host: "))
            links = self.site.get(f"http://{host}{asked.split()[1]}")
            body, status = (html(links).encode(), "200 OK") if isinstance(links, list) else (b"", "404 Not Found")
            writer.write(answer(body, *fields, status=status))
            if len(self.heads) == self.shut_at:
                self._server.close()
            if fields:
                return


def all_names_at(port: int, **settings: Any) -> CrawlSettings:
    """Settings by which every name is the server's at this port of this machine, or as rules of connect_to say."""
    rules = (rule.format(port=port) for rule in settings.pop("connect_to", ["::127.0.0.1:{port}"]))
    return CrawlSettings(connect_to=tuple(map(ConnectTo.parse, rules)), **{"allow_private": True} | settings)


def fetched_from(  # noqa: PLR0913 - what a test of it may vary
    server: Server,
    *urls: str,
    proxied: str | None = None,
    timing: Timing = STANDARD,
    files: Room | None = None,
    at_once: bool = False,
    sign: Sign | None = None,
    **settings: Any,
) -> list[Fetched]:
    """What comes of these URLs, in turn or at once, all names being the server's or, `proxied`, asked of it as a
    proxy."""

    async def run() -> list[Fetched]:
        async with server:
            if proxied is None:
                given = all_names_at(server.port, **settings)
            else:
                proxy = proxied.format(port=server.port)
                given = CrawlSettings.of({"allow_private": True, "proxy": proxy, **settings})
            async with Fetcher(fetch_options(given, sign), None, timing, files) as fetcher:
                fetching = [fetcher.fetch(PageRequest(url)) for url in urls]
                return await asyncio.gather(*fetching) if at_once else [await fetch for fetch in fetching]

    return asyncio.run(run())


HELLO = answer(b"hello")
