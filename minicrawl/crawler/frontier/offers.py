"""What hosts on offer have to offer, the best of it first.

entry    whatever is offered: an integer, the least of which is the best; its lowest bits are a page, as in
         minicrawl.opic.strategy
crowd    the hosts of one IP address that are on offer by their own clocks; one of them is asked at a time
attempt  a turn of a host that did not answer the last time, or has not been asked in this run
"""

import heapq

from minicrawl.crawler.hosts.clocks import Address, Host
from minicrawl.opic.strategy import unpacked


class Offers:
    """A priority queue with one entry a number. Entries are replaced or withdrawn at any time, and skipped when met."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int]] = []
        self._entries: dict[int, int] = {}

    def put(self, number: int, entry: int) -> None:
        if self._entries.get(number) == entry:
            return
        self._entries[number] = entry
        heapq.heappush(self._heap, (entry, number))
        if len(self._heap) > 64 + 4 * len(self._entries):
            self._heap = [(entry, number) for number, entry in self._entries.items()]
            heapq.heapify(self._heap)

    def withdraw(self, number: int) -> bool:
        """Returns False if it had no entry."""
        return self._entries.pop(number, None) is not None

    def best(self) -> tuple[int, int] | None:
        """The highest entry, and its number."""
        while self._heap:
            entry, number = self._heap[0]
            if self._entries.get(number) == entry:
                return entry, number
            heapq.heappop(self._heap)
        return None

    def __len__(self) -> int:
        return len(self._heap)


class HostOffers:
    """An entry of every host on offer.

    A host without address offers its entry itself, under its number. Of all others an address on offer offers the best
    one, under the complement of its number. Turns that would be attempts are offered apart.
    """

    def __init__(self) -> None:
        self._offers = {is_attempt: Offers() for is_attempt in (False, True)}
        self._crowds: dict[tuple[int, bool], Offers] = {}

    def put(self, host: Host, entry: int) -> None:
        """Offer this in place of what the host has offered since it was withdrawn."""
        address, is_attempt = host.address, not host.answers
        if address is None:
            self._offers[is_attempt].put(host.id, entry)
            return
        crowd = self._crowds.get((address.id, is_attempt))
        if crowd is None:
            crowd = self._crowds[address.id, is_attempt] = Offers()
        crowd.put(host.id, entry)
        self._offer_crowd(address, is_attempt)

    def withdraw(self, host: Host) -> None:
        address, is_attempt = host.address, not host.answers
        if address is None:
            self._offers[is_attempt].withdraw(host.id)
            return
        crowd = self._crowds.get((address.id, is_attempt))
        if crowd is not None and crowd.withdraw(host.id):
            self._offer_crowd(address, is_attempt)

    def change(self, address: Address) -> None:
        """Offer the best entry of an address that has come on offer, or withdraw it from one that is off offer."""
        self._offer_crowd(address, False)
        self._offer_crowd(address, True)

    def _offer_crowd(self, address: Address, is_attempt: bool) -> None:
        crowd = self._crowds.get((address.id, is_attempt))
        if crowd is None:
            return
        best = crowd.best() if address.is_offered else None
        if best is None:
            self._offers[is_attempt].withdraw(~address.id)
        else:
            self._offers[is_attempt].put(~address.id, best[0])

    def best(self, *, attempts: bool) -> int | None:
        """The page of the best entry; without attempts, of the hosts that answer."""
        best = self._offers[False].best()
        attempt = self._offers[True].best() if attempts else None
        if best is None or (attempt is not None and attempt < best):
            best = attempt
        return None if best is None else unpacked(best[0])
