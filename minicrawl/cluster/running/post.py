"""The post between partitions on one machine: a socket beside every store, which its owner alone may use.

A message is a line as those of minicrawl.control, and behind it the records of its rows, one after the other:

{"do": "take", "source": 1, "rows": [[number, cash, received, walkers, bytes of its records], ...]}
{"done": {"number": 17}}    the last row of the source that the home has committed

{"do": "hold"}              take nothing until the line is closed, or:
{"do": "go on"}
{"done": {}}                what was taken before is committed

It is where the socket of a crawl is, so whoever wants to steer a partition as a crawl is answered in a sentence.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

from minicrawl.cluster.running.partition import PostError
from minicrawl.control.messages import Message, answer_of, done, failed, line_of, message_of
from minicrawl.control.socket_files import bound, connected, serving
from minicrawl.errors import ConfigError, MinicrawlError
from minicrawl.store.write.transfer_rows import OutboxRow

_MOST_ROWS, _MOST_BYTES = 1_000, 64 * 2**20
"""Of a message, but for one row that is larger: the others come with the next."""
_SECONDS = 5.0
"""Until a partition of this machine lets itself be connected to."""

Take = Callable[[int, Sequence[OutboxRow]], Awaitable[int]]
Hold = Callable[[], contextlib.AbstractAsyncContextManager[None]]


class SocketPost:
    """Brings rows to partitions of this machine. stores: of all partitions, by their numbers."""

    def __init__(self, stores: Sequence[Path]) -> None:
        self._stores = stores

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow]) -> int:
        """Bring rows to their home, not always all of them; the number of the last one it has committed."""
        some = some_of(rows)
        sizes = [[row.number, row.cash, row.received, row.walkers, len(row.records)] for row in some]
        line = connected(self._stores[home], _SECONDS)
        if line is None:
            raise PostError(f"partition {home} does not listen")
        reader, writer = await asyncio.open_unix_connection(sock=line)
        try:
            writer.write(line_of({"do": "take", "source": source, "rows": sizes}))
            writer.writelines(row.records for row in some)
            await writer.drain()
            answer = answer_of(message_of(await reader.readline()))
        except (OSError, MinicrawlError) as error:
            raise PostError(str(error)) from error
        finally:
            await hung_up(writer)
        return int(answer["number"])


@contextlib.asynccontextmanager
async def delivered(store: Path, home: int, take: Take, hold: Hold) -> AsyncIterator[None]:
    """Let rows for a partition arrive as long as the block runs. Its `store` must be locked. Raises StoreError."""
    senders: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        senders.add(task)
        try:
            # Of a sender that has died: what was not confirmed is sent again.
            with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
                async with contextlib.AsyncExitStack() as held:
                    while line := await reader.readline():
                        writer.write(line_of(await answer(line, reader, held)))
                        await writer.drain()
        finally:
            await hung_up(writer)
            senders.discard(task)

    async def answer(line: bytes, reader: asyncio.StreamReader, held: contextlib.AsyncExitStack) -> Message:
        try:
            message = message_of(line)
            match message.get("do"):
                case "take":
                    return done({"number": await take(message["source"], await _rows(message, reader, home))})
                case "hold":
                    await held.enter_async_context(hold())
                case "go on":
                    await held.aclose()
                case _:
                    raise ConfigError("this is a partition of a crawl, which cannot be steered yet; Ctrl-C ends all")
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
    """Close a line, whatever has become of it."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def some_of(rows: Sequence[OutboxRow], most_bytes: int = _MOST_BYTES) -> Sequence[OutboxRow]:
    """As many of the first rows as a message may have."""
    size = 0
    for count, row in enumerate(rows[:_MOST_ROWS]):
        size += len(row.records)
        if count and size > most_bytes:
            return rows[:count]
    return rows[:_MOST_ROWS]


async def _rows(message: Message, reader: asyncio.StreamReader, home: int) -> list[OutboxRow]:
    return [
        OutboxRow(home, number, cash, received, walkers, await reader.readexactly(size))
        for number, cash, received, walkers, size in message["rows"]
    ]
