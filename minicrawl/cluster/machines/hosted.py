"""A partition that a host has: its keeper reaches it by calls, and so do the other partitions.

A call may fail although it was carried out. To its keeper the partition has died then, and is to begin anew; rows of
another partition are sent again, and taken once, as the post promises no more than that.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Protocol

from minicrawl.cluster.running.partition import PostError
from minicrawl.cluster.running.post import number_in, some_of
from minicrawl.cluster.running.processes import DeadError
from minicrawl.cluster.running.worker import Brief, packed
from minicrawl.control.messages import Message, answer_of
from minicrawl.errors import MinicrawlError
from minicrawl.store.write.transfer_rows import OutboxRow

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds until a partition is to begin again whose host did not answer; twice as long each time."""
_PATIENCE = 0.5
"""Seconds to wait for a partition that has not begun, when it is asked."""
_MOST_BYTES = 8 * 2**20
"""Of a message: Ray holds those that wait in a memory that has room for a few dozen of them."""


class GoneError(Exception):
    """Nobody has answered a call: it may have been carried out, or not."""


class Call(Protocol):
    """Calls a host."""

    async def __call__(self, what: str, *given: object) -> Message | None:
        """Call a method of a Host; what it answers. Raises GoneError."""
        ...

    def kill(self) -> None:
        """End the host at once, for good."""
        ...


class CallPost:
    """Brings rows to the hosts of other partitions. others: who has each partition, by their numbers."""

    def __init__(self, others: Sequence[Call]) -> None:
        self._others = others

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow]) -> int:
        """Bring rows to their home, not always all of them; the number of the last one it has committed."""
        try:
            return number_in(answer_of(await self._others[home]("take", source, some_of(rows, _MOST_BYTES)) or {}))
        except (GoneError, MinicrawlError) as error:
            raise PostError(str(error)) from error


class Hosted:
    """A partition at its host. where: the machine, for people."""

    def __init__(self, call: Call, brief: Brief, others: Sequence[Call], where: str) -> None:
        """Let it begin, which may take long: until its machine is there."""
        self._call = call
        self._where = where
        self._beginning = asyncio.create_task(self._begin(packed(brief), others))

    @property
    def pid(self) -> int:
        """Of its host; 0 where it has not begun."""
        return self._beginning.result() if _is_over(self._beginning) else 0

    async def ask(self, message: Message) -> Message | None:
        """Raises DeadError, and MinicrawlError where the partition has failed."""
        await asyncio.wait([self._beginning], timeout=_PATIENCE)
        if not self._beginning.done():
            return None
        self._beginning.result()  # raises what it has failed with
        try:
            answer = await self._call("ask", message)
        except GoneError:
            answer = None
        if answer is None:
            raise DeadError(f"on machine {self._where}")
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
    """Whether it has ended, and well."""
    return task.done() and not task.cancelled() and task.exception() is None
