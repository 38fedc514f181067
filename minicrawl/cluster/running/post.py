"""The post between partitions: rows for partitions of one process go together.

    Post        gathers rows for a moment, and gives those for the same process to its carrier as one batch
    SocketPost  carries batches over sockets of this machine; machines/hosted.py has the carrier between machines

Every store has a socket beside it, accessible only to its owner. A message is a line as in minicrawl.control, followed
by the records of its rows:

{"do": "take", "version": 5, "parcels": [{"source": 1, "home": 0, "rows": [[number, received, bytes], ...]}, ...]}
{"done": {"here": [0, 4, 8], "answers": [{"done": {"number": 17}}, ...]}}

here     partitions of the process, any of which takes its rows over this connection
answers  of each parcel: the last row of the source that the home has committed, or a failure

The version is compared before any row is read. An unreadable message is answered with an error, and the connection
closed; so is it after an invalid row. The socket has the path of a crawl's own, so steering commands get an error from
a single partition.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from minicrawl import log
from minicrawl.cluster.running.partition import PostError
from minicrawl.control.messages import (
    LONGEST,
    Message,
    answer_of,
    bound,
    connected,
    done,
    failed,
    line_of,
    message_of,
    serving,
)
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError
from minicrawl.store.transfers import OutboxRow

VERSION = 5
"""Version of the protocol between partitions and their keeper."""
_MOST_ROWS, _MOST_BYTES = 1_000, 64 * 2**20
"""Maximum rows and bytes of a batch; a single row may be larger, and is then sent alone."""
_LARGEST, _MOST = 2**32, 2**63
"""Exclusive upper bounds of the bytes of a row, and of any other number."""
_SECONDS = 5.0
"""Seconds until a partition of this machine must accept a connection."""
_UNUSED = 2
"""Maximum connections to a process that stay open without a batch."""
_GATHERED = 0.2
"""Seconds for which rows wait for others to the same process."""


class Parcel(NamedTuple):
    """Rows of one partition for another."""

    source: int
    home: int
    rows: Sequence[OutboxRow]


class Taker(Protocol):
    """A partition that takes rows."""

    def take(self, source: int, rows: Sequence[OutboxRow]) -> "asyncio.Future[int]":
        """Take rows, and commit. Returns the number of the last row taken, or a MinicrawlError."""
        ...


class Carrier(Protocol):
    """Carries rows to other processes."""

    def process_of(self, home: int) -> int:
        """A number that partitions of the same process share, as far as that is known."""
        ...

    async def carry(self, parcels: Sequence[Parcel]) -> Sequence[Message]:
        """Bring parcels to one process. Returns the answer to each, as of `taken_by`. Raises PostError."""
        ...


class Post:
    """Sends rows of this process's partitions. here: its partitions, which get theirs directly."""

    def __init__(self, here: Mapping[int, Taker], carrier: Carrier) -> None:
        self._here = here
        self._carrier = carrier
        self._gathered: dict[int, list[tuple[Parcel, asyncio.Future[int]]]] = {}
        self._batches: set[asyncio.Task[None]] = set()

    def send(
        self, source: int, home: int, rows: Sequence[OutboxRow], *, hurries: bool = False
    ) -> "asyncio.Future[int]":
        """Send rows, possibly not all, to their home. Returns the last number committed there, or a MinicrawlError:
        they may have arrived.

        hurries: wait for no others.
        """
        rows = some_of(rows)
        if home in self._here:
            return self._here[home].take(source, rows)
        confirmed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        parcel, process = Parcel(source, home, rows), self._carrier.process_of(home)
        gathered = self._gathered.setdefault(process, [])
        gathered.append((parcel, confirmed))
        if len(gathered) == 1:
            confirmed.get_loop().call_later(0.0 if hurries else _GATHERED, self._send_off, process)
        return confirmed

    def _send_off(self, process: int) -> None:
        waiting = self._gathered.pop(process, [])
        while waiting:
            count = _count_of([parcel for parcel, _ in waiting])
            batch = asyncio.create_task(self._carried(waiting[:count]))
            self._batches.add(batch)
            batch.add_done_callback(self._batches.discard)
            waiting = waiting[count:]

    async def _carried(self, batch: Sequence[tuple[Parcel, "asyncio.Future[int]"]]) -> None:
        try:
            answers = await self._carrier.carry([parcel for parcel, _ in batch])
        except PostError as error:
            answers = [failed(error)] * len(batch)
        for (_, confirmed), answer in zip(batch, answers, strict=True):
            if confirmed.done():  # its sender has ended
                continue
            try:
                confirmed.set_result(_number(answer_of(answer).get("number")))
            except MinicrawlError as error:
                confirmed.set_exception(error)


