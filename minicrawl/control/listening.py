"""The server side: clients that connect to a running crawl's socket may watch and steer it.

A client costs a task, and the work for its commands. Only its own task waits for a client that is slow, silent or sends
rubbish, and not for ever.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from minicrawl import log
from minicrawl.control.commands import done as what_is_done
from minicrawl.control.messages import LONGEST, Message, done, failed, line_of, message_of
from minicrawl.control.socket_files import bound, serving
from minicrawl.crawler.running_crawl import SteeredRun
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, StoreError

Do = Callable[[Message], Awaitable[Message]]
"""Carries out a command and returns its answer. Raises MinicrawlError."""


@dataclass(frozen=True)
class Patience:
    """Seconds that a client may be `silent`, and seconds at the `end` for answers under way.

    `clients`: most clients at once, each with an open file.
    """

    silent: float = 60.0
    end: float = 5.0
    clients: int = 12


@contextlib.asynccontextmanager
async def listening(
    crawl: SteeredRun, store: Path, on_deaf: Callable[[str], None] = lambda why: None, patience: Patience = Patience()
) -> AsyncIterator[None]:
    """Let a crawl be steered from other shells during the block. on_deaf: called with the reason if it cannot be."""
    async with answering(partial(what_is_done, crawl), store, on_deaf, patience):
        yield


@contextlib.asynccontextmanager
async def answering(
    do: Do, store: Path, on_deaf: Callable[[str], None] = lambda why: None, patience: Patience = Patience()
) -> AsyncIterator[None]:
    """Answer commands at the socket of a store, or of a folder, during the block."""
    try:
        file = bound(store)
    except StoreError as error:
        on_deaf(str(error))
        yield
        return
    clients = _Clients(do, patience)
    async with serving(file, clients.serve, clients.end):
        yield


class _Clients:
    """The connected clients."""

    def __init__(self, do: Do, patience: Patience) -> None:
        self._do = do
        self._patience = patience
        self._waiting: set[asyncio.Task[None]] = set()  # for a command of the client
        self._answering: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it goes, or is silent for too long."""
        task = asyncio.current_task()
        assert task is not None
        is_one_too_many = len(self._waiting) + len(self._answering) >= self._patience.clients
        self._waiting.add(task)
        try:
            if is_one_too_many:
                await self._say(writer, failed(CrawlEndedError("too many others steer this crawl just now; try again")))
                return
            while (line := await self._line(reader, writer)) is not None:
                self._waiting.discard(task)
                self._answering.add(task)
                await self._say(writer, await self._answer(line))
                self._answering.discard(task)
                self._waiting.add(task)
        except (OSError, TimeoutError, asyncio.CancelledError):  # the client has gone or is too slow, or the crawl ends
            pass
        finally:
            self._waiting.discard(task)
            self._answering.discard(task)
            writer.transport.abort()

    async def end(self) -> None:
        """Let clients that have asked get their answers, and drop the others."""
        for task in self._waiting:
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering, timeout=self._patience.end)
        for task in self._answering:
            task.cancel()

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
        """The next command of a client; None if it has gone, or its line is too long."""
        try:
            async with asyncio.timeout(self._patience.silent):
                line = await reader.readline()
        except ValueError:
            await self._say(writer, failed(ConfigError(f"a message has {LONGEST:,} bytes at most")))
            return None
        return line if line.endswith(b"\n") else None

    async def _say(self, writer: asyncio.StreamWriter, message: Message) -> None:
        writer.write(line_of(message))
        async with asyncio.timeout(self._patience.silent):
            await writer.drain()

    async def _answer(self, line: bytes) -> Message:
        try:
            return done(await self._do(message_of(line)))
        except MinicrawlError as error:
            return failed(error)
        except Exception as error:  # no command ends the crawl
            log.event("command-failed", asked=repr(line[:200]), error=error)
            return failed(CrawlEndedError("minicrawl failed over this; the log of the crawl tells where"))
