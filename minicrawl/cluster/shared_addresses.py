"""IP addresses shared by hosts of several partitions: one partition at a time holds each.

A partition reports the addresses that it wants and does not hold. The first in the queue gets the address, with the
seconds for which nobody may ask it yet. While others wait, the holder must return it after a while: it begins no more
requests there, and returns it when none is in flight. So between two requests to an address, from any partition,

    gap >= delay

as within one partition. A dead partition may have asked its addresses just before, so these rest for a delay. All
addresses rest when a run resumes a crawl: processes of the run before may have outlived their keeper, until their
stores could be opened again. Time is passed in: seconds of one clock.
"""

from collections.abc import Iterable, Mapping
from typing import TypedDict

from minicrawl.settings import CrawlSettings

_HELD = 2.0
"""Minimum seconds for which an address is held before it gets a request back; twice the rest if that is longer."""


def shares_addresses(settings: CrawlSettings, partitions: int) -> bool:
    """True if partitions have to coordinate their use of addresses."""
    return partitions > 1 and settings.delay_per_address > 0


class Order(TypedDict):
    """An order to a partition: addresses granted, with seconds to rest, and addresses to give back."""

    granted: dict[str, float]
    wanted_back: list[str]


class SharedAddresses:
    """The holders of addresses. Grants start once all partitions have reported."""

    def __init__(self, rest: float, numbers: Iterable[int], *, is_new: bool) -> None:
        """rest: seconds until an address of a dead partition may get a request. numbers: of all partitions. is_new:
        this is the first run of the crawl."""
        self._unheard = set(numbers)
        self._rest, self._is_new = rest, is_new
        self._ready_at = 0.0
        self._holders: dict[str, tuple[int, float]] = {}
        """The partition that holds an address, and since when."""
        self._free_at: dict[str, float] = {}
        """When an address that nobody holds may get a request; any other may at once."""
        self._queue: dict[tuple[str, int], None] = {}
        """Addresses, each with a partition that waits for it, in the order of arrival."""

    def note(self, number: int, wanted: Iterable[str], left: Mapping[str, float], now: float) -> None:
        """Record the addresses that a partition wants, and those it has given back, with seconds to rest."""
        if number in self._unheard:
            self._unheard.remove(number)
            self._ready_at = 0.0 if self._is_new else now + self._rest
        for name, seconds in left.items():
            self._holders.pop(name, None)
            self._free_at[name] = now + seconds
        wants = dict.fromkeys((name, number) for name in sorted(wanted))
        self._queue = {entry: None for entry in self._queue if entry[1] != number or entry in wants} | wants

    def note_death(self, number: int, now: float) -> None:
        """Free the addresses of a dead partition after a rest, because it may have asked them just now."""
        held = [name for name, (holder, _) in self._holders.items() if holder == number]
        if number not in self._unheard:
            self.note(number, (), dict.fromkeys(held, self._rest), now)

    @property
    def has_to_grant(self) -> bool:
        """True if a partition waits for an address that nobody holds."""
        return any(name not in self._holders for name, _ in self._queue)

    def orders(self, numbers: Iterable[int], now: float) -> Mapping[int, Order]:
        """The orders to send to these partitions."""
        orders = {number: Order(granted={}, wanted_back=[]) for number in numbers}
        for name, number in list(self._queue) if not self._unheard else ():
            holder, since = self._holders.get(name, (None, 0.0))
            if holder is None:
                del self._queue[name, number]
                self._holders[name] = number, now
                orders[number]["granted"][name] = max(self._free_at.pop(name, 0.0) - now, self._ready_at - now, 0.0)
            elif now - since >= max(_HELD, 2 * self._rest):
                self._holders[name] = holder, now
                orders[holder]["wanted_back"].append(name)
        self._free_at = {name: at for name, at in self._free_at.items() if at > now}
        return orders
