"""A run ends once only pages of ill hosts are left and no host has answered well for --patience."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.sites import HOME, Server, Site, crawl, faults_in, rows
from support.skipping import apart, run
from support.steering import Steered, steered

from minicrawl import Crawl

PAGES = [f"{HOME}{number}" for number in range(12)]
SITE: Site = dict.fromkeys([HOME, *PAGES], PAGES)


class Dying(Server):
    """A server that resets connections once it has answered so often."""

    def __init__(self, answers: float) -> None:
        super().__init__(SITE)
        self.answers = answers

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if len(self.times) >= self.answers:
            raise httpx.ReadError("reset")
        return super()._answer(request)


@pytest.mark.parametrize("patience", [0, 300, 1200])
def test_pages_of_an_ill_host_wait_for_the_next_run(store: Path, patience: int) -> None:
    server = Dying(6)
    report, _ = crawl(server, store, [HOME], traps=False, patience=patience)
    assert (report.reason, report.failures) == ("patience", {})
    assert patience <= report.seconds < patience + 60.0
    waiting = len(SITE) - report.read
    assert rows(store, "SELECT count(*) FROM pages WHERE state = 'waiting'") == [(waiting,)]
    assert waiting > 0
    server.answers = 1e9
    report, _ = crawl(server, store, [], traps=False)
    assert (report.reason, report.read) == ("nothing-left", len(SITE))
    assert faults_in(store) == []


def test_an_ill_host_that_stays_silent_is_judged_at_once(store: Path) -> None:
    """Other hosts have answered, so silence may be a fault of the network; that of an ill host tells nothing of it."""
    others = [f"http://{name}.test/" for name in "bcdef"]

    def answer(request: httpx.Request, _: int) -> list[str]:
        if request.url.host == "a.test" and request.url.path not in ("/", "/0"):
            raise httpx.ReadError("reset")
        return PAGES

    server = Server({**dict.fromkeys(SITE, answer), **{home: [] for home in others}})
    report, _ = crawl(server, store, [HOME, *others], traps=False, patience=300)
    assert (report.reason, report.read) == ("patience", 2 + len(others))
    assert 300.0 <= report.seconds < 330.0


@pytest.mark.parametrize(("asked", "is_waited_for"), [(86_400, False), (600, True)])
def test_a_host_that_was_never_well_is_waited_for_as_long_as_it_asks_for_within_patience(
    store: Path, asked: int, is_waited_for: bool
) -> None:
    server = Server({HOME: lambda *_: httpx.Response(429, headers={"Retry-After": str(asked)})})
    crawl(server, store, [HOME], traps=False)
    server.site, before = SITE, len(server.asked)
    report, _ = crawl(server, store, [], traps=False)
    assert report.seconds < 1200.0
    assert report.reason == ("nothing-left" if is_waited_for else "patience")
    assert (len(server.asked) > before) == is_waited_for
    run(asyncio.sleep(asked), grace=0.0)
    report, _ = crawl(server, store, [], traps=False)
    assert (report.reason, report.read) == ("nothing-left", len(SITE))


def test_a_crawl_without_ill_hosts_is_over_at_once(store: Path) -> None:
    report, _ = crawl(Dying(1e9), store, [HOME], traps=False)
    assert (report.reason, report.read) == ("nothing-left", len(SITE))
    assert report.seconds < 60.0


@apart
async def test_patience_may_change_while_a_run_waits(store: Path) -> None:
    replies: Any = [lambda _, count: 503 if count > 1 else PAGES, *([lambda *_: 503] * 12)]
    server = Steered(dict(zip([HOME, *PAGES], replies, strict=True)))
    async with steered(server, store, patience="30d") as crawl:
        assert isinstance(crawl, Crawl)
        await server.until(4)
        await crawl.adjust(patience=1)
        report = await crawl.finished()
    assert report.reason == "patience"
    assert report.seconds < 3600.0
