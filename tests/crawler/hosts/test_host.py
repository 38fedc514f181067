"""Clocks of hosts; stored times under a clock that was set back or was ahead."""

import math
import time
from pathlib import Path

import pytest
from support.sites import HOME, Site, crawl, rows

from minicrawl.crawler.hosts import Host
from minicrawl.crawler.intake import Intake
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


SITE: Site = {HOME: [f"/{number}" for number in range(9)]} | {f"{HOME}{number}": [HOME] for number in range(9)}
YEAR = 365 * 86_400.0
DELAY = 2.0


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME], pages=4)
    rows(path, "UPDATE meta SET value = 1 WHERE key = 'in_doubt'")
    return path


def intake(store: Path, now: float) -> Intake:
    settings = CrawlSettings(delay=DELAY)
    return Intake(Writer(store), settings, now)


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
