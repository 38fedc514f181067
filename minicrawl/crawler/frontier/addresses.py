"""The best page of the hosts that may be asked now, the hosts with errands, and the IP addresses that hosts share.

No decision looks at more than a few heap tops.

lane     one kind of page: never read (discovery), or read (refresh)
entry    a page and its priority in one integer, see minicrawl.opic.strategy
crowd    the hosts of one IP address that are on offer by their own clocks; one of them is asked at a time
attempt  a turn of a host that did not answer the last time, or has not been asked in this run
errand   a request to a host that is for no page, see minicrawl.crawler.hosts
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from minicrawl.crawler.hosts import TURNS_PER_ERRAND, Address, Errand, Host
from minicrawl.opic import PageQueue
from minicrawl.opic.arrays import IntArray, Pages
from minicrawl.opic.strategy import packed

_FIRST_LOOKUPS, _LEAST_LOOKUPS, _MOST_LOOKUPS = 16, 4, 256  # look-ups in flight
_LOOKUP_SECONDS = 5.0


Trade = tuple[list[str], dict[str, float]]
"""The requests of a crawl that shares addresses with others: addresses that it would ask and does not hold; and those
that it gives up, each with the seconds for which nobody may ask it yet."""


class Addresses:
    """The clocks of IP addresses, by number and by name; number 0 is the name server's, which stands in for the address
    of all hosts that have not been looked up.

    Where several partitions share addresses, one at a time holds each; in the others its hosts wait.

    delay: seconds between two requests to an address; most: requests in flight; asked_from: Unix seconds before which
    no address is asked.
    """

    def __init__(self, *, delay: float, most: int, asked_from: float) -> None:
        self._delay, self._most, self._asked_from = delay, most, asked_from
        self.name_server = Address(id=0, name="", delay=0.0, most=_FIRST_LOOKUPS, is_offered=True)
        self._looked_up, self._unanswered, self._judged_at = 0, 0, 0.0  # look-ups since the number was adapted
        self._addresses = [self.name_server]
        self._by_name: dict[str, Address] = {}
        self._is_shared = False
        self._hosts: dict[str, list[Host]] = {}  # hosts by address, if addresses are shared
        self._elsewhere: dict[str, None] = {}  # addresses that are not held
        self._leaving: set[str] = set()  # those among them with requests still in flight

    def __getitem__(self, number: int) -> Address:
        return self._addresses[number]

    def __iter__(self) -> Iterator[Address]:
        """All but the name server's."""
        return iter(self._addresses[1:])

    def looked_up(self, is_answered: bool, now: float) -> None:
        """Adapt the number of look-ups in flight, every 5 s: half as many if a fifth failed, else a quarter more.

        An overloaded name server drops look-ups; but some names always fail by their own servers.
        """
        if not self._looked_up:
            self._judged_at = now + _LOOKUP_SECONDS
        self._looked_up += 1
        self._unanswered += not is_answered
        if now >= self._judged_at:
            most = self.name_server.most
            too_many = 5 * self._unanswered >= self._looked_up
            most = most // 2 if too_many else most + most // 4
            self.name_server.most = min(max(most, _LEAST_LOOKUPS), _MOST_LOOKUPS)
            self._looked_up = self._unanswered = 0

    def adjust(self, delay: float, most: int) -> Iterator[Address]:
        """Change the delay and the requests at once of all addresses, and yield them."""
        for address in self:
            address.ready_at += delay - address.delay
            address.delay, address.most = delay, most
            yield address
        self._delay, self._most = delay, most

    def named(self, name: str) -> Address | None:
        """The address of that name; None for a new one."""
        return self._by_name.get(name)

    def add(self, name: str) -> Address:
        address = Address(
            id=len(self._addresses),
            name=name,
            delay=self._delay,
            most=self._most,
            ready_at=self._asked_from,
            is_held=not self._is_shared,
        )
        self._by_name[name] = address
        self._addresses.append(address)
        if self._is_shared:
            self._elsewhere[name] = None
        return address

    def share(self) -> None:
        """Share addresses with other partitions: none is held before it is granted. Called before the first one."""
        assert not self._by_name, "addresses are shared from the first one on"
        self._is_shared = True

    def add_host(self, host: Host) -> None:
        """Record a host whose address is known now."""
        if self._is_shared and host.address is not None:
            self._hosts.setdefault(host.address.name, []).append(host)

    def change(self, granted: Mapping[str, float], wanted_back: Iterable[str], now: float) -> Iterator[Address]:
        """Take over granted addresses, which may not be asked for so many seconds, and begin to leave those wanted
        back. Yields all of them. Those that only the process before knew are left in time, too."""
        for name, seconds in granted.items():
            address = self.named(name) or self.add(name)
            address.is_held, address.ready_at = True, max(address.ready_at, now + seconds)
            del self._elsewhere[name]
            yield address
        for name in wanted_back:
            address = self.named(name) or self.add(name)
            self._leaving.add(name)
            self._elsewhere[name] = None
            address.is_held = False
            yield address

    def trade(self, has_work: Callable[[Host], bool], now: float) -> Trade:
        """The next trade. An address is left once no request to it is in flight."""
        left = {name: self._by_name[name] for name in self._leaving if not self._by_name[name].in_flight}
        self._leaving -= left.keys()
        wanted = [
            name
            for name in self._elsewhere
            if name not in self._leaving
            and any(host.address is self._by_name[name] and has_work(host) for host in self._hosts.get(name, ()))
        ]
        return wanted, {name: max(address.ready_at - now, 0.0) for name, address in left.items()}


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

    def withdraw(self, number: int) -> None:
        self._entries.pop(number, None)

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


