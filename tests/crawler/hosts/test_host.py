"""Clocks of hosts; stored times under a clock that was set back or was ahead."""

import math
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import Server, Site, crawl, rows

from minicrawl.crawler.hosts.host import Host, Past
from minicrawl.crawler.hosts.politeness import REST_OF_THE_DEAD
from minicrawl.crawler.http.response_fields import LONGEST_REST
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.robots.rules import LIFETIME
from minicrawl.opic import STRATEGIES, Interpolation
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


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


HOME = "http://a.test/"
SITE: Site = {HOME: [f"/{number}" for number in range(9)]} | {f"{HOME}{number}": [HOME] for number in range(9)}
YEAR = 365 * 86_400.0
DELAY = 2.0

TIMES = st.floats(0, 4e9)


@given(now=TIMES, last_commit=TIMES, wait=st.floats(0, 1e6), longest=st.floats(0, 1e6))
def test_wait_ends_when_it_would_have_and_never_later_than_its_rule_allows(
    now: float, last_commit: float, wait: float, longest: float
) -> None:
    past = Past.of(last_commit, now)
    end = past.until(last_commit + wait, longest)
    assert end <= now + longest or end <= now
    elapsed = max(0.0, now - last_commit)
    assert end - now <= max(0.0, wait - elapsed) + 1e-3  # no longer than if the clock had stood right
    if now >= last_commit and wait <= longest:
        assert end == last_commit + wait
    assert past.since(last_commit) <= now


# By column: how to set it, and the longest wait its rule can give.
COLUMNS = {
    "hosts.next_fetch": ("UPDATE hosts SET next_fetch = ?", DELAY),
    "hosts.rests_until": ("UPDATE hosts SET rests_until = ?", LONGEST_REST),
    "meta.asked_until": ("UPDATE meta SET value = ? WHERE key = 'asked_until'", 2.0 + DELAY),
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME], pages=4)
    rows(path, "UPDATE meta SET value = 1 WHERE key = 'in_doubt'")
    return path


def intake(store: Path, now: float) -> Intake:
    settings = CrawlSettings(delay=DELAY)
    return Intake(Writer(store), settings, STRATEGIES["greedy"], Interpolation(), now)


@pytest.mark.parametrize("ahead", [5.0, 36_000.0, YEAR])
@pytest.mark.parametrize(("update", "longest"), COLUMNS.values(), ids=COLUMNS.keys())
def test_host_may_be_asked_after_the_longest_wait_of_each_column(
    store: Path, update: str, longest: float, ahead: float
) -> None:
    now = time.time() + 100.0
    rows(store, update, now + longest + ahead)
    found = intake(store, now)
    ready_at = found.state.frontier.next_ready()
    assert ready_at is not None
    assert now < ready_at <= now + longest
    found.commit({})
    found.state.writer.close()
    assert rows(store, "SELECT 1 FROM hosts WHERE max(next_fetch, rests_until) > ?", now + longest) == []


def test_dead_host_is_asked_again_after_a_day(store: Path) -> None:
    now = time.time() + 100.0
    rows(store, "UPDATE hosts SET strains = 9, dead_until = ?", now + YEAR)
    found = intake(store, now)
    assert found.state.frontier.hosts[0].health.dead_until == now + REST_OF_THE_DEAD
    found.commit({})
    found.state.writer.close()
    assert rows(store, "SELECT dead_until FROM hosts") == [(now + REST_OF_THE_DEAD,)]


@pytest.mark.parametrize(("status", "reason", "longest"), [(200, None, LIFETIME), (None, "timeout", LONGEST_REST)])
def test_robots_txt_is_asked_for_again_when_it_is_too_old(
    store: Path, status: int | None, reason: str | None, longest: float
) -> None:
    now = time.time() + 100.0
    rows(store, "UPDATE robots SET status = ?, reason = ?, attempts = 1, expires = ?", status, reason, now + YEAR)
    found = intake(store, now)
    robots = found.robots.state("http://a.test")
    assert robots is not None
    assert robots.expires == now + longest
    found.commit({})
    found.state.writer.close()
    assert rows(store, "SELECT expires FROM robots") == [(now + longest,)]


def test_sitemap_that_was_asked_for_in_the_future_is_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    server = Server(SITE, "Sitemap: http://a.test/map.txt")
    for _ in range(2):
        crawl(server, path, [HOME], pages=2)
        rows(path, "UPDATE sitemaps SET asked_at = asked_at + ?", YEAR)
    assert server.asked.count(f"{HOME}map.txt") == 2


@pytest.mark.parametrize("ahead", [3600.0, YEAR])
def test_crawl_goes_on_as_if_the_clock_had_always_been_right(store: Path, ahead: float) -> None:
    """All that the last run has left is that much ahead, and what was to come soon comes soon."""
    rows(store, "UPDATE hosts SET next_fetch = next_fetch + ?, rests_until = ?", ahead, time.time() + ahead + 0.2)
    rows(store, "UPDATE robots SET expires = expires + ?, fetched_at = fetched_at + ?", ahead, ahead)
    rows(store, "UPDATE meta SET value = value + ? WHERE key IN ('run_at', 'asked_until')", ahead)
    rows(store, "UPDATE fetches SET fetched_at = fetched_at + ?", ahead)
    report, server = crawl(SITE, store, [], time=20.0)
    assert report.reason == "nothing-left"
    assert len(server.asked) == 6
    with open_store(store) as reader:
        assert all(host.next_fetch <= time.time() + 1 for host in reader.hosts.all())
