"""Shared values: pages that ask for the same share one computation, and slow ones are rarely repeated."""

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar  # Any: JSON

_T = TypeVar("_T")


class NotYetError(Exception):
    """A value is still being computed, and there is no earlier one."""


class Kept(NamedTuple):
    """A value. `age`: seconds since its computation began. `is_late`: it is outdated, and the next one is not there."""

    value: Any
    age: float
    is_late: bool


@dataclass
class _Entry:
    """`task`: computes the next value, begun after `renewals` renewals. `value`: the last one, if it `is_known`, as of
    `at`, valid `until` then."""

    task: asyncio.Task[None] | None = None
    renewals: int = 0
    value: Any = None
    is_known: bool = False
    at: float = 0.0
    until: float = 0.0


class Shared:
    """Values by key, each computed in a thread, one at a time.

    A value is valid for `least` seconds and for `apart` times its computing time: so each key takes at most one part in
    `apart` of a core's time. `patience`: seconds that a caller waits for a first value, and for one that
    replaces an outdated one; None: unlimited. `most`: number of values in memory.
    """

    def __init__(
        self,
        least: float,
        apart: float,
        *,
        patience: tuple[float | None, float | None] = (None, None),
        most: int = 100,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._least = least
        self._apart = apart
        self._patience = patience
        self._most = most
        self._clock = clock
        self._entries: dict[Hashable, _Entry] = {}
        self._renewals = 0

    async def get(self, key: Hashable, work: Callable[[], _T]) -> _T:
        """The value of a key: the last one while valid, else the result of `work`, whose exceptions are raised.

        If `work` takes longer than callers wait, the outdated value is returned; raises NotYetError if there is none.
        """
        value: _T = (await self.last(key, work)).value
        return value

    async def last(self, key: Hashable, work: Callable[[], object]) -> Kept:
        """Like `get`, with the age of the value."""
        entry = self.begin(key, work)
        task = entry.task
        if task is not None:
            done, _ = await asyncio.wait({task}, timeout=self._patience[entry.is_known])
            if done:
                task.result()
            elif not entry.is_known:
                raise NotYetError
        self._forget()
        return Kept(entry.value, self._clock() - entry.at, is_late=task is not None and not task.done())

    def begin(self, key: Hashable, work: Callable[[], object]) -> _Entry:
        """Start computing a value if it is no longer valid, as it will be asked for soon."""
        entry = self._entries.setdefault(key, _Entry())
        # A computation from before a renewal may be outdated: later callers wait for the next one.
        is_late = entry.task is not None and entry.renewals != self._renewals
        if is_late or (entry.task is None and self._clock() >= entry.until):
            entry.task = asyncio.create_task(self._renewed(entry, work, entry.task))
            entry.renewals = self._renewals
            entry.task.add_done_callback(_noticed)
        return entry

    async def _renewed(self, entry: _Entry, work: Callable[[], object], before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        renewals, began = self._renewals, self._clock()
        try:
            entry.value = await asyncio.to_thread(work)
            entry.is_known, entry.at = True, began
            ended = self._clock()
            if renewals == self._renewals:  # else the value was renewed meanwhile
                entry.until = ended + max(self._least, self._apart * (ended - began))
        finally:
            if entry.task is asyncio.current_task():
                entry.task = None

    def renew(self) -> None:
        """Invalidate all values."""
        self._renewals += 1
        for entry in self._entries.values():
            entry.until = 0.0

    def _forget(self) -> None:
        while len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]


def _noticed(task: asyncio.Task[None]) -> None:
    """Retrieve the exception of a task that nobody awaits."""
    if not task.cancelled():
        task.exception()
