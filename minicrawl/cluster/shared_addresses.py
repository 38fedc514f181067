"""IP addresses shared by hosts of several partitions: one partition at a time holds each.

Partitions report the addresses that they want and do not hold. The first in the queue is granted an address, with the
time until it may be asked. While others wait, the holder is told to return it after a while; it begins no more requests
there, and returns it when none is in flight. So between two requests to an address, from any partition,

    gap >= delay

as within one partition. A dead partition may have asked its addresses just before, so these rest for a delay. All
addresses rest when a run resumes a crawl: processes of the run before may have outlived their keeper, until their
stores could be opened again. Time is passed in: seconds of one clock.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from minicrawl.settings import CrawlSettings

_HELD = 2.0
"""Minimum seconds for which an address is held before it is asked back; twice the rest if that is longer."""


def shares_addresses(settings: CrawlSettings, partitions: int) -> bool:
    """True if partitions have to coordinate their use of addresses."""
    return partitions > 1 and settings.delay_per_address > 0 and not settings.from_archive


class Order(TypedDict):
    """An order to a partition: addresses granted, with seconds to rest, and addresses to give back."""

    granted: dict[str, float]
    wanted_back: list[str]


@dataclass
class _Shared:
    """A shared address. holder: number of a partition. ready_at: when it may be asked again, if nobody holds it."""

    holder: int | None = None
    ready_at: float = 0.0
    since: float = 0.0
    line: dict[int, None] = field(default_factory=dict)


class SharedAddresses:
    """The holders of addresses. rest: seconds until an address of a dead partition may be asked. Grants start once all
    partitions with which the run begins have reported. An address that nobody holds is forgotten after its delay."""

    def __init__(self, rest: float, numbers: Iterable[int], *, is_new: bool) -> None:
        """numbers: partitions with which the run begins. is_new: this is the first run of the crawl."""
        self._unheard = set(numbers)
        self._rest = rest
        self._is_new = is_new
        self._ready_at = 0.0
        self._addresses: dict[str, _Shared] = {}
        self._in_line: dict[int, set[str]] = {}
        self._contested: dict[str, None] = {}
        self._free_at: dict[str, float] = {}
        """Addresses that were given back, with the time when they may be asked."""

    def adjust(self, rest: float) -> None:
        """Change the rest from now on."""
        self._rest = rest

    def note(self, number: int, wanted: Iterable[str], left: Mapping[str, float], now: float) -> None:
        """Record the addresses that a partition wants, and those it has given back, with seconds to rest."""
        if number in self._unheard:
            self._unheard.remove(number)
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
        """Free the addresses of a dead partition after a rest, as it may have asked them just now."""
        self._line_up(number, set(), {}, now)
        for name, shared in self._addresses.items():
            if shared.holder == number:
                self._free(name, now + self._rest)

    @property
    def has_to_grant(self) -> bool:
        """True if a partition waits for an address that is free."""
        return any(self._addresses[name].holder is None and self._addresses[name].line for name in self._contested)

    def orders(self, numbers: Iterable[int], now: float) -> Mapping[int, Order]:
        """The orders to send to these partitions."""
        orders = {number: Order(granted={}, wanted_back=[]) for number in numbers}
        for name in list(self._contested) if not self._unheard else ():
            shared = self._addresses[name]
            if not shared.line:
                del self._contested[name]
            elif shared.holder is None:
                number = next(iter(shared.line))
                del shared.line[number]
                self._in_line[number].discard(name)
                shared.holder, shared.since = number, now
                orders[number]["granted"][name] = max(shared.ready_at - now, self._ready_at - now, 0.0)
            elif now - shared.since >= max(_HELD, 2 * self._rest):
                shared.since = now
                orders[shared.holder]["wanted_back"].append(name)
        self._forget(now)
        return orders

    def _forget(self, now: float) -> None:
        for name in [name for name, ready_at in self._free_at.items() if ready_at <= now]:
            del self._free_at[name]
            if (shared := self._addresses[name]).holder is None and not shared.line:
                del self._addresses[name]
                self._contested.pop(name, None)

    def _shared(self, name: str) -> _Shared:
        return self._addresses.setdefault(name, _Shared())

    def _free(self, name: str, ready_at: float) -> None:
        shared = self._addresses[name]
        shared.holder, shared.ready_at = None, ready_at
        self._free_at[name] = ready_at
