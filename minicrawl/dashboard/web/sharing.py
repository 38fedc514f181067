"""Several pages that look at the same share one look, and what takes long is not looked at often."""

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

_T = TypeVar("_T")


@dataclass
class _Entry:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    value: Any = None
    until: float = 0.0


class Shared:
    """Values by key, each worked out in a thread, by one at a time.

    A value is good for `least` seconds, and for `apart` times as long as it took: so of the time of a core one part in
    `apart` at most goes into each key. `most`: how many values are kept.
    """

    def __init__(
        self, least: float, apart: float, *, most: int = 100, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._least = least
        self._apart = apart
        self._most = most
        self._clock = clock
        self._entries: dict[Hashable, _Entry] = {}

    async def get(self, key: Hashable, work: Callable[[], _T]) -> _T:
        """The value of a key: the last one while that is good, else what comes of `work`. Raises what that raises."""
        entry = self._entries.setdefault(key, _Entry())
        async with entry.lock:
            began = self._clock()
            if began >= entry.until:
                entry.value = await asyncio.to_thread(work)
                ended = self._clock()
                entry.until = ended + max(self._least, self._apart * (ended - began))
            value: _T = entry.value
        self._forget()
        return value

    def renew(self) -> None:
        """Something has changed: no value is good any more."""
        for entry in self._entries.values():
            entry.until = 0.0

    def _forget(self) -> None:
        while len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]
