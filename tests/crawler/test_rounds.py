"""A round of `minicrawl refresh` is not held open by hosts that rest for long; their pages wait for the next one."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.sites import HOME, Server, Site, crawl, faults_in, states
from support.skipping import run

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import Caller, crawl_with
from minicrawl.model import CrawlReport

B = "http://b.test/"
OURS, THEIRS = ([home, *(f"{home}{number}" for number in range(4))] for home in (HOME, B))
SITE: Site = {url: [*OURS, *THEIRS] for url in [*OURS, *THEIRS]}


def crawled(store: Path) -> Server:
    server = Server(SITE)
    crawl(server, store, [HOME], traps=False)
    assert sorted(server.asked) == sorted(SITE)
    server.times.clear()
    return server


def one_round(server: Server, store: Path, **given: Any) -> tuple[CrawlReport, list[str]]:
    """A round of all pages, and what it asked for."""
    server.times.clear()
    report = run(crawl_with(given, Seeds([]), store, Caller(transport=server, refreshed=10)), grace=0.0)
    return report, [url for url in server.all_asked if not url.endswith("robots.txt")]


class Resting:
    """A host that answers so from a time on, and well once a number of seconds is over."""

    def __init__(self, status: int, asked: str, seconds: float) -> None:
        self.status, self.asked, self.seconds, self.came = status, asked, seconds, 0

    def __call__(self, *_: object) -> httpx.Response:
        self.came += 1
        if self.came > 1:
            return httpx.Response(200, html="well again")
        return httpx.Response(self.status, headers={"Retry-After": self.asked})


@pytest.mark.parametrize("status", [403, 429, 503])
@pytest.mark.parametrize("asked", [120, 3600, 86_400])
def test_a_host_that_asks_for_a_long_rest_waits_for_the_next_round(store: Path, status: int, asked: int) -> None:
    server = crawled(store)
    busy = Resting(status, str(asked), asked)
    server.site |= dict.fromkeys(THEIRS, busy)
    report, came = one_round(server, store)
    assert {url for url in came if url in OURS} == set(OURS)
    assert (len(came), report.reason, report.resting) == (6, "nothing-left", {"b.test": 5})
    assert report.seconds < 60.0
    report, came = one_round(server, store)  # it still rests
    assert (set(came), report.resting, report.failures) == (set(OURS), {"b.test": 5}, {})
    run(asyncio.sleep(asked), grace=0.0)
    report, came = one_round(server, store)
    assert (set(came), report.resting) == (set(SITE), {})
    assert set(states(store).values()) == {"fetched ok"}
    assert faults_in(store) == []


@pytest.mark.parametrize("asked", ["2", "60"])
def test_a_short_rest_is_waited_for(store: Path, asked: str) -> None:
    server = crawled(store)
    server.site |= dict.fromkeys(THEIRS, Resting(429, asked, float(asked)))
    report, came = one_round(server, store)
    assert (set(came), report.resting) == (set(SITE), {})
    assert float(asked) <= report.seconds < 2 * float(asked) + 10.0
    assert faults_in(store) == []


def test_a_long_delay_is_no_rest(store: Path) -> None:
    server = crawled(store)
    report, came = one_round(server, store, delay="10m")
    assert (set(came), report.resting) == (set(SITE), {})
    assert report.seconds >= 4 * 600.0


def test_a_crawl_waits_for_the_rest(store: Path) -> None:
    """The twin of a round: nobody comes again for what it leaves."""
    server = Server(SITE | dict.fromkeys(THEIRS, Resting(429, "3600", 3600.0)))
    report, _ = crawl(server, store, [HOME], traps=False, patience=7200.0)
    assert (report.read, report.resting) == (10, {})
    assert report.seconds >= 3600.0
