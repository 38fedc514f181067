"""Several pages that look at the same share one look, and what takes long is not looked at often."""

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar  # Any: JSON

_T = TypeVar("_T")


class NotYetError(Exception):
    """A value is still being worked out, and there is no earlier one."""


@dataclass
class _Entry:
    """`task`: works the next value out, begun after so many `renewals`. `value`: the last one, if there `is_known`.
    `until`: it is good till then."""

    task: asyncio.Task[None] | None = None
    renewals: int = 0
    value: Any = None
    is_known: bool = False
    until: float = 0.0


class Shared:
    """Values by key, each worked out in a thread, by one at a time.

    A value is good for `least` seconds, and for `apart` times as long as it took: so of the time of a core one part in
    `apart` at most goes into each key. `patience`: seconds for which somebody waits for a new value; None: until it is
    there. `most`: how many values are kept.
    """

    def __init__(
        self,
        least: float,
        apart: float,
        *,
        patience: float | None = None,
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
        """The value of a key: the last one while that is good, else what comes of `work`, which may raise anything.

        Where that takes longer than somebody waits, it is the last one all the same. Raises NotYetError if there is
        none.
        """
        entry = self.begin(key, work)
        task = entry.task
        if task is not None:
            done, _ = await asyncio.wait({task}, timeout=self._patience)
            if done:
                task.result()
            elif not entry.is_known:
                raise NotYetError
        self._forget()
        value: _T = entry.value
        return value

    def begin(self, key: Hashable, work: Callable[[], object]) -> _Entry:
        """Let a value that is no longer good be worked out, as somebody is about to ask for it."""
        entry = self._entries.setdefault(key, _Entry())
        # What was begun before something has changed may be of before: who asks later waits for the one behind it.
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
            entry.is_known = True
            ended = self._clock()
            if renewals == self._renewals:  # else something has changed while it was worked out
                entry.until = ended + max(self._least, self._apart * (ended - began))
        finally:
            if entry.task is asyncio.current_task():
                entry.task = None

    def renew(self) -> None:
        """Something has changed: no value is good any more."""
        self._renewals += 1
        for entry in self._entries.values():
            entry.until = 0.0

    def _forget(self) -> None:
        while len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]


def _noticed(task: asyncio.Task[None]) -> None:
    """A failure has been seen by those who waited; it may be that nobody does any more."""
    if not task.cancelled():
        task.exception()
