"""Delays between requests, dead hosts, outages, and clocks of hosts: the rules of hosts.py, one by one."""

import math
import time
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import HOME, Site, crawl, rows

from minicrawl.crawler.hosts.clocks import (
    FRESH,
    REST_OF_THE_DEAD,
    STRAINS_OF_THE_DEAD,
    Health,
    Host,
    HostDelays,
    after,
    delay_of,
    is_strained,
    reached_by,
)
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.timing import STANDARD

URL = "http://a.test/"
GOOD = Fetched(URL, status=200, seconds=0.1)
BUSY = Fetched(URL, status=429)


def health_after(*answers: Fetched, base: float = 1.0) -> Health:
    *_, last = accumulate(answers, lambda health, answer: after(health, answer, base, now=1000.0), initial=FRESH)
    return last


@pytest.mark.parametrize(
    ("fetched", "expected"),
    [
        *((Fetched(URL, status=status), True) for status in (429, 502, 503, 504)),
        *((Fetched(URL, status=status), False) for status in (200, 301, 404, 410, 500)),
        *(
            (Fetched(URL, reason=reason), True)
            for reason in ("timeout", "timeout-connect", "timeout-read", "refused", "reset", "connect", "connection")
        ),
        (Fetched(URL, reason="dns-unanswered"), True),
        *(
            (Fetched(URL, reason=reason), False)
            for reason in ("dns", "tls", "private-address", "bad-url", "worker-died", "undecodable", "bad-response")
        ),
    ],
)
def test_what_says_that_a_host_is_in_trouble(fetched: Fetched, expected: bool) -> None:
    assert is_strained(fetched) is expected


def test_strain_doubles_the_delay_up_to_five_minutes() -> None:
    delays = [delay_of(1.0, health_after(*[BUSY] * times)) for times in range(10)]
    assert delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]


def test_a_delay_below_a_second_is_backed_off_from_a_second() -> None:
    assert delay_of(0.1, health_after(BUSY, base=0.1)) == 2.0


def test_other_answers_ease_the_delay_back_to_the_base() -> None:
    strained = [BUSY] * 4
    delays = [delay_of(1.0, health_after(*strained, *[GOOD] * times)) for times in range(6)]
    assert delays == [16, 8, 4, 2, 1, 1]


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.1, 1.0), (0.5, 1.0), (0.6, 1.2), (5.0, 10.0), (15.0, 30.0), (60.0, 30.0)]
)
def test_a_slow_host_is_asked_less_often(seconds: float, expected: float) -> None:
    assert delay_of(1.0, health_after(Fetched(URL, status=200, seconds=seconds))) == pytest.approx(expected)


def test_without_delay_there_is_no_politeness() -> None:
    assert delay_of(0.0, Health(seconds=60.0, backoff=300.0)) == 0.0


def test_a_host_is_dead_after_so_many_strains_in_a_row_and_well_after_any_other_answer() -> None:
    assert health_after(*[BUSY] * (STRAINS_OF_THE_DEAD - 1)).dead_until == 0.0
    dead = health_after(*[BUSY] * STRAINS_OF_THE_DEAD)
    assert dead.dead_until == 1000.0 + REST_OF_THE_DEAD
    assert after(dead, BUSY, 1.0, now=2000.0).dead_until == 2000.0 + REST_OF_THE_DEAD
    well = after(dead, Fetched(URL, status=404), 1.0, now=2000.0)
    assert (well.strains, well.dead_until) == (0, 0.0)


def test_what_never_reached_the_host_says_nothing_of_it() -> None:
    strained = health_after(BUSY)
    assert after(strained, Fetched(URL, reason="dns"), 1.0, now=2000.0) == strained


ANSWERS = st.lists(
    st.builds(Fetched, st.just(URL), status=st.sampled_from([200, 404, 429, 503]), seconds=st.floats(0, 100))
)


@given(ANSWERS, st.floats(0.001, 1000))
def test_the_delay_is_never_below_the_base_and_bounded(answers: list[Fetched], base: float) -> None:
    health = health_after(*answers, base=base)
    assert base <= delay_of(base, health) <= max(base, STANDARD.longest_backoff)
    assert (health.strains > 0) == bool(answers and is_strained(answers[-1]))


