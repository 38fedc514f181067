"""The dashboard as a whole: it listens on loopback until it is stopped. The crawl takes no notice of its end."""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from minicrawl.dashboard.readings import Readings
from minicrawl.dashboard.routes import Routes
from minicrawl.dashboard.web.guard import Guard
from minicrawl.dashboard.web.http_messages import LARGEST_HEAD
from minicrawl.dashboard.web.http_server import Connections
from minicrawl.errors import SettingError

_LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def serving(readings: Readings, port: int = 0, token: str | None = None) -> AsyncIterator[str]:
    """Serve the dashboard of a crawl as long as the block runs; its address, the token in it.

    port: 0 for any that is free. token: None for a new one. What is behind # in an address never leaves the browser.
    Raises SettingError for a port that cannot be had.
    """
    token = token or secrets.token_urlsafe(24)
    listener = _bound(port)
    bound: int = listener.getsockname()[1]
    guard = Guard(bound, token)
    connections = Connections(Routes(readings, guard).answer, guard.has_token)
    server = await asyncio.start_server(connections.serve, sock=listener, limit=LARGEST_HEAD)
    try:
        yield f"http://{_LOOPBACK}:{bound}/#token={token}"
    finally:
        server.close()
        await connections.end()
        await server.wait_closed()


def _bound(port: int) -> socket.socket:
    """A socket that has the port; nobody is heard on it yet."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # a port that was ours a moment ago; elsewhere this would take it from somebody
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((_LOOPBACK, port))
    except OSError as error:
        found.close()
        raise SettingError(
            f"--port {port} cannot be had: {error.strerror}; name another one, or none for any that is free"
        ) from error
    return found
