"""A test's own server on loopback: its connections are followed while they last, and over when it ends.

tls.pem: a key and its certificate for h.test and 127.0.0.1, good for a hundred years, trusted by nobody else.
"""

import asyncio
import contextlib
import random
import socket
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

PEM = Path(__file__).parent / "tls.pem"
Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def in_tls(*protocols: str, pem: Path = PEM) -> ssl.SSLContext:
    """What serves TLS. protocols: to agree on (RFC 7301)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    if protocols:
        context.set_alpn_protocols(protocols)
    return context


def quiet_port() -> int:
    """A port that is free, and that the system gives to nobody who does not ask for just that one: also while nobody
    listens there, no other test gets it."""
    while True:
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", random.randrange(20_000, 32_000)))
            return int(tried.getsockname()[1])


class Connections:
    """What `asyncio.start_server` hands on goes to `serve`; a peer that has gone is no error."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                await self._answering(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()

    async def end(self) -> None:
        """Let nobody wait any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class LoopbackServer:
    """Answers connections with `answer` at `port` while it is entered. tls: it speaks that."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.port, self.tls = 0, tls
        self._connections = Connections(self.answer)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        serve = self._connections.serve
        self._server = await asyncio.start_server(serve, "127.0.0.1", self.port, ssl=self.tls, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._connections.end()