@pytest.mark.parametrize(
    ("left", "now", "delay", "expected"),
    [
        (100.0, 100.01, 1.0, 100.01),  # answered at once
        (100.0, 100.3, 1.0, 100.04),
        (100.0, 100.3, 0.1, 100.04),
        (100.0, 100.3, 5.0, 100.2),
        (float("inf"), 100.3, 1.0, 100.3),  # nobody knows when it left
    ],
)
def test_a_request_has_reached_its_host_when_it_is_answered_or_a_little_after_it_left(
    left: float, now: float, delay: float, expected: float
) -> None:
    assert reached_by(left, now, delay) == pytest.approx(expected)


RULES = ["Own.test=5s", "own.test=9s", "h.test:443=2", "h.test:8080=3m", "bücher.test=0", "[::1]=4"]
DELAYS = HostDelays.by_rules(3.0, CrawlSettings.of({"host_delay": RULES}).host_delay)


def test_a_host_has_the_delay_of_its_own_by_whatever_it_is_called() -> None:
    assert DELAYS.own == {"own.test": 5.0, "h.test": 2.0, "h.test:8080": 180.0, "xn--bcher-kva.test": 0.0, "[::1]": 4.0}


@pytest.mark.parametrize(
    ("host", "crawl_delay", "seconds"),
    [
        ("a.test", 0.0, 3.0),
        ("a.test", 0.5, 3.0),
        ("a.test", 7.0, 7.0),
        ("own.test", 0.0, 5.0),
        ("own.test", 7.0, 7.0),
        ("www.own.test", 0.0, 3.0),
        ("h.test", 2.5, 2.5),
        ("xn--bcher-kva.test", 7.0, 0.0),  # politeness is off, for this one
    ],
)
def test_the_longer_delay_counts_unless_politeness_is_off(host: str, crawl_delay: float, seconds: float) -> None:
    assert DELAYS.of(host, crawl_delay) == seconds
    assert HostDelays(0.0).of(host, crawl_delay) == 0.0


def test_only_hosts_with_a_shorter_one_are_asked_more_often() -> None:
    shorter = {host for host in (*DELAYS.own, "a.test") if DELAYS.is_shorter(host)}
    assert shorter == {"h.test", "xn--bcher-kva.test"}


def host_with(delay: float = 2.0, **state: float) -> Host:
    return Host(id=0, name="a.test", delay=delay, most=1, **state)  # type: ignore[arg-type]


def test_delay_runs_from_when_the_request_left() -> None:
    host = host_with()
    host.begin(10.0)
    assert (host.in_flight, host.ready_at) == (1, 12.0)
    host.end(20.0, asked=True, left=15.0, on_its_way=0.0)
    assert host.in_flight == 0
    assert 17.0 <= host.ready_at <= 22.0


def test_turn_without_request_does_not_hurry_another_in_flight() -> None:
    host = host_with()
    host.begin(10.0)
    host.begin(10.5)
    host.end(11.0, asked=False, left=math.inf, on_its_way=0.0)
    assert (host.in_flight, host.ready_at) == (1, 12.5)


def test_earlier_request_does_not_shorten_the_delay_of_a_later_one() -> None:
    host = host_with()
    host.begin(10.0)
    host.begin(30.0)
    host.end(30.5, asked=True, left=10.0, on_its_way=0.0)
    assert host.ready_at >= 32.0


SITE: Site = {HOME: [f"/{number}" for number in range(9)]} | {f"{HOME}{number}": [HOME] for number in range(9)}
YEAR = 365 * 86_400.0


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME], pages=4)
    rows(path, "UPDATE meta SET value = 1 WHERE key = 'in_doubt'")
    return path


@pytest.mark.parametrize("ahead", [3600.0, YEAR])
def test_crawl_goes_on_as_if_the_clock_had_always_been_right(store: Path, ahead: float) -> None:
    """All that the last run has left is that much ahead, and what was to come soon comes soon."""
    rows(store, "UPDATE hosts SET next_fetch = next_fetch + ?", ahead)
    rows(store, "UPDATE robots SET expires = expires + ?, fetched_at = fetched_at + ?", ahead, ahead)
    rows(store, "UPDATE meta SET value = value + ? WHERE key IN ('run_at', 'asked_until')", ahead)
    rows(store, "UPDATE fetches SET fetched_at = fetched_at + ?", ahead)
    report, server = crawl(SITE, store, [], time=20.0)
    assert report.reason == "nothing-left"
    assert len(server.asked) == 6
    with open_store(store) as reader:
        assert all(host.next_fetch <= time.time() + 1 for host in reader.hosts.all())
