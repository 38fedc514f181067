"""Where partitions are: found after a machine was lost, and moved to machines that join, or from those that leave.

A move while the crawl runs: a replica is made on the other machine, the partition stops, and the replica takes over.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.carrying import Call as Line
from minicrawl.cluster.machines.hosted import Call, GoneError, Hosted, Where
from minicrawl.cluster.machines.replicating import Lines, taken_over
from minicrawl.cluster.running.brief import Brief
from minicrawl.errors import MinicrawlError, SettingError
from minicrawl.store.partitions.folder import Place

_GONE = 3.0
"""Seconds after which replicas take over; Ray itself takes some 15 to say that a node is gone."""
_LOOKS_APART, _LACKING = 3.0, 15.0
"""Seconds between two looks for machines; and after which it is told that partitions have no replica."""
_APART, _TIMES = 1.0, 60
"""Seconds between attempts to tell an actor where partitions are, and how many of them."""


class Actors(NamedTuple):
    """Makes actors. hosts: those of a node, for partitions; replicas: of `Replicas`. first, alive: see `Lines`."""

    hosts: Callable[[str], Sequence[Call]]
    replicas: Callable[[str], Line]
    first: Line
    alive: Callable[[], Sequence[str]]


class Machines:
    """The actors of all machines, and the partitions in each, see `running.processes.Holders`."""

    are_here = False

    def __init__(
        self, folder: Folder, here: str, actors: Actors, warn: Callable[[str], None], gone: float = _GONE
    ) -> None:
        """here: the node of cluster.json. gone: seconds after which replicas take over."""
        self._path, self._here, self._number = folder.path, here, len(folder.places)
        self._replicates = folder.replicas > 0
        self._actors, self._warn = actors, warn
        self._of_node: dict[str, range] = {}
        """The actors of a node, by their numbers."""
        self._leaving: set[str] = set()
        self._staying: Sequence[int] = ()
        """Actors of machines that are there, and do not leave."""
        self._seconds = gone
        self._gone: dict[str, float] = {}
        """Nodes that are gone, and since when by time.monotonic()."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._where = Where((), (), Lines({}, actors.first, here, actors.alive))
        self._alive: Sequence[str] = ()
        self._look(actors.alive())
        self._note(folder.places)

    @property
    def number(self) -> int:
        return len(self._staying)

    @property
    def places(self) -> Mapping[int, int]:
        at = {actor: at for at, actor in enumerate(self._staying)}
        there = {actor for name in self._alive for actor in self._of_node[name]}
        return {number: at.get(actor, len(at)) for number, actor in enumerate(self._where.places) if actor in there}

    async def start(self, brief: Brief) -> Hosted:
        if not self._tasks:
            self._do(self._watch())
        return Hosted(*await self._find(brief), self._find)

    def resize(self, number: int) -> None:
        """Machines come and go by themselves."""

    def give_up(self, machine: str) -> int:
        if machine not in self._alive or not self._staying_without({*self._leaving, machine}):
            others = ", ".join(sorted({*self._alive} - self._leaving))
            raise SettingError(f"{machine} cannot leave: the crawl is on {others}, and one has to stay")
        self._leaving.add(machine)
        self._look(self._alive)
        return sum(self._node(place) == machine for place in found(self._path).places)

    async def is_ready(self, number: int, at: int) -> bool:
        node, place = self._node_at(at), found(self._path).places[number]
        if node in (self._node(place), place.replica):
            return True
        self._have_replicas([node])
        with contextlib.suppress(GoneError):
            await self._where.workers[self._where.places[number]]("ship", number, node)
        return False

    async def move(self, number: int, at: int) -> None:
        if at >= self.number:  # a machine has left meanwhile: the partition stays until the next look
            return
        node, folder = self._node_at(at), found(self._path)
        place = folder.places[number]
        if node == self._node(place):
            self._note(folder.places, {number: self._staying[at]})
        elif node == place.replica and await self._take_over(number):
            call = self._where.workers[self._where.places[number]]
            self._note(found(self._path).places, {number: self._staying[at]})
            with contextlib.suppress(GoneError):
                await call("remove", folder.store(number), place.generation)

    async def leave(self) -> None:
        """Actors stay, as one may be needed again."""

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _find(self, brief: Brief) -> tuple[Brief, Where, str]:
        """See `hosted.Find`."""
        places, now, number = found(self._path).places, time.monotonic(), brief.number
        name = self._node(places[number])
        if name in self._actors.alive():
            self._gone.pop(name, None)
        elif now - self._gone.setdefault(name, now) >= self._seconds and await self._take_over(number):
            places = found(self._path).places
            self._warn(f"node {name} is gone: partition {number} goes on on {self._node(places[number])}")
        self._note(places)
        folder = replace(brief.folder, places=places)
        return replace(brief, folder=folder), self._where, self._node(places[number])

    async def _take_over(self, number: int) -> bool:
        assert self._where.lines is not None
        with contextlib.suppress(MinicrawlError):  # a part of it is away just now: the next look tries again
            return await asyncio.to_thread(taken_over, self._path, number, self._where.lines)
        return False

    def _note(self, places: Sequence[Place], moved: Mapping[int, int] = {}) -> None:
        """Note the places of partitions: where they were, or the actor of their node that has the fewest."""
        numbers = {**dict(enumerate(self._where.places)), **moved}
        held = Counter(numbers.values())
        for number, place in enumerate(places):
            there = self._hosts(self._node(place))
            if numbers.get(number) not in there:
                numbers[number] = min(there, key=lambda at: held[at])
                held[numbers[number]] += 1
        self._tell_all(self._where._replace(places=tuple(numbers[number] for number in range(self._number))))

    def _look(self, alive: Sequence[str]) -> None:
        """Note the machines that are there."""
        self._alive = alive
        self._leaving &= {*alive}
        for name in alive:
            self._hosts(name)
        self._staying = self._staying_without(self._leaving)
        self._have_replicas(alive if self._replicates else ())

    def _staying_without(self, leaving: Collection[str]) -> Sequence[int]:
        return [actor for name in sorted(self._alive) if name not in leaving for actor in self._of_node[name]]

    def _hosts(self, name: str) -> range:
        """The actors of a node, made if it is new."""
        if name not in self._of_node:
            workers = (*self._where.workers, *self._actors.hosts(name))
            self._of_node[name] = range(len(self._where.workers), len(workers))
            self._where = self._where._replace(workers=workers)
        return self._of_node[name]

    def _have_replicas(self, names: Sequence[str]) -> None:
        """Have replicas on nodes, but on none that leaves."""
        lines = self._where.lines
        assert lines is not None
        there = {name: call for name, call in lines.replicas.items() if name not in self._leaving}
        for name in names:
            if name not in there and name not in self._leaving:
                there[name] = self._actors.replicas(name)
        self._tell_all(self._where._replace(lines=replace(lines, replicas=there)))

    def _tell_all(self, where: Where) -> None:
        if where != self._where:
            self._where = where
            for call in where.workers if self._tasks else ():
                self._do(self._tell(call))

    async def _watch(self) -> None:
        """Look for machines that come and go, and warn of partitions that have had no replica for a while."""
        before, told, since = list[int](), list[int](), time.monotonic()
        while True:
            await asyncio.sleep(_LOOKS_APART)
            self._look(await asyncio.to_thread(self._actors.alive))
            lacking = [number for number, place in enumerate(found(self._path).places) if place.replica is None]
            if lacking != before:
                before, since = lacking, time.monotonic()
            if self._replicates and lacking != told and time.monotonic() - since >= _LACKING:
                what = f"without a replica: {lacking}" if lacking else "that lacked a replica have one again"
                self._warn(f"partitions {what}")
                told = lacking

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

    def _node_at(self, at: int) -> str:
        return next(name for name, actors in self._of_node.items() if self._staying[at] in actors)

    def _node(self, place: Place) -> str:
        return place.machine or self._here
