"""One request to a host at a time, and some seconds between two of them. For requests that no frontier hands out."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from minicrawl.crawler.hosts.politeness import HostDelays

_MANY = 1000
"""Hosts from which on those are forgotten that may be asked at once."""


@dataclass(slots=True)
class _Turns:
    """The turns at a host. `ready_at`: by the clock, when the next one may begin. `taken`: who has one or waits."""

    ready_at: float = 0.0
    taken: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Pace:
    """When hosts may be asked, by their politeness key. delays: seconds from an answer to the next request."""

    def __init__(self, delays: HostDelays, clock: Callable[[], float]) -> None:
        self._delays = delays
        self._clock = clock
        self._hosts: dict[str, _Turns] = {}

    def note_asked(self, host: str) -> None:
        """A host has answered a request that was made elsewhere."""
        self._of(host).ready_at = self._clock() + self._delays.of(host)

    @asynccontextmanager
    async def turn(self, host: str, crawl_delay: float = 0.0) -> AsyncIterator[None]:
        """Wait for a turn at a host, and hold it. crawl_delay: seconds that its robots.txt asks for."""
        turns = self._of(host)
        turns.taken += 1
        try:
            async with turns.lock:
                delay = self._delays.of(host)
                longer = self._delays.of(host, crawl_delay) - delay
                await asyncio.sleep(max(turns.ready_at + longer - self._clock(), 0.0))
                try:
                    yield
                finally:
                    turns.ready_at = self._clock() + delay
        finally:
            turns.taken -= 1

    def _of(self, host: str) -> _Turns:
        if host not in self._hosts and len(self._hosts) >= _MANY:
            now = self._clock()
            self._hosts = {name: turns for name, turns in self._hosts.items() if turns.taken or turns.ready_at > now}
        return self._hosts.setdefault(host, _Turns())
