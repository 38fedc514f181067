"""The pages that wait on every host, and the reason why a host waits, by its clocks."""

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.offers import Offers
from minicrawl.crawler.frontier.schedules import ByWorth
from minicrawl.crawler.frontier.waiting_pages import Order, WaitingPages, order_of
from minicrawl.crawler.hosts.clocks import Address, Host
from minicrawl.crawler.hosts.health import Health
from minicrawl.crawler.progress import hosts_now, wait_until, waits_by_reason, waits_for
from minicrawl.opic import DiscoveryBudget
from minicrawl.opic.strategy import STRATEGIES
from minicrawl.store.links import NOWHERE

DAY = 86_400.0
STEPS = st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 9)), max_size=400)


@given(STEPS)
def test_best_is_the_least_entry_on_offer(steps: list[tuple[int, int | None]]) -> None:
    offers, expected = Offers(), dict[int, int]()
    for number, entry in steps:
        if entry is None:
            offers.withdraw(number)
            expected.pop(number, None)
        else:
            offers.put(number, entry)
            expected[number] = entry
        best = offers.best()
        assert best == min(((entry, number) for number, entry in expected.items()), default=None)


def test_what_was_replaced_takes_little_room() -> None:
    offers = Offers()
    for entry in range(10_000, 0, -1):
        offers.put(1, entry)
    assert offers.best() == (1, 1)
    assert len(offers) <= 100


