"""The frontier: the next page to fetch, of the next host, and when.

Each host has a queue ordered by the strategy; among the hosts on offer, the host whose best page ranks highest is next.
A host is not on offer while a request to it is in flight or its politeness delay runs, nor while the same holds for its
IP address, nor, for pages, while it is closed. Time is passed in; nothing here sleeps or reads a clock.
"""

import heapq
import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping

import numpy as np
from msgspec import Struct

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.addresses import Addresses, Trade
from minicrawl.crawler.frontier.waiting_pages import Order, WaitingPages
from minicrawl.crawler.hosts.clocks import TURNS_PER_ERRAND, Address, Clock, Errand, Host, HostTurn
from minicrawl.opic.arrays import FloatArray
from minicrawl.timing import STANDARD


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


class Pace(Struct, frozen=True, kw_only=True):
    """How often hosts get requests.

    per_host: requests at once to a host. ip_delay: seconds between two requests to an IP address, 0 = addresses have no
    clock. locates: the address of a host must be known before it gets a request. addresses_from: Unix seconds before
    which no address gets a request. on_its_way: as in `Timing`.
    """

    per_host: int = 1
    ip_delay: float = 0.0
    locates: bool = False
    addresses_from: float = 0.0
    on_its_way: float = STANDARD.on_its_way


