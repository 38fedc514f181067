"""Hosts that do not answer hold up nobody but themselves."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.sites import faults_in, rows
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport
from minicrawl.timing import Timing

SILENT = [f"http://silent{number}.test/" for number in range(24)]
GOOD = [f"http://good{number}.test/" for number in range(3)]
PAGES = 5


class Web(httpx.AsyncBaseTransport):
    """`in_flight`: requests now, `most`: at a time, to hosts that answer and to others; `asked`: which they were."""

    def __init__(self) -> None:
        self.in_flight, self.most = {True: 0, False: 0}, {True: 0, False: 0}
        self.asked: list[bool] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        is_good = request.url.host.startswith("good")
        self.asked.append(is_good)
        self.in_flight[is_good] += 1
        self.most[is_good] = max(self.most[is_good], self.in_flight[is_good])
        try:
            if not is_good:
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            path = request.extensions["target"].decode()
            if path[1:].isdigit() and int(path[1:]) < PAGES:
                return httpx.Response(200, html="".join(f"<a href=/{page}>x</a>" for page in range(PAGES)))
            return httpx.Response(404)
        finally:
            self.in_flight[is_good] -= 1


def crawled(store: Path, silent: list[str], **settings: Any) -> tuple[CrawlReport, Web]:
    web = Web()
    seeds = [f"{home}0" for home in [*silent, *GOOD]]
    options: dict[str, Any] = {"delay": 0.0, "traps": False, "transport": web, "ignore_robots": False} | settings
    return run(acrawl(seeds, store, **options), grace=0.0), web


def test_good_hosts_are_read_while_more_hosts_than_there_are_slots_are_silent(tmp_path: Path) -> None:
    """Long before any of these has its time out."""
    report, web = crawled(tmp_path / "crawl.db", SILENT, concurrency=2, pages=len(GOOD) * PAGES, timeout=3600.0)
    assert (report.reason, report.fetched) == ("pages", len(GOOD) * PAGES)
    assert web.most[False] == len(SILENT)


def test_pages_that_nobody_answers_for_are_not_among_those_to_be_fetched(tmp_path: Path) -> None:
    """Each of these requests is for a page, as no robots.txt is asked for."""
    pages = len(GOOD) * PAGES - 1
    options = {"ignore_robots": True, "pages": pages, "timeout": 3600.0}
    report, web = crawled(tmp_path / "crawl.db", SILENT, **options)
    assert (report.reason, report.fetched) == ("pages", pages)
    assert web.asked.count(True) == pages
    assert rows(tmp_path / "crawl.db", "SELECT count(*) FROM pages WHERE state = 'waiting'") == [(len(SILENT) + 1,)]


@pytest.mark.parametrize("pages", [1, 3, 20])
def test_hosts_that_answer_late_do_not_make_more_pages_than_were_asked_for(tmp_path: Path, pages: int) -> None:
    """What came beyond waits for the next run, which reads it."""
    homes = [f"http://late{number}.test/" for number in range(24)]
    store, come = tmp_path / "crawl.db", asyncio.Event()
    asked: list[str] = []

    async def late(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        if len(asked) >= pages + 4:
            come.set()
        await come.wait()
        return httpx.Response(200, html=request.url.host)

    options: dict[str, Any] = {
        "transport": httpx.MockTransport(late),
        "ignore_robots": True,
        "delay": 0.0,
        "traps": False,
    }
    report = run(acrawl(homes, store, pages=pages, **options), grace=0.0)
    assert (report.reason, report.fetched) == ("pages", pages)
    assert rows(store, "SELECT state, count(*) FROM pages GROUP BY 1 ORDER BY 1") == [
        ("fetched", pages),
        ("waiting", len(homes) - pages),
    ]
    assert faults_in(store) == []
    report = run(acrawl([], store, **options), grace=0.0)
    assert (report.reason, report.fetched) == ("nothing-left", len(homes) - pages)


def test_one_at_a_time_is_one_at_a_time(tmp_path: Path) -> None:
    _, web = crawled(tmp_path / "crawl.db", SILENT[:3], concurrency=1, timeout=0.02, time=2.0, timing=HURRY)
    assert web.most == {True: 1, False: 1}


HURRY = Timing(retry=0.001, robots_retry=0.001)


@pytest.mark.parametrize("silent", [0, 60])
def test_so_many_may_be_attempted_at_a_time_and_all_have_their_turn(tmp_path: Path, silent: int) -> None:
    """16 for each slot; the others follow as these are over, not when they have waited for long."""
    hosts = [f"http://silent{number}.test/" for number in range(silent)]
    report, web = crawled(tmp_path / "crawl.db", hosts, concurrency=2, timeout=0.05, timing=HURRY)
    assert report.reason == "nothing-left"
    assert web.most[False] == min(silent, 32)
    assert rows(tmp_path / "crawl.db", "SELECT count(*) FROM pages WHERE state = 'fetched'") == [(len(GOOD) * PAGES,)]
    assert report.failures == ({"timeout": silent} if silent else {})
