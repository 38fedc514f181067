"""Which page of which host to fetch next, and when.

Per host there is a queue ordered by the strategy; among the hosts on offer the one whose best page ranks
highest is next. A host that has a request in flight, or whose politeness delay runs, is not on offer, nor are the
hosts of an IP address of which that is true, nor the pages of a host that is closed. Time is passed in; nothing here
sleeps or reads a clock.
"""

import heapq
import math
from collections.abc import Iterable, Mapping

from minicrawl.crawler.frontier.addresses import Addresses, NameServer, Trade
from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.lanes import WaitingErrands
from minicrawl.crawler.frontier.waiting_pages import WaitingPages
from minicrawl.crawler.hosts.host import TURNS_PER_ERRAND, Address, Clock, Errand, Host, HostTurn
from minicrawl.crawler.hosts.politeness import FRESH, Health
from minicrawl.opic import Adaptive, DiscoveryRule, Ledger, Strategy
from minicrawl.sizes import STANDARD_SIZES
from minicrawl.timing import STANDARD


class Frontier:
    """Every page that may be fetched, in `pages`, and every host's and address's clock.

    ip_delay: seconds between two requests to an IP address, 0 = addresses have no clock. locates: whether the
    address of a host must be known before it is asked. addresses_from: Unix seconds before which none is asked.
    on_its_way: as in `Timing`. loaded_at_once: as in `Sizes`. due, least_age:
    as in `WaitingPages`.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own, by name
        self,
        book: Adaptive,
        strategy: Strategy,
        budget: DiscoveryRule,
        per_host: int = 1,
        *,
        ip_delay: float = 0.0,
        locates: bool = False,
        addresses_from: float = 0.0,
        on_its_way: float = STANDARD.on_its_way,
        loaded_at_once: int = STANDARD_SIZES.loaded,
        due: DuePages | None = None,
        least_age: float = 0.0,
    ) -> None:
        self._per_host = per_host
        self._ip_delay = ip_delay
        self._on_its_way = on_its_way
        self.hosts: list[Host] = []
        self.pages = WaitingPages(self.hosts, book, strategy, budget, loaded_at_once, due, least_age)
        self._errands = WaitingErrands()
        self._name_server = NameServer()
        self._locates = locates
        self.addresses = Addresses(self._name_server.address, delay=ip_delay, most=per_host, asked_from=addresses_from)
        self._turns: dict[int | Errand | None, Address] = {}  # by page or errand in flight
        self._waiting_clocks: list[tuple[float, int]] = []  # a host's number, or the complement of an address's
        self._banned: set[int] = set()
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
            address=self._name_server.address if self._locates else None,
            located_until=0.0 if self._locates else math.inf,
        )
        self.hosts.append(host)
        return host

    def host(self, page: int) -> Host:
        return self.hosts[int(self.pages.host_of[page])]

    def locate(self, host: Host, address: str, until: float, now: float) -> None:
        """Say which IP address a host has, until it is to be asked for again; "": one that has no clock."""
        self.pages.withdraw(host)
        host.located_until = until
        host.address = self._address(address, now) if self._ip_delay and address else None
        self.addresses.note(host)
        self._reschedule(host, now)

    def trade(self, granted: Mapping[str, float], wanted_back: Iterable[str], now: float) -> Trade:
        """Hold other addresses, see `Addresses.change`; what is said of all."""
        for address in self.addresses.change(granted, wanted_back, now):
            self._reschedule_address(address, now)
        return self.addresses.trade(lambda host: host.is_offered and (bool(host.errands) or not host.opening), now)

    def judge(self, host: Host, answers: bool, now: float) -> None:
        """Say whether a host that was asked has answered: its next turns are attempts, or no longer."""
        if bool(host.answers) != answers:
            self.pages.withdraw(host)
            host.answers = answers
            self._reschedule(host, now)
        host.answers = answers

    def looked_up(self, is_answered: bool, now: float) -> None:
        """A look-up is over: adapt how many are in flight."""
        self._name_server.looked_up(is_answered, now)

    def add(self, page: int, now: float) -> None:
        """Let a page wait for its turn: a never-read one, or one that was read if pages are read again."""
        self._offer_again(self.pages.add(page), now)

    def load(self, size: int, now: float) -> None:
        """`add` for pages 0..size-1 at once, but for forgotten ones, before any other page waits."""
        self.pages.load(size, now)
        for host in self.hosts:
            self._reschedule(host, now)

    def order_by(self, ledger: Ledger | None) -> None:
        """Let pages never read be in order by what they hold in the ledger, or by their cash."""
        if self.pages.ledger is not ledger:
            self.pages.ledger = ledger
            self._put_in_order()

    def reorder(self) -> None:
        """Put the pages in order anew that were never read, where not only visits decide on it."""
        if self.pages.ledger is not None:
            self._put_in_order()

    def _put_in_order(self) -> None:
        self.pages.reorder()
        for host in self.hosts:
            self.pages.offer(host)

    def acquire(self, now: float, *, attempts: bool = True) -> int | None:
        """Hand out the best page, or None. Its host is in flight until `release`."""
        page = self.best_page(now, attempts=attempts)
        if page is not None:
            self.hand_out(page, now)
        return page

    def put_first(self, page: int, now: float, *, is_new: bool = False) -> None:
        """Let a page be next of all that wait. is_new: it did not wait, as it was given up."""
        self._offer_again(self.pages.put_first(page, is_new=is_new), now)

    def had_turn(self, page: int) -> None:
        """Something came of the turn of a page: it is no longer to be next."""
        self.pages.first.discard(page)

    def best_page(self, now: float, *, attempts: bool = True) -> int | None:
        """The page to fetch now, or None; it is not handed out yet.

        attempts: whether hosts may have their turn of which nobody knows that they answer.
        """
        self._wake(now)
        return self.pages.best(attempts=attempts)

    def hand_out(self, page: int, now: float) -> HostTurn:
        """Let the best page have its turn. Its host is in flight until `release`."""
        turn = HostTurn(self.host(page), page)
        self.pages.hand_out(page, turn.host)
        turn.host.pages_since_errand += 1
        self._begin(turn, now)
        return turn

    def add_errand(self, host: Host, errand: Errand, now: float, *, first: bool = False) -> None:
        """Let a host be asked for something that is no page, when its turn comes. first: in its next turn."""
        self._errands.add(host, errand, first=first)
        if host.is_offered:
            self._errands.offer(host)
        else:
            self._reschedule(host, now)

    def acquire_errand(self, now: float) -> HostTurn | None:
        """Hand out an errand to run now, or None. Its host is in flight until `end_turn`."""
        best = self.best_errand(now)
        return None if best is None else self.hand_out_errand(*best, now)

    def best_errand(self, now: float) -> tuple[Host, Errand] | None:
        """A host and the errand to run there now, or None; it is not handed out yet."""
        self._wake(now)
        while (host := self._errands.offered()) is not None:
            errand = self._due_errand(host)
            if errand is not None and (host.address is None or host.address.is_offered):
                return host, errand
            self._errands.skip(until_address=errand is not None)
        return None

    def _due_errand(self, host: Host) -> Errand | None:
        """The errand that the next turn of a host is for, if it is for one."""
        is_due = host.pages_since_errand >= TURNS_PER_ERRAND - 1 or host.opening or not self.pages.has_page(host)
        if not (host.is_offered and (is_due or host.is_banned)):
            return None
        is_closed = host.opening or host.is_banned
        return next((errand for errand in host.errands if errand.opens or not is_closed), None)

    def hand_out_errand(self, host: Host, errand: Errand, now: float) -> HostTurn:
        """Let an errand have its turn that waits for one."""
        self._errands.remove(host, errand)
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
                self._errands.remove(host, errand)
            passed = HostTurn(host, errand=errand)
        else:
            page = self.pages.hand_out_of(host)
            if page is None:
                self.end_turn(turn, now, asked=False)
                return None
            passed = HostTurn(host, page)
        if address is not None:
            self._turns[_key(passed)] = address
        return passed

    def may_be_asked(self, host: Host, now: float) -> bool:
        """Whether a host may have a turn now, be it on offer or not."""
        self._wake(now)
        is_free = host.in_flight < host.most and host.not_before <= now and not host.is_banned
        return is_free and (host.address is None or host.address.is_offered)

    def close(self, host: Host, now: float) -> None:
        """An errand is under way that the pages of a host must wait for."""
        host.opening += 1
        self.pages.withdraw(host)
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
        self.pages.withdraw(host)
        self.leave_address(turn, now, asked=asked, left=left)
        self._reschedule(host, now)

    def rest(self, host: Host, until: float, now: float) -> None:
        """Let a host have no turn before `until`."""
        host.rests_until = max(host.rests_until, until)
        self.pages.withdraw(host)
        self._reschedule(host, now)

    def free(self, host: Host, now: float) -> None:
        """Let a host have its turns without delay: it will not be asked in them."""
        host.ready_at = host.rests_until = now
        self.pages.withdraw(host)
        self._reschedule(host, now)

    def ban(self, host: Host, now: float, *, is_banned: bool = True) -> None:
        """Let a host have no turn any more, or have its turns again. What keeps other hosts closed is refused then."""
        host.is_banned = is_banned
        (self._banned.add if is_banned else self._banned.discard)(host.id)
        self.pages.withdraw(host)
        self._reschedule(host, now)

    def banned(self) -> list[Host]:
        """The hosts that have no turns."""
        return [self.hosts[number] for number in sorted(self._banned)]

    def set_delay(self, host: Host, delay: float, now: float) -> None:
        """Let a host be asked that often; its last request counts from when it was made."""
        host.ready_at += delay - host.delay
        host.delay = delay
        self.pages.withdraw(host)
        self._reschedule(host, now)

    def adjust(self, per_host: int, ip_delay: float, now: float) -> None:
        """Let hosts be asked so many times at once, and IP addresses that often; looks at all hosts."""
        for address in self.addresses.adjust(ip_delay, per_host):
            self._reschedule_address(address, now)
        has_clocks = bool(ip_delay)
        for host in self.hosts:
            self.pages.withdraw(host)
            host.most = per_host
            if self._locates and has_clocks != bool(self._ip_delay):
                # Whose clock it shares is asked for again, or does not matter any more.
                host.address, host.located_until = self._name_server.address, 0.0
            self._reschedule(host, now)
        self._per_host, self._ip_delay = per_host, ip_delay

    def put_back(self, page: int, now: float, not_before: float = 0.0, *, is_read: bool = False) -> None:
        """Let a page that was handed out wait for another turn, from `not_before` on, if it is to have one."""
        self._offer_again(self.pages.put_back(page, now, not_before, is_read=is_read), now)

    def next_ready(self) -> float | None:
        """Unix seconds at which a host or page comes on offer next; None when there is none to wait for."""
        clock = self._waiting_clocks[0][0] if self._waiting_clocks else None
        return min((time for time in (self.pages.next_rested, clock) if time is not None), default=None)

    def is_empty(self) -> bool:
        """Whether nothing waits, rests or is in flight, but for pages set aside and those of banned hosts. Read pages
        wait only if pages are read again."""
        if self.in_flight:
            return False
        banned = self.banned()
        return self.pages.is_empty(but_for=banned) and not self._errands.waiting(but_for=banned)

    def is_idle(self, host: Host, now: float) -> bool:
        """Whether a host does not rest, and has no page waiting and none in flight."""
        is_open = host.rests_until <= now and host.health.dead_until <= now and not host.is_banned
        return is_open and not host.in_flight and not self.pages.has_page(host)

    def ready_or_waiting(self) -> tuple[int, list[Host]]:
        """How many hosts are on offer or about to be, and those that have pages but must wait; looks at all hosts."""
        with_pages = [host for host in self.hosts if self.pages.has_page(host)]
        waiting = [
            host for host in with_pages if not (host.is_offered and (host.address is None or host.address.is_offered))
        ]
        return len(with_pages) - len(waiting), waiting

    def _wake(self, now: float) -> None:
        for page in self.pages.rested(now):
            self.add(page, now)
        while self._waiting_clocks and self._waiting_clocks[0][0] <= now:
            time, number = heapq.heappop(self._waiting_clocks)
            if number >= 0:
                host = self.hosts[number]
                if host.waits_until == time:
                    host.waits_until = None
                    self._reschedule(host, now)
            else:
                address = self.addresses[~number]
                if address.waits_until == time:
                    address.waits_until = None
                    self._reschedule_address(address, now)

    def _offer_again(self, host: Host | None, now: float) -> None:
        """Put a host on offer that has got a page, unless it is."""
        if host is not None and not host.is_offered:
            self._reschedule(host, now)

    def _begin(self, turn: HostTurn, now: float) -> None:
        host = turn.host
        self.in_flight += 1
        host.begin(now)
        self.pages.withdraw(host)
        if host.address is not None:
            self._turns[_key(turn)] = host.address
            host.address.begin(now)
            self._reschedule_address(host.address, now)
        self._reschedule(host, now)

    def _reschedule(self, host: Host, now: float) -> None:
        """Put a host on offer, or among those that wait for their time, or nowhere while it can't take a request."""
        has_page = self.pages.has_page(host) and not host.opening
        if host.is_banned and not any(errand.opens for errand in host.errands):
            return
        if host.in_flight >= host.most or not (has_page or host.errands):
            return
        until = host.not_before
        if until > now:
            self._wait(host, host.id, until)
            return
        host.waits_until = None
        host.is_offered = True
        if host.errands:
            self._errands.offer(host)
        self.pages.offer(host)

    def _reschedule_address(self, address: Address, now: float) -> None:
        """Put an address on offer with its hosts, or among those that wait for their time, or nowhere."""
        is_free = address.is_held and address.in_flight < address.most
        address.is_offered = is_free and address.ready_at <= now
        if address.is_offered:
            address.waits_until = None
            self._errands.offer_address(address)
        elif is_free:
            self._wait(address, ~address.id, address.ready_at)
        self.pages.offer_address(address)

    def _wait(self, clock: Clock, number: int, until: float) -> None:
        if clock.waits_until != until:
            clock.waits_until = until
            heapq.heappush(self._waiting_clocks, (until, number))

    def _address(self, name: str, now: float) -> Address:
        address = self.addresses.named(name)
        if address is None:
            address = self.addresses.add(name)
            self._reschedule_address(address, now)
        return address


def _key(turn: HostTurn) -> int | Errand | None:
    return turn.page if turn.errand is None else turn.errand
