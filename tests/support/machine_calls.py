"""Calls of what stands on machines, in one process."""

import asyncio
from collections.abc import Sequence
from random import Random

from minicrawl.cluster.machines.hosted import GoneError, Host, Hosted, Where
from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.keeper import Keeper
from minicrawl.control.messages import Message


class Line:
    """Calls a host of this process. lost: how often a call is not brought, and how often its answer is not."""

    def __init__(self, lost: float = 0.0, seed: int = 0) -> None:
        self.host = Host()
        self.is_there = True
        self.calls: list[str] = []
        self._lost = lost
        self._random = Random(seed)

    async def __call__(self, method: str, *given: object) -> Message | None:
        self.calls.append(method)
        await asyncio.sleep(0)
        lost = self._lost if method == "take" else 0.0
        if not self.is_there or self._random.random() < lost:
            raise GoneError("it was not brought")
        answer: Message | None = await getattr(self.host, method)(*given)
        if self._random.random() < lost:
            raise GoneError("its answer was not brought")
        return answer

    def kill(self) -> None:
        self.is_there = False


def kept_by(keeper: Keeper, lines: Sequence[Line]) -> None:
    """Let a keeper have a host for each partition."""

    async def start(brief: Brief) -> Hosted:
        return Hosted(brief, Where(lines, range(len(lines))), "beta")

    keeper.start = start
