"""Partitions move when processes come or leave; a plan that is void, or that cannot be carried out, ends nothing."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from minicrawl.cluster.running.balancing import Balancing
from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.processes import Kept
from minicrawl.errors import StoreError


@dataclass
class Holder:
    """Processes, which can have those partitions that are `ready`."""

    number: int
    places: dict[int, int]
    ready: set[int] = field(default_factory=lambda: set(range(100)))
    asked: list[int] = field(default_factory=list)
    left: int = 0
    are_here: bool = True

    async def start(self, brief: Brief) -> Kept:
        raise NotImplementedError

    def resize(self, number: int) -> None:
        self.number = number

    def give_up(self, machine: str) -> int:
        raise NotImplementedError

    async def is_ready(self, number: int, at: int) -> bool:
        self.asked.append(number)
        return number in self.ready

    async def move(self, number: int, at: int) -> None:
        self.places[number] = at

    async def leave(self) -> None:
        self.left += 1

    async def aclose(self) -> None:
        raise NotImplementedError


def balancing(holder: Holder, told: list[int] | None = None) -> Balancing:
    async def resized(number: int) -> None:
        (told if told is not None else []).append(number)

    return Balancing(holder, holder.move, resized)


def idle(holder: Holder) -> Mapping[int, int]:
    return dict.fromkeys(holder.places, 0)


def test_processes_that_come_have_partitions_and_those_that_leave_have_none() -> None:
    holder = Holder(2, {number: number % 2 for number in range(16)})
    told: list[int] = []

    async def grow_and_shrink() -> None:
        moves = balancing(holder, told)
        moves.begin_if_due(idle(holder))
        assert moves.number == 2
        for number in (4, 1):
            holder.resize(number)
            moves.begin_if_due(idle(holder))
            await asyncio.sleep(0)
            moves.begin_if_due(idle(holder))  # while some move
            await moves.end()
            counts = [list(holder.places.values()).count(at) for at in range(number)]
            assert counts == [16 // number] * number

    asyncio.run(grow_and_shrink())
    assert (told, holder.left) == ([4, 1], 2)


def test_plan_is_void_once_a_process_has_left() -> None:
    """The numbers of those that stay are others then."""
    holder = Holder(4, dict.fromkeys(range(8), 0))

    async def leave() -> None:
        async def moved(number: int, at: int) -> None:
            holder.resize(2)
            await holder.move(number, at)

        moves = Balancing(holder, moved, resized)
        moves.number = 1
        moves.begin_if_due(idle(holder))
        await moves.end()

    async def resized(number: int) -> None:
        pass

    asyncio.run(leave())
    assert len(holder.asked) == sum(at > 0 for at in holder.places.values()) == 1


def test_end_is_not_held_up_by_a_process_that_cannot_have_a_partition() -> None:
    holder = Holder(1, {0: 0, 1: 0, 2: 0, 3: 0}, ready={0, 3})

    async def end() -> None:
        moves = balancing(holder)
        holder.resize(2)
        moves.begin_if_due(idle(holder))
        while not holder.asked:
            await asyncio.sleep(0)
        await moves.end()

    asyncio.run(end())
    assert all(at == 0 for number, at in holder.places.items() if number not in holder.ready)


def test_failed_move_ends_the_crawl() -> None:
    holder = Holder(1, {0: 0, 1: 0})

    async def failing(number: int, at: int) -> None:
        raise StoreError("the disk is full")

    async def fail() -> None:
        async def resized(number: int) -> None:
            raise AssertionError("it failed before")

        moves = Balancing(holder, failing, resized)
        holder.resize(2)
        moves.begin_if_due(idle(holder))
        while True:
            await asyncio.sleep(0)
            moves.begin_if_due(idle(holder))

    with pytest.raises(StoreError, match="the disk is full"):
        asyncio.run(fail())
