"""Balancing of a run: partitions move when processes come or leave, and between busy ones by their work."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from minicrawl.cluster.balance import evened
from minicrawl.cluster.running.processes import Holders

_APART, _BUSY = 30.0, 10.0
"""Seconds between two looks at the work of processes; pages a second of a process that is worth relieving."""
_LOOKS_APART = 0.5
"""Seconds between two questions whether a process can have a partition."""


class Balancing:
    """Balances the partitions of the processes. number: of processes, as of the last balance."""

    def __init__(
        self,
        processes: Holders,
        move: Callable[[int, int], Awaitable[None]],
        resized: Callable[[int], Awaitable[None]],
    ) -> None:
        """move: ends a partition where it runs, and begins it in another process. resized: told a new number of
        processes, to which partitions have moved."""
        self.number = processes.number
        self._processes = processes
        self._move, self._resized = move, resized
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._is_over = False
        self._at = time.monotonic()
        self._fetched: Mapping[int, int] = {}
        """Pages that partitions had fetched in this run when their work was last looked at."""

    def begin_if_due(self, fetched: Mapping[int, int]) -> None:
        """Begin to move partitions if it is time. fetched: pages in this run, by partition."""
        if self._task is not None:
            if not self._task.done():
                return
            self._task.result()
        seconds = time.monotonic() - self._at
        if self._processes.number != self.number:
            self._task = asyncio.create_task(self.resize(fetched))
        elif seconds >= _APART:
            work = self._work(fetched)
            if sum(work.values()) > _BUSY * seconds * self.number:
                self._task = asyncio.create_task(self._balance(work))

    async def resize(self, fetched: Mapping[int, int]) -> None:
        """Use the processes that there are now."""
        self.number = self._processes.number
        await self._balance(self._work(fetched))
        await self._processes.leave()
        await self._resized(self.number)

    async def end(self) -> None:
        """Begin no more moves, and wait for one that has begun."""
        self._is_over = True
        if self._task is not None:
            await self._task

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _work(self, fetched: Mapping[int, int]) -> Mapping[int, int]:
        """Pages that partitions have fetched since this was last asked."""
        before, self._fetched, self._at = self._fetched, fetched, time.monotonic()
        return {number: pages - before.get(number, 0) for number, pages in fetched.items()}

    async def _balance(self, work: Mapping[int, int]) -> None:
        async with self._turn:
            places = {number: at for number, at in self._processes.places.items() if number in work}
            for number, at in evened(work, places, self.number).items():
                if await self._can_move(number, at):
                    await self._move(number, at)

    async def _can_move(self, number: int, at: int) -> bool:
        """Wait until a process can have a partition. Returns False if the plan is void meanwhile."""
        while self._processes.number == self.number:
            if await self._processes.is_ready(number, at):
                return True
            await asyncio.sleep(_LOOKS_APART)
            if self._is_over:
                break
        return False
