"""Which page of which host to fetch next, and when.

Per host there is a queue ordered by the strategy; among the hosts on offer the one whose best page ranks
highest is next. A host that has a request in flight, or whose politeness delay runs, is not on offer. No
decision looks at more than a few heap tops. Time is passed in; nothing here sleeps or reads a clock.

lane     one kind of page: never read (discovery), or read (refresh)
entry    a page and its priority in one integer, see minicrawl.opic.strategy
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from minicrawl.opic import Adaptive, DiscoveryBudget, PageQueue, Strategy
from minicrawl.opic.shares import IntArray, Pages, grown
from minicrawl.opic.strategy import packed, unpacked


@dataclass(slots=True)
class Host:
    """A host and its politeness.

    `delay`: seconds between two requests; `crawl_delay`: the part of it that robots.txt asked for; `ready_at`:
    Unix seconds at which the delay is over; `rests_until`: at which a rest is, for another reason.
    `waits_until`: when it will be looked at again, if it waits.
    """

    id: int
    name: str
    delay: float
    crawl_delay: float = 0.0
    ready_at: float = 0.0
    rests_until: float = 0.0
    in_flight: int = 0
    is_offered: bool = False
    waits_until: float | None = None

    @property
    def not_before(self) -> float:
        """Unix seconds before which no request may leave, for whatever reason."""
        return max(self.ready_at, self.rests_until)


class Lane:
    """Pages of one kind: a queue per host, and the best page of every host on offer."""

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
        self._offers: list[tuple[int, int]] = []
        self._offered: dict[int, int] = {}  # the entry each host on offer stands in for
        self.waiting = 0

    def add(self, host: Host, entry: int) -> None:
        queue = self._queues.get(host.id)
        if queue is None:
            queue = self._queues[host.id] = PageQueue(self._is_current, self._waiting_of)
        self.waiting += 1
        queue.add(entry)
        self.offer(host)

    def load(self, host: Host, pages: Pages) -> None:
        """Let pages wait whose host has none here; `offer` it then."""
        self._queues[host.id] = PageQueue(self._is_current, self._waiting_of, pages)
        self.waiting += len(pages)

    def rise(self, host: Host, entry: int) -> None:
        """Move a waiting page up; once all pages of a visit have risen, `offer` their hosts."""
        self._queues[host.id].rise(entry)

    def offer(self, host: Host) -> None:
        """Let a host that is on offer stand in for its best page."""
        queue = self._queues.get(host.id)
        entry = queue.peek() if queue and host.is_offered else None
        if entry is None or self._offered.get(host.id) == entry:
            return
        self._offered[host.id] = entry
        heapq.heappush(self._offers, (entry, host.id))
        if len(self._offers) > 64 + 4 * len(self._offered):
            self._offers = [offer for offer in self._offers if self._offered.get(offer[1]) == offer[0]]
            heapq.heapify(self._offers)

    def has_page(self, host: Host) -> bool:
        queue = self._queues.get(host.id)
        return queue is not None and queue.waiting > 0

    def best(self) -> tuple[int, Host] | None:
        """The highest ranking entry among the hosts on offer."""
        while self._offers:
            entry, host_id = self._offers[0]
            host = self._hosts[host_id]
            if host.is_offered and self._offered.get(host_id) == entry:
                return entry, host
            heapq.heappop(self._offers)
        return None

    def withdraw(self, host: Host) -> None:
        """The host is no longer on offer."""
        self._offered.pop(host.id, None)

    def pop(self, host: Host) -> int:
        page = self._queues[host.id].pop()
        assert page is not None, "a lane offers only hosts that have a page"
        self.waiting -= 1
        return page


class Frontier:
    """Every page that may be fetched, and every host's clock."""

    def __init__(self, book: Adaptive, strategy: Strategy, budget: DiscoveryBudget, per_host: int = 1) -> None:
        self._book = book
        self._strategy = strategy
        self._budget = budget
        self._per_host = per_host
        self.hosts: list[Host] = []
        self.host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        # Pages handed out, resting before another try, or gone.
        self._held: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._resting: list[tuple[float, int]] = []
        self._waiting_hosts: list[tuple[float, int]] = []
        self._discovery, self._refresh = (
            Lane(self.hosts, partial(self._is_current, read=read), partial(self._waiting_of, read=read))
            for read in (False, True)
        )
        self.in_flight = 0

    def add_host(self, name: str, delay: float, *, crawl_delay: float = 0.0, ready_at: float = 0.0) -> Host:
        host = Host(len(self.hosts), name, delay, crawl_delay, ready_at)
        self.hosts.append(host)
        return host

    def grow(self, size: int) -> None:
        self.host_of = grown(self.host_of, size)
        self._held = grown(self._held, size)

    def place(self, page: int, host: Host) -> None:
        """Say which host a page is on; it does not wait yet."""
        self.host_of[page] = host.id

    def add(self, page: int, now: float) -> None:
        """Let a page wait for its turn: a never-read one, or one that was read if pages are read again."""
        if self._book.read[page] and self._budget.share >= 1.0:
            return
        host = self.hosts[self.host_of[page]]
        self._lane(page).add(host, self._entry(page))
        if not host.is_offered:
            self._reschedule(host, now)

    def load(self, pages: Pages, now: float) -> None:
        """`add` for many distinct pages at once, before any other page waits."""
        for lane, read in ((self._discovery, False), (self._refresh, True)):
            if read and self._budget.share >= 1.0:
                continue
            some = pages[self._book.read[pages] == read]
            by_host = (self.host_of[some].astype(np.int64) << 32) | some
            by_host.sort()
            bounds = np.searchsorted(by_host, np.arange(len(self.hosts) + 1) << 32).tolist()
            for host, first, last in zip(self.hosts, bounds, bounds[1:], strict=False):
                if first < last:
                    lane.load(host, by_host[first:last] & 0xFFFF_FFFF)
        for host in self.hosts:
            self._reschedule(host, now)

    def credit(self, pages: Pages) -> None:
        """The cash of these pages has risen. To be told before anything else is asked of the frontier."""
        if not self._strategy.follows_cash:
            return
        if self._budget.share >= 1.0:
            pages = pages[~self._book.read[pages]]
        risen: dict[int, None] = {}
        for page in pages[~self._held[pages]].tolist():
            host = self.hosts[self.host_of[page]]
            self._lane(page).rise(host, self._entry(page))
            risen[host.id] = None
        for host_id in risen:
            self._discovery.offer(self.hosts[host_id])
            self._refresh.offer(self.hosts[host_id])

    def acquire(self, now: float) -> int | None:
        """Hand out the page to fetch now, or None. Its host is in flight until `release`."""
        self._wake(now)
        discovery, refresh = self._discovery.best(), self._refresh.best()
        discovers = self._budget.discovers(discovery is not None, refresh is not None)
        if discovers is None:
            return None
        lane, best = (self._discovery, discovery) if discovers else (self._refresh, refresh)
        assert best is not None
        _, host = best
        page = lane.pop(host)
        self._held[page] = True
        host.in_flight += 1
        self.in_flight += 1
        self._withdraw(host)
        host.ready_at = max(host.ready_at, now + host.delay)
        self._reschedule(host, now)
        return page

    def release(self, page: int, now: float, *, asked: bool = True, not_before: float = 0.0) -> None:
        """The turn of a page is over: its host may be asked again after its delay.

        asked: whether a request was made at all. not_before: let the host rest at least until then.
        """
        host = self.hosts[self.host_of[page]]
        host.in_flight -= 1
        self.in_flight -= 1
        if not asked and not host.in_flight:
            host.ready_at = min(host.ready_at, now)
        elif asked:
            host.ready_at = max(host.ready_at, now + host.delay)
        host.rests_until = max(host.rests_until, not_before)
        self._withdraw(host)
        self._reschedule(host, now)

    def put_back(self, page: int, now: float, not_before: float = 0.0) -> None:
        """Let a page that was handed out wait for another turn, from `not_before` on, if it is to have one."""
        is_done = self._book.read[page] and self._budget.share >= 1.0
        if not_before > now and not is_done:
            heapq.heappush(self._resting, (not_before, page))
        else:
            self._held[page] = False
            self.add(page, now)

    def charge(self, page: int) -> None:
        """A page that was handed out is fetched indeed: that counts for the discovery share."""
        self._budget.charge(discovers=not self._book.read[page])

    def forget(self, page: int | Pages) -> None:
        """Never hand a page, or some pages, out again."""
        self._held[page] = True

    def next_ready(self) -> float | None:
        """Unix seconds at which a host or page comes on offer next; None when there is none to wait for."""
        times = [heap[0][0] for heap in (self._resting, self._waiting_hosts) if heap]
        return min(times, default=None)

    def is_empty(self) -> bool:
        """Whether nothing waits, rests or is in flight. Read pages wait only if pages are read again."""
        return not (self.in_flight or self._resting or self._discovery.waiting or self._refresh.waiting)

    def counts(self) -> tuple[int, int]:
        """(hosts on offer or about to be, hosts that have pages but must wait); for a display, looks at all hosts."""
        with_pages = [host for host in self.hosts if self._has_page(host)]
        ready = sum(host.is_offered for host in with_pages)
        return ready, len(with_pages) - ready

    def _wake(self, now: float) -> None:
        while self._resting and self._resting[0][0] <= now:
            _, page = heapq.heappop(self._resting)
            self._held[page] = False
            self.add(page, now)
        while self._waiting_hosts and self._waiting_hosts[0][0] <= now:
            time, host_id = heapq.heappop(self._waiting_hosts)
            host = self.hosts[host_id]
            if host.waits_until == time:
                host.waits_until = None
                self._reschedule(host, now)

    def _reschedule(self, host: Host, now: float) -> None:
        """Put a host on offer, or among those that wait for their time, or nowhere while it can't take a request."""
        if host.in_flight >= self._per_host or not self._has_page(host):
            return
        until = host.not_before
        if until > now:
            if host.waits_until != until:
                host.waits_until = until
                heapq.heappush(self._waiting_hosts, (until, host.id))
            return
        host.waits_until = None
        host.is_offered = True
        self._discovery.offer(host)
        self._refresh.offer(host)

    def _withdraw(self, host: Host) -> None:
        host.is_offered = False
        self._discovery.withdraw(host)
        self._refresh.withdraw(host)

    def _has_page(self, host: Host) -> bool:
        return self._discovery.has_page(host) or self._refresh.has_page(host)

    def _lane(self, page: int) -> Lane:
        return self._refresh if self._book.read[page] else self._discovery

    def _entry(self, page: int) -> int:
        return packed(page, self._strategy.priority(page, self._book))

    def _is_current(self, entry: int, *, read: bool) -> bool:
        page = unpacked(entry)
        return bool(self._book.read[page] == read) and not self._held[page] and self._entry(page) == entry

    def _waiting_of(self, pages: Pages, *, read: bool) -> tuple[Pages, IntArray]:
        pages = pages[(self._book.read[pages] == read) & ~self._held[pages]]
        return pages, self._strategy.priorities(pages, self._book)
