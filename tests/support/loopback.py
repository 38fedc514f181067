"""Connections of a test's own server on loopback: followed while they last, and over when the server ends."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


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
            writer.transport.abort()

    async def end(self) -> None:
        """Let nobody wait any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
