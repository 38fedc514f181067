"""Partitions are found where they are, also after a replica has taken over; all actors are told."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from support.cluster_folders import some_folder
from support.machine_calls import called

from minicrawl.cluster.folder import exchange_place, found
from minicrawl.cluster.machines.carrying import Remote
from minicrawl.cluster.machines.finding import Finder
from minicrawl.cluster.machines.hosted import GoneError, Where
from minicrawl.cluster.machines.replicating import Lines
from minicrawl.cluster.running.brief import Brief
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.folder import Place


class Actor:
    """Notes what it is told, but for the first time."""

    def __init__(self) -> None:
        self.told: list[Sequence[int]] = []
        self._is_away = True

    async def __call__(self, method: str, *given: object) -> Message | None:
        if self._is_away:
            self._is_away = False
            raise GoneError("it is away for a moment")
        (where,) = given
        assert isinstance(where, Where)
        self.told.append(where.places)
        return None

    def kill(self) -> None:
        raise AssertionError("nobody is killed")


def test_partition_of_a_machine_that_is_gone_is_found_where_its_replica_is(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web").keep_replicas(1)
    place = Place(str(tmp_path / "far"), 0, "beta", "gamma")
    exchange_place(folder.path, 1, folder.places[1], place)
    folder = found(folder.path)
    alive, taken, said = {"alpha", "beta", "gamma"}, list[tuple[object, ...]](), list[str]()

    def replica(method: str, *given: object) -> None:
        taken.append((method, *given))

    lines = Lines({"gamma": replica}, called(Remote()), "alpha", lambda: sorted(alive))
    actors = [Actor(), Actor(), Actor()]
    where = Where(actors, (), lines)
    finder = Finder(folder, where, {"alpha": [0], "beta": [1], "gamma": [2]}, "alpha", said.append, gone=0.0)
    brief = Brief(folder, 1, CrawlSettings(), Seeds([]))

    async def find() -> None:
        there = await finder.find(brief)
        assert (there[0].folder.places[1], there[1].places, there[2]) == (place, (0, 1), "beta")
        alive.remove("beta")
        there = await finder.find(brief)
        assert (there[0].folder.places[1], there[1].places, there[2]) == (
            Place(str(tmp_path / "far"), 1, "gamma"),
            (0, 2),
            "gamma",
        )
        while not all(actor.told for actor in actors):
            await asyncio.sleep(0.05)

    asyncio.run(find())
    assert [actor.told for actor in actors] == [[(0, 2)]] * 3
    assert taken == [("take_over", tmp_path / "far" / "001.db", 1)]
    assert said == ["node beta is gone: partition 1 goes on on gamma"]
