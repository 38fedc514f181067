"""Which page of which host to fetch next, and when.

Per host there is a queue ordered by the strategy; among the hosts on offer the one whose best page ranks
highest is next. A host that has a request in flight, or whose politeness delay runs, is not on offer, nor are the
hosts of an IP address of which that is true. No decision looks at more than a few heap tops. Time is passed in;
nothing here sleeps or reads a clock.

lane     one kind of page: never read (discovery), or read (refresh)
errand   a request to a host that is for no page, under a number of the caller's
entry    a page and its priority in one integer, see minicrawl.opic.strategy
crowd    the hosts of one address that are on offer as far as they themselves go; one of them is at a time
"""

import heapq
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.politeness import FRESH, Health, reached_by
from minicrawl.opic import Adaptive, DiscoveryBudget, PageQueue, Strategy
from minicrawl.opic.shares import IntArray, Pages, grown
from minicrawl.opic.strategy import packed, unpacked

TURNS_PER_ERRAND = 10
"""Of so many turns of a host that has pages, one at most is for an errand."""


@dataclass(slots=True, kw_only=True)
class Clock:
    """When something may be asked.

    `delay`: seconds between two requests; `most`: of them in flight; `ready_at`: Unix seconds at which the delay is
    over. `waits_until`: when it will be looked at again, if it waits.
    """

    id: int
    name: str
    delay: float
    most: int
    ready_at: float = 0.0
    in_flight: int = 0
    is_offered: bool = False
    waits_until: float | None = None

    def begin(self, now: float) -> None:
        """A turn begins."""
        self.in_flight += 1
        self.ready_at = max(self.ready_at, now + self.delay)

    def end(self, now: float, asked: bool, left: float) -> None:
        """A turn is over; `asked`: with a request, which left at `left`."""
        self.in_flight -= 1
        if asked:
            self.ready_at = max(self.ready_at, reached_by(left, now, self.delay) + self.delay)
        elif not self.in_flight:
            self.ready_at = min(self.ready_at, now)


@dataclass(slots=True, kw_only=True)
class Address(Clock):
    """An IP address, which hosts share. Or the name server, for hosts whose address has yet to be asked for.

    `with_errands`: hosts that came on offer with errands to run, while the address itself was not.
    """

    with_errands: "deque[Host]" = field(default_factory=deque)


@dataclass(slots=True, kw_only=True)
class Host(Clock):
    """A host and its politeness.

    `crawl_delay`: the part of the delay that robots.txt asked for; `rests_until`: Unix seconds at which a rest is
    over, for another reason. `address`: whose clock it shares, if any; `located_until`: when to ask for it again.
    `errands`: in the order they are to be run; `pages_since_errand`: pages handed out since the last one.
    """

    crawl_delay: float = 0.0
    rests_until: float = 0.0
    health: Health = FRESH
    address: Address | None = None
    located_until: float = math.inf
    errands: deque[int] = field(default_factory=deque)
    pages_since_errand: int = TURNS_PER_ERRAND

    @property
    def not_before(self) -> float:
        """Unix seconds before which no request may leave, for whatever reason."""
        return max(self.ready_at, self.rests_until)


class HostTurn(NamedTuple):
    """A host that may be asked now, and what for: the page or the errand that is not None."""

    host: Host
    page: int | None = None
    errand: int | None = None


_MOST_LOOKUPS = 256  # hosts whose address is asked for at a time


class Offers:
    """One entry for each of some numbers, the best first. Replaced or withdrawn at any time, skipped when it is met."""

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
        """The entry that ranks highest, and its number."""
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
    the best one, under the complement of its number.
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
        self._offers = Offers()
        self._crowds: dict[int, Offers] = {}
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
        if entry is None:
            return
        address = host.address
        if address is None:
            self._offers.put(host.id, entry)
            return
        crowd = self._crowds.get(address.id)
        if crowd is None:
            crowd = self._crowds[address.id] = Offers()
        crowd.put(host.id, entry)
        self.offer_address(address)

    def offer_address(self, address: Address) -> None:
        """Let an address that is on offer stand in for the best page of its hosts."""
        crowd = self._crowds.get(address.id)
        best = crowd.best() if crowd is not None and address.is_offered else None
        if best is None:
            self._offers.withdraw(~address.id)
        else:
            self._offers.put(~address.id, best[0])

    def has_page(self, host: Host) -> bool:
        queue = self._queues.get(host.id)
        return queue is not None and queue.waiting > 0

    def best(self) -> tuple[int, Host] | None:
        """The highest ranking entry among the hosts on offer."""
        best = self._offers.best()
        if best is not None and best[1] < 0:
            best = self._crowds[~best[1]].best()
        return None if best is None else (best[0], self._hosts[best[1]])

    def withdraw(self, host: Host) -> None:
        """The host is no longer on offer."""
        address = host.address
        if address is None:
            self._offers.withdraw(host.id)
        elif address.id in self._crowds:
            self._crowds[address.id].withdraw(host.id)
            self.offer_address(address)

    def pop(self, host: Host) -> int:
        page = self._queues[host.id].pop()
        assert page is not None, "a lane offers only hosts that have a page"
        self.waiting -= 1
        return page


