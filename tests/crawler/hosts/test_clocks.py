"""Delays between requests, and clocks of hosts: the rules of clocks.py, one by one."""

import math
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import HOME, Site, crawl, rows

from minicrawl.crawler.hosts.clocks import Host, HostDelays, delay_of, reached_by
from minicrawl.crawler.hosts.health import Health
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.1, 1.0), (0.5, 1.0), (0.6, 1.2), (5.0, 10.0), (15.0, 30.0), (60.0, 30.0)]
)
def test_a_slow_host_is_asked_less_often(seconds: float, expected: float) -> None:
    assert delay_of(1.0, seconds, None) == pytest.approx(expected)


def test_without_delay_there_is_no_politeness() -> None:
    assert delay_of(0.0, 60.0, Health(own_delay=300.0, slowed=4.0)) == 0.0


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        (None, 2.0),
        (Health(), 2.0),
        (Health(slowed=4.0), 8.0),
        (Health(own_delay=5.0), 5.0),
        (Health(own_delay=1.0), 2.0),
    ],
)
def test_the_longest_of_all_delays_counts(health: Health | None, expected: float) -> None:
    assert delay_of(2.0, 0.5, health) == expected


@given(st.floats(0.001, 1000), st.floats(0, 100), st.floats(1, 4), st.floats(0, 30))
def test_the_delay_is_never_below_the_base_and_bounded(base: float, seconds: float, slowed: float, own: float) -> None:
    delay = delay_of(base, seconds, Health(slowed=slowed, own_delay=own))
    assert base <= delay <= max(4 * base, 30.0)


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
