"""Partitions in processes of this machine, each connected to the keeper by a socket; the protocol of any partition.

machines/hosted.py has those on other machines. In both a worker.Worker answers, whose module lists the messages.
"""

import asyncio
import contextlib
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.post import hung_up
from minicrawl.cluster.running.worker import LONGEST_OF_ALL, Brief, packed
from minicrawl.control.messages import Message, answer_of, line_of, message_of
from minicrawl.control.socket_files import connected
from minicrawl.errors import StoreError
from minicrawl.system import started_over_socket

_SECONDS, _APART = 60.0, 0.1
"""Seconds until the processes of a killed keeper must have ended, and between two checks of their stores."""


@dataclass(frozen=True)
class Process:
    """A process of a partition. It ends by itself when its keeper closes the connection."""

    _process: "subprocess.Popen[bytes]"
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, message: Message) -> Message | None:
        """Send a message; see `Kept.ask`. Raises DeadError, and MinicrawlError if the partition has failed."""
        answer = b""
        with contextlib.suppress(OSError):
            self._writer.write(line_of(message))
            await self._writer.drain()
            answer = await self._reader.readline()
        if answer.endswith(b"\n"):
            return answer_of(message_of(answer))
        await self.end()
        if self._process.returncode < 0:
            raise DeadError(f"by signal {-self._process.returncode}")
        raise StoreError(f"process {self.pid} of the crawl has failed; what it printed says why")

    def kill(self) -> None:
        self._process.kill()

    async def end(self) -> None:
        await hung_up(self._writer)
        await asyncio.to_thread(self._process.wait)


async def wait_for_orphans(folder: Folder) -> None:
    """Wait until processes of a killed keeper have ended. Raises StoreError if a crawl runs, or on timeout."""
    until = time.monotonic() + _SECONDS
    while folder.is_in_use:
        keeper = connected(folder.path, _APART)
        if keeper is not None:
            keeper.close()
        if keeper is not None or time.monotonic() > until:
            raise StoreError(f"another crawl is using {folder.path}; wait for it, or name another folder with --store")
        await asyncio.sleep(_APART)


async def started(brief: Brief) -> Process:
    """Start the process of a partition."""
    process, ours = started_over_socket("minicrawl.cluster.running.worker")
    reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST_OF_ALL)
    writer.write(packed(brief))
    return Process(process, reader, writer)


class DeadError(Exception):
    """The process of a partition has died, as "by signal 9" in the message. Its store has every commit."""


class Kept(Protocol):
    """A running partition."""

    @property
    def pid(self) -> int:
        """Process id, on the machine of the process."""
        ...

    async def ask(self, message: Message) -> Message | None:
        """Send a message, and return the answer; None while the partition is being started.

        Raises DeadError, and MinicrawlError if the partition has failed.
        """
        ...

    def kill(self) -> None:
        """Kill it at once; commits are atomic, so only work since the last one is lost."""
        ...

    async def end(self) -> None:
        """Close the connection, and wait until the partition has stopped, committed and ended."""
        ...


Start = Callable[[Brief], Awaitable[Kept]]
"""Starts a partition, or restarts it after a death."""