async def taken_by(here: Mapping[int, Taker], parcels: Sequence[Parcel]) -> list[Message]:
    """Let each home of some parcels take its rows. Returns the answer of each: a number, or a failure."""

    taking = {at: here[home].take(source, rows) for at, (source, home, rows) in enumerate(parcels) if home in here}
    if taking:
        await asyncio.wait(taking.values())

    def answer(at: int, parcel: Parcel) -> Message:
        if at not in taking:
            return failed(CrawlEndedError(f"partition {parcel.home} is not in this process"))
        try:
            return done({"number": taking[at].result()})
        except MinicrawlError as error:
            return failed(error)

    return [answer(at, parcel) for at, parcel in enumerate(parcels)]


class SocketPost:
    """Carries rows to other processes of this machine. stores: by partition."""

    def __init__(self, stores: Sequence[Path]) -> None:
        self._stores = stores
        self._process_of: dict[int, int] = {}  # by partition, one of those in the same process
        self._here: dict[int, Sequence[int]] = {}  # the partitions of a process
        self._lines: dict[int, list[_Line]] = {}  # open, and unused just now, by process

    def process_of(self, home: int) -> int:
        return self._process_of.get(home, home)

    async def carry(self, parcels: Sequence[Parcel]) -> Sequence[Message]:
        """Bring parcels to one process. Returns the answer to each. Raises PostError."""
        process = self.process_of(parcels[0].home)
        unused = self._lines.get(process)
        line = unused.pop() if unused else await self._connected(parcels[0].home)
        try:
            answer = await line.ask(parcels)
            here, answers = [_number(home) for home in answer["here"]], list(answer["answers"])
            if not here or len(answers) != len(parcels):
                raise ConfigError(f"{len(answers)} answers to {len(parcels)} parcels")
        except (OSError, ValueError, KeyError, MinicrawlError) as error:
            self._note(process, ())
            await hung_up(line.writer)
            raise PostError(str(error)) from error
        except asyncio.CancelledError:
            line.writer.close()
            raise
        if here != self._here.get(process):
            self._note(process, here)
        unused = self._lines.setdefault(here[0], [])
        if len(unused) < _UNUSED:
            unused.append(line)
        else:
            await hung_up(line.writer)
        return answers

    async def aclose(self) -> None:
        """Close all connections that are open and unused."""
        unused = [line for lines in self._lines.values() for line in lines]
        self._lines.clear()
        for line in unused:
            await hung_up(line.writer)

    async def _connected(self, home: int) -> "_Line":
        line = connected(self._stores[home], _SECONDS)
        if line is None:
            raise PostError(f"partition {home} does not listen")
        return _Line(*await asyncio.open_unix_connection(sock=line, limit=LONGEST))

    def _note(self, process: int, here: Sequence[int]) -> None:
        """Note the partitions of a process that is known by one of them; none if it does not answer."""
        for home in self._here.pop(process, ()):
            if self._process_of.get(home) == process:
                del self._process_of[home]
        if here:
            self._here[here[0]] = here
            self._process_of.update(dict.fromkeys(here, here[0]))


