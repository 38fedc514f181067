"""A partition on another machine: its actor, its proxy in the keeper, and the post between actors.

A call may fail although it was carried out. The keeper then treats the partition as dead, and restarts it; rows are
sent again, and taken once. An actor may be killed at any time: Ray restarts it without a partition, until the keeper
begins one.
"""

import asyncio
import contextlib
import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from minicrawl import log
from minicrawl.cluster.running.partition import PostError
from minicrawl.cluster.running.post import delivered, number_in, some_of
from minicrawl.cluster.running.processes import DeadError
from minicrawl.cluster.running.worker import Brief, Worker, packed, unpacked
from minicrawl.control.messages import Message, answer_of, done, failed
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.errors import CrawlEndedError, MinicrawlError, StoreError
from minicrawl.garbage import manage_memory
from minicrawl.store.database import is_held
from minicrawl.store.write.transfer_rows import OutboxRow
from minicrawl.store.writer import Writer

_SECONDS, _APART = 60.0, 0.1
"""Seconds until the actor of a killed keeper must have released the store, and between two checks."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds until a partition whose actor did not answer is restarted; doubled each time."""
_PATIENCE = 0.5
"""Seconds that a message waits for a partition to begin."""
_MOST_BYTES = 8 * 2**20
"""Maximum bytes of a message."""


class GoneError(Exception):
    """A call without an answer; it may have been carried out."""


class Call(Protocol):
    """Calls the methods of a Host."""

    async def __call__(self, method: str, *given: object) -> Message | None:
        """Call a method by name. Returns its answer; raises GoneError."""
        ...

    def kill(self) -> None:
        """End the actor at once; Ray does not restart it."""
        ...


class CallPost:
    """Sends rows to the actors of other partitions. others: calls by partition."""

    def __init__(self, others: Sequence[Call]) -> None:
        self._others = others

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow]) -> int:
        """Send rows, possibly not all, to their home. Returns the last number committed there. Raises PostError."""
        try:
            return number_in(answer_of(await self._others[home]("take", source, some_of(rows, _MOST_BYTES)) or {}))
        except (GoneError, MinicrawlError) as error:
            raise PostError(str(error)) from error


class Host:
    """The actor of a partition. Answers and failures are messages, so that Ray logs none of them."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._open = contextlib.AsyncExitStack()
        self._store = Path()
        self._turn = asyncio.Lock()  # `begin` waits until the previous partition has left the store

    async def begin(self, brief: bytes, others: Sequence[Call]) -> Message:
        """Start a partition. brief: from worker.packed. others: calls of all actors, by partition."""
        async with self._turn:
            await self._leave()
            manage_memory()
            return await self._answer(self._begin, brief, others)

    async def ask(self, message: Message) -> Message | None:
        """The partition's answer to its keeper; None without a partition, as after a death."""
        worker = self._worker
        if worker is None:
            return None

        async def ask() -> Message:
            with damage_as_store_error(self._store):
                return await worker.do(message)

        return await self._answer(ask)

    async def take(self, source: int, rows: Sequence[OutboxRow]) -> Message:
        """Take rows of another partition, and commit. The answer has the number of the last row taken."""
        worker = self._worker
        if worker is None:
            return failed(CrawlEndedError("the partition does not run yet"))

        async def take() -> Message:
            return {"number": await worker.take(source, rows)}

        return await self._answer(take)

    async def leave(self) -> None:
        """Stop the partition, commit and end."""
        async with self._turn:
            await self._leave()

    async def _leave(self) -> None:
        worker, self._worker = self._worker, None
        try:
            if worker is not None:
                with contextlib.suppress(MinicrawlError):  # it has failed, and there is nobody to report to
                    await worker.leave()
        finally:
            await self._open.aclose()

    async def _begin(self, given: bytes, others: Sequence[Call]) -> Message:
        brief = unpacked(given)
        store = self._store = brief.folder.store(brief.number)
        if not store.exists():
            raise StoreError(f"{store} is missing, which has a part of the crawl; restore all from one backup")
        for _ in range(int(_SECONDS / _APART)):
            if not is_held(store):
                break
            await asyncio.sleep(_APART)
        here = {output._replace(file=None) for output in brief.logs}  # the files are the keeper's machine's
        log.log_partition(tuple(here), brief.number)
        with damage_as_store_error(store):
            writer = self._open.enter_context(contextlib.closing(Writer(store)))
            worker = Worker(brief, writer, CallPost(others))
            # A backup on this machine holds the partition over its socket; rows come by calls.
            await self._open.enter_async_context(delivered(store, brief.number, worker.take, worker.held))
            self._worker = worker
            worker.begin()
        return {"pid": os.getpid()}

    async def _answer(self, act: Callable[..., Awaitable[Message]], *given: object) -> Message:
        try:
            return done(await act(*given))
        except MinicrawlError as error:
            return failed(error)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            return failed(StoreError(f"{self._store} cannot be crawled on: {error!r}; Ray's logs say where it failed"))


class Hosted:
    """The keeper's proxy of a partition in an actor. where: its node, for display."""

    def __init__(self, call: Call, brief: Brief, others: Sequence[Call], where: str) -> None:
        """Begin the partition, which may have to wait for its node."""
        self._call = call
        self._where = where
        self._beginning = asyncio.create_task(self._begin(packed(brief), others))

    @property
    def pid(self) -> int:
        """Process id of the actor; 0 before it has begun."""
        return self._beginning.result() if _is_over(self._beginning) else 0

    async def ask(self, message: Message) -> Message | None:
        """Raises DeadError, and MinicrawlError if the partition has failed."""
        await asyncio.wait([self._beginning], timeout=_PATIENCE)
        if not self._beginning.done():
            return None
        self._beginning.result()  # raises the failure
        try:
            answer = await self._call("ask", message)
        except GoneError:
            answer = None
        if answer is None:
            raise DeadError(f"on node {self._where}")
        return answer_of(answer)

    def kill(self) -> None:
        self._beginning.cancel()
        self._call.kill()

    async def end(self) -> None:
        if _is_over(self._beginning):
            with contextlib.suppress(GoneError):
                await self._call("leave")
        self.kill()

    async def _begin(self, brief: bytes, others: Sequence[Call]) -> int:
        pause = _FIRST_PAUSE
        while True:
            with contextlib.suppress(GoneError):
                return int(answer_of(await self._call("begin", brief, others) or {})["pid"])
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _is_over(task: "asyncio.Task[int]") -> bool:
    """True if the task has ended without a failure."""
    return task.done() and not task.cancelled() and task.exception() is None
