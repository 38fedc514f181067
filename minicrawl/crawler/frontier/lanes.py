"""The best page of the hosts that may be asked now, for each kind of page; and the hosts with errands.

No decision looks at more than a few heap tops.

lane     one kind of page: never read (discovery), or read (refresh)
entry    a page and its priority in one integer, see minicrawl.opic.strategy
crowd    the hosts of one IP address that are on offer by their own clocks; one of them is asked at a time
attempt  a turn of a host that did not answer the last time, or has not been asked in this run
errand   a request to a host that is for no page, see minicrawl.crawler.hosts.host
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from minicrawl.crawler.hosts.host import TURNS_PER_ERRAND, Address, Errand, Host
from minicrawl.opic import PageQueue
from minicrawl.opic.arrays import IntArray, Pages
from minicrawl.opic.strategy import packed


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
        self._queues: dict[int, PageQueue] = {}
        self._offers = {is_attempt: Offers() for is_attempt in (False, True)}
        self._crowds: dict[tuple[int, bool], Offers] = {}
        self.waiting = 0

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
        """Remove all pages."""
        self._queues.clear()
        self._crowds.clear()
        self._offers = {is_attempt: Offers() for is_attempt in (False, True)}
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
        """The number of pages that wait on these hosts."""
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
        """Take a host off offer."""
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
        """Remove an errand that has its turn."""
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
        """The host that came on offer first."""
        return self._hosts[0] if self._hosts else None

    def skip(self, *, until_address: bool) -> None:
        """Dequeue the first host. until_address: it comes back when its address is on offer."""
        host = self._hosts.popleft()
        if until_address and host.address is not None:
            host.address.with_errands.append(host)
