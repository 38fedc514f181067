"""Calls of what stands on machines, in one process: what is asked and answered is pickled, as on its way."""

import asyncio
import pickle
from collections.abc import Callable, Sequence
from random import Random

from minicrawl.cluster.machines.host import Host
from minicrawl.cluster.machines.hosted import GoneError, Hosted
from minicrawl.cluster.machines.reading import Call
from minicrawl.cluster.running.keeper import Keeper
from minicrawl.cluster.running.worker import Brief
from minicrawl.control.messages import Message, answer_of


def called(there: object, before: Callable[[str], None] = lambda what: None) -> Call:
    """Calls the methods of something. before: may stop a call."""

    def call(what: str, *given: object) -> object:
        before(what)
        return answer_of(pickle.loads(pickle.dumps(getattr(there, what)(*pickle.loads(pickle.dumps(given))))))["it"]

    return call


class Line:
    """Calls a host of this process. lost: how often a call is not brought, and how often its answer is not."""

    def __init__(self, lost: float = 0.0, seed: int = 0) -> None:
        self.host = Host()
        self.is_there = True
        self.calls: list[str] = []
        self._lost = lost
        self._random = Random(seed)

    async def __call__(self, what: str, *given: object) -> Message | None:
        self.calls.append(what)
        await asyncio.sleep(0)
        lost = self._lost if what == "take" else 0.0
        if not self.is_there or self._random.random() < lost:
            raise GoneError("it was not brought")
        answer: Message | None = await getattr(self.host, what)(*given)
        if self._random.random() < lost:
            raise GoneError("its answer was not brought")
        return answer

    def kill(self) -> None:
        self.is_there = False

    async def die(self) -> None:
        """It has no partition any more, as after a death. The store is free, as the system frees it."""
        await self.host.leave()


def kept_by(keeper: Keeper, lines: Sequence[Line]) -> None:
    async def start(brief: Brief) -> Hosted:
        return Hosted(lines[brief.number], brief, lines, "beta")

    keeper.start = start
