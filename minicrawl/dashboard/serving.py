"""The dashboard as a whole: it listens on loopback until it is stopped. The crawl takes no notice of its end."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from minicrawl.dashboard.routes import Routes
from minicrawl.dashboard.web.guard import Guard
from minicrawl.dashboard.web.http_messages import LARGEST_HEAD
from minicrawl.dashboard.web.http_server import Connections
from minicrawl.errors import SettingError

_LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def serving(store: Path, port: int = 0, token: str | None = None) -> AsyncIterator[str]:
    """Serve the dashboard of a store as long as the block runs; its address, the token in it.

    port: 0 for any that is free. token: None for a new one. What is behind # in an address never leaves the browser.
    Raises SettingError for a port that cannot be had.
    """
    token = token or secrets.token_urlsafe(24)
    connections: Connections | None = None

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert connections is not None
        await connections.serve(reader, writer)

    try:
        server = await asyncio.start_server(serve, _LOOPBACK, port, limit=LARGEST_HEAD, start_serving=False)
    except OSError as error:
        raise SettingError(
            f"--port {port} cannot be had: {error.strerror}; name another one, or none for any that is free"
        ) from error
    bound: int = server.sockets[0].getsockname()[1]
    connections = Connections(Routes(store, Guard(bound, token)).answer)
    try:
        await server.start_serving()
        yield f"http://{_LOOPBACK}:{bound}/#token={token}"
    finally:
        server.close()
        await connections.end()
        await server.wait_closed()