class Frontier:
    """Every page that may be fetched, and every host's and address's clock.

    ip_delay: seconds between two requests to an IP address, 0 = addresses have no clock. locates: whether the
    address of a host must be known before it is asked. addresses_from: Unix seconds before which none is asked.
    """

    def __init__(
        self,
        book: Adaptive,
        strategy: Strategy,
        budget: DiscoveryBudget,
        per_host: int = 1,
        *,
        ip_delay: float = 0.0,
        locates: bool = False,
        addresses_from: float = 0.0,
    ) -> None:
        self._book = book
        self._strategy = strategy
        self._budget = budget
        self._per_host = per_host
        self._ip_delay = ip_delay
        self._addresses_from = addresses_from
        self.hosts: list[Host] = []
        self.host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        name_server = Address(id=0, name="", delay=0.0, most=_MOST_LOOKUPS, is_offered=True)
        self._name_server = name_server if locates else None
        self._addresses = [name_server]
        self._address_of: dict[str, Address] = {}
        self._turns: dict[int, Address] = {}  # by page in flight, or the complement of an errand
        # Pages handed out, resting before another try, or gone.
        self._held: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._resting: list[tuple[float, int]] = []
        self._waiting_clocks: list[tuple[float, int]] = []  # a host's number, or the complement of an address's
        self._discovery, self._refresh = (
            Lane(self.hosts, partial(self._is_current, read=read), partial(self._waiting_of, read=read))
            for read in (False, True)
        )
        self._with_errands: deque[Host] = deque()  # hosts that came on offer with errands to run
        self._errands = 0
        self.in_flight = 0

    def add_host(
        self, name: str, delay: float, *, crawl_delay: float = 0.0, ready_at: float = 0.0, health: Health = FRESH
    ) -> Host:
        host = Host(
            id=len(self.hosts),
            name=name,
            delay=delay,
            most=self._per_host,
            ready_at=ready_at,
            crawl_delay=crawl_delay,
            health=health,
            address=self._name_server,
            located_until=math.inf if self._name_server is None else 0.0,
        )
        self.hosts.append(host)
        return host

    def host(self, page: int) -> Host:
        return self.hosts[int(self.host_of[page])]

    def locate(self, host: Host, address: str, until: float, now: float) -> None:
        """Say which IP address a host has, until it is to be asked for again; "": one that has no clock."""
        self._withdraw(host)
        host.located_until = until
        host.address = self._address(address, now) if self._ip_delay and address else None
        self._reschedule(host, now)

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
        host.pages_since_errand += 1
        self._begin(HostTurn(host, page), now)
        return page

    def add_errand(self, host: Host, errand: int, now: float) -> None:
        """Let a host be asked for something that is no page, when its turn comes."""
        host.errands.append(errand)
        self._errands += 1
        if host.is_offered:
            self._with_errands.append(host)
        else:
            self._reschedule(host, now)

    def acquire_errand(self, now: float) -> HostTurn | None:
        """Hand out an errand to run now, or None. Its host is in flight until `end_turn`."""
        self._wake(now)
        while self._with_errands:
            host = self._with_errands.popleft()
            is_due = host.pages_since_errand >= TURNS_PER_ERRAND - 1 or not self._has_page(host)
            if not (host.is_offered and host.errands and is_due):
                continue
            if host.address is not None and not host.address.is_offered:
                host.address.with_errands.append(host)
                continue
            errand = host.errands.popleft()
            self._errands -= 1
            host.pages_since_errand = 0
            turn = HostTurn(host, errand=errand)
            self._begin(turn, now)
            return turn
        return None

    def release(self, page: int, now: float, *, asked: bool = True, not_before: float = 0.0) -> None:
        """The turn of a page is over: its host and address may be asked again after their delay.

        asked: whether a request was made at all. not_before: let the host rest at least until then.
        """
        self.end_turn(HostTurn(self.host(page), page), now, asked=asked, not_before=not_before)

    def end_turn(
        self, turn: HostTurn, now: float, *, asked: bool = True, left: float = math.inf, not_before: float = 0.0
    ) -> None:
        """The same of any turn. left: when the request left, as far as that is known."""
        host, number = turn.host, _number(turn)
        self.in_flight -= 1
        host.end(now, asked, left)
        host.rests_until = max(host.rests_until, not_before)
        self._withdraw(host)
        address = self._turns.pop(number, None)
        if address is not None:
            address.end(now, asked, left)
            self._reschedule_address(address, now)
        self._reschedule(host, now)

    def free(self, host: Host, now: float) -> None:
        """Let a host have its turns without delay: it will not be asked in them."""
        host.ready_at = host.rests_until = now
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
        times = [heap[0][0] for heap in (self._resting, self._waiting_clocks) if heap]
        return min(times, default=None)

    def is_empty(self) -> bool:
        """Whether nothing waits, rests or is in flight. Read pages wait only if pages are read again."""
        waiting = self._discovery.waiting or self._refresh.waiting or self._errands
        return not (self.in_flight or self._resting or waiting)

    def counts(self) -> tuple[int, int]:
        """(hosts on offer or about to be, hosts that have pages but must wait); for a display, looks at all hosts."""
        with_pages = [host for host in self.hosts if self._has_page(host)]
        ready = sum(host.is_offered and (host.address is None or host.address.is_offered) for host in with_pages)
        return ready, len(with_pages) - ready

    def _wake(self, now: float) -> None:
        while self._resting and self._resting[0][0] <= now:
            _, page = heapq.heappop(self._resting)
            self._held[page] = False
            self.add(page, now)
        while self._waiting_clocks and self._waiting_clocks[0][0] <= now:
            time, number = heapq.heappop(self._waiting_clocks)
            clock: Clock = self.hosts[number] if number >= 0 else self._addresses[~number]
            if clock.waits_until != time:
                continue
            clock.waits_until = None
            if isinstance(clock, Host):
                self._reschedule(clock, now)
            elif isinstance(clock, Address):
                self._reschedule_address(clock, now)

    def _begin(self, turn: HostTurn, now: float) -> None:
        host = turn.host
        self.in_flight += 1
        host.begin(now)
        self._withdraw(host)
        if host.address is not None:
            self._turns[_number(turn)] = host.address
            host.address.begin(now)
            self._reschedule_address(host.address, now)
        self._reschedule(host, now)

    def _reschedule(self, host: Host, now: float) -> None:
        """Put a host on offer, or among those that wait for their time, or nowhere while it can't take a request."""
        if host.in_flight >= host.most or not (self._has_page(host) or host.errands):
            return
        until = host.not_before
        if until > now:
            self._wait(host, host.id, until)
            return
        host.waits_until = None
        host.is_offered = True
        if host.errands:
            self._with_errands.append(host)
        self._discovery.offer(host)
        self._refresh.offer(host)

    def _reschedule_address(self, address: Address, now: float) -> None:
        """Put an address on offer with its hosts, or among those that wait for their time, or nowhere."""
        address.is_offered = address.in_flight < address.most and address.ready_at <= now
        if address.is_offered:
            address.waits_until = None
            self._with_errands += address.with_errands
            address.with_errands.clear()
        elif address.in_flight < address.most:
            self._wait(address, ~address.id, address.ready_at)
        self._discovery.offer_address(address)
        self._refresh.offer_address(address)

    def _wait(self, clock: Clock, number: int, until: float) -> None:
        if clock.waits_until != until:
            clock.waits_until = until
            heapq.heappush(self._waiting_clocks, (until, number))

    def _address(self, name: str, now: float) -> Address:
        address = self._address_of.get(name)
        if address is None:
            address = self._address_of[name] = Address(
                id=len(self._addresses),
                name=name,
                delay=self._ip_delay,
                most=self._per_host,
                ready_at=self._addresses_from,
            )
            self._addresses.append(address)
            self._reschedule_address(address, now)
        return address

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


def _number(turn: HostTurn) -> int:
    """A page, or the complement of an errand."""
    if turn.page is not None:
        return turn.page
    assert turn.errand is not None, "a turn is for a page or for an errand"
    return ~turn.errand
