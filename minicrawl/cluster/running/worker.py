"""A process of partitions: it serves its keeper over a socket for each.

    python -m minicrawl.cluster.running.worker FILE_DESCRIPTOR

Over the socket given at its start it receives those of its partitions, any number at any time. On each it reads a Brief
first, see brief.py, then a message per line, each answered by a line, see member.py. When the keeper closes a
partition's socket, the partition stops as by Ctrl-C, commits, and the process closes its end. So do all when the keeper
dies, and the process ends.
"""

import asyncio
import contextlib
import signal
import socket
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from minicrawl import log
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.new_store import begin_store
from minicrawl.cluster.running.brief import HEAD, Brief, unpacked
from minicrawl.cluster.running.member import Member
from minicrawl.cluster.running.post import Carrier, Post, SocketPost, delivered
from minicrawl.cluster.running.settling import Settling
from minicrawl.control.messages import Message, done, failed, line_of, message_of
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.crawler.run import Together
from minicrawl.errors import MinicrawlError
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.writer import Writer
from minicrawl.system import manage_memory

_LEAST_CACHE = 1_000
"""Kilobytes."""
LONGEST_OF_ALL = 2**30
"""Maximum bytes of a message: the links of millions of sites."""


class Worker:
    """The partitions of this process, on any machine: `members` by number."""

    def __init__(self, carrier: Callable[[Folder], Carrier]) -> None:
        """carrier: makes the carrier of rows to other processes, for the crawl in a folder."""
        self.members: dict[int, Member] = {}
        self._carrier = carrier
        self._post: Post | None = None
        self._together: Together | None = None
        self._settling = Settling()
        self._round = 0

    @contextlib.asynccontextmanager
    async def opened(self, brief: Brief) -> AsyncIterator[Member]:
        """Have a partition during the block; it stops and commits at its end. Raises MinicrawlError."""
        folder, store = brief.folder, brief.folder.store(brief.number)
        log.log_only_to(brief.logs)
        log.PARTITION.set(brief.number)
        if self._post is None or self._together is None:
            self._post = Post(self.members, self._carrier(brief.folder))
            self._together = Together(brief.beside)
        with (
            damage_as_store_error(store),
            contextlib.closing(Writer(store, _sizes(brief.beside))) as books,
        ):
            if books.meta("cluster") is None and not books.size():  # also one left by a kill
                begin_store(books, folder.cluster, brief.number, folder.partitions)
            member = self.members[brief.number] = Member(brief, books, self._post, self._together, self.settle)
            try:
                async with delivered(store, self.members):
                    member.begin()
                    try:
                        yield member
                    finally:
                        await member.leave()
            finally:
                del self.members[brief.number]
                self._settling.close()

    def settle(self, number: int) -> None:
        """Settle all partitions here, which have crawled, in a round of this number; the second call does nothing."""
        if number > self._round:
            self._round = number
            here = sorted(self.members.items())
            self._settling.settle([member.partition for _, member in here if member.has_crawled])

    async def aclose(self) -> None:
        """Close what the partitions had in common."""
        if self._together is not None:
            await self._together.aclose()


def _sizes(partitions: int) -> Sizes:
    """The sizes of the store of each partition, of which a process has so many: together they have one's cache."""
    return replace(STANDARD_SIZES, cache=max(STANDARD_SIZES.cache // max(partitions, 1), _LEAST_CACHE))


class Server:
    """Serves the keeper of this machine."""

    def __init__(self) -> None:
        self._posts: list[SocketPost] = []
        self._worker = Worker(self._carrier)
        self._has_failed = False

    async def serve_all(self, lines: socket.socket) -> bool:
        """Serve partitions until the keeper has closed `lines`. Returns False if one has failed unexpectedly."""
        async with contextlib.AsyncExitStack() as stack, asyncio.TaskGroup() as serving:
            async for line in _received(lines):
                serving.create_task(self.serve(line))
            for member in self._worker.members.values():  # only a keeper that has died leaves any that crawl
                member.abort()
            stack.push_async_callback(self._aclose)
        return not self._has_failed

    async def serve(self, line: socket.socket) -> None:
        """Answer the keeper of a partition until it closes the connection."""
        reader, writer = await asyncio.open_connection(sock=line, limit=LONGEST_OF_ALL)
        try:
            head = await reader.readexactly(HEAD.size)
            brief = unpacked(head + await reader.readexactly(HEAD.unpack(head)[1]))
            async with self._worker.opened(brief) as member:
                while asked := await _asked(reader):
                    await _say(writer, done(await member.do(message_of(asked))))
        except asyncio.IncompleteReadError:  # the keeper has died, or changed its mind
            pass
        except MinicrawlError as error:
            await _say(writer, failed(error))
            with contextlib.suppress(OSError):
                await reader.read()  # until the keeper has read it
        except Exception:  # the keeper ends the crawl; other partitions commit meanwhile
            traceback.print_exc()
            self._has_failed = True
        finally:
            writer.close()

    def _carrier(self, folder: Folder) -> SocketPost:
        self._posts.append(SocketPost(folder.stores))
        return self._posts[-1]

    async def _aclose(self) -> None:
        await self._worker.aclose()
        for post in self._posts:
            await post.aclose()


async def _received(lines: socket.socket) -> AsyncIterator[socket.socket]:
    """The sockets sent over a socket, until that is closed."""
    lines.setblocking(False)
    readable = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(lines, readable.set)
    try:
        while True:
            await readable.wait()
            readable.clear()
            with contextlib.suppress(BlockingIOError):
                some, files, _, _ = socket.recv_fds(lines, 1, 1)
                if not some:
                    return
                yield socket.socket(fileno=files[0])
    finally:
        loop.remove_reader(lines)


async def _asked(reader: asyncio.StreamReader) -> bytes:
    """The next message; b"" once the keeper has closed the connection, or died."""
    with contextlib.suppress(OSError):  # also of an unread answer
        return await reader.readline()
    return b""


async def _say(writer: asyncio.StreamWriter, answer: Message) -> None:
    with contextlib.suppress(OSError):  # the keeper has died, which the next read reports
        writer.write(line_of(answer))
        await writer.drain()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the keeper decides what Ctrl-C means
    manage_memory()
    if not asyncio.run(Server().serve_all(socket.socket(fileno=int(sys.argv[1])))):
        sys.exit(1)


if __name__ == "__main__":
    main()
