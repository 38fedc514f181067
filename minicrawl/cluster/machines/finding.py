"""Finds the actor of each partition, also after its machine was lost and its replica has taken over."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace

from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.hosted import Call, GoneError, Where
from minicrawl.cluster.machines.replicating import taken_over
from minicrawl.cluster.running.brief import Brief
from minicrawl.errors import MinicrawlError
from minicrawl.store.partitions.folder import Place

_GONE = 3.0
"""Seconds after which replicas take over; Ray itself takes some 15 to say that a node is gone."""
_LOOKS_APART = 15.0
"""Seconds between two looks for partitions without a replica."""
_APART, _TIMES = 1.0, 60
"""Seconds between attempts to tell an actor where partitions are, and how many of them."""


class Finder:
    """Knows where partitions are; `find` is asked until one has begun."""

    def __init__(  # noqa: PLR0913 - a crawl, and where it is
        self,
        folder: Folder,
        where: Where,
        actors: Mapping[str, Sequence[int]],
        here: str,
        warn: Callable[[str], None],
        gone: float = _GONE,
    ) -> None:
        """where: without places. actors: by node, their numbers. here: the node of cluster.json.
        gone: seconds after which replicas take over."""
        self._path, self._here = folder.path, here
        self._actors, self._warn = actors, warn
        self._where = where
        self._seconds = gone
        self._gone: dict[str, float] = {}
        """Nodes that are gone, and since when by time.monotonic()."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._lacking: list[int] = []
        self._note(folder.places)

    async def find(self, brief: Brief) -> tuple[Brief, Where, str]:
        """See `hosted.Find`."""
        lines, number = self._where.lines, brief.number
        if lines is None:
            return brief, self._where, self._node(brief.folder.places[number])
        if not self._tasks:
            self._do(self._watch())
        places, now = found(self._path).places, time.monotonic()
        name = self._node(places[number])
        if name in lines.alive():
            self._gone.pop(name, None)
        elif now - self._gone.setdefault(name, now) >= self._seconds:
            with contextlib.suppress(MinicrawlError):  # a part of it is away just now: the next look tries again
                if await asyncio.to_thread(taken_over, self._path, number, lines):
                    places = found(self._path).places
                    self._warn(f"node {name} is gone: partition {number} goes on on {self._node(places[number])}")
        self._note(places)
        folder = replace(brief.folder, places=places)
        return replace(brief, folder=folder), self._where, self._node(places[number])

    def _note(self, places: Sequence[Place]) -> None:
        """Note the places of partitions, and tell all actors if they have changed."""
        numbers = list(self._where.places) or [-1] * len(places)
        held = Counter(numbers)
        for number, place in enumerate(places):
            there = self._actors[self._node(place)]
            if numbers[number] not in there:
                numbers[number] = min(there, key=lambda at: held[at])
                held[numbers[number]] += 1
        if tuple(numbers) != self._where.places:
            has_changed, self._where = bool(self._where.places), self._where._replace(places=tuple(numbers))
            for call in self._where.workers if has_changed else ():
                self._do(self._tell(call))

    async def _watch(self) -> None:
        """Warn of partitions that have had no replica for a while."""
        before: list[int] = []
        while True:
            await asyncio.sleep(_LOOKS_APART)
            lacking = [number for number, place in enumerate(found(self._path).places) if place.replica is None]
            if lacking == before != self._lacking:
                what = f"without a replica: {lacking}" if lacking else "that lacked a replica have one again"
                self._warn(f"partitions {what}")
                self._lacking = lacking
            before = lacking

    def _do(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, call: Call) -> None:
        """Tell an actor. One that is gone is told when a partition begins there."""
        for _ in range(_TIMES):
            with contextlib.suppress(GoneError):
                await call("know", self._where)
                return
            await asyncio.sleep(_APART)

    def _node(self, place: Place) -> str:
        return place.machine or self._here
