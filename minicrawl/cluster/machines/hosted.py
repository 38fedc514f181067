"""Partitions on other machines: their actors, their proxies in the keeper, and the post between actors.

A call may fail although it was carried out. The keeper then treats the partition as dead, and restarts it; rows are
sent again, and taken once. An actor may be killed at any time: Ray restarts it without partitions, until the keeper
begins them.
"""

import asyncio
import contextlib
import os
import sys
import traceback
import zlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import cycle
from typing import NamedTuple, Protocol

from msgspec.msgpack import decode, encode

from minicrawl.cluster.running.brief import Brief, packed, unpacked
from minicrawl.cluster.running.partition import PostError
from minicrawl.cluster.running.post import Parcel, taken_by
from minicrawl.cluster.running.processes import DeadError
from minicrawl.cluster.running.worker import Worker
from minicrawl.control.messages import Message, answer_of, done, failed
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.store.database import is_held
from minicrawl.system import manage_memory

_SECONDS, _APART = 60.0, 0.1
"""Seconds until the actor of a killed keeper must have released the store, and between two checks."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds until a partition whose actor did not answer is restarted; doubled each time."""
_PATIENCE = 0.5
"""Seconds that a message waits for a partition to begin."""


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


class Where(NamedTuple):
    """Where partitions are. workers: calls of all actors; places: by partition, the number of its actor."""

    workers: Sequence[Call]
    places: Sequence[int]


class CallPost:
    """Carries rows to other actors, compressed."""

    def __init__(self, where: Where) -> None:
        self.where = where

    def process_of(self, home: int) -> int:
        return self.where.places[home]

    async def carry(self, parcels: Sequence[Parcel]) -> Sequence[Message]:
        """Bring parcels to one actor. Returns the answer to each. Raises PostError."""
        call = self.where.workers[self.process_of(parcels[0].home)]
        try:
            answer = answer_of(await call("take", zlib.compress(encode(parcels), level=1)) or {})
        except (GoneError, MinicrawlError) as error:
            raise PostError(str(error)) from error
        answers: Sequence[Message] = answer["answers"]
        return answers


class Host:
    """An actor with partitions. Answers and failures are messages, so that Ray logs none of them."""

    def __init__(self) -> None:
        self._post = CallPost(Where((), ()))
        self._worker = Worker(lambda folder: self._post)
        self._open: dict[int, contextlib.AsyncExitStack] = {}
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        """By partition: `begin` waits until it has left its store."""

    async def begin(self, brief: bytes, where: Where) -> Message:
        """Start a partition. brief: from `packed`."""
        self._post.where = where
        manage_memory()
        return await self._answer(self._begin, brief)

    async def ask(self, number: int, message: Message) -> Message | None:
        """A partition's answer to its keeper; None if it is not here, as after a death."""
        member = self._worker.members.get(number)
        if member is None:
            return None

        async def ask() -> Message:
            with damage_as_store_error(member.store):
                return await member.do(message)

        return await self._answer(ask)

    async def take(self, parcels: bytes) -> Message:
        """Take rows for partitions of this actor, and commit. The answer has that to each parcel."""
        given = decode(zlib.decompress(parcels), type=list[Parcel])
        return done({"answers": await taken_by(self._worker.members, given)})

    async def leave(self, number: int) -> None:
        """Stop a partition, commit and end."""
        async with self._turns[number]:
            await self._leave(number)

    async def _leave(self, number: int) -> None:
        opened = self._open.pop(number, None)
        if opened is not None:
            with contextlib.suppress(MinicrawlError):  # it has failed, and there is nobody to report to
                await opened.aclose()

    async def _begin(self, given: bytes) -> Message:
        brief = unpacked(given)
        store = brief.folder.store(brief.number)
        here = {(None, is_json, run) for _, is_json, run in brief.logs}  # the files are the keeper's machine's
        async with self._turns[brief.number]:
            await self._leave(brief.number)
            if not store.exists():
                raise StoreError(f"{store} is missing, which has a part of the crawl; restore all from one backup")
            for _ in range(int(_SECONDS / _APART)):
                if not is_held(store):
                    break
                await asyncio.sleep(_APART)
            opened = contextlib.AsyncExitStack()
            # A backup on this machine holds the partition over its socket; rows come by calls.
            await opened.enter_async_context(self._worker.opened(replace(brief, logs=tuple(here))))
            self._open[brief.number] = opened
        return {"pid": os.getpid()}

    async def _answer(self, act: Callable[..., Awaitable[Message]], *given: object) -> Message:
        try:
            return done(await act(*given))
        except MinicrawlError as error:
            return failed(error)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            return failed(StoreError(f"a partition cannot be crawled on: {error!r}; Ray's logs say where it failed"))


class Hosted:
    """The keeper's proxy of a partition in an actor. node: of the actor."""

    def __init__(self, brief: Brief, where: Where, node: str) -> None:
        """Begin the partition, which may have to wait for its node."""
        self._number = brief.number
        self._call = where.workers[where.places[brief.number]]
        self._node = node
        self._beginning = asyncio.create_task(self._begin(brief, where))

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
            answer = await self._call("ask", self._number, message)
        except GoneError:
            answer = None
        if answer is None:
            raise DeadError(f"on node {self._node}")
        return answer_of(answer)

    def kill(self) -> None:
        """Kill its actor, with all its partitions."""
        self._beginning.cancel()
        self._call.kill()

    async def end(self) -> None:
        self._beginning.cancel()
        if _is_over(self._beginning):
            with contextlib.suppress(GoneError):
                await self._call("leave", self._number)

    async def _begin(self, brief: Brief, where: Where) -> int:
        pause = _FIRST_PAUSE
        while True:
            with contextlib.suppress(GoneError):
                return int(answer_of(await self._call("begin", packed(brief), where) or {})["pid"])
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _is_over(task: "asyncio.Task[int]") -> bool:
    """True if the task has ended without a failure."""
    return task.done() and not task.cancelled() and task.exception() is None


class Machines:
    """The actors of all machines, and the partitions in each, see `running.processes.Holders`."""

    def __init__(self, nodes: Sequence[str], actors: Callable[[str], Sequence[Call]]) -> None:
        """nodes: of each partition, by its number. actors: makes those of a node, which has its partitions by turns."""
        by_node = {name: actors(name) for name in sorted(set(nodes))}
        workers = [call for calls in by_node.values() for call in calls]
        turns = {name: cycle(calls) for name, calls in by_node.items()}
        self._where = Where(workers, [workers.index(next(turns[name])) for name in nodes])
        self._nodes = nodes
        self.number = len(workers)

    async def start(self, brief: Brief) -> Hosted:
        return Hosted(brief, self._where, self._nodes[brief.number])

    async def aclose(self) -> None:
        """Actors end with the command."""
