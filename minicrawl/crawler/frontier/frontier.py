"""Which page of which host to fetch next, and when.

Per host there is a queue ordered by the strategy; among the hosts on offer the one whose best page ranks
highest is next. A host that has a request in flight, or whose politeness delay runs, is not on offer, nor are the
hosts of an IP address of which that is true, nor the pages of a host that is closed. Time is passed in; nothing here
sleeps or reads a clock.
"""

import heapq
import math
from collections import deque
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.frontier.lanes import Lane
from minicrawl.crawler.hosts.host import TURNS_PER_ERRAND, Address, Clock, Errand, Host, HostTurn
from minicrawl.crawler.hosts.politeness import FRESH, Health
from minicrawl.opic import Adaptive, DiscoveryBudget, Strategy
from minicrawl.opic.arrays import Flags, IntArray, Pages, flagged, grown, slices
from minicrawl.opic.strategy import packed, unpacked
from minicrawl.sizes import STANDARD_SIZES
from minicrawl.timing import STANDARD

_FIRST_LOOKUPS, _LEAST_LOOKUPS, _MOST_LOOKUPS = 16, 4, 256  # hosts whose address is asked for at a time
_LOOKUP_SECONDS = 5.0
_BEHIND = 2**62  # more than any page's cash


class Frontier:
    """Every page that may be fetched, and every host's and address's clock.

    ip_delay: seconds between two requests to an IP address, 0 = addresses have no clock. locates: whether the
    address of a host must be known before it is asked. addresses_from: Unix seconds before which none is asked.
    on_its_way: as in `Timing`. loaded_at_once: as in `Sizes`.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own, by name
        self,
        book: Adaptive,
        strategy: Strategy,
        budget: DiscoveryBudget,
        per_host: int = 1,
        *,
        ip_delay: float = 0.0,
        locates: bool = False,
        addresses_from: float = 0.0,
        on_its_way: float = STANDARD.on_its_way,
        loaded_at_once: int = STANDARD_SIZES.loaded,
    ) -> None:
        self._book = book
        self._strategy = strategy
        self._budget = budget
        self._per_host = per_host
        self._ip_delay = ip_delay
        self._addresses_from = addresses_from
        self._on_its_way = on_its_way
        self._loaded_at_once = loaded_at_once
        self.hosts: list[Host] = []
        self.host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        name_server = Address(id=0, name="", delay=0.0, most=_FIRST_LOOKUPS, is_offered=True)
        self._name_server = name_server if locates else None
        self._addresses = [name_server]
        self._address_of: dict[str, Address] = {}
        self._looked_up = self._unanswered = 0  # look-ups since it was judged whether they are too many
        self._lookups_judged_at = 0.0
        self._turns: dict[int | Errand | None, Address] = {}  # by page or errand in flight
        # Pages handed out, resting before another try, or gone.
        self._held: Flags = np.zeros(0, dtype=np.bool_)
        self._is_put_off: Flags = np.zeros(0, dtype=np.bool_)
        self._puts_off = False  # any
        self._resting: list[tuple[float, int]] = []
        self._set_aside: list[tuple[float, int]] = []  # the same, but not worth waiting for
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

    def judge(self, host: Host, answers: bool, now: float) -> None:
        """Say whether a host that was asked has answered: its next turns are attempts, or no longer."""
        if bool(host.answers) != answers:
            self._withdraw(host)
            host.answers = answers
            self._reschedule(host, now)
        host.answers = answers

    def looked_up(self, is_answered: bool, now: float) -> None:
        """Adapt how many look-ups are in flight, every 5 s: half as many if a fifth failed, else a quarter more.

        A name server that has too many to answer loses them; but some names fail by their own servers, always.
        """
        if not self._looked_up:
            self._lookups_judged_at = now + _LOOKUP_SECONDS
        self._looked_up += 1
        self._unanswered += not is_answered
        if now >= self._lookups_judged_at:
            names = self._addresses[0]
            too_many = 5 * self._unanswered >= self._looked_up
            most = names.most // 2 if too_many else names.most + names.most // 4
            names.most = min(max(most, _LEAST_LOOKUPS), _MOST_LOOKUPS)
            self._looked_up = self._unanswered = 0

    def grow(self, size: int) -> None:
        self.host_of = grown(self.host_of, size)
        self._held = grown(self._held, size)
        self._is_put_off = grown(self._is_put_off, size)

    def place(self, page: int, host: Host) -> None:
        """Say which host a page is on; it does not wait yet."""
        self.host_of[page] = host.id

    def pages_by_host(self) -> dict[str, int]:
        """How many pages are known on each host."""
        counts = np.bincount(self.host_of[: self._book.size], minlength=len(self.hosts))
        return {host.name: count for host, count in zip(self.hosts, counts.tolist(), strict=True)}

    def add(self, page: int, now: float) -> None:
        """Let a page wait for its turn: a never-read one, or one that was read if pages are read again."""
        if self._book.visited[page] and self._budget.share >= 1.0:
            return
        host = self.hosts[self.host_of[page]]
        self._lane(page).add(host, self._entry(page))
        if not host.is_offered:
            self._reschedule(host, now)

    def load(self, size: int, now: float) -> None:
        """`add` for pages 0..size-1 at once, but for forgotten ones, before any other page waits."""
        for hosts in self._host_groups(size):
            host_of = self.host_of[:size]
            here = flagged((host_of >= hosts.start) & (host_of < hosts.stop) & ~self._held[:size])
            for lane, read in ((self._discovery, False), (self._refresh, True)):
                if read and self._budget.share >= 1.0:
                    continue
                pages = here[self._book.visited[here] == read]
                by_host = (host_of[pages].astype(np.int64) << 32) | pages
                by_host.sort()
                bounds = np.searchsorted(by_host, np.arange(hosts.start, hosts.stop + 1) << 32).tolist()
                for number, (first, last) in zip(hosts, pairwise(bounds), strict=True):
                    if first < last:
                        lane.load(self.hosts[number], by_host[first:last] & 0xFFFF_FFFF)
        for host in self.hosts:
            self._reschedule(host, now)

    def _host_groups(self, size: int) -> Iterator[range]:
        """All hosts, as many at a time as have some pages: to sort millions of these takes much memory."""
        known = np.zeros(len(self.hosts), dtype=np.int64)
        for rows in slices(size):
            known += np.bincount(self.host_of[rows], minlength=len(known))
        firsts = np.searchsorted(known.cumsum(), np.arange(0, size, self._loaded_at_once), side="right")
        return (range(*hosts) for hosts in pairwise([*np.unique(firsts).tolist(), len(known)]))

    def credit(self, pages: Pages) -> None:
        """The cash of these pages has risen. To be told before anything else is asked of the frontier."""
        if not (self._strategy.follows_cash and len(pages)):
            return
        if self._budget.share >= 1.0:
            pages = pages[~self._book.visited[pages]]
        pages = pages[~self._held[pages]]
        hosts, are_read = self.host_of[pages].tolist(), self._book.visited[pages].tolist()
        priorities = self._priorities(pages).tolist()
        risen: dict[int, None] = {}
        for page, host_id, is_read, priority in zip(pages.tolist(), hosts, are_read, priorities, strict=True):
            lane = self._refresh if is_read else self._discovery
            lane.rise(self.hosts[host_id], packed(page, priority))
            risen[host_id] = None
        for host_id in risen:
            self._discovery.offer(self.hosts[host_id])
            self._refresh.offer(self.hosts[host_id])

    def acquire(self, now: float, *, attempts: bool = True) -> int | None:
        """Hand out the best page, or None. Its host is in flight until `release`."""
        page = self.best_page(now, attempts=attempts)
        if page is not None:
            self.hand_out(page, now)
        return page

    def best_page(self, now: float, *, attempts: bool = True) -> int | None:
        """The page to fetch now, or None; it is not handed out yet.

        attempts: whether hosts may have their turn of which nobody knows that they answer.
        """
        self._wake(now)
        discovery, refresh = self._discovery.best(attempts=attempts), self._refresh.best(attempts=attempts)
        discovers = self._budget.discovers(discovery is not None, refresh is not None)
        if discovers is None:
            return None
        best = discovery if discovers else refresh
        assert best is not None
        return unpacked(best[0])

    def hand_out(self, page: int, now: float) -> HostTurn:
        """Let the best page have its turn. Its host is in flight until `release`."""
        turn = HostTurn(self.host(page), page)
        popped = self._lane(page).pop(turn.host)
        assert popped == page, "only the best page of a host is handed out"
        self._held[page] = True
        turn.host.pages_since_errand += 1
        self._begin(turn, now)
        return turn

    def add_errand(self, host: Host, errand: Errand, now: float, *, first: bool = False) -> None:
        """Let a host be asked for something that is no page, when its turn comes. first: in its next turn."""
        if first:
            host.errands.insert(0, errand)
            host.pages_since_errand = TURNS_PER_ERRAND
        else:
            host.errands.append(errand)
        self._errands += 1
        if host.is_offered:
            self._with_errands.append(host)
        else:
            self._reschedule(host, now)

    def acquire_errand(self, now: float) -> HostTurn | None:
        """Hand out an errand to run now, or None. Its host is in flight until `end_turn`."""
        best = self.best_errand(now)
        return None if best is None else self.hand_out_errand(*best, now)

    def best_errand(self, now: float) -> tuple[Host, Errand] | None:
        """A host and the errand to run there now, or None; it is not handed out yet."""
        self._wake(now)
        while self._with_errands:
            host = self._with_errands[0]
            errand = self._due_errand(host)
            if errand is not None and (host.address is None or host.address.is_offered):
                return host, errand
            self._with_errands.popleft()
            if errand is not None and host.address is not None:
                host.address.with_errands.append(host)
        return None

    def _due_errand(self, host: Host) -> Errand | None:
        """The errand that the next turn of a host is for, if it is for one."""
        is_due = host.pages_since_errand >= TURNS_PER_ERRAND - 1 or host.opening or not self._has_page(host)
        if not (host.is_offered and is_due):
            return None
        return next((errand for errand in host.errands if errand.opens or not host.opening), None)

    def hand_out_errand(self, host: Host, errand: Errand, now: float) -> HostTurn:
        """Let an errand have its turn that waits for one."""
        host.errands.remove(errand)
        self._errands -= 1
        host.pages_since_errand = 0
        return self.begin(host, errand, now)

    def begin(self, host: Host, errand: Errand, now: float) -> HostTurn:
        """Let an errand have its turn that has not waited for one. Its host is in flight until `end_turn`."""
        turn = HostTurn(host, errand=errand)
        self._begin(turn, now)
        return turn

    def pass_on(self, turn: HostTurn, errand: Errand | None, now: float) -> HostTurn | None:
        """Let another errand of the same host, or if None its best page, have the turn that one has. None: no page."""
        host, address = turn.host, self._turns.pop(_key(turn), None)
        if errand is not None:
            if errand in host.errands:
                host.errands.remove(errand)
                self._errands -= 1
            passed = HostTurn(host, errand=errand)
        else:
            lane = self._discovery if self._discovery.has_page(host) else self._refresh
            page = lane.pop(host) if lane.has_page(host) else None
            if page is None:
                self.end_turn(turn, now, asked=False)
                return None
            self._held[page] = True
            passed = HostTurn(host, page)
        if address is not None:
            self._turns[_key(passed)] = address
        return passed

    def may_be_asked(self, host: Host, now: float) -> bool:
        """Whether a host may have a turn now, be it on offer or not."""
        self._wake(now)
        is_free = host.in_flight < host.most and host.not_before <= now
        return is_free and (host.address is None or host.address.is_offered)

    def close(self, host: Host, now: float) -> None:
        """An errand is under way that the pages of a host must wait for."""
        host.opening += 1
        self._withdraw(host)
        self._reschedule(host, now)

    def open(self, host: Host, now: float) -> None:
        """Such an errand is over."""
        host.opening -= 1
        self._reschedule(host, now)

    def leave_address(self, turn: HostTurn, now: float, *, asked: bool, left: float = math.inf) -> None:
        """The turn takes longer, but its address may be asked again after its delay."""
        address = self._turns.pop(_key(turn), None)
        if address is not None:
            address.end(now, asked, left, self._on_its_way)
            self._reschedule_address(address, now)

    def release(self, page: int, now: float, *, asked: bool = True, not_before: float = 0.0) -> None:
        """The turn of a page is over: its host and address may be asked again after their delay.

        asked: whether a request was made at all. not_before: let the host rest at least until then.
        """
        self.end_turn(HostTurn(self.host(page), page), now, asked=asked, not_before=not_before)

    def end_turn(
        self, turn: HostTurn, now: float, *, asked: bool = True, left: float = math.inf, not_before: float = 0.0
    ) -> None:
        """The same of any turn. left: when the request left, as far as that is known."""
        host = turn.host
        self.in_flight -= 1
        host.end(now, asked, left, self._on_its_way)
        host.rests_until = max(host.rests_until, not_before)
        self._withdraw(host)
        self.leave_address(turn, now, asked=asked, left=left)
        self._reschedule(host, now)

    def rest(self, host: Host, until: float, now: float) -> None:
        """Let a host have no turn before `until`."""
        host.rests_until = max(host.rests_until, until)
        self._withdraw(host)
        self._reschedule(host, now)

    def free(self, host: Host, now: float) -> None:
        """Let a host have its turns without delay: it will not be asked in them."""
        host.ready_at = host.rests_until = now
        self._withdraw(host)
        self._reschedule(host, now)

    def put_back(self, page: int, now: float, not_before: float = 0.0) -> None:
        """Let a page that was handed out wait for another turn, from `not_before` on, if it is to have one."""
        is_done = self._book.visited[page] and self._budget.share >= 1.0
        if not_before > now and not is_done:
            heapq.heappush(self._resting, (not_before, page))
        else:
            self._held[page] = False
            self.add(page, now)

    def set_aside(self, page: int, until: float) -> None:
        """Let a read page that was handed out wait for another turn from `until` on, if the crawl lasts that long."""
        if self._budget.share < 1.0:
            heapq.heappush(self._set_aside, (until, page))

    def put_off(self, pages: Pages) -> None:
        """Let pages wait behind all that are not put off, unless the strategy goes by the clock of visits."""
        if self._strategy.follows_clock or not len(pages):
            return
        self._is_put_off[pages] = self._puts_off = True
        for page in pages[~self._held[pages] & ~self._book.visited[pages]].tolist():
            self._discovery.fall(self.hosts[self.host_of[page]], self._entry(page))

    def is_put_off(self, pages: Pages) -> Flags:
        """Which of some pages were put off."""
        return self._is_put_off[pages]

    def charge(self, page: int) -> None:
        """A page that was handed out is fetched indeed: that counts for the discovery share."""
        self._budget.charge(discovers=not self._book.visited[page])

    def forget(self, page: int | Pages) -> None:
        """Never hand a page, or some pages, out again."""
        self._held[page] = True

    def next_ready(self) -> float | None:
        """Unix seconds at which a host or page comes on offer next; None when there is none to wait for."""
        times = [heap[0][0] for heap in (self._resting, self._waiting_clocks) if heap]
        return min(times, default=None)

    def is_empty(self) -> bool:
        """Whether nothing waits, rests or is in flight, but for pages set aside. Read pages wait only if pages are read
        again."""
        waiting = self._discovery.waiting or self._refresh.waiting or self._errands
        return not (self.in_flight or self._resting or waiting)

    def is_idle(self, host: Host, now: float) -> bool:
        """Whether a host does not rest, and has no page waiting and none in flight."""
        is_open = host.rests_until <= now and host.health.dead_until <= now
        return is_open and not host.in_flight and not self._has_page(host)

    def counts(self) -> tuple[int, int]:
        """(hosts on offer or about to be, hosts that have pages but must wait); for a display, looks at all hosts."""
        with_pages = [host for host in self.hosts if self._has_page(host)]
        ready = sum(host.is_offered and (host.address is None or host.address.is_offered) for host in with_pages)
        return ready, len(with_pages) - ready

    def _wake(self, now: float) -> None:
        for waiting in (self._resting, self._set_aside):
            while waiting and waiting[0][0] <= now:
                _, page = heapq.heappop(waiting)
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
            self._turns[_key(turn)] = host.address
            host.address.begin(now)
            self._reschedule_address(host.address, now)
        self._reschedule(host, now)

    def _reschedule(self, host: Host, now: float) -> None:
        """Put a host on offer, or among those that wait for their time, or nowhere while it can't take a request."""
        has_page = self._has_page(host) and not host.opening
        if host.in_flight >= host.most or not (has_page or host.errands):
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
        return self._refresh if self._book.visited.item(page) else self._discovery

    def _entry(self, page: int) -> int:
        priority = self._strategy.priority(page, self._book)
        return packed(page, priority - _BEHIND if self._puts_off and self._is_put_off[page] else priority)

    def _is_current(self, entry: int, *, read: bool) -> bool:
        page = unpacked(entry)
        # For a number, item() takes half as long as an index.
        return self._book.visited.item(page) is read and not self._held.item(page) and self._entry(page) == entry

    def _waiting_of(self, pages: Pages, *, read: bool) -> tuple[Pages, IntArray]:
        pages = pages[(self._book.visited[pages] == read) & ~self._held[pages]]
        return pages, self._priorities(pages)

    def _priorities(self, pages: Pages) -> IntArray:
        priorities = self._strategy.priorities(pages, self._book)
        return priorities - _BEHIND * self._is_put_off[pages] if self._puts_off else priorities


def _key(turn: HostTurn) -> int | Errand | None:
    return turn.page if turn.errand is None else turn.errand
