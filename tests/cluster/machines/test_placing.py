"""Partitions are found where they are, also after a replica took over or they moved; all actors are told."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.cluster_folders import some_folder
from support.machine_calls import called

from minicrawl.cluster.folder import Folder, exchange_place, found
from minicrawl.cluster.machines.carrying import Call as Line
from minicrawl.cluster.machines.carrying import Remote
from minicrawl.cluster.machines.hosted import Call, GoneError, Where
from minicrawl.cluster.machines.placing import Actors, Machines
from minicrawl.cluster.running.brief import Brief
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.folder import Place


@dataclass
class Actor:
    """Notes what it is told, but for the first time. On `ship` the replica of a partition is made on a node."""

    path: Path
    told: list[Sequence[int]] = field(default_factory=list)
    removed: list[object] = field(default_factory=list)
    is_away: bool = True

    async def __call__(self, method: str, *given: object) -> Message | None:
        if self.is_away:
            self.is_away = False
            raise GoneError("it is away for a moment")
        match method, given:
            case "know", (Where() as where,):
                self.told.append(where.places)
            case "ship", (int(number), str(node)):
                place = found(self.path).places[number]
                exchange_place(self.path, number, place, place._replace(replica=node))
            case "remove", _:
                self.removed.append(given)
            case _:
                return {"done": {"pid": 1}}
        return None

    def kill(self) -> None:
        raise AssertionError("nobody is killed")


@dataclass
class Nodes:
    """The nodes of a crawl, with an actor each; this is alpha."""

    path: Path
    alive: list[str]
    actors: dict[str, Actor] = field(default_factory=dict)
    taken: list[tuple[object, ...]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def machines(self, folder: Folder) -> Machines:
        actors = Actors(self._hosts, self._replicas, called(Remote()), lambda: self.alive)
        return Machines(folder, "alpha", actors, self.said.append, gone=0.0)

    def _hosts(self, name: str) -> Sequence[Call]:
        self.actors[name] = Actor(self.path)
        return [self.actors[name]]

    def _replicas(self, name: str) -> Line:
        return lambda *given: self.taken.append((name, *given))


async def until_told(nodes: Nodes, places: Sequence[int]) -> None:
    while not all(places in actor.told for actor in nodes.actors.values()):
        await asyncio.sleep(0.05)


def test_partition_of_a_machine_that_is_gone_is_found_where_its_replica_is(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web").keep_replicas(1)
    exchange_place(folder.path, 1, folder.places[1], Place(str(tmp_path / "far"), 0, "beta", "gamma"))
    folder = found(folder.path)
    nodes = Nodes(folder.path, ["alpha", "beta", "gamma"])

    async def find() -> None:
        machines = nodes.machines(folder)
        assert machines.places == {0: 0, 1: 1}
        hosted = await machines.start(Brief(folder, 1, CrawlSettings(), Seeds([])))
        nodes.alive.remove("beta")
        again = await machines.start(Brief(folder, 1, CrawlSettings(), Seeds([])))
        await until_told(nodes, (0, 2))
        while not again.pid:
            await asyncio.sleep(0.05)
        await hosted.end()
        await machines.aclose()

    asyncio.run(find())
    assert found(folder.path).places[1] == Place(str(tmp_path / "far"), 1, "gamma")
    assert nodes.taken == [("gamma", "take_over", tmp_path / "far" / "001.db", 1)]
    assert nodes.said == ["node beta is gone: partition 1 goes on on gamma"]


def test_machine_that_leaves_gives_its_partitions_to_one_that_has_joined(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web")
    exchange_place(folder.path, 1, folder.places[1], Place(str(tmp_path / "far"), 0, "beta"))
    folder = found(folder.path)
    nodes = Nodes(folder.path, ["alpha", "beta"])

    async def leave() -> None:
        machines = nodes.machines(folder)
        hosted = await machines.start(Brief(folder, 1, CrawlSettings(), Seeds([])))
        with pytest.raises(SettingError, match="delta cannot leave: the crawl is on alpha, beta"):
            machines.give_up("delta")
        nodes.alive.append("gamma")
        while machines.number < 3:
            await asyncio.sleep(0.05)
        assert machines.give_up("beta") == 1
        assert (machines.number, machines.places) == (2, {0: 0, 1: 2})
        while not await machines.is_ready(1, 1):
            pass
        await machines.move(1, 1)
        assert machines.places == {0: 0, 1: 1}
        await until_told(nodes, (0, 2))
        machines.give_up("alpha")
        with pytest.raises(SettingError, match="gamma cannot leave: the crawl is on gamma, and one has to stay"):
            machines.give_up("gamma")
        await hosted.end()
        await machines.aclose()

    asyncio.run(leave())
    assert found(folder.path).places[1] == Place(str(tmp_path / "far"), 1, "gamma")
    assert nodes.actors["beta"].removed == [(tmp_path / "far" / "001.db", 0)]