class Frontier:
    """Every page that may be fetched, in `pages`, and the clocks of all hosts and addresses.

    `errands_only`: no page has turns.
    """

    errands_only = False

    def __init__(self, accounts: Accounts, order: Order, pace: Pace) -> None:
        self._accounts = accounts
        self._per_host = pace.per_host
        self._ip_delay = pace.ip_delay
        self._locates = pace.locates
        self._on_its_way = pace.on_its_way
        self.hosts: list[Host] = []
        self.pages = WaitingPages(self.hosts, accounts, order)
        self._errands = WaitingErrands()
        self.addresses = Addresses(delay=pace.ip_delay, most=pace.per_host, asked_from=pace.addresses_from)
        self.looked_up = self.addresses.looked_up
        self._turns: dict[int | Errand | None, Address] = {}  # by page or errand in flight
        self._waiting_clocks: list[tuple[float, int]] = []  # a host's number, or the complement of an address's
        self._banned: set[int] = set()
        self._ill: set[int] = set()
        self._asked: set[int] = set()  # for pages, lately, while there is a topic
        self.in_flight = 0

    def add_host(
        self, name: str, delay: float, *, crawl_delay: float = 0.0, ready_at: float = 0.0, seconds: float = 0.0
    ) -> Host:
        host = Host(
            id=len(self.hosts),
            name=name,
            delay=delay,
            most=self._per_host,
            ready_at=ready_at,
            crawl_delay=crawl_delay,
            seconds=seconds,
            address=self.addresses.name_server if self._locates else None,
            located_until=0.0 if self._locates else math.inf,
        )
        self.hosts.append(host)
        return host

    def host(self, page: int) -> Host:
        return self.hosts[self.pages.host_of.item(page)]

    def locate(self, host: Host, address: str, until: float, now: float) -> None:
        """Set the IP address of a host, good until `until`; "": an address without a clock."""
        self.pages.withdraw(host)
        host.located_until = until
        host.address = None
        if self._ip_delay and address:
            host.address = self.addresses.named(address)
            if host.address is None:
                host.address = self.addresses.add(address)
                self._reschedule_address(host.address, now)
        self.addresses.add_host(host)
        self._reschedule(host, now)

    def trade(self, granted: Mapping[str, float], wanted_back: Iterable[str], now: float) -> Trade:
        """Change the addresses held, see `Addresses.change`, and return the next trade."""
        for address in self.addresses.change(granted, wanted_back, now):
            self._reschedule_address(address, now)
        return self.addresses.trade(lambda host: host.is_offered and (bool(host.errands) or not host.opening), now)

    def judge(self, host: Host, answers: bool, now: float) -> None:
        """Record whether a host has answered; the next turns of a silent one are attempts."""
        if bool(host.answers) != answers:
            self.pages.withdraw(host)
            host.answers = answers
            self._reschedule(host, now)
        host.answers = answers

    def doubts(self) -> FloatArray:
        """The chance that a page is not there, or is an alias, shape (pages,): 0 of one that was tried, 1 at a host
        that has not answered, else as often as of those tried at its host, and one more at any."""
        known, book = slice(0, self._accounts.size), self._accounts.book
        tried, gone = self._accounts.had_turn[known], (book.gone | book.alias)[known]
        answers, host_of = np.fromiter((bool(host.answers) for host in self.hosts), np.bool_), self.pages.host_of[known]
        turns, lost = (np.bincount(host_of, some, len(answers)) * answers for some in (tried, tried & gone))
        often = (lost + lost.sum() / max(turns.sum(), 1.0)) / (turns + 1.0)
        return np.where(tried, 0.0, np.where(answers, often, 1.0)[host_of])

    def add(self, pages: Iterable[int], now: float) -> None:
        """Let pages wait for their turn: those never read, and read ones if pages are read again."""
        for host in self.pages.add(pages):
            self._offer_again(host, now)

    def lay_up(self, page: int) -> None:
        """Hold a page that was handed out until it is brought back."""
        self.pages.laid_up.add(page)

    def bring_back(self, pages: Collection[int], now: float) -> None:
        """Let pages that were held back wait again."""
        for host in self.pages.bring_back(pages):
            self._offer_again(host, now)

    def load(self, size: int, now: float) -> None:
        """`add` pages 0..size-1 at once, but for forgotten ones, before any other page waits."""
        self.pages.load(size, now)
        for host in self.hosts:
            self._reschedule(host, now)

    def reorder(self) -> None:
        """Reorder pages never read."""
        self.pages.reorder()
        for host in self.hosts:
            self.pages.offer(host)

    def put_first(self, page: int, now: float, *, is_new: bool = False) -> None:
        """Move a page before all others that wait. is_new: it did not wait, because it was given up."""
        self._offer_again(self.pages.put_first(page, is_new=is_new), now)

    def best_page(self, now: float, *, attempts: bool = True) -> int | None:
        """The page to fetch now, or None; it is not handed out yet.

        attempts: also pages of hosts that have not answered yet, or not the last time. With a topic, while a host
        answers that has pages of much more interest, these are waited for.
        """
        self._wake(now)
        page = self.pages.best(attempts=attempts)
        if page is None or self.pages.is_off_topic is None:
            return page
        hosts = [host for host in map(self.hosts.__getitem__, self._asked) if host.in_flight and host.answers]
        self._asked = {host.id for host in hosts}
        return None if any(self.pages.is_of_less_interest(page, host) for host in hosts) else page

    def hand_out(self, page: int, now: float) -> HostTurn:
        """Begin the turn of the best page. Its host is in flight until `release`."""
        turn = HostTurn(self.host(page), page)
        self.pages.hand_out(page, turn.host)
        if self.pages.is_off_topic is not None:
            self._asked.add(turn.host.id)
        turn.host.pages_since_errand += 1
        turn.host.had_page = True
        self._begin(turn, now)
        return turn

    def add_errand(self, host: Host, errand: Errand, now: float, *, first: bool = False) -> None:
        """Let an errand wait for a turn of its host. first: its next turn."""
        self._errands.add(host, errand, first=first)
        if host.is_offered:
            self._errands.offer(host)
        else:
            self._reschedule(host, now)

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
        """The errand for the next turn of a host, if that is due an errand."""
        if not host.is_offered:
            return None
        is_closed = host.opening or host.is_banned
        has_page = not self.errands_only and self.pages.has_page(host)
        is_due = is_closed or host.pages_since_errand >= TURNS_PER_ERRAND - 1 or not has_page
        for errand in host.errands:
            if (errand.opens or not is_closed) and (is_due or (errand.alternates and host.had_page)):
                return errand
        return None

    def end_pages(self, *, errands_only: bool) -> None:
        """Give turns to errands alone, or to pages again."""
        self.errands_only = errands_only
        for host in self.hosts:
            if host.errands and host.is_offered:
                self._errands.offer(host)

    def hand_out_errand(self, host: Host, errand: Errand, now: float) -> HostTurn:
        """Begin the turn of an errand that waits. Its host is in flight until `end_turn`."""
        self._errands.remove(host, errand)
        if not errand.alternates:
            host.pages_since_errand = 0
        host.had_page = False
        return self.begin(host, errand, now)

    def begin(self, host: Host, errand: Errand, now: float) -> HostTurn:
        """Begin the turn of an errand that did not wait. Its host is in flight until `end_turn`."""
        turn = HostTurn(host, errand=errand)
        self._begin(turn, now)
        return turn

    def pass_on(self, turn: HostTurn, errand: Errand | None, now: float) -> HostTurn | None:
        """Pass a turn on to another errand of the same host, or to its best page if None. None: it has no page."""
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
            self._reschedule(host, now)
        if address is not None:
            self._turns[_key(passed)] = address
        return passed

    def may_be_asked(self, host: Host, now: float) -> bool:
        """True if a host may have a turn now, on offer or not."""
        self._wake(now)
        is_free = host.in_flight < host.most and host.not_before <= now and not host.is_banned
        return is_free and (host.address is None or host.address.is_offered)

    def close(self, host: Host, now: float) -> None:
        """Close a host: its pages wait for an errand."""
        host.opening += 1
        self._reschedule(host, now)

    def open(self, host: Host, now: float) -> None:
        """End an errand that closed a host."""
        host.opening -= 1
        self._reschedule(host, now)

    def leave_address(self, turn: HostTurn, now: float, *, asked: bool, left: float = math.inf) -> None:
        """Free the address of a turn that takes longer; it may get a request again after its delay."""
        address = self._turns.pop(_key(turn), None)
        if address is not None:
            address.end(now, asked, left, self._on_its_way)
            self._reschedule_address(address, now)

    def release(self, page: int, now: float, *, asked: bool = True, not_before: float = 0.0) -> None:
        """End the turn of a page: its host and address may get a request again after their delay.

        asked: a request was made. not_before: the host rests at least until then.
        """
        self.end_turn(HostTurn(self.host(page), page), now, asked=asked, not_before=not_before)

    def end_turn(
        self, turn: HostTurn, now: float, *, asked: bool = True, left: float = math.inf, not_before: float = 0.0
    ) -> None:
        """`release` for any turn. left: the time at which the request left, if known."""
        host = turn.host
        self.in_flight -= 1
        host.end(now, asked, left, self._on_its_way)
        host.rests_until = max(host.rests_until, not_before)
        self.leave_address(turn, now, asked=asked, left=left)
        self._reschedule(host, now)

    def rest(self, host: Host, until: float, now: float) -> None:
        """Give a host no turn before `until`."""
        host.rests_until = max(host.rests_until, until)
        self._reschedule(host, now)

    def end_rest(self, host: Host, now: float) -> None:
        """Give a host its turns before its rest is over."""
        host.rests_until = min(host.rests_until, now)
        self._reschedule(host, now)

    def set_ill(self, host: Host, *, is_ill: bool) -> None:
        """Note whether a host, which is closed then, is ill: nothing waits for its pages and errands."""
        (self._ill.add if is_ill else self._ill.discard)(host.id)

    def ban(self, host: Host, now: float, *, is_banned: bool = True) -> None:
        """Give a host no turns any more, or give them back. Only errands for which hosts are closed still get turns, to
        be refused."""
        host.is_banned = is_banned
        (self._banned.add if is_banned else self._banned.discard)(host.id)
        self._reschedule(host, now)

    def banned(self) -> list[Host]:
        return [self.hosts[number] for number in sorted(self._banned)]

    def set_delay(self, host: Host, delay: float, now: float) -> None:
        """Change the delay of a host; it counts from its last request."""
        host.ready_at += delay - host.delay
        host.delay = delay
        self._reschedule(host, now)

    def adjust(self, per_host: int, ip_delay: float, now: float) -> None:
        """Change the requests at once to a host, and the delay of IP addresses; visits all hosts."""
        for address in self.addresses.adjust(ip_delay, per_host):
            self._reschedule_address(address, now)
        has_clocks = bool(ip_delay)
        for host in self.hosts:
            self.pages.withdraw(host)
            host.most = per_host
            if self._locates and has_clocks != bool(self._ip_delay):
                # Its address is looked up again, or does not matter any more.
                host.address, host.located_until = self.addresses.name_server, 0.0
            self._reschedule(host, now)
        self._per_host, self._ip_delay = per_host, ip_delay

    def put_back(self, page: int, now: float, not_before: float = 0.0, *, had_turn: bool = False) -> None:
        """Let a page that was handed out wait for another turn, from `not_before` on, if it is to have one. had_turn:
        else it waits as if it had not been handed out."""
        self._offer_again(self.pages.put_back(page, now, not_before, had_turn=had_turn), now)

    def next_ready(self) -> float | None:
        """Unix seconds at which the next host or page comes on offer; None if none will."""
        clock = self._waiting_clocks[0][0] if self._waiting_clocks else None
        return min((time for time in (self.pages.next_rested, clock) if time is not None), default=None)

    def is_empty(self) -> bool:
        """True if nothing waits, rests or is in flight, but for pages set aside, those of hosts that are banned or ill,
        and with `errands_only` all pages. Read pages wait only if pages are read again."""
        if self.in_flight:
            return False
        away = [self.hosts[number] for number in self._banned | self._ill]
        return (self.errands_only or self.pages.is_empty(but_for=away)) and not self._errands.waiting(but_for=away)

    def is_idle(self, host: Host, now: float) -> bool:
        """True if a host does not rest and has no page waiting or in flight."""
        is_open = host.rests_until <= now and not (host.opening or host.is_banned)
        return is_open and not host.in_flight and not self.pages.has_page(host)

    def ready_or_waiting(self) -> tuple[int, list[Host]]:
        """The number of hosts with pages on offer or about to be, and the hosts with pages that must wait; visits all
        hosts."""
        with_pages = [host for host in self.hosts if self.pages.has_page(host)]
        waiting = [
            host for host in with_pages if not (host.is_offered and (host.address is None or host.address.is_offered))
        ]
        return len(with_pages) - len(waiting), waiting

    def _wake(self, now: float) -> None:
        for page in self.pages.rested(now):
            self.add([page], now)
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
        """Put a host that got a page on offer, unless it is already."""
        if host is not None and not host.is_offered:
            self._reschedule(host, now)

    def _begin(self, turn: HostTurn, now: float) -> None:
        host = turn.host
        self.in_flight += 1
        host.begin(now)
        if host.address is not None:
            self._turns[_key(turn)] = host.address
            host.address.begin(now)
            self._reschedule_address(host.address, now)
        self._reschedule(host, now)

    def _reschedule(self, host: Host, now: float) -> None:
        """Put a host on offer again, or among the waiting clocks, or nowhere while it cannot take a request."""
        self.pages.withdraw(host)
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
        """Put an address on offer with its hosts, or among the waiting clocks, or nowhere."""
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


def _key(turn: HostTurn) -> int | Errand | None:
    return turn.page if turn.errand is None else turn.errand
