"""A client of a crawl that listens, in the event loop of the crawl."""

import asyncio
import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from minicrawl.control.messages import places


class Line:
    """A connection to the socket of a store."""

    def __init__(self, store: Path) -> None:
        self._store = store

    async def __aenter__(self) -> Self:
        path = next(path for path in places(self._store) if path.exists())
        self.reader, self.writer = await asyncio.open_unix_connection(path, limit=2**24)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.writer.close()

    async def says(self, sent: bytes) -> Any:
        """The answer to some bytes; None when the line is closed."""
        self.writer.write(sent)
        line = await self.reader.readline()
        return json.loads(line) if line else None

    async def asks(self, what: str, **values: Any) -> Any:
        """The answer to a command."""
        return await self.says(json.dumps({"do": what, **values}).encode() + b"\n")


async def asked(store: Path, what: str, **values: Any) -> Any:
    """What comes of one command."""
    async with Line(store) as line:
        return await line.asks(what, **values)