class Twins:
    """Pages that wait, and the slow way to say whose turn is next: a set of them, sorted for each question."""

    def __init__(self, draw: random.Random, strategy: str, *, share: float, wanted: str) -> None:
        self.draw, self.strategy, self.now = draw, STRATEGIES[strategy], 0.0
        self.accounts, self.budgets = Accounts(), [DiscoveryBudget(share), DiscoveryBudget(share)]
        self.book = self.accounts.book
        addresses = [Address(id=number, name=str(number), delay=1.0, most=1, is_offered=True) for number in (1, 2)]
        self.hosts = [
            Host(id=number, name=f"h{number}.s{number % 4}.test", delay=1.0, most=1, address=address)
            for number, address in enumerate([None, None, None, *addresses, addresses[0]])
        ]
        self.due = None if share == 1.0 else DuePages(self.book, ByWorth(5.0, DAY), waits=True, is_patient=False)
        self.pages = WaitingPages(self.hosts, self.accounts, Order(self.strategy, self.budgets[0], self.due, 10))
        if wanted:
            self.pages.interest = np.zeros(0, dtype=np.float32)
        if wanted == "topic":
            self.pages.is_off_topic = np.zeros(0, dtype=np.bool_)
        self.waiting: set[int] = set()
        self.put_off: set[int] = set()
        self.first: set[int] = set()
        self.gone: set[int] = set()
        self.out: list[int] = []
        self.jumps: dict[int, float] = {}
        self.read_of: Counter[str] | None = None
        self.turns = self.site_turns = 0

    # The slow way.

    def is_read(self, page: int) -> bool:
        return bool(self.accounts.had_turn[page])

    def priority(self, page: int) -> int:
        if page in self.first:
            return 2**63 - 1
        if self.is_read(page):
            assert self.due is not None
            return self.due.priority(page)
        priority = self.by_strategy(page)
        if self.pages.interest is not None and self.strategy.follows_cash:
            if self.pages.is_off_topic is not None:
                by_age = 2**14 if self.book.cash[page] > 0 or self.accounts.depth[page] == 0 else 0
                priority = by_age if self.pages.is_off_topic[page] else max(priority, 2**14)
            priority = int(min(priority * float(self.pages.interest[page]), 2.0**61))
        return priority - 2**62 * (page in self.put_off)

    def by_strategy(self, page: int) -> int:
        jumps = np.zeros(self.accounts.size, dtype=np.float32)
        jumps[page] = self.jumps.get(page, 0.0)
        return self.strategy.priority(page, self.book, jumps)

    def bests(self, *, attempts: bool) -> set[int | None]:
        """The page whose turn is next; in the turn of a site, those of sites with as much cash but for rounding."""

        def may_be_asked(host: Host) -> bool:
            is_open = host.is_offered and (host.address is None or host.address.is_offered)
            return is_open and not host.is_banned and not host.opening and bool(attempts or host.answers)

        ready = [page for page in self.waiting if may_be_asked(self.host(page))]
        ready.sort(key=lambda page: (-self.priority(page), page))
        unread = next((page for page in ready if not self.is_read(page)), None)
        read = next((page for page in ready if self.is_read(page)), None)
        for page in (unread, read):
            if page in self.first:
                return {page}
        discovers = self.budgets[1].discovers(unread is not None, read is not None)
        if discovers and self.strategy.follows_cash and self.read_of is not None and self.turns % 10 == 9:
            self.site_turns += 1
            return self.bests_of_sites([page for page in ready if not self.is_read(page)])
        return {None if discovers is None else unread if discovers else read}

    def bests_of_sites(self, ready: list[int]) -> set[int | None]:
        """The best pages of those sites that have the most cash. ready: pages of any, in their order."""
        assert self.read_of is not None
        sums = dict.fromkeys(map(self.site, ready), 0.0)
        for page in sorted(self.waiting):
            if not self.is_read(page) and self.site(page) in sums and 0 < self.priority(page) < 2**62:
                cash = self.priority if self.pages.is_off_topic is None else self.by_strategy
                sums[self.site(page)] += float(np.float32(cash(page)))
        shares = {site: int(cash / (1 + self.read_of[site])) for site, cash in sums.items()}
        least = max(shares.values()) - (0 if self.pages.interest is None else 2**20)  # a priority may be 2^61
        return {next(page for page in ready if self.site(page) == site) for site in shares if shares[site] >= least}

    def site(self, page: int) -> str:
        return self.host(page).name[3:]

    # Both ways.

    def host(self, page: int) -> Host:
        return self.hosts[self.pages.host_of.item(page)]

    def some(self, pages: Iterable[int]) -> list[int]:
        known = sorted(pages)
        return self.draw.sample(known, min(len(known), self.draw.randrange(1, 9)))

    def discover(self) -> None:
        (page,) = self.accounts.discover(self.draw.randrange(2))
        self.book.cash[page] = self.draw.choice([0, 1, 5, self.draw.randrange(2**24)])
        self.pages.grow(page + 1)
        self.pages.host_of[page] = self.draw.randrange(len(self.hosts))
        if self.pages.interest is not None:
            self.pages.interest[page] = self.draw.choice([1.0, 1.0, 0.25, 1e30])
        if self.pages.is_off_topic is not None:
            self.pages.is_off_topic[page] = self.draw.random() < 0.5
        self.pages.add([page])
        self.waiting.add(page)

    def credit(self) -> None:
        pages = np.array(self.some(range(self.accounts.size)), dtype=np.int64)
        self.book.cash[pages] += self.draw.choice([1, 2**22])
        self.pages.credit(pages)

    def move(self) -> None:
        pages = np.array(self.some(range(self.accounts.size)), dtype=np.int64)
        self.book.cash[pages] = self.draw.choice([0, 5, 2**23])
        self.pages.moved(pages)

    def put_some_off(self) -> None:
        pages = self.some(range(self.accounts.size))
        self.put_off.update(pages)
        self.pages.put_off(np.array(pages))

    def put_one_first(self) -> None:
        page = self.draw.randrange(self.accounts.size)
        if page in self.gone or page in self.out or page in self.first:
            return
        self.first.add(page)
        if self.pages.put_first(page, is_new=False) is not None:
            self.waiting.add(page)

    def reorder(self) -> None:
        size = self.accounts.size
        jumps = (self.book.held() * self.book.birth(slice(0, size))).astype(np.float32)
        jumps[self.accounts.depth[:size] == 0] *= 1000
        self.jumps = dict(enumerate(jumps.tolist()))
        self.read_of = Counter(map(self.site, filter(self.is_read, range(size))))
        self.pages.reorder()
        for host in self.hosts:
            self.pages.offer(host)

    def hand_out(self) -> None:
        attempts = self.draw.random() < 0.7
        page = self.pages.best(attempts=attempts)
        assert page in self.bests(attempts=attempts)
        if page is not None:
            if not self.is_read(page):
                self.turns += 1
                self.read_of = self.read_of and self.read_of + Counter([self.site(page)])
            self.pages.charge(page)
            self.budgets[1].charge(discovers=not self.is_read(page))
            self.pages.hand_out(page, self.host(page))
            self.pages.withdraw(self.host(page))
            self.waiting.remove(page)
            self.out.append(page)

    def finish(self) -> None:
        if not self.out:
            return
        page, end = self.out.pop(self.draw.randrange(len(self.out))), self.draw.random()
        self.host(page).is_offered = True
        self.pages.offer(self.host(page))
        if end < 0.1:
            self.pages.forget(page)
            self.gone.add(page)
            return
        if end < 0.8:
            self.accounts.visit(page, NOWHERE)
            self.pages.first.discard(page)
            self.first.discard(page)
            if self.due is not None:
                self.due.fetched(page, self.now, self.draw.choice([1e-4, 0.1]))
        until = self.draw.choice([0.0, self.now + 3.0])
        if self.pages.put_back(page, self.now, until, had_turn=end < 0.8) is not None:
            self.waiting.add(page)

    def steer(self) -> None:
        """A host comes on or off offer, is judged, closed or banned; or an address comes or goes."""
        host = self.draw.choice(self.hosts)
        self.pages.withdraw(host)
        host.answers = self.draw.random() < 0.6
        host.opening, host.is_banned = self.draw.random() < 0.1, self.draw.random() < 0.1
        host.is_offered = self.draw.random() < 0.8
        self.pages.offer(host)
        if host.address is not None and self.draw.random() < 0.4:
            host.address.is_offered = not host.address.is_offered
            self.pages.offer_address(host.address)

    def note_changed(self) -> None:
        if self.due is not None:
            self.pages.note_changed(self.some(page for page in range(self.accounts.size) if self.is_read(page)))

    def pass_time(self) -> None:
        self.now += self.draw.choice([1.0, 4.0, 30.0])
        for page in self.pages.rested(self.now):
            assert page not in self.waiting
            self.pages.add([page])
            if not self.is_read(page) or self.due is not None or page in self.first:
                self.waiting.add(page)

    def check(self) -> None:
        for host in self.hosts:
            assert self.pages.has_page(host) == any(self.host(page) is host for page in self.waiting)
        rests = self.pages.next_rested is not None
        banned = [host for host in self.hosts if host.is_banned]
        waits = any(self.host(page) not in banned for page in self.waiting)
        assert self.pages.is_empty(but_for=banned) == (not rests and not waits)
        assert self.pages.is_empty(but_for=self.hosts) == (not rests)


