"""When read pages have their next turn: by value, never before their time, at a price; those most worth a fetch."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import HOME, Server, crawl, crawled_anew, faults_in, random_site, rows
from support.skipping import run

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.due_pages import DuePages, most_worth
from minicrawl.crawler.frontier.schedules import ByWorth
from minicrawl.crawler.frontier.waiting_pages import Order, WaitingPages
from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.run import Caller, crawl_with
from minicrawl.model import CrawlReport
from minicrawl.opic import DiscoveryBudget
from minicrawl.opic.refresh import WEEK, interval, value
from minicrawl.opic.strategy import STRATEGIES
from minicrawl.store.links import NOWHERE
from minicrawl.store.reader import open_store

HOUR, DAY = 3600.0, 86_400.0


def read_pages(
    count: int, schedule: ByWorth, *, is_patient: bool, hosts: int = 1
) -> tuple[WaitingPages, DuePages, list[Host]]:
    """Pages that were all read at time 0, on hosts that are on offer."""
    pages, due, on_offer = known_pages(count, schedule, is_patient=is_patient, hosts=hosts)
    for page in range(count):
        due.fetched(page, 0.0)
        pages.forget(page)
        assert pages.put_back(page, 0.0, 0.0, had_turn=True) is None
    return pages, due, on_offer


def known_pages(
    count: int, schedule: ByWorth, *, is_patient: bool, hosts: int = 1
) -> tuple[WaitingPages, DuePages, list[Host]]:
    """Pages that were all read, and are yet to be loaded."""
    accounts = Accounts()
    on_offer = [Host(id=number, name=f"h{number}", delay=1.0, most=1, is_offered=True) for number in range(hosts)]
    due = DuePages(accounts.book, schedule, waits=True, is_patient=is_patient)
    pages = WaitingPages(on_offer, accounts, Order(STRATEGIES["greedy"], DiscoveryBudget(0.7), due, 1000))
    for page in accounts.discover(0, count):
        pages.grow(page + 1)
        pages.host_of[page] = on_offer[page % hosts].id
        accounts.visit(page, NOWHERE)
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


def offer_again(pages: WaitingPages, hosts: list[Host]) -> None:
    for host in hosts:
        pages.withdraw(host)
        host.is_offered = True
        pages.offer(host)


def hand_out_all(pages: WaitingPages, hosts: list[Host]) -> list[int]:
    """The pages that wait, in the order of their turns."""
    handed = []
    while (page := pages.best(attempts=True)) is not None:
        pages.hand_out(page, hosts[page % len(hosts)])
        handed.append(page)
        offer_again(pages, hosts)
    return handed


@given(
    st.lists(st.tuples(st.floats(0.0, 50.0), st.floats(1e-9, 1e-2)), min_size=2, max_size=40),
    st.integers(1, 3),
    st.sets(st.integers(0, 39)),
)
def test_with_a_budget_the_page_worth_most_now_is_next(
    fetches: list[tuple[float, float]], hosts: int, changed: set[int]
) -> None:
    """Against the value of every page; those that have changed by a sitemap count as stale."""
    pages, due, on_offer = known_pages(len(fetches), ByWorth(HOUR, 90 * DAY), is_patient=False, hosts=hosts)
    for page, (days, rate) in enumerate(fetches):
        due.fetched(page, days * DAY, rate)
    now = 60 * DAY
    due.changed |= {page for page in changed if page < len(fetches)}
    pages.load(len(fetches), now)
    offer_again(pages, on_offer)
    worths = {}
    for page, (days, rate) in enumerate(fetches):
        worths[page] = value(due.worth(page), np.inf if page in changed else rate, now - days * DAY)
    handed = hand_out_all(pages, on_offer)
    assert sorted(handed) == list(range(len(fetches)))
    assert [worths[page] for page in handed] == pytest.approx(sorted(worths.values(), reverse=True))


def test_the_price_is_what_was_paid_lately_and_moves_every_due_time() -> None:
    pages, due, (host,) = read_pages(64, ByWorth(HOUR, 90 * DAY), is_patient=False)
    for page in range(64):
        due.fetched(page, 0.0, 1.0 / DAY)
    now, paid = 2 * HOUR, []
    wake(pages, now)
    opening = due.due[:64].copy()
    for _ in range(8):
        best = pages.best(attempts=True)
        assert best is not None
        paid.append(value(due.worth(best), 1.0 / DAY, now))
        pages.hand_out(best, host)
        due.fetched(best, now, 1.0 / DAY)
        pages.put_back(best, now, 0.0, had_turn=True)
        offer_again(pages, [host])
    wake(pages, now)
    assert due.price == pytest.approx(np.exp(np.mean(np.log(paid))))
    assert due.price < WEEK
    others = due.fetched_at[:64] == 0.0
    assert others.sum() == 56
    assert (due.due[:64][others] < opening[others]).all()


def test_a_page_rises_once_it_is_due_before_all_are_valued_anew() -> None:
    """The best page of many, fetched again and again while the others wait."""
    pages, due, (host,) = read_pages(1000, ByWorth(1.0, 90 * DAY), is_patient=False)
    for page in range(1000):
        due.fetched(page, 0.0, 1.0 / DAY)
    due.fetched(7, 0.0, 1.0)
    turns, now = [], HOUR
    for _ in range(400):
        now += 60.0
        wake(pages, now)
        best = pages.best(attempts=True)
        assert best is not None
        turns.append(best)
        pages.hand_out(best, host)
        due.fetched(best, now, due.rate.item(best))
        pages.put_back(best, now, 0.0, had_turn=True)
        offer_again(pages, [host])
    at = np.flatnonzero(np.array(turns) == 7)
    assert len(at) > 3
    assert np.diff(at).max() < 200  # 31 fetches between two values of all; 400 in the time in which others have one


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
            assert due.due.item(page) <= now + 0.001
        pages.hand_out(page, host)
        offer_again(pages, [host])
        last[page] = now
        due.fetched(page, now, rate)
        assert pages.put_back(page, now, 0.0, had_turn=True) is None
    wake(pages, now + 91 * DAY)
    assert sorted(hand_out_all(pages, hosts)) == list(range(count))


@given(st.lists(st.floats(1e-9, 1e-2), min_size=2, max_size=8), st.floats(0.0, 1e8))
def test_due_times_rise_as_the_rate_falls(rates: list[float], now: float) -> None:
    """Of pages of the same worth that were fetched at the same time; and those that have changed are due first."""
    _, due, _ = read_pages(len(rates), ByWorth(HOUR, 90 * DAY), is_patient=True)
    times = [due.fetched(page, now, rate) for page, rate in enumerate(sorted(rates, reverse=True))]
    assert times == sorted(times)
    before = due.due.copy()
    due.note_changed(range(len(rates)))
    assert (due.due <= before).all()
    assert due.due.max() <= times[0]


def test_a_page_that_has_changed_rests_no_longer_than_its_worth_asks_for() -> None:
    pages, due, _ = read_pages(3, ByWorth(HOUR, 90 * DAY), is_patient=True)
    early = WEEK / due.worth(1)
    pages.note_changed([1])
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
    pages.note_changed([3])
    assert pages.best(attempts=True) == 3
    pages.note_changed([3])
    assert pages.best(attempts=True) == 3


def test_many_pages_are_valued_in_one_pass_and_few_events_are_kept_in_order() -> None:
    """All of them wake in the end, in the order of their due times."""
    pages, due, _ = known_pages(5000, ByWorth(HOUR, 90 * DAY), is_patient=True)
    rates = np.random.default_rng(1).lognormal(0.0, 2.0, 5000) / DAY
    for page, rate in enumerate(rates.tolist()):
        due.fetched(page, 0.0, rate)
    pages.load(5000, 0.0)
    woken: list[int] = []
    while (at := pages.next_rested) is not None:
        for page in pages.rested(at):
            woken.append(page)
            pages.forget(page)
    assert sorted(woken) == list(range(5000))
    assert np.diff(due.due[woken]).min() > -0.002


def refreshed(server: Server, store: Path, pages: int, **given: Any) -> CrawlReport:
    """One round."""
    settings = {"delay": 0.0, "concurrency": 1} | given
    return run(crawl_with(settings, Seeds([]), store, Caller(refreshed=pages, transport=server)), grace=0.0)


store = crawled_anew(*random_site(3))


def test_the_value_is_that_of_the_formula(store: Path) -> None:
    """Against the formula, a page at a time."""
    rows(store, "UPDATE fetches SET fetched_at = 1000.0 + 40000.0 * (page % 7)")
    rows(store, "INSERT INTO refresh"
                " (page, fetched_at, due, rate, information, fetches, changes, hashes, memory, answers)"
                " SELECT id, 500.0 + 1e5 * (id % 3), 0, (id % 5 + 1) * 1e-6, 1.0, 2, 1, x'', x'', '' FROM pages"
                " WHERE id % 4 = 0 AND state = 'fetched'")  # fmt: skip
    now = 1e6
    with open_store(store) as reader:
        importance = reader.ranks.importance()
        expected, least = {}, reader.value("SELECT min(importance) FROM weighed WHERE importance > 0")
        for page, state, plain, again, rate in rows(
            store,
            "SELECT pages.id, state, fetches.fetched_at, refresh.fetched_at, rate FROM pages"
            " JOIN fetches ON fetches.id = fetch LEFT JOIN refresh ON refresh.page = pages.id",
        ):
            if state in ("fetched", "alias"):
                age = now - (plain if again is None else again)
                worth = max(importance[page], least) * len(importance)
                expected[page] = worth * age**2 / (age + 1 / (rate or 1 / WEEK))
        found = most_worth(reader, 1000, now)
        assert {choice.page for choice in found} == expected.keys()
        values = [choice.value for choice in found]
        assert values == pytest.approx([expected[choice.page] for choice in found])
        assert values == sorted(values, reverse=True)
        assert [choice.page for choice in most_worth(reader, 5, now)] == [choice.page for choice in found[:5]]


def test_a_round_asks_for_each_page_once_the_best_first_and_for_no_other(store: Path) -> None:
    site, _ = random_site(3)
    rows(store, "UPDATE fetches SET fetched_at = 1e9")
    more = {url: [*links, HOME + "unheard-of"] for url, links in site.items()}
    with open_store(store) as reader:
        chosen = [reader.page_table.url(choice.page) for choice in most_worth(reader, 12, 1e10)]
        known = reader.size()
    server = Server(more)
    report = refreshed(server, store, 12)
    assert (report.reason, report.fetched) == ("nothing-left", 12)
    assert server.asked[:8] == chosen[:8]  # then all are valued anew: their importance has changed
    assert set(server.asked) == set(chosen)
    assert report.known == known + 1  # its turn comes with the next crawl
    assert faults_in(store) == []
    _, later = crawl(more, store, [])
    assert later.asked == [HOME + "unheard-of"]


def test_a_page_that_fails_in_a_round_is_tried_again_and_one_that_is_missing_is_not_gone_yet(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    pages = [HOME + name for name in ("flaky", "missing", "moved")]
    site: dict[str, Any] = {HOME: pages, **{page: [HOME] for page in pages}}
    crawl(site, path, [HOME])

    flaky = {HOME + "flaky": lambda _, count: 503 if count == 1 else [HOME]}
    server = Server(site | flaky | {HOME + "missing": 404, HOME + "moved": HOME})
    refreshed(server, path, 100)
    assert Counter(server.asked) == {HOME: 2, HOME + "flaky": 2, HOME + "missing": 1, HOME + "moved": 1}
    again = Server(site | {HOME + "missing": 404, HOME + "moved": HOME})
    refreshed(again, path, 100)  # a page that was missing is asked for once more a day later, not at once
    assert Counter(again.asked) == {HOME: 1, HOME + "flaky": 1, HOME + "moved": 1}
    states = dict(rows(path, "SELECT url, state FROM pages"))
    assert states == {HOME: "fetched", HOME + "flaky": "fetched", HOME + "missing": "fetched", HOME + "moved": "alias"}


def test_rounds_learn_and_note_what_has_changed_also_since_a_crawl_that_fetched_nothing_again(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    edited, same = HOME + "edited", HOME + "same"

    def site(edition: int) -> dict[str, Any]:
        words = "<p>what this page says all the time</p>"
        return {HOME: [edited, same], edited: [HOME, words, f"<p>edition {edition}</p>"], same: [HOME, words]}

    crawl(site(0), path, [HOME])
    for edition in (1, 1, 2):
        refreshed(Server(site(edition)), path, 3)
    learned = dict(rows(path, "SELECT url, answers FROM refresh JOIN pages ON pages.id = page"))
    assert learned == {HOME: "===", edited: "==#", same: "==="}  # the first round remembers
    with open_store(path) as reader:
        found = {(page.url, page.what, page.times, page.removed) for page in reader.changes()}
    new = {(url, "new", 1, 0) for url in (HOME, edited, same)}
    assert found == new | {(edited, "changed", 1, 1)}
    assert rows(path, "SELECT count(*) FROM refresh WHERE fetches = 4") == [(3,)]


def test_a_crawl_goes_on_after_a_round_as_before(tmp_path: Path) -> None:
    """Waiting pages still wait, and pages that were read are not read again."""
    path = tmp_path / "crawl.db"
    site, seeds = random_site(5)
    crawl(site, path, seeds, pages=10)
    refreshed(Server(site), path, 4)
    _, server = crawl(site, path, [])
    waiting = rows(path, "SELECT count(*) FROM pages WHERE state = 'waiting'")
    assert waiting == [(0,)]
    assert max(Counter(server.asked).values()) == 1
