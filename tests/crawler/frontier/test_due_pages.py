"""When read pages are due: in order, never before their time, and the prices by which they are."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.schedules import ByWorth, Fixed
from minicrawl.crawler.frontier.waiting_pages import WaitingPages
from minicrawl.crawler.hosts.host import Host
from minicrawl.opic import Adaptive, DiscoveryBudget, Ledger
from minicrawl.opic.refresh import WEEK, interval
from minicrawl.opic.strategy import STRATEGIES

HOUR, DAY = 3600.0, 86_400.0


def read_pages(
    count: int, schedule: ByWorth | Fixed, *, is_patient: bool, hosts: int = 1
) -> tuple[WaitingPages, DuePages, list[Host]]:
    """Pages that were all read at time 0, on hosts that are on offer."""
    book, ledger = Adaptive(), Ledger()
    on_offer = [Host(id=number, name=f"h{number}", delay=1.0, most=1, is_offered=True) for number in range(hosts)]
    due = DuePages(ledger, schedule, waits=True, is_patient=is_patient)
    pages = WaitingPages(on_offer, book, STRATEGIES["greedy"], DiscoveryBudget(0.7), 1000, due)
    ledger.discover(count)
    none = np.zeros(0, dtype=np.int32)
    for page in book.discover([1] * count):
        pages.grow(page + 1)
        pages.place(page, on_offer[page % hosts])
        book.visit(page, none)
        ledger.visit(page, none)
        due.add(on_offer[page % hosts])
        due.fetched(page, 0.0)
        pages.forget(page)
        assert pages.put_back(page, 0.0, 0.0) is None
    return pages, due, on_offer


def wake(pages: WaitingPages, now: float) -> None:
    pages.add(pages.rested(now))


def test_a_patient_crawl_waits_for_the_day_on_which_a_page_is_due() -> None:
    pages, due, _ = read_pages(1, ByWorth(HOUR, 90 * DAY), is_patient=True)
    at = interval(WEEK, due.worth(0), 1.0 / WEEK)
    assert pages.next_rested is not None
    assert abs(pages.next_rested - at) < 0.002
    wake(pages, at - 1.0)
    assert (pages.best(attempts=True), pages.is_empty(but_for=())) == (None, False)
    wake(pages, at + 0.01)
    assert pages.best(attempts=True) == 0


def test_with_a_budget_to_spend_a_page_rests_for_the_least_interval_only_and_the_price_falls() -> None:
    pages, due, (host,) = read_pages(3, ByWorth(HOUR, 90 * DAY), is_patient=False)
    wake(pages, HOUR - 1.0)
    assert pages.best(attempts=True) is None
    wake(pages, HOUR + 1.0)
    page = pages.best(attempts=True)
    assert page is not None
    pages.hand_out(page, host)
    assert due.price < WEEK


def test_the_simple_rule_has_one_interval_for_every_page() -> None:
    _, due, _ = read_pages(4, Fixed(30 * DAY), is_patient=True)
    assert due.due[:4].tolist() == [30 * DAY] * 4


def test_a_page_that_changes_more_often_is_due_sooner_within_the_bounds() -> None:
    pages, due, _ = read_pages(3, ByWorth(HOUR, 20 * DAY), is_patient=True)
    rates = (1000.0, 1.0 / WEEK, 1.0 / WEEK / 1e9)
    times = [due.fetched(page, DAY, rate) - DAY for page, rate in enumerate(rates)]
    assert times == sorted(times)
    assert times[0] >= HOUR
    assert times[-1] == 20 * DAY
    assert pages.next_rested is not None


@settings(max_examples=60)
@given(
    st.integers(1, 12),
    st.booleans(),
    st.lists(st.tuples(st.floats(0.1, 40.0), st.floats(1e-9, 1e-2)), min_size=1, max_size=60),
)
def test_no_page_has_its_turn_before_its_time_and_none_is_lost(
    count: int, is_patient: bool, steps: list[tuple[float, float]]
) -> None:
    """Whatever rates are learned, and however long the crawl is away."""
    pages, due, hosts = read_pages(count, ByWorth(HOUR, 90 * DAY), is_patient=is_patient, hosts=2)
    now, last = 0.0, dict.fromkeys(range(count), 0.0)
    for days, rate in steps:
        now += days * DAY
        wake(pages, now)
        page = pages.best(attempts=True)
        if page is None:
            continue
        host = hosts[page % 2]
        assert now - last[page] >= HOUR
        if is_patient:
            # At the lowest price that there is; it may have risen while the page waited.
            rate_known = due.rate.item(page)
            least = min(interval(WEEK, due.worth(page), rate_known), 90 * DAY)
            assert last[page] + least <= now + 0.001 or rate_known > 1e-4
        pages.hand_out(page, host)
        pages.withdraw(host)
        host.is_offered = True
        pages.offer(host)
        last[page] = now
        due.fetched(page, now, rate)
        assert pages.put_back(page, now, 0.0) is None
    wake(pages, now + 91 * DAY)
    left = set()
    while (page := pages.best(attempts=True)) is not None:
        pages.hand_out(page, hosts[page % 2])
        left.add(page)
        for host in hosts:
            pages.withdraw(host)
            host.is_offered = True
            pages.offer(host)
    assert left == set(range(count))


@settings(max_examples=60)
@given(st.lists(st.floats(1e-9, 1e-2), min_size=2, max_size=8), st.floats(0.0, 1e8))
def test_due_times_rise_as_the_rate_falls(rates: list[float], now: float) -> None:
    """Of pages of the same worth that were fetched at the same time; and those that have changed are due first."""
    _, due, _ = read_pages(len(rates), ByWorth(HOUR, 90 * DAY), is_patient=True)
    times = [due.fetched(page, now, rate) for page, rate in enumerate(sorted(rates, reverse=True))]
    assert times == sorted(times)
    before = due.due.copy()
    moved = due.note_changed(range(len(rates)))
    assert {page: due.due.item(page) for page in moved} == moved
    assert all(before[page] > at for page, at in moved.items())
    assert due.due.max() <= times[0]


def test_a_page_that_has_changed_rests_no_longer_than_its_worth_asks_for() -> None:
    pages, due, _ = read_pages(3, ByWorth(HOUR, 90 * DAY), is_patient=True)
    early = WEEK / due.worth(1)
    assert dict(pages.note_changed([1])) == {1: due.due.item(1)}
    assert abs(due.due.item(1) - early) < 1.0
    assert pages.next_rested is not None
    assert abs(pages.next_rested - early) < 1.0
    wake(pages, early - 1.0)
    assert pages.best(attempts=True) is None
    wake(pages, early + 1.0)
    assert pages.best(attempts=True) == 1
    due.fetched(1, early)
    assert due.due.item(1) - early > early  # what it has changed is known by now


def test_a_page_that_waits_comes_first_once_it_has_changed() -> None:
    pages, _, _ = read_pages(5, ByWorth(HOUR, 90 * DAY), is_patient=False)
    wake(pages, 2 * HOUR)
    assert pages.best(attempts=True) == 0
    assert set(dict(pages.note_changed([3]))) == {3}
    assert pages.best(attempts=True) == 3
    assert dict(pages.note_changed([3])) == {}


def test_a_late_host_has_a_price_of_its_own() -> None:
    pages, due, (host,) = read_pages(2, ByWorth(HOUR, 90 * DAY), is_patient=True)
    wake(pages, 60 * DAY)
    host.ready_at = 59 * DAY  # it could not be asked when its pages were due
    page = pages.best(attempts=True)
    assert page is not None
    pages.hand_out(page, host)
    assert due.prices[host.id] > WEEK