@pytest.mark.parametrize("share", [1.0, 0.5], ids=["never-again", "again"])
@pytest.mark.parametrize("wanted", ["", "wanted", "topic"])
@pytest.mark.parametrize("strategy", ["greedy", "cycle", "random"])
@pytest.mark.parametrize("seed", range(2))
def test_the_best_page_is_the_first_of_all_that_wait_sorted(
    seed: int, strategy: str, wanted: str, share: float
) -> None:
    """Whatever becomes of pages, hosts and addresses; of read pages by their present value. One turn in ten of pages
    never read is that of the site with the most cash for each page read. Off a topic, seeds and pages with cash
    have as much."""
    draw = random.Random(f"{seed} {strategy} {wanted} {share}")
    twins = Twins(draw, strategy, share=share, wanted=wanted)
    deeds = [twins.hand_out] * 6 + [twins.finish] * 5 + [twins.discover] * 3 + [twins.credit, twins.steer] * 2
    deeds += [twins.move, twins.put_some_off, twins.put_one_first, twins.reorder, twins.pass_time, twins.note_changed]
    for _ in range(150):
        twins.discover()
    for _ in range(1_500):
        draw.choice(deeds)()
        twins.check()
    assert twins.accounts.turns > 50
    assert twins.site_turns > 2 or strategy != "greedy"


@pytest.mark.parametrize("most", [1, 300, 2**16, 2**16 + 1, 2**32 - 1])
@pytest.mark.parametrize("kind", [np.int64, np.uint32])
def test_order_leaves_equal_numbers_as_they_came(most: int, kind: type[np.integer]) -> None:
    numbers = np.random.default_rng(most).integers(0, most, 2_000, endpoint=True).astype(kind)
    numbers[::3] = numbers[0]
    assert order_of(numbers).tolist() == sorted(range(2_000), key=numbers.tolist().__getitem__)
    assert order_of(numbers[:0]).tolist() == []


NOW = 1000.0
ILL = Health("ill", "down", "reset", NOW - 60, next_at=NOW + 50)


def host(number: int = 0, **facts: Any) -> Host:
    known: dict[str, Any] = {"id": number, "name": f"{number}.test", "delay": 2.0, "most": 1, "ready_at": NOW + 1}
    return Host(**(known | facts))


