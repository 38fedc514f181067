"""The pages that wait on every host, and the reason why a host waits, by its clocks."""

import random
from typing import Any

import numpy as np
import pytest

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.waiting_pages import WaitingPages, order_of
from minicrawl.crawler.hosts import Address, Health, Host
from minicrawl.crawler.progress import hosts_now, wait_until, waits_by_reason, waits_for
from minicrawl.opic import DiscoveryBudget
from minicrawl.opic.strategy import STRATEGIES


def waiting(*cash: int) -> tuple[WaitingPages, Host]:
    """Pages with so much cash each, on one host that is on offer."""
    accounts, host = Accounts(), Host(id=0, name="h", delay=1.0, most=1, is_offered=True)
    found = WaitingPages([host], accounts, STRATEGIES["greedy"], DiscoveryBudget(1.0), 1000)
    for page, units in zip(accounts.discover(0, len(cash)), cash, strict=True):
        accounts.book.cash[page] = units
        found.grow(page + 1)
        found.host_of[page] = host.id
        found.add([page])
    return found, host


def drained(pages: WaitingPages, host: Host) -> list[int]:
    order = []
    while (page := pages.best(attempts=True)) is not None:
        pages.hand_out(page, host)
        pages.withdraw(host)
        host.is_offered = True
        pages.offer(host)
        order.append(page)
    return order


def test_page_with_the_most_cash_is_first_and_pages_put_off_are_last() -> None:
    assert drained(*waiting(5, 9, 7)) == [1, 2, 0]
    pages, host = waiting(5, 9, 7)
    pages.put_off(np.array([1]))
    assert drained(pages, host) == [2, 0, 1]


def test_page_that_was_put_back_rests_until_its_time() -> None:
    pages, host = waiting(5)
    assert drained(pages, host) == [0]
    assert pages.is_empty(but_for=())
    assert pages.put_back(0, 10.0, 17.0) is None
    assert (pages.next_rested, list(pages.rested(16.0)), list(pages.rested(17.0))) == (17.0, [], [0])


def test_forgotten_page_is_not_handed_out() -> None:
    pages, host = waiting(5, 9)
    pages.hand_out(1, host)
    pages.forget(1)
    pages.offer(host)
    assert drained(pages, host) == [0]


@pytest.mark.parametrize("most", [1, 300, 2**16, 2**16 + 1, 2**32 - 1])
@pytest.mark.parametrize("kind", [np.int64, np.uint32])
def test_order_leaves_equal_numbers_as_they_came(most: int, kind: type[np.integer]) -> None:
    numbers = np.random.default_rng(most).integers(0, most, 2_000, endpoint=True).astype(kind)
    numbers[::3] = numbers[0]
    assert order_of(numbers).tolist() == sorted(range(2_000), key=numbers.tolist().__getitem__)
    assert order_of(numbers[:0]).tolist() == []


NOW = 1000.0


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
        ({"delay": 8.0, "health": Health(4.0)}, "slow", 1.0),
        ({"delay": 30.0, "health": Health(70.0)}, "slow", 1.0),
        ({"delay": 8.0, "health": Health(0.1, 8.0, 3)}, "failures", 1.0),
        ({"rests_until": NOW + 50, "health": Health(0.1, 8.0, 1)}, "failures", 50.0),
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


def test_states_of_hosts_name_the_reason_of_a_wait_and_the_dead() -> None:
    dead = Health(strains=9, dead_until=NOW + 60)
    hosts = [host(0), host(1, health=Health(strains=2)), host(2, health=dead), host(3, health=dead, is_banned=True)]
    assert hosts_now(hosts, lambda one: True, NOW, 0)[2] == {"delay": 1, "failures": 1, "dead": 1, "banned": 1}
    assert waits_by_reason(hosts[:2], NOW) == {"delay": 1, "failures": 1}
