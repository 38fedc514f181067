"""A running crawl that listens: whoever connects to its socket may watch and steer it.

A client costs a task that waits for it, and no more than the crawl does for what it asks. One that is slow, silent or
sends rubbish is waited for by its own task alone, and not for ever.
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
"""Does what is asked; what comes of it. Raises MinicrawlError."""


@dataclass(frozen=True)
class Patience:
    """Seconds: for which a client may be `silent`; and for which it is waited for, at the `end`, to be answered.

    `clients`: how many there may be at once, each of which has a file open.
    """

    silent: float = 60.0
    end: float = 5.0
    clients: int = 12


@contextlib.asynccontextmanager
async def listening(
    crawl: SteeredRun,
    store: Path,
    on_deaf: Callable[[str], None] = lambda why: None,
    patience: Patience = Patience(),
) -> AsyncIterator[None]:
    """Let a crawl be steered from other shells as long as the block runs. on_deaf: is told why that is impossible."""
    async with answering(partial(what_is_done, crawl), store, on_deaf, patience):
        yield


@contextlib.asynccontextmanager
async def answering(
    do: Do, store: Path, on_deaf: Callable[[str], None] = lambda why: None, patience: Patience = Patience()
) -> AsyncIterator[None]:
    """Have done what is asked at the socket of a store, or of a folder, as long as the block runs."""
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
    """Whoever is connected."""

    def __init__(self, do: Do, patience: Patience) -> None:
        self._do = do
        self._patience = patience
        self._waiting: set[asyncio.Task[None]] = set()  # for the client to ask something
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
        except (OSError, TimeoutError, asyncio.CancelledError):  # it has gone, is too slow, or we end
            pass
        finally:
            self._waiting.discard(task)
            self._answering.discard(task)
            writer.transport.abort()

    async def end(self) -> None:
        """Let those have their answers who have asked; nobody else."""
        for task in self._waiting:
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering, timeout=self._patience.end)
        for task in self._answering:
            task.cancel()

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
        """What a client asks; None when it has gone, or says more than anybody has to say."""
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
        except Exception as error:  # whatever a client sends: it never ends the crawl
            log.command_failed(asked=repr(line[:200]), error=error)
            return failed(CrawlEndedError("minicrawl failed over this; the log of the crawl tells where"))
