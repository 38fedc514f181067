"""The post between partitions on one machine: a socket beside every store, accessible only to its owner.

A message is a line as in minicrawl.control, followed by the records of its rows:

{"do": "take", "version": 2, "source": 1, "rows": [[number, cash, received, bytes of its records], ...]}
{"done": {"number": 17}}    the last row of the source that the home has committed

{"do": "hold"}              take nothing until the connection closes, or:
{"do": "go on"}
{"done": {}}                all rows taken before are committed

The version is compared before any row is read. An invalid message is answered with an error, and the connection closed.

The socket has the path of a crawl's own, so steering commands get an error from a single partition.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

from minicrawl import log
from minicrawl.cluster.running.partition import PostError
from minicrawl.control.messages import LONGEST, Message, answer_of, done, failed, line_of, message_of
from minicrawl.control.socket_files import bound, connected, serving
from minicrawl.errors import ConfigError, MinicrawlError
from minicrawl.store.write.transfer_rows import OutboxRow

VERSION = 3
"""Version of the protocol between partitions and their keeper."""
_MOST_ROWS, _MOST_BYTES = 1_000, 64 * 2**20
"""Maximum rows and bytes of a message; a single row may be larger, and is then sent alone."""
_LARGEST, _MOST = 2**32, 2**63
"""Exclusive upper bounds of the bytes of a row, and of any other number."""
_SECONDS = 5.0
"""Seconds until a partition of this machine must accept a connection."""

Take = Callable[[int, Sequence[OutboxRow]], Awaitable[int]]
Hold = Callable[[], contextlib.AbstractAsyncContextManager[None]]


class SocketPost:
    """Sends rows to partitions of this machine. stores: by partition."""

    def __init__(self, stores: Sequence[Path]) -> None:
        self._stores = stores

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow]) -> int:
        """Send rows, possibly not all, to their home. Returns the last number committed there. Raises PostError."""
        some = some_of(rows)
        sizes = [[row.number, row.cash, row.received, len(row.records)] for row in some]
        line = connected(self._stores[home], _SECONDS)
        if line is None:
            raise PostError(f"partition {home} does not listen")
        reader, writer = await asyncio.open_unix_connection(sock=line)
        try:
            writer.write(line_of({"do": "take", "version": VERSION, "source": source, "rows": sizes}))
            writer.writelines(row.records for row in some)
            await writer.drain()
            return number_in(answer_of(message_of(await reader.readline())))
        except (OSError, ValueError, MinicrawlError) as error:
            raise PostError(str(error)) from error
        finally:
            await hung_up(writer)


@contextlib.asynccontextmanager
async def delivered(store: Path, home: int, take: Take, hold: Hold) -> AsyncIterator[None]:
    """Receive rows for a partition while the block runs. Its `store` must be locked. Raises StoreError."""
    senders: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        senders.add(task)
        try:
            # The sender has died: unconfirmed rows are sent again.
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                async with contextlib.AsyncExitStack() as held:
                    while True:
                        answer = await answered(reader, held)
                        writer.write(line_of(answer))
                        await writer.drain()
                        if answer.get("exit") == ConfigError.exit_code:
                            log.partition_refused(partition=home, why=answer["failed"])
                            break
        finally:
            await hung_up(writer)
            senders.discard(task)

    async def answered(reader: asyncio.StreamReader, held: contextlib.AsyncExitStack) -> Message:
        try:
            message = await _message(reader)
            match message["do"]:
                case "take":
                    source, rows = message.get("source"), await _rows(message, reader, home)
                    return done({"number": await take(_number(source, 2**16), rows)})
                case "hold":
                    await held.enter_async_context(hold())
                case _:
                    await held.aclose()
        except MinicrawlError as error:
            return failed(error)
        return done({})

    async def end() -> None:
        for task in senders:
            task.cancel()
        await asyncio.gather(*senders, return_exceptions=True)

    async with serving(bound(store), serve, end):
        yield


async def hung_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection, even a broken one."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def some_of(rows: Sequence[OutboxRow], most_bytes: int = _MOST_BYTES) -> Sequence[OutboxRow]:
    """The first rows, up to the limits of a message."""
    size = 0
    for count, row in enumerate(rows[:_MOST_ROWS]):
        size += len(row.records)
        if count and size > most_bytes:
            return rows[:count]
    return rows[:_MOST_ROWS]


def check_version(version: object) -> None:
    """Raise ConfigError for another version of the protocol."""
    if version != VERSION:
        raise ConfigError(
            f"messages of version {version!r} are another minicrawl's, and this one reads {VERSION}; end the crawl, "
            "and start it again with the same minicrawl everywhere"
        )


def number_in(answer: Message) -> int:
    """The number of the last row committed by the home. Raises ConfigError."""
    return _number(answer.get("number"))


async def _message(reader: asyncio.StreamReader) -> Message:
    """Read the next message, without its records. Raises ConfigError for an unreadable one."""
    try:
        line = await reader.readline()
    except ValueError as error:
        raise ConfigError(f"a message has {LONGEST:,} bytes at most") from error
    if not line.endswith(b"\n"):
        raise asyncio.IncompleteReadError(line, None)
    message = message_of(line)
    if message.get("do") not in ("take", "hold", "go on"):
        raise ConfigError("this is a partition of a crawl, which cannot be steered yet; Ctrl-C ends all")
    return message


async def _rows(message: Message, reader: asyncio.StreamReader, home: int) -> list[OutboxRow]:
    """Read the rows of a message. Raises ConfigError before any records are read."""
    check_version(message.get("version"))
    heads = message.get("rows")
    if not isinstance(heads, list) or len(heads) > _MOST_ROWS:
        raise ConfigError(f"a message has a list of {_MOST_ROWS:,} rows at most")
    if any(not isinstance(head, list) or len(head) != 4 for head in heads):
        raise ConfigError("a row has a number, two sums and a size")
    sizes = [_number(size, _LARGEST) for *_, size in heads]
    if len(heads) > 1 and sum(sizes) > _MOST_BYTES:
        raise ConfigError(f"several rows have {_MOST_BYTES:,} bytes at most")
    numbers = [_number(number) for number, *_ in heads]
    sums = [[_number(value, least=-_MOST) for value in values] for _, *values, _ in heads]
    return [
        OutboxRow(home, number, cash, received, await reader.readexactly(size))
        for number, (cash, received), size in zip(numbers, sums, sizes, strict=True)
    ]


def _number(value: object, most: int = _MOST, *, least: int = 0) -> int:
    """Check a number of a message. Raises ConfigError."""
    if type(value) is not int or not least <= value < most:
        raise ConfigError(f"{str(value)[:40]!r} is no number from {least} to {most - 1}")
    return value