@pytest.mark.parametrize(
    ("facts", "why", "seconds"),
    [
        ({}, "delay", 1.0),
        ({"delay": 30.0, "crawl_delay": 30.0, "ready_at": NOW + 9}, "crawl-delay", 9.0),
        ({"delay": 30.0, "crawl_delay": 30.0, "rests_until": NOW + 30}, "crawl-delay", 30.0),  # it was just read
        ({"crawl_delay": 1.0}, "delay", 1.0),
        ({"rests_until": NOW + 50}, "rest", 50.0),
        ({"delay": 8.0, "seconds": 4.0}, "slow", 1.0),
        ({"delay": 30.0, "seconds": 70.0}, "slow", 1.0),
        ({"rests_until": NOW + 50, "opening": 1, "health": ILL}, "ill", 50.0),
        ({"rests_until": NOW + 50, "health": Health("back", "down")}, "rest", 50.0),
        ({"ready_at": 0.0, "address": Address(id=1, name="::1", delay=2.0, most=1, ready_at=NOW + 2)}, "address", 2.0),
    ],
)
def test_a_wait_has_its_reason(facts: dict[str, Any], why: str, seconds: float) -> None:
    waiting = host(**facts)
    assert (waits_for(waiting, NOW), wait_until(waiting, NOW)) == (why, NOW + seconds)


@pytest.mark.parametrize("facts", [{"in_flight": 1}, {"opening": 1}, {"is_banned": True}, {"ready_at": NOW - 1}])
def test_who_waits_for_an_answer_has_no_time(facts: dict[str, Any]) -> None:
    assert wait_until(host(**facts), NOW) is None


def test_what_hosts_do_is_told_of_those_that_are_asked_or_wait_first() -> None:
    rng = random.Random(5)
    kinds: dict[str, dict[str, object]] = {
        "asked": {"in_flight": 1},
        "opening": {"opening": 1, "in_flight": 1},
        "waiting": {},
        "ready": {"ready_at": NOW - 1},
        "banned": {"is_banned": True, "opening": 1},
        "idle": {"ready_at": NOW - 1},
    }
    doing = [rng.choice(list(kinds)) for _ in range(300)]
    hosts = [host(number, **kinds[kind]) for number, kind in enumerate(doing)]
    shown, counts, states = hosts_now(hosts, lambda one: doing[one.id] != "idle", NOW, 120)
    assert counts == {kind: doing.count(kind) for kind in kinds}
    assert states == {"delay" if kind == "waiting" else kind: count for kind, count in counts.items()}
    in_order = [number for kind in kinds for number, one in enumerate(doing) if one == kind]
    assert [one.host for one in shown] == [f"{number}.test" for number in in_order[:120]]
    for one in shown:
        assert one.doing == doing[int(one.host.removesuffix(".test"))]
        assert (one.until, one.why) == ((NOW + 1, "delay") if one.doing == "waiting" else (None, None))


def test_a_host_without_pages_that_is_banned_or_opened_says_so() -> None:
    hosts = [host(0, is_banned=True), host(1, opening=1), host(2)]
    _, counts, states = hosts_now(hosts, lambda one: False, NOW, 0)
    assert counts == states == {"banned": 1, "opening": 1, "idle": 1}


def test_states_of_hosts_name_the_reason_of_a_wait_and_the_ill() -> None:
    """One that is in doubt is said as asked, one whose robots.txt is asked for is not."""
    closed = {"opening": 1, "rests_until": NOW + 60}
    ill, well = {**closed, "health": ILL}, {**closed, "health": Health("back", "down")}
    kinds: list[dict[str, Any]] = [{}, ill, {**ill, "is_banned": True}, {**ill, "in_flight": 1}, {"opening": 1}, well]
    hosts = [host(number, **facts) for number, facts in enumerate(kinds)]
    shown, _, states = hosts_now(hosts, lambda one: True, NOW, 9, in_doubt={4})
    assert states == {"delay": 1, "ill": 1, "banned": 1, "asked": 2, "opening": 1}
    assert {one.host: one.ill for one in shown if one.ill} == dict.fromkeys(["1.test", "2.test", "3.test"], "down")
    assert [(one.doing, one.until) for one in shown if one.why == "ill"] == [("waiting", NOW + 60)]
    assert waits_by_reason(hosts, NOW) == {"delay": 1, "ill": 1}
