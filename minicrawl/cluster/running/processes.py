"""Partitions in processes of this machine, each connected to the keeper by a socket; the protocol of any partition.

machines/hosted.py has those on other machines. In both a member.Member answers, whose module lists the messages.
"""

import asyncio
import contextlib
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.brief import Brief, packed
from minicrawl.cluster.running.post import hung_up
from minicrawl.cluster.running.worker import LONGEST_OF_ALL
from minicrawl.control.messages import Message, answer_of, connected, line_of, message_of
from minicrawl.errors import StoreError
from minicrawl.system import started_over_socket

_SECONDS, _APART = 60.0, 0.1
"""Seconds until the processes of a killed keeper must have ended, and between two checks of their stores."""
_DYING = 5.0
"""Seconds within which a process is gone whose connections have broken off."""


class Processes:
    """Processes of this machine, which have all partitions between them. Each ends when the keeper has closed all its
    connections, or has died."""

    def __init__(self, number: int) -> None:
        """number: of processes."""
        self.number = number
        self._places: dict[int, int] = {}
        """The process of each partition begun, from 0 on."""
        self._running: dict[int, _Process] = {}

    async def start(self, brief: Brief) -> "Process":
        """Begin a partition, in a new process if its own has ended; without a place, where there are fewest."""
        counts = Counter(self._places.values())
        at = self._places.setdefault(brief.number, min(range(self.number), key=lambda at: counts[at]))
        process = self._running.get(at)
        if process is None or not process.is_running:
            if process is not None:
                process.line.close()
            process = self._running[at] = _Process(*started_over_socket("minicrawl.cluster.running.worker"))
        ours, theirs = socket.socketpair()
        with theirs, contextlib.suppress(OSError):  # it has died; the first question finds that
            socket.send_fds(process.line, [b"+"], [theirs.fileno()])
        reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST_OF_ALL)
        writer.write(packed(brief))
        return Process(process, reader, writer)

    async def aclose(self) -> None:
        """Wait for all processes, whose connections are closed."""
        for process in self._running.values():
            process.line.close()
            await asyncio.to_thread(process.popen.wait)


@dataclass
class _Process:
    popen: "subprocess.Popen[bytes]"
    line: socket.socket

    @property
    def is_running(self) -> bool:
        return self.popen.poll() is None

    async def how_it_died(self) -> str | None:
        """The signal that has killed it, in words; None if it was not killed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self.popen.wait, _DYING)
        code = self.popen.returncode
        return f"by signal {-code}" if code is not None and code < 0 else None


@dataclass(frozen=True)
class Process:
    """A partition in a process. It ends when its keeper closes the connection."""

    _process: _Process
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def pid(self) -> int:
        return self._process.popen.pid

    async def ask(self, message: Message) -> Message | None:
        """Send a message; see `Kept.ask`. Raises DeadError, and MinicrawlError if the partition has failed."""
        answer = b""
        async with self._turn:
            with contextlib.suppress(OSError):
                self._writer.write(line_of(message))
                await self._writer.drain()
                answer = await self._reader.readline()
        if answer.endswith(b"\n"):
            return answer_of(message_of(answer))
        await hung_up(self._writer)
        killed = await self._process.how_it_died()
        if killed is not None:
            raise DeadError(killed)
        raise StoreError(f"process {self.pid} of the crawl has failed; what it printed says why")

    def kill(self) -> None:
        """Kill its process, with all its partitions."""
        self._process.popen.kill()

    async def end(self) -> None:
        with contextlib.suppress(OSError):
            self._writer.write_eof()
            async with self._turn:
                await self._reader.read()  # until it has closed its end
        await hung_up(self._writer)


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


class Holders(Protocol):
    """Processes that have partitions."""

    @property
    def number(self) -> int:
        """Number of processes."""
        ...

    async def start(self, brief: Brief) -> Kept:
        """Begin a partition, or begin it again after a death."""
        ...

    async def aclose(self) -> None:
        """End all processes; their partitions have ended."""
        ...


Start = Callable[[Brief], Awaitable[Kept]]
"""Starts a partition, or restarts it after a death."""