class Lane:
    """Pages of one kind: a queue per host, and the best page of every host on offer.

    A host without address offers its best page itself, under its number. Of all others an address on offer offers
    the best one, under the complement of its number. Turns that would be attempts are offered apart.
    """

    def __init__(
        self,
        hosts: list[Host],
        is_current: Callable[[int], bool],
        waiting_of: Callable[[Pages], tuple[Pages, IntArray]],
    ) -> None:
        self._hosts = hosts
        self._is_current = is_current
        self._waiting_of = waiting_of
        self.clear()

    @property
    def hosts(self) -> Iterable[int]:
        """Numbers of the hosts that have had a page here."""
        return self._queues

    def add(self, host: Host, entry: int) -> None:
        """Add a page that does not wait here yet; `offer` its host then."""
        queue = self._queues.get(host.id)
        if queue is None:
            queue = self._queues[host.id] = PageQueue(self._is_current, self._waiting_of)
        self.waiting += 1
        queue.add(entry)

    def load(self, host: Host, pages: Pages, best: int) -> None:
        """Load the pages of a host that has none here; `offer` it then. best: the entry of the page whose turn is
        next."""
        self._queues[host.id] = PageQueue(self._is_current, self._waiting_of, pages, best)
        self.waiting += len(pages)

    def clear(self) -> None:
        self._queues: dict[int, PageQueue] = {}
        self._offers = {is_attempt: Offers() for is_attempt in (False, True)}
        self._crowds: dict[tuple[int, bool], Offers] = {}
        self.waiting = 0

    def rise(self, host: Host, entry: int) -> None:
        """Move a waiting page up; `offer` its host then."""
        self._queues[host.id].rise(entry)

    def rise_all(self, pages: Pages, hosts: Sequence[int], priorities: IntArray) -> None:
        """Move waiting pages up, with their hosts by number; once all pages of a visit have risen, `offer` the
        hosts."""
        queues = self._queues
        for page, host, priority in zip(pages.tolist(), hosts, priorities.tolist(), strict=True):
            queue = queues[host]
            if priority >= queue.least:  # most are not
                queue.rise(packed(page, priority))

    def fall(self, host: Host, entry: int) -> None:
        """Move a waiting page down; once all such pages have fallen, `offer` their hosts."""
        self._queues[host.id].fall(entry)

    def offer(self, host: Host) -> None:
        """Offer the best page of a host that is on offer."""
        queue = self._queues.get(host.id)
        if queue is None or not host.is_offered or host.opening or host.is_banned:
            return
        entry = queue.peek()
        if entry is None:
            return
        address, is_attempt = host.address, not host.answers
        if address is None:
            self._offers[is_attempt].put(host.id, entry)
            return
        crowd = self._crowds.get((address.id, is_attempt))
        if crowd is None:
            crowd = self._crowds[address.id, is_attempt] = Offers()
        crowd.put(host.id, entry)
        self._offer_crowd(address, is_attempt)

    def offer_address(self, address: Address) -> None:
        """Offer the best page of an address that is on offer."""
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

    def has_page(self, host: Host) -> bool:
        queue = self._queues.get(host.id)
        return queue is not None and queue.waiting > 0

    def waiting_on(self, hosts: Iterable[Host]) -> int:
        return sum(queue.waiting for host in hosts if (queue := self._queues.get(host.id)) is not None)

    def best(self, *, attempts: bool = True) -> tuple[int, Host] | None:
        """The highest entry among the hosts on offer, and its host; without attempts, among hosts that answer."""
        best, is_attempt = self._offers[False].best(), False
        attempt = self._offers[True].best() if attempts else None
        if attempt is not None and (best is None or attempt < best):
            best, is_attempt = attempt, True
        if best is not None and best[1] < 0:
            best = self._crowds[~best[1], is_attempt].best()
        return None if best is None else (best[0], self._hosts[best[1]])

    def withdraw(self, host: Host) -> None:
        address, is_attempt = host.address, not host.answers
        if address is None:
            self._offers[is_attempt].withdraw(host.id)
        elif (address.id, is_attempt) in self._crowds:
            self._crowds[address.id, is_attempt].withdraw(host.id)
            self._offer_crowd(address, is_attempt)

    def pop(self, host: Host) -> int:
        page = self._queues[host.id].pop()
        assert page is not None, "a lane offers only hosts that have a page"
        self.waiting -= 1
        return page


class WaitingErrands:
    """A queue of hosts that came on offer with errands; each host has its errands, in order."""

    def __init__(self) -> None:
        self._hosts: deque[Host] = deque()
        self._waiting = 0

    def waiting(self, but_for: Iterable[Host]) -> int:
        """The number of waiting errands, those of some hosts left out."""
        return self._waiting - sum(len(host.errands) for host in but_for)

    def add(self, host: Host, errand: Errand, *, first: bool) -> None:
        """Let an errand wait; `offer` its host then. first: for the next turn."""
        if first:
            host.errands.insert(0, errand)
            host.pages_since_errand = TURNS_PER_ERRAND
        else:
            host.errands.append(errand)
        self._waiting += 1

    def remove(self, host: Host, errand: Errand) -> None:
        host.errands.remove(errand)
        self._waiting -= 1

    def offer(self, host: Host) -> None:
        """Enqueue a host with errands that has come on offer."""
        self._hosts.append(host)

    def offer_address(self, address: Address) -> None:
        """Enqueue the hosts that waited for an address to come on offer."""
        self._hosts += address.with_errands
        address.with_errands.clear()

    def offered(self) -> Host | None:
        return self._hosts[0] if self._hosts else None

    def skip(self, *, until_address: bool) -> None:
        """Dequeue the first host. until_address: it comes back when its address is on offer."""
        host = self._hosts.popleft()
        if until_address and host.address is not None:
            host.address.with_errands.append(host)
