"""Who may ask which IP address, where hosts of several partitions share it: one partition at a time holds it.

A partition says which addresses it would ask and does not hold. Whoever is first in the line is granted it, with the
time for which nobody may ask it yet. While others wait, the holder is asked for it after a while; it begins nothing
more there, and gives it back when nothing is in flight. So between two requests to an address, whoever makes them,

    gap >= delay

as within one partition. Who dies holds nothing any more, and may have asked until then: nobody asks these addresses for
a delay. So it is with all addresses when a run goes on with a crawl: processes of the run before may have lived longer
than their keeper, each until the one that has its store now could open it. Time is passed in: seconds of one clock.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from minicrawl.settings import CrawlSettings

_HELD = 2.0
"""Seconds for which an address is held, or the time of two requests, before it is asked for again."""


def shares_addresses(settings: CrawlSettings, partitions: int) -> bool:
    """Whether partitions have to agree on addresses."""
    return partitions > 1 and settings.delay_per_address > 0


class Order(TypedDict):
    """What a partition is told: addresses that it holds from now on, with seconds to rest, or is to give back."""

    granted: dict[str, float]
    wanted_back: list[str]


@dataclass
class _Shared:
    """holder: number of a partition. ready_at: when the address may be asked again, where nobody holds it."""

    holder: int | None = None
    ready_at: float = 0.0
    since: float = 0.0
    line: dict[int, None] = field(default_factory=dict)


class SharedAddresses:
    """rest: seconds that pass, beside the time that an answer takes, until an address may be asked that may have just
    been asked by somebody who is dead. Nothing is granted before all partitions have been heard of."""

    def __init__(self, rest: float, *, is_new: bool) -> None:
        """is_new: no run before this one has asked anybody."""
        self._rest = rest
        self._is_new = is_new
        self._ready_at = 0.0
        self._heard: set[int] = set()
        self._addresses: dict[str, _Shared] = {}
        self._in_line: dict[int, set[str]] = {}
        self._contested: dict[str, None] = {}

    def adjust(self, rest: float) -> None:
        """Let another time pass from now on."""
        self._rest = rest

    def note(self, number: int, wanted: Iterable[str], left: Mapping[str, float], now: float) -> None:
        """A partition has said which addresses it would ask, and which it has given back, with seconds to rest."""
        if number not in self._heard:
            self._heard.add(number)
            self._ready_at = 0.0 if self._is_new else now + self._rest
        self._line_up(number, set(wanted), left, now)

    def _line_up(self, number: int, wanted: set[str], left: Mapping[str, float], now: float) -> None:
        for name, seconds in left.items():
            self._free(name, now + seconds)
        before = self._in_line.get(number, set())
        for name in sorted(wanted - before):
            self._shared(name).line[number] = None
            self._contested[name] = None
        for name in before - wanted:
            self._addresses[name].line.pop(number, None)
        self._in_line[number] = wanted

    def note_death(self, number: int, now: float) -> None:
        """Nobody knows when a partition has asked last, or whether it has got what it was granted."""
        self._line_up(number, set(), {}, now)
        for name, shared in self._addresses.items():
            if shared.holder == number:
                self._free(name, now + self._rest)

    @property
    def has_to_grant(self) -> bool:
        """Whether somebody waits for an address that nobody holds."""
        return any(self._addresses[name].holder is None and self._addresses[name].line for name in self._contested)

    def orders(self, partitions: int, now: float) -> Sequence[Order]:
        """What each partition is to be told now."""
        granted: list[dict[str, float]] = [{} for _ in range(partitions)]
        wanted_back: list[list[str]] = [[] for _ in range(partitions)]
        for name in list(self._contested) if len(self._heard) >= partitions else ():
            shared = self._addresses[name]
            if not shared.line:
                del self._contested[name]
            elif shared.holder is None:
                number = next(iter(shared.line))
                del shared.line[number]
                self._in_line[number].discard(name)
                shared.holder, shared.since = number, now
                granted[number][name] = max(shared.ready_at - now, self._ready_at - now, 0.0)
            elif now - shared.since >= max(_HELD, 2 * self._rest):
                shared.since = now
                wanted_back[shared.holder].append(name)
        return [{"granted": some, "wanted_back": others} for some, others in zip(granted, wanted_back, strict=True)]

    def _shared(self, name: str) -> _Shared:
        return self._addresses.setdefault(name, _Shared())

    def _free(self, name: str, ready_at: float) -> None:
        shared = self._addresses[name]
        shared.holder, shared.ready_at = None, ready_at
