"""Silent requests are held, put back or failed, each once; an outage is held against no page."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import aiodns
import httpx
import pytest
from support import skipping
from support.patience import PATIENCE
from support.raw_server import SiteServer
from support.sites import Server, Site, crawl, crawled_once, faults_in, ranks, rows

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport, Progress
from minicrawl.settings import ConnectTo
from minicrawl.timing import Timing
from minicrawl.web.net.addresses import DnsCache

HOMES = [f"http://h{number}.test/" for number in range(8)]
SITE: Site = {
    f"{home}{page}": [f"/{page + 1}", f"{other}{page}"]
    for home, other in zip(HOMES, HOMES[1:] + HOMES[:1], strict=True)
    for page in range(12)
}
SEEDS = [f"{home}0" for home in HOMES]


HURRY = Timing(
    first_pause=0.001,
    longest_pause=0.004,
    no_name=0.0,
    no_name_server=0.0,
    retry=0.001,
    robots_retry=0.001,
    progress=0.0,
    looks_apart=0.0,
)
in_a_hurry = partial(crawl, timing=HURRY)
undisturbed = crawled_once(SITE, SEEDS, timing=HURRY, concurrency=4, traps=False)


def outcomes(store: Path) -> list[tuple[Any, ...]]:
    assert faults_in(store) == []
    return rows(store, "SELECT url, state, reason, attempts FROM pages ORDER BY url")


class Silent(Server):
    """Nobody is there for requests `first` to `last`, of any kind, nor from `first` on at hosts in `dead`."""

    def __init__(self, first: int, last: int, dead: tuple[str, ...] = ()) -> None:
        super().__init__(SITE)
        self.first, self.last, self.dead = first, last, dead
        self.number = 0

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.number += 1
        is_dead = self.number >= self.first and request.url.host in self.dead
        if is_dead or self.first <= self.number <= self.last:
            raise httpx.ConnectTimeout("nobody is there", request=request)
        return super()._answer(request)


@pytest.mark.parametrize(("delay", "ignore_robots"), [(0.0, False), (0.0005, True)])
def test_a_crawl_with_an_outage_ends_as_one_without(
    store: Path, undisturbed: Path, delay: float, ignore_robots: bool
) -> None:
    server = Silent(40, 70)
    seen: list[Progress] = []
    options = {
        "traps": False,
        "delay": delay,
        "ignore_robots": ignore_robots,
        "concurrency": 4,
        "on_progress": seen.append,
    }
    report, _ = in_a_hurry(server, store, SEEDS, **options)
    assert (report.reason, report.fetched) == ("nothing-left", len(outcomes(undisturbed)))
    assert outcomes(store) == outcomes(undisturbed)
    assert ranks(store) == pytest.approx(ranks(undisturbed), abs=2e-6)
    assert rows(store, "SELECT count(*) FROM health") == [(0,)]
    assert any(progress.silence for progress in seen)
    assert seen[-1].silence is None


@pytest.mark.parametrize("dead", [2, len(HOMES) - 1])
def test_hosts_that_die_while_others_live_are_ill(store: Path, dead: int) -> None:
    """Also where they are all that is left, and somebody who has nothing more to ask for must be asked."""
    server = Silent(30, 0, dead=tuple(f"h{number}.test" for number in range(dead)))
    report, _ = in_a_hurry(server, store, SEEDS, concurrency=4, on_progress=lambda progress: None)
    assert report.reason == "patience"
    ill = "SELECT name FROM hosts JOIN health ON health.host = hosts.id WHERE health.state = 'ill'"
    assert {name for (name,) in rows(store, ill)} == set(server.dead)
    waiting = "SELECT DISTINCT hosts.name FROM pages JOIN hosts ON hosts.id = host WHERE state = 'waiting'"
    assert {name for (name,) in rows(store, waiting)} == set(server.dead)


def test_a_crawl_that_nobody_ever_answered_ends(tmp_path: Path) -> None:
    report, _ = in_a_hurry(Silent(0, 10**9), tmp_path / "crawl.db", SEEDS, concurrency=4)
    assert (report.reason, report.fetched, report.failures) == ("nothing-left", 0, {"timeout-connect": len(SEEDS)})


# Over real sockets.


def to(address: str, web: SiteServer) -> dict[str, Any]:
    """Settings that lead to the port of a web; address: "" for names that are looked up."""
    route = ConnectTo(None, None, address, web.port)
    return {"connect_to": (route,), "allow_private": True, "delay": 0.0, "traps": False, "timing": HURRY}


async def crawled(web: SiteServer, store: Path, **settings: Any) -> CrawlReport:
    async with web:
        return await acrawl(SEEDS, store, **to("127.0.0.1", web) | settings)


async def test_a_network_that_goes_away_and_comes_back(tmp_path: Path, undisturbed: Path) -> None:
    store, web = tmp_path / "crawl.db", SiteServer(SITE, shut_at=45)
    reopening: list[asyncio.Task[SiteServer]] = []

    def reopen(progress: Progress) -> None:
        if progress.silence is not None and not reopening:
            reopening.append(asyncio.get_running_loop().create_task(web.__aenter__()))

    report = await crawled(web, store, on_progress=reopen, concurrency=4)
    assert (report.reason, len(reopening), report.failures) == ("nothing-left", 1, {"http-404": len(HOMES)})
    assert outcomes(store) == outcomes(undisturbed)
    assert ranks(store) == pytest.approx(ranks(undisturbed), abs=2e-6)


async def test_new_seeds_are_read_though_all_hosts_of_the_runs_before_have_gone(store: Path) -> None:
    """As after the demo, whose hosts are there no longer."""
    gone = SiteServer(SITE)
    new = [f"http://n{number}.test/" for number in range(3)]
    await crawled(gone, store, pages=40, concurrency=4)
    async with SiteServer(SITE) as there:
        rules = [ConnectTo(home[7:-1], None, "127.0.0.1", there.port) for home in new]
        rules.append(ConnectTo(None, None, "127.0.0.1", gone.port))
        options = to("127.0.0.1", there) | {"connect_to": tuple(rules), "time": PATIENCE, "pages": len(new)}
        report = await acrawl([f"{home}0" for home in new], store, **options)
    assert (report.reason, report.fetched) == ("pages", len(new))


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names there are; of any other it is said that there is no such name."""
    known = {home[7:-1] for home in HOMES}

    async def look_up(_: DnsCache, name: str) -> tuple[str, ...]:
        if name not in known:
            raise aiodns.error.DNSError(aiodns.error.ARES_ENOTFOUND, "Domain name not found")
        return ("127.0.0.1",)

    monkeypatch.setattr(DnsCache, "look_up", look_up)
    return known


def test_resumed_where_no_name_is_known_the_crawl_waits_until_one_is(
    tmp_path: Path, undisturbed: Path, name_server: set[str]
) -> None:
    """As with a captive network, or without the --connect-to of the first run."""
    store, names = tmp_path / "crawl.db", set(name_server)

    async def run() -> tuple[CrawlReport, CrawlReport]:
        async with SiteServer(SITE) as web:
            by_name = to("", web) | {"concurrency": 4}
            await acrawl(SEEDS, store, pages=30, **by_name)
            name_server.clear()
            lost = await acrawl([], store, time=20, **by_name | {"timing": replace(HURRY, longest_pause=0.4)})
            found = await acrawl(
                [], store, on_progress=lambda now: name_server.update(names if now.silence else ()), **by_name
            )
        return lost, found

    lost, found = skipping.run(run())
    assert (lost.reason, lost.failures, found.reason) == ("time", {}, "nothing-left")
    assert outcomes(store) == outcomes(undisturbed)
