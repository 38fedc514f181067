"""Connections to browsers: requests come over them one after the other, and are answered in that order."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from minicrawl import log
from minicrawl.dashboard.web.http_messages import (
    LARGEST_HEAD,
    Answer,
    BadRequestError,
    Request,
    bytes_of,
    refused,
    request_of,
)

Answering = Callable[[Request], Awaitable[Answer]]


@dataclass(frozen=True)
class Room:
    """`silent`: seconds for which a connection may be that has shown the token; `request`: seconds until one has come
    that has begun, and for which others are waited for. `connections`: at once; `strangers`: without the token."""

    silent: float = 75.0
    request: float = 5.0
    connections: int = 100
    strangers: int = 16


class Connections:
    """Answers requests until `end`.

    A connection is a stranger's until a request with the token has come over it. Where there are too many of those, the
    oldest one ends: whoever opens one and asks is answered, though others open many and say nothing.
    """

    def __init__(self, answering: Answering, has_token: Callable[[Request], bool], room: Room = Room()) -> None:
        self._answering = answering
        self._has_token = has_token
        self._room = room
        self._tasks: set[asyncio.Task[None]] = set()
        self._strangers: dict[asyncio.Task[None], None] = {}  # the oldest first

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes over one connection. For asyncio.start_server."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            self._make_room(task)
            if len(self._tasks) <= self._room.connections:
                while await self._answer_next(reader, writer, task):
                    pass
        except (OSError, TimeoutError, asyncio.CancelledError):  # it has gone, is too slow, or we end
            pass
        finally:
            self._tasks.discard(task)
            self._strangers.pop(task, None)
            writer.transport.abort() if writer.is_closing() else writer.close()

    async def end(self) -> None:
        """Let nobody wait any more."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _make_room(self, newcomer: asyncio.Task[None]) -> None:
        """Take in one more stranger."""
        if len(self._strangers) >= self._room.strangers:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        self._strangers[newcomer] = None

    async def _answer_next(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, task: asyncio.Task[None]
    ) -> bool:
        """Answer one request; returns whether another one may come."""
        try:
            async with asyncio.timeout(self._patience(task)):
                first = await reader.read(1)
            async with asyncio.timeout(self._room.request):
                request = await _read(first, reader)
        except BadRequestError as error:
            writer.write(bytes_of(refused(error.status, str(error)), stays_open=False))
            await writer.drain()
            return False
        if request is None:
            return False
        if self._has_token(request):
            self._strangers.pop(task, None)
        stays_open = request.headers.get("connection", "").lower() != "close"
        answer = await self._answer(request)
        writer.write(bytes_of(answer, stays_open=stays_open, with_body=request.method != "HEAD"))
        async with asyncio.timeout(self._patience(task)):
            await writer.drain()
        return stays_open

    def _patience(self, task: asyncio.Task[None]) -> float:
        """Seconds for which one end is waited for."""
        return self._room.request if task in self._strangers else self._room.silent

    async def _answer(self, request: Request) -> Answer:
        try:
            return await self._answering(request)
        except Exception as error:  # whatever somebody asks for: it never ends the server
            log.dashboard_failed(method=request.method, path=request.path[:200], error=error)
            return refused(500, "the dashboard failed over this; its log tells where")


async def _read(first: bytes, reader: asyncio.StreamReader) -> Request | None:
    """The request that begins with a byte; None when there is none. Raises BadRequestError."""
    try:
        head = first + await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequestError(431, f"the head of a request has {LARGEST_HEAD:,} bytes at most") from error
    request, length = request_of(head)
    try:
        return replace(request, body=await reader.readexactly(length)) if length else request
    except asyncio.IncompleteReadError:
        return None
