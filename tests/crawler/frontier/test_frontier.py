"""The frontier, with time passed in, against a model that looks at every page each time."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.intakes import next_page

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.frontier import Frontier, Pace, WaitingErrands
from minicrawl.crawler.frontier.waiting_pages import Lane, Order
from minicrawl.crawler.hosts.clocks import Address, Host, HostTurn
from minicrawl.opic import STRATEGIES, DiscoveryBudget, PageQueue
from minicrawl.store.links import NOWHERE, linked


def pages(*numbers: int) -> npt.NDArray[np.int32]:
    return np.array(numbers, dtype=np.int32)


class Crawl:
    """Real accounts and a frontier: pages are added with so much cash, on hosts by name."""

    def __init__(
        self,
        *,
        delay: float = 10.0,
        per_host: int = 1,
        strategy: str = "greedy",
        ip_delay: float = 0.0,
        addresses_from: float = 0.0,
    ) -> None:
        self.accounts = Accounts()
        self.book = self.accounts.book
        pace = Pace(per_host=per_host, ip_delay=ip_delay, locates=ip_delay > 0, addresses_from=addresses_from)
        self.frontier = Frontier(self.accounts, Order(STRATEGIES[strategy], DiscoveryBudget(1.0)), pace)
        self.delay = delay
        self.hosts: dict[str, Host] = {}

    def add(self, host: str, cash: int, now: float = 0.0) -> int:
        (page,) = self.accounts.discover(0)
        self.book.cash[page] = cash
        self.frontier.pages.grow(page + 1)
        if host not in self.hosts:
            self.hosts[host] = self.frontier.add_host(host, self.delay)
        self.frontier.pages.host_of[page] = self.hosts[host].id
        self.frontier.add([page], now)
        return page

    def acquire(self, now: float = 0.0) -> int:
        """The page to fetch now; there is one."""
        page = next_page(self.frontier, now)
        assert page is not None
        return page

    def drain(self, now: float = 0.0) -> list[int]:
        """The pages handed out at one moment, in order."""
        handed = []
        while (page := next_page(self.frontier, now)) is not None:
            handed.append(page)
        return handed


def next_errand(frontier: Frontier, now: float) -> HostTurn | None:
    """An errand to run now, handed out; None where there is none."""
    best = frontier.best_errand(now)
    return None if best is None else frontier.hand_out_errand(*best, now)


def counts(frontier: Frontier) -> tuple[int, int]:
    """(hosts on offer or about to be, hosts that have pages but must wait)"""
    ready, waiting = frontier.ready_or_waiting()
    return ready, len(waiting)


def on_one_address(*hosts: str, ip_delay: float = 10.0, **options: Any) -> Crawl:
    """One page a host, the first the richest; their address is known."""
    crawl = Crawl(ip_delay=ip_delay, **options)
    for cash, host in enumerate(reversed(hosts), start=1):
        crawl.add(host, cash)
    for host in hosts:
        crawl.frontier.locate(crawl.hosts[host], "192.0.2.1", 10**9, 0.0)
    return crawl


def test_a_new_address_waits_for_the_time_it_was_given() -> None:
    crawl = on_one_address("a", addresses_from=50.0)
    assert crawl.drain(49.0) == []
    assert crawl.drain(50.0) == [0]


def test_a_host_that_moves_while_it_is_in_flight_leaves_its_old_address_in_order() -> None:
    crawl = on_one_address("a", "b", "c", delay=0.0)
    (first,) = crawl.drain(0.0)
    crawl.frontier.locate(crawl.hosts["b"], "192.0.2.2", 10**9, 0.0)
    crawl.frontier.locate(crawl.hosts["a"], "192.0.2.2", 10**9, 0.0)
    assert crawl.drain(0.0) == [1]
    crawl.frontier.release(first, 5.0)
    assert crawl.drain(14.0) == []
    assert crawl.drain(15.0) == [0]


def lookups(crawl: Crawl, hosts: int = 300) -> list[int]:
    """Pages of so many hosts that were handed out to look up their addresses."""
    for number in range(hosts):
        crawl.add(f"h{number}", 5)
    return crawl.drain(0.0)


def test_only_so_many_addresses_are_asked_for_at_a_time_and_located_hosts_go_on() -> None:
    crawl = Crawl(delay=0.0, ip_delay=1.0)
    assert len(lookups(crawl)) == 16
    located = crawl.add("a", 1)
    crawl.frontier.locate(crawl.hosts["a"], "192.0.2.1", 10**9, 0.0)
    assert crawl.drain(0.0) == [located]
    crawl.frontier.release(0, 0.0, asked=False)
    assert len(crawl.drain(0.0)) == 1


def test_look_ups_in_flight_are_half_as_many_where_a_fifth_fail_else_a_quarter_more() -> None:
    """Judged every 5 s, between 4 and 256."""
    crawl = Crawl(delay=0.0, ip_delay=1.0)
    in_flight = lookups(crawl, 4000)
    seen = []
    for step, failed in enumerate([0, 1, 2, 3, 10, *[0] * 22, *[10] * 7]):
        for number in range(10):
            now = 10.0 * step + (6.0 if number == 9 else 0.0)
            crawl.frontier.looked_up(number >= failed, now)
        for page in in_flight:
            crawl.frontier.release(page, now, asked=False)
        in_flight = crawl.drain(now)
        seen.append(len(in_flight))
    assert seen[:10] == [20, 25, 12, 6, 4, 5, 6, 7, 8, 10]
    assert seen[24:] == [235, 256, 256, 128, 64, 32, 16, 8, 4, 4]


def test_many_hosts_of_one_address_cost_no_more_than_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """When an address is ready again, nobody looks at all its hosts."""
    crawl = on_one_address(*(f"h{number}" for number in range(2000)), delay=1.0)
    looks = [0]

    def counted(offer: Callable[..., Any]) -> Callable[..., Any]:
        def look(*arguments: Any) -> Any:
            looks[0] += 1
            return offer(*arguments)

        return look

    monkeypatch.setattr(Lane, "offer", counted(Lane.offer))
    monkeypatch.setattr(PageQueue, "peek", counted(PageQueue.peek))
    for turn in range(100):
        (page,) = crawl.drain(10.0 * turn)
        crawl.frontier.release(page, 10.0 * turn)
        crawl.frontier.put_back(page, 10.0 * turn)
    assert looks[0] <= 10 * 100


def test_a_host_whose_rest_is_ended_keeps_its_delay() -> None:
    crawl = Crawl(delay=10.0)
    first, second = crawl.add("a", 2), crawl.add("a", 1)
    crawl.drain(0.0)
    crawl.frontier.release(first, 1.0, not_before=500.0)
    crawl.frontier.end_rest(crawl.hosts["a"], 1.0)
    assert crawl.drain(10.0) == []
    assert crawl.drain(11.5) == [second]


@pytest.mark.parametrize("per_host", [1, 2])
def test_a_turn_without_request_does_not_cost_the_host_its_delay(per_host: int) -> None:
    crawl = Crawl(delay=10.0, per_host=per_host)
    first, second = crawl.add("a", 2), crawl.add("a", 1)
    crawl.drain(0.0)
    crawl.frontier.release(first, 1.0, asked=False)
    assert crawl.drain(1.0) == [second]


def test_a_turn_without_request_does_not_shorten_the_rest_that_another_turn_asked_for() -> None:
    """Two pages are out; one comes back with "ask again at 500", the other was forbidden by robots.txt."""
    crawl = Crawl(delay=10.0, per_host=2)
    first, second = crawl.add("a", 3), crawl.add("a", 2)
    assert [*crawl.drain(0.0), *crawl.drain(10.0)] == [first, second]
    crawl.frontier.release(first, 11.0, not_before=500.0)
    crawl.frontier.release(second, 12.0, asked=False)
    third = crawl.add("a", 1, now=12.0)
    assert crawl.drain(499.0) == []
    assert crawl.drain(500.0) == [third]


@dataclass
class SlowHost:
    delay: float
    rests_until: float = 0.0
    turns: dict[int, float] = field(default_factory=dict)  # pages in flight, and when their turn began
    address: "SlowHost | None" = None


class SlowFrontier:
    """The rules in the plainest way: every question looks at every page and every host."""

    def __init__(self, accounts: Accounts, strategy: str, per_host: int) -> None:
        self.accounts, self.strategy, self.per_host = accounts, STRATEGIES[strategy], per_host
        self.hosts: dict[int, SlowHost] = {}
        self.host_of: dict[int, int] = {}
        self.waiting: set[int] = set()
        self.resting: dict[int, float] = {}

    def ready_at(self, host: SlowHost) -> float:
        return max([host.rests_until, *(start + host.delay for start in host.turns.values())])

    def clocks(self, page: int) -> list[SlowHost]:
        host = self.hosts[self.host_of[page]]
        return [host] if host.address is None else [host, host.address]

    def is_open(self, host: SlowHost, now: float) -> bool:
        is_open = len(host.turns) < self.per_host and self.ready_at(host) <= now
        return is_open and (host.address is None or self.is_open(host.address, now))

    def wake(self, now: float) -> None:
        for page in [page for page, until in self.resting.items() if until <= now]:
            del self.resting[page]
            self.add(page)

    def add(self, page: int) -> None:
        if not self.accounts.had_turn[page]:
            self.waiting.add(page)

    def acquire(self, now: float) -> int | None:
        self.wake(now)
        ready = [page for page in self.waiting if self.is_open(self.hosts[self.host_of[page]], now)]
        if not ready:
            return None
        jumps = np.zeros(self.accounts.size, dtype=np.float32)
        page = max(ready, key=lambda page: (self.strategy.priority(page, self.accounts.book, jumps), -page))
        self.waiting.remove(page)
        for clock in self.clocks(page):
            clock.turns[page] = now
        return page

    def release(self, page: int, now: float, *, asked: bool = True, not_before: float = 0.0) -> None:
        for clock in self.clocks(page):
            start = clock.turns.pop(page)
            if asked:
                clock.rests_until = max(clock.rests_until, start + clock.delay, now + clock.delay)
        host = self.hosts[self.host_of[page]]
        host.rests_until = max(host.rests_until, not_before)

    def put_back(self, page: int, now: float, not_before: float = 0.0) -> None:
        if not_before > now and not self.accounts.had_turn[page]:
            self.resting[page] = not_before
        else:
            self.add(page)

    def hosts_with_pages(self) -> list[SlowHost]:
        return [self.hosts[number] for number in {self.host_of[page] for page in self.waiting}]

    def next_ready(self) -> float | None:
        waits = [
            max(map(self.ready_at, clocks))
            for clocks in ([host] if host.address is None else [host, host.address] for host in self.hosts_with_pages())
            if all(len(clock.turns) < self.per_host for clock in clocks)
        ]
        return min([*self.resting.values(), *waits], default=None)

    def counts(self, now: float) -> tuple[int, int]:
        hosts = self.hosts_with_pages()
        ready = sum(self.is_open(host, now) for host in hosts)
        return ready, len(hosts) - ready

    def is_empty(self) -> bool:
        return not (self.waiting or self.resting or any(host.turns for host in self.hosts.values()))


class Twins:
    """The frontier and its slow model, told the same."""

    def __init__(self, draw: random.Random, strategy: str, per_host: int, ip_delay: float) -> None:
        self.draw, self.per_host, self.ip_delay = draw, per_host, ip_delay
        self.accounts, pace = Accounts(), Pace(per_host=per_host, ip_delay=ip_delay, locates=ip_delay > 0)
        self.frontier = Frontier(self.accounts, Order(STRATEGIES[strategy], DiscoveryBudget(1.0)), pace)
        self.addresses = [SlowHost(ip_delay) for _ in range(3)]
        self.model = SlowFrontier(self.accounts, strategy, per_host)
        self.out: list[int] = []
        self.now = 1000.0

    def discover(self) -> None:
        new = [self.known() for _ in range(self.draw.choice([1, 1, 4]))]
        self.frontier.add(new, self.now)
        for page in new:
            self.model.add(page)

    def known(self) -> int:
        """A new page, which does not wait yet."""
        draw = self.draw
        (page,) = self.accounts.discover(0)
        self.accounts.book.cash[page] = draw.choice([1, 1, 5, draw.randrange(2**24)])
        self.frontier.pages.grow(page + 1)
        if not self.model.hosts or draw.random() < 0.15:
            delay, ready_at = draw.choice([0.0, 1.0, 3.0, 10.0]), draw.choice([0.0, 0.0, self.now + 5.0])
            host = self.frontier.add_host(f"h{len(self.model.hosts)}", delay, ready_at=ready_at)
            self.model.hosts[host.id] = SlowHost(delay, ready_at)
            if self.ip_delay:
                number = draw.randrange(3)
                self.model.hosts[host.id].address = self.addresses[number]
                self.frontier.locate(host, f"192.0.2.{number}", 10**9, self.now)
        number = draw.choice(list(self.model.hosts))
        self.model.host_of[page] = number
        self.frontier.pages.host_of[page] = self.frontier.hosts[number].id
        return page

    def acquire(self) -> None:
        """Both hand out the same page; when there is none both know when to ask again."""
        page = next_page(self.frontier, self.now)
        assert page == self.model.acquire(self.now)
        if page is not None:
            self.out.append(page)
            return
        found, expected = self.frontier.next_ready(), self.model.next_ready()
        if self.per_host == 1 and not self.ip_delay:
            assert found == expected
            assert counts(self.frontier) == self.model.counts(self.now)
        elif self.ip_delay:
            assert counts(self.frontier) == self.model.counts(self.now) or self.per_host > 1
            assert expected is None or (found is not None and self.now < found <= expected)
        else:  # one that is too early costs an idle look; one that is too late costs time
            assert (found is None) == (expected is None)
            assert found is None or (expected is not None and self.now < found <= expected)

    def both(self, method: str, *arguments: Any, **options: Any) -> None:
        getattr(self.frontier, method)(*arguments, **options)
        getattr(self.model, method)(*arguments, **options)

    def finish(self) -> None:
        draw, now = self.draw, self.now
        page = self.out.pop(draw.randrange(len(self.out)))
        end = draw.random()
        if end < 0.6:  # read
            others = [other for other in range(self.accounts.size) if other != page]
            self.both("release", page, now, not_before=draw.choice([0.0, 0.0, 0.0, now + 20.0]))
            links = linked(draw.sample(others, min(len(others), draw.randrange(9))), b"")
            self.accounts.visit(page, links)
            self.frontier.pages.credit(links.targets)
            if draw.random() < 0.2:
                self.frontier.pages.forget(page)
            else:
                self.both("put_back", page, now, not_before=draw.choice([0.0, now + 7.0]))
        elif end < 0.8:  # to be tried again
            self.both("release", page, now)
            self.both("put_back", page, now, not_before=now + draw.choice([0.0, 2.0, 15.0]))
        elif end < 0.9:  # its robots.txt was asked instead
            self.both("release", page, now)
            self.both("put_back", page, now)
        else:  # its host shall rest, or nothing was asked
            asked = self.per_host > 1  # see the two tests above on turns without request
            self.both("release", page, now, asked=asked, not_before=draw.choice([0.0, now + 30.0]))
            self.both("put_back", page, now)

    def pass_time(self) -> None:
        until = self.frontier.next_ready()
        leaps = [0.5, 1.0, 4.0] if until is None or until < self.now else [0.5, 1.0, until - self.now]
        self.now += self.draw.choice(leaps)

    def step(self) -> None:
        kind = self.draw.random()
        if kind < 0.15:
            self.discover()
        elif kind < 0.55:
            self.acquire()
        elif kind < 0.85 and self.out:
            self.finish()
        else:
            self.pass_time()
        assert self.frontier.is_empty() == self.model.is_empty()
        assert self.frontier.in_flight == len(self.out)


@pytest.mark.parametrize("per_host", [1, 2])
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("ip_delay", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(2))
def test_the_frontier_agrees_with_the_slow_model(seed: int, ip_delay: float, strategy: str, per_host: int) -> None:
    """Also where hosts share addresses."""
    twins = Twins(random.Random(f"{seed} {strategy} {per_host}"), strategy, per_host, ip_delay)
    for _ in range(15):
        twins.discover()
    for _ in range(600):
        twins.step()
    assert twins.accounts.turns > (10 if ip_delay else 20)


def entries_held(frontier: Frontier) -> int:
    lanes = (frontier.pages._discovery, frontier.pages._refresh)
    queues = [queue for lane in lanes for queue in lane.queues.values()]
    assert frontier.pages._sites is not None
    offers = [lane.offers for lane in lanes] + [frontier.pages._sites.offers]
    heaps = len(frontier._waiting_clocks) + len(frontier.pages._resting)
    return (
        sum(len(queue._entries) for queue in queues)
        + sum(len(heap) for of in offers for heap in of._offers.values())
        + heaps
    )


@pytest.mark.parametrize("state", ["ready", "busy", "in its delay"])
def test_queues_stay_small_after_many_credits(state: str) -> None:
    """A popular page that waits for long must not fill the memory with its old entries."""
    crawl = Crawl(delay=10.0)
    for number in range(200):
        crawl.add(f"h{number % 20}", number + 1)
    if state != "ready":
        for page in crawl.drain(0.0):
            if state == "in its delay":
                crawl.frontier.release(page, 0.0)
    crawl.frontier.reorder()  # so that sites have turns
    waiting = crawl.frontier.pages._discovery.waiting
    draw = random.Random(7)
    for _ in range(2000):
        risen = pages(*draw.sample(range(150), 10))
        crawl.book.cash[risen] += 1
        crawl.frontier.pages.credit(risen)
    hosts = len(crawl.frontier.hosts)
    assert entries_held(crawl.frontier) <= (64 + 4 * waiting / hosts) * hosts + 64 + 6 * hosts


def test_queues_stay_small_after_many_turns() -> None:
    crawl = Crawl(delay=1.0)
    for number in range(60):
        crawl.add(f"h{number % 20}", number + 1)
    crawl.frontier.reorder()
    draw, now = random.Random(8), 0.0
    for _ in range(3000):
        now += 0.3
        while (page := next_page(crawl.frontier, now)) is not None:
            crawl.frontier.release(page, now)
            crawl.frontier.put_back(page, now, not_before=draw.choice([0.0, now + 2.0]))
        risen = pages(*draw.sample(range(60), 3))
        crawl.book.cash[risen] += 1
        crawl.frontier.pages.credit(risen)
    assert entries_held(crawl.frontier) <= 20 * (64 + 4 * 3) + 64 + 6 * 20 + 60


@dataclass(eq=False)
class Errand:
    number: int
    opens: bool = False
    alternates: bool = False


ERRANDS = [Errand(number) for number in range(8)]


def test_errands_of_a_host_keep_their_order_but_for_one_that_is_first() -> None:
    errands, one, things = WaitingErrands(), Host(id=0, name="a", delay=1.0, most=1), ERRANDS[:3]
    errands.add(one, things[0], first=False)
    errands.add(one, things[1], first=False)
    errands.add(one, things[2], first=True)
    assert one.errands[0] is things[2]
    for thing in things:
        errands.remove(one, thing)
    assert not errands.waiting(but_for=())


def test_host_whose_address_is_not_on_offer_waits_for_it() -> None:
    errands, address = WaitingErrands(), Address(id=1, name="1.2.3.4", delay=1.0, most=1)
    waits, other = (Host(id=number, name="a", delay=1.0, most=1) for number in range(2))
    waits.address = address
    errands.offer(waits)
    errands.offer(other)
    errands.skip(until_address=True)
    assert errands.offered() is other
    errands.skip(until_address=False)
    assert errands.offered() is None
    errands.offer_address(address)
    assert errands.offered() is waits


def test_an_errand_takes_the_turn_of_its_host_and_no_other() -> None:
    crawl = Crawl(delay=10.0)
    page, other = crawl.add("a", 1), crawl.add("b", 2)
    crawl.frontier.add_errand(crawl.hosts["a"], ERRANDS[7], 0.0)
    assert next_errand(crawl.frontier, 0.0) == HostTurn(crawl.hosts["a"], errand=ERRANDS[7])
    assert crawl.drain() == [other]
    crawl.frontier.release(other, 0.0)
    crawl.frontier.put_back(other, 0.0)
    crawl.frontier.end_turn(HostTurn(crawl.hosts["a"], errand=ERRANDS[7]), 1.0)
    assert crawl.drain(10.0) == [other]
    assert crawl.frontier.next_ready() == 11.0
    assert crawl.drain(11.0) == [page]


def test_of_ten_turns_of_a_host_with_pages_one_is_for_an_errand() -> None:
    crawl = Crawl(delay=0.0)
    host = None
    turns = []
    for cash in range(25, 0, -1):
        crawl.add("a", cash)
    for errand in range(5):
        host = crawl.hosts["a"]
        crawl.frontier.add_errand(host, ERRANDS[errand], 0.0)
    while not crawl.frontier.is_empty():
        turn = next_errand(crawl.frontier, 0.0)
        if turn is not None:
            turns.append("errand")
            crawl.frontier.end_turn(turn, 0.0)
        else:
            page = crawl.acquire()
            turns.append("page")
            crawl.accounts.visit(page, NOWHERE)
            crawl.frontier.release(page, 0.0)
            crawl.frontier.put_back(page, 0.0)
    assert [place for place, turn in enumerate(turns) if turn == "errand"] == [0, 10, 20, 28, 29]


def test_a_host_may_have_errands_and_no_pages() -> None:
    crawl = Crawl(delay=10.0)
    host = crawl.frontier.add_host("a", 10.0)
    crawl.frontier.add_errand(host, ERRANDS[1], 0.0)
    crawl.frontier.add_errand(host, ERRANDS[2], 0.0)
    assert next_errand(crawl.frontier, 0.0) == HostTurn(host, errand=ERRANDS[1])
    assert next_errand(crawl.frontier, 0.0) is None
    crawl.frontier.end_turn(HostTurn(host, errand=ERRANDS[1]), 1.0)
    assert not crawl.frontier.is_empty()
    ready = crawl.frontier.next_ready()
    assert ready is not None
    assert next_errand(crawl.frontier, ready - 0.1) is None
    assert next_errand(crawl.frontier, 11.0) == HostTurn(host, errand=ERRANDS[2])
    crawl.frontier.end_turn(HostTurn(host, errand=ERRANDS[2]), 11.0)
    assert crawl.frontier.is_empty()


def test_a_page_that_was_laid_up_waits_once_however_often_it_is_brought_back() -> None:
    crawl = Crawl(delay=0.0)
    page, other = crawl.add("a", 2), crawl.add("a", 1)
    assert crawl.acquire() == page
    crawl.frontier.lay_up(page)
    crawl.frontier.release(page, 0.0, asked=False)
    for pages in ([page, page], [page], [other]):
        crawl.frontier.bring_back(pages, 0.0)
    assert crawl.frontier.pages.left() == {crawl.hosts["a"].id: 2}
    assert crawl.acquire() == page
    crawl.frontier.release(page, 0.0)
    assert crawl.acquire() == other
    crawl.frontier.release(other, 0.0)
    assert crawl.drain() == []


def test_pages_are_missing_as_often_as_others_of_their_host_and_one_more_of_any() -> None:
    """One of two at the first host, none of one at the second, so a third of all; the last host never answered."""
    crawl = Crawl()
    pages = [crawl.add(host, 1) for host in "aaabbc"]
    for page in (pages[0], pages[1], pages[3]):
        crawl.accounts.visit(page, NOWHERE)
    crawl.book.retire(pages[1])
    crawl.hosts["a"].answers = crawl.hosts["b"].answers = True
    assert crawl.frontier.doubts() == pytest.approx([0, 0, (1 + 1 / 3) / 3, 0, 1 / 3 / 2, 1])


@pytest.mark.parametrize("ip_delay", [0.0, 0.001])
def test_hosts_of_which_nobody_knows_that_they_answer_can_be_left_out(ip_delay: float) -> None:
    """Then it is the best page of the others; and as these come and go, never one that is not on offer."""
    draw = random.Random(7)
    crawl = Crawl(delay=0.0, ip_delay=ip_delay)
    for _ in range(300):
        crawl.add(f"h{draw.randrange(12)}", draw.choice([1, 1, 2, 2**20, draw.randrange(2**24)]))
    now, waiting = 0.0, set(range(300))
    for host in crawl.hosts.values():
        crawl.frontier.locate(host, f"a{host.id % 4}", math.inf, now)
    while waiting:
        now += 1.0
        answering = draw.sample(sorted(crawl.hosts.values(), key=lambda host: host.id), 6)
        for host in crawl.hosts.values():
            crawl.frontier.judge(host, host in answering, now)
        attempts = draw.random() < 0.5
        allowed = [page for page in waiting if attempts or crawl.frontier.host(page).answers]
        best = min(allowed, key=lambda page: (-crawl.book.cash[page], page), default=None)
        assert next_page(crawl.frontier, now, attempts=attempts) == best
        if best is not None:
            crawl.frontier.release(best, now)
            waiting.remove(best)


def test_no_page_of_a_closed_host_is_on_offer_but_what_opens_hosts_is() -> None:
    crawl = Crawl(delay=0.0)
    page, other = crawl.add("a", 2), crawl.add("b", 1)
    host = crawl.hosts["a"]
    crawl.frontier.close(host, 0.0)
    crawl.frontier.close(host, 0.0)
    crawl.frontier.add_errand(host, ERRANDS[1], 0.0)
    assert next_errand(crawl.frontier, 0.0) is None
    opening = Errand(2, opens=True)
    crawl.frontier.add_errand(host, opening, 0.0)
    assert next_errand(crawl.frontier, 0.0) == HostTurn(host, errand=opening)
    crawl.frontier.end_turn(HostTurn(host, errand=opening), 0.0)
    assert crawl.drain(0.0) == [other]
    crawl.frontier.open(host, 0.0)
    crawl.book.cash[page] += 1
    crawl.frontier.pages.credit(pages(page))
    assert crawl.drain(0.0) == []
    assert not crawl.frontier.is_empty()
    crawl.frontier.open(host, 0.0)
    assert crawl.drain(0.0) == [page]


@pytest.mark.parametrize("ip_delay", [0.0, 1.0])
def test_a_turn_can_be_passed_on_to_the_best_page_of_its_host(ip_delay: float) -> None:
    crawl = Crawl(delay=5.0, ip_delay=ip_delay)
    page = crawl.add("a", 2)
    host = crawl.hosts["a"]
    crawl.frontier.locate(host, "address", math.inf, 0.0)
    turn = crawl.frontier.begin(host, ERRANDS[1], 0.0)
    assert crawl.frontier.pass_on(turn, None, 0.0) == HostTurn(host, page)
    assert crawl.frontier.in_flight == 1
    crawl.frontier.release(page, 0.5)
    assert crawl.frontier.in_flight == 0
    turn = crawl.frontier.begin(host, ERRANDS[1], 6.0)
    assert crawl.frontier.pass_on(turn, None, 6.0) is None
    assert crawl.frontier.in_flight == 0


@pytest.mark.parametrize(("per_host", "others"), [(1, []), (2, [1]), (3, [1, 2])])
def test_a_page_to_which_a_turn_was_passed_on_is_on_offer_no_more(per_host: int, others: list[int]) -> None:
    """A host that may be asked several times at once goes on with its next pages."""
    crawl = Crawl(delay=0.0, per_host=per_host)
    for cash in (3, 2, 1):
        crawl.add("a", cash)
    host = crawl.hosts["a"]
    turn = crawl.frontier.begin(host, ERRANDS[1], 0.0)
    assert crawl.frontier.pass_on(turn, None, 0.0) == HostTurn(host, 0)
    assert crawl.drain(0.0) == others


def test_an_address_that_is_shared_is_asked_only_while_it_is_held() -> None:
    crawl = Crawl(delay=1.0, ip_delay=5.0)
    crawl.frontier.addresses.share()
    pages = [crawl.add("a", 3), crawl.add("b", 2), crawl.add("b", 1)]
    for name in ("a", "b"):
        crawl.frontier.locate(crawl.hosts[name], "1.2.3.4", 10**9, 0.0)
    assert (crawl.drain(1.0), crawl.frontier.next_ready(), crawl.frontier.is_empty()) == ([], None, False)
    assert crawl.frontier.trade({}, [], 1.0) == (["1.2.3.4"], {})
    assert crawl.frontier.trade({"1.2.3.4": 2.0}, [], 1.0) == ([], {})
    assert (crawl.drain(2.9), crawl.frontier.next_ready()) == ([], 3.0)
    assert crawl.drain(3.0) == pages[:1]
    assert crawl.frontier.trade({}, ["1.2.3.4"], 3.5) == ([], {})
    crawl.frontier.release(pages[0], 4.0)
    assert crawl.drain(100.0) == []
    wanted, left = crawl.frontier.trade({}, [], 6.0)
    assert (wanted, left) == (["1.2.3.4"], {"1.2.3.4": 3.0})
    crawl.frontier.trade({"1.2.3.4": 0.0}, [], 9.0)
    assert crawl.drain(9.0) == pages[1:2]


def test_an_address_is_not_wanted_for_hosts_that_rest() -> None:
    crawl = Crawl(delay=1.0, ip_delay=5.0)
    crawl.frontier.addresses.share()
    crawl.add("a", 3)
    crawl.frontier.locate(crawl.hosts["a"], "1.2.3.4", 10**9, 0.0)
    crawl.frontier.rest(crawl.hosts["a"], 50.0, 0.0)
    assert crawl.frontier.trade({}, [], 1.0)[0] == []
    assert next_page(crawl.frontier, 50.0) is None
    assert crawl.frontier.trade({}, [], 50.0)[0] == ["1.2.3.4"]


@pytest.mark.parametrize(("interest", "answers", "waits"), [(100, True, True), (10, True, False), (100, False, False)])
def test_pages_off_the_topic_wait_while_a_host_with_others_answers(interest: float, answers: bool, waits: bool) -> None:
    """Not for one that rests, or did not answer the last time; without a topic, as with boosts alone, none waits."""
    for has_topic in (True, False):
        crawl = Crawl(delay=1.0)
        crawl.frontier.pages.interest = np.array([interest, interest, 1.0], dtype=np.float32)
        crawl.frontier.pages.is_off_topic = np.zeros(3, dtype=np.bool_) if has_topic else None
        wanted = [crawl.add("on-it", 100), crawl.add("on-it", 95)]
        other = crawl.add("off-it", 90)
        crawl.frontier.judge(crawl.hosts["on-it"], answers, 0.0)
        assert crawl.acquire() == wanted[0]
        assert crawl.frontier.best_page(0.0) == (None if waits and has_topic else other)
        crawl.frontier.release(wanted[0], 0.5)
        assert crawl.drain(0.5) == [other], "the delay of the host is used"
        assert crawl.drain(1.5) == [wanted[1]]
