"""Asking a dashboard as a browser does: over a socket, by HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from minicrawl.dashboard.readings import Readings
from minicrawl.dashboard.serving import serving


class Came(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Browser:
    """Asks one dashboard; every request on a connection of its own."""

    def __init__(self, address: str) -> None:
        url = urlsplit(address)
        assert url.port is not None
        self.port, self.token = url.port, url.fragment.removeprefix("token=")

    async def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str | None) -> Came:
        """The answer to a request; headers: others than our own page sends, None to leave one out."""
        sent = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        fields: dict[str, str | None] = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.token}",
            "content_length": str(len(sent)),
            "connection": "close",
        }
        if body is not None:
            fields |= {"content_type": "application/json", "origin": f"http://127.0.0.1:{self.port}"}
        head = "".join(
            f"{name.replace('_', '-')}: {value}\r\n"
            for name, value in {**fields, **headers}.items()
            if value is not None
        )
        asked = f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + sent
        while (came := await self.say(asked)).status == 503:  # it is still being computed, and asked for again
            pass
        return came

    async def say(self, sent: bytes) -> Came:
        """The one answer to some bytes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(sent)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = b"" if method_of(sent) == b"HEAD" else await reader.readexactly(int(headers["content-length"]))
            return Came(int(first.split()[1]), headers, body)
        finally:
            writer.close()
            await writer.wait_closed()

    async def now(self, **query: int) -> Any:
        """How the crawl stands."""
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return (await self.ask(f"/api/now?{text}")).json

    async def has_done(self, **message: Any) -> Came:
        return await self.ask("/api/control", "POST", message)


def method_of(sent: bytes) -> bytes:
    return sent.partition(b" ")[0]


@asynccontextmanager
async def dashboard(store: Path) -> AsyncIterator[Browser]:
    """A dashboard of a store, or of a folder of partitions, as long as the block runs."""
    async with serving(Readings(store)) as address:
        yield Browser(address)