class _Line(NamedTuple):
    """A connection to another process."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, parcels: Sequence[Parcel]) -> Message:
        heads = [
            {
                "source": source,
                "home": home,
                "rows": [[row.number, row.received, len(row.records)] for row in rows],
            }
            for source, home, rows in parcels
        ]
        self.writer.write(line_of({"do": "take", "version": VERSION, "parcels": heads}))
        self.writer.writelines(row.records for _, _, rows in parcels for row in rows)
        await self.writer.drain()
        return answer_of(message_of(await self.reader.readline()))


@contextlib.asynccontextmanager
async def delivered(store: Path, here: Mapping[int, Taker]) -> AsyncIterator[None]:
    """Receive rows for the partitions `here` while the block runs. The `store` of one must be locked. Raises
    StoreError."""
    senders: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        senders.add(task)
        try:
            # The sender has died: unconfirmed rows are sent again.
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while True:
                    answer = await answered(reader)
                    writer.write(line_of(answer))
                    await writer.drain()
                    if is_refused(answer):
                        log.event("partition-refused", partition=min(here, default=0), why=answer["failed"])
                    if is_refused(answer) or any(map(is_refused, answer.get("done", {}).get("answers", ()))):
                        break
        finally:
            with contextlib.suppress(asyncio.CancelledError):  # a sender that hangs up as the partition ends
                await hung_up(writer)
            senders.discard(task)

    async def answered(reader: asyncio.StreamReader) -> Message:
        try:
            parcels = await _parcels(await _message(reader), reader)
            return done({"here": list(here), "answers": await taken_by(here, parcels)})
        except MinicrawlError as error:
            return failed(error)

    async def end() -> None:
        for task in senders:
            task.cancel()
        await asyncio.gather(*senders, return_exceptions=True)

    async with serving(bound(store), serve, end):
        yield


def is_refused(answer: Message) -> bool:
    """True if an answer is that to an invalid message or row."""
    return answer.get("exit") == ConfigError.exit_code


async def hung_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection, even a broken one."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def some_of(rows: Sequence[OutboxRow], most_bytes: int = _MOST_BYTES) -> Sequence[OutboxRow]:
    """The first rows, up to the limits of a batch."""
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


def _count_of(parcels: Sequence[Parcel]) -> int:
    """Number of parcels, at least one, that keep the limits of a batch."""
    rows = size = 0
    for count, parcel in enumerate(parcels):
        rows += len(parcel.rows)
        size += sum(len(row.records) for row in parcel.rows)
        if count and (rows > _MOST_ROWS or size > _MOST_BYTES):
            return count
    return len(parcels)


async def _message(reader: asyncio.StreamReader) -> Message:
    """Read the next message, without its records. Raises ConfigError for an unreadable one."""
    try:
        line = await reader.readline()
    except ValueError as error:
        raise ConfigError(f"a message has {LONGEST:,} bytes at most") from error
    if not line.endswith(b"\n"):
        raise asyncio.IncompleteReadError(line, None)
    message = message_of(line)
    if message.get("do") != "take":
        raise ConfigError("this is a partition of a crawl, which cannot be steered yet; Ctrl-C ends all")
    return message


async def _parcels(message: Message, reader: asyncio.StreamReader) -> Sequence[Parcel]:
    """Read the parcels of a message. Raises ConfigError before any records are read."""
    check_version(message.get("version"))
    parcels = message.get("parcels")
    if not isinstance(parcels, list) or not all(isinstance(parcel, dict) for parcel in parcels):
        raise ConfigError("a message has a list of parcels")
    places = [(_number(parcel.get("source"), 2**16), _number(parcel.get("home"), 2**16)) for parcel in parcels]
    heads = [_heads(parcel.get("rows")) for parcel in parcels]
    if sum(map(len, heads)) > max(_MOST_ROWS, len(heads[0]) if heads else 0):
        raise ConfigError(f"a message has {_MOST_ROWS:,} rows at most")
    sizes = [size for some in heads for *_, size in some]
    if len(sizes) > 1 and sum(sizes) > _MOST_BYTES:
        raise ConfigError(f"several rows have {_MOST_BYTES:,} bytes at most")
    return [
        Parcel(source, home, [OutboxRow(home, *head[:2], await reader.readexactly(head[2])) for head in some])
        for (source, home), some in zip(places, heads, strict=True)
    ]


def _heads(given: object) -> Sequence[tuple[int, int, int]]:
    """Numbers, sums and sizes of rows. Raises ConfigError."""
    if not isinstance(given, list) or len(given) > _MOST_ROWS:
        raise ConfigError(f"a parcel has a list of {_MOST_ROWS:,} rows at most")
    if any(not isinstance(head, list) or len(head) != 3 for head in given):
        raise ConfigError("a row has a number, a sum and a size")
    return [
        (_number(number), _number(received, least=-_MOST), _number(size, _LARGEST)) for number, received, size in given
    ]


def _number(value: object, most: int = _MOST, *, least: int = 0) -> int:
    """Check a number of a message. Raises ConfigError."""
    if type(value) is not int or not least <= value < most:
        raise ConfigError(f"{str(value)[:40]!r} is no number from {least} to {most - 1}")
    return value
