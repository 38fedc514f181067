"""Redirects of robots.txt files: each is followed at the time of the host it leads to."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import aiodns
import numpy as np
import pytest
from support.misbehaving import MisbehavingServer, answer, redirect
from support.sites import Reply, Server, Site, crawl, rows, states, text

from minicrawl.api import acrawl
from minicrawl.crawler.due_requests import DueRequests
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.crawl_state import Terms
from minicrawl.crawler.requests.request import Request
from minicrawl.model import Fetched
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.store.writer import Writer
from minicrawl.timing import Timing
from minicrawl.web.net.addresses import DnsCache, Resolver

A, B = "http://a.test/", "http://b.test/"
A_ROBOTS, B_ROBOTS = A + "robots.txt", B + "robots.txt"
NO_X = text("User-agent: *\nDisallow: /x")
OK, FORBIDDEN = "fetched ok", "disallowed robots"


HURRY = Timing(robots_retry=0.001)
in_a_hurry = partial(crawl, timing=HURRY)


@pytest.mark.parametrize(
    ("hosts", "redirects", "is_followed"),
    [("aa", 6, False), ("ab", 1, True), ("ab", 6, False), ("bc", 5, True)],
    ids=["own host", "one", "to and fro", "elsewhere"],
)
def test_rfc_9309_2_3_1_2_five_redirects_are_followed(
    store: Path, hosts: str, redirects: int, is_followed: bool
) -> None:
    """Its rules hold for the site that redirects. What is behind more is taken to be unavailable, and all allowed."""
    steps = [A_ROBOTS, *(f"http://{hosts[number % 2]}.test/{number}" for number in range(redirects))]
    server = Server({A: ["/x"], A + "x": []}, beside=dict(pairwise(steps)) | {steps[-1]: NO_X})
    in_a_hurry(server, store, [A])
    assert states(store) == {A: OK, A + "x": FORBIDDEN if is_followed else OK}
    assert [url for url in server.all_asked if url in steps] == steps[:6]
    assert server.all_asked.index(A) >= len(steps[:6])


@pytest.mark.parametrize("where", ["https://a.test/robots.txt", B + "elsewhere"])
@pytest.mark.parametrize("per_host", [1, 2])
def test_no_host_is_asked_before_its_delay_is_over(store: Path, where: str, per_host: int) -> None:
    site: Site = {f"{home}{page}": [] for home in (A, B) for page in range(3)}
    server = Server(site, beside={A_ROBOTS: where, where: NO_X})
    in_a_hurry(server, store, list(site), delay=0.02, concurrency=8, per_host=per_host)
    assert sorted(server.asked) == sorted(site)
    assert len(server.gaps) >= 6
    assert min(server.gaps) >= 0.02


def test_a_crawl_delay_behind_a_redirect_runs_from_when_it_is_known(store: Path) -> None:
    server = Server(
        {A: [], A + "1": []}, beside={A_ROBOTS: B + "rules", B + "rules": text("User-agent: *\nCrawl-delay: 0.08")}
    )
    in_a_hurry(server, store, [A, A + "1"], delay=0.01, concurrency=2)
    known = server.by_host["b.test"][0]
    pages = server.by_host["a.test"][1:]
    assert [later - earlier >= 0.08 for earlier, later in pairwise([known, *pages])] == [True, True]
    assert rows(store, "SELECT name, crawl_delay FROM hosts ORDER BY name") == [("a.test", 0.08), ("b.test", 0.0)]


@pytest.mark.parametrize(("asking", "first"), [("http", "https"), ("https", "http"), ("https", "https")])
def test_what_http_or_https_asks_for_holds_for_both(store: Path, asking: str, first: str) -> None:
    pages = [f"{scheme}://a.test/{page}" for page in range(3) for scheme in sorted(("http", "https"), key=first.__ne__)]
    robots = {f"{asking}://a.test/robots.txt": text("User-agent: *\nCrawl-delay: 0.04")}
    server = Server({url: [] for url in pages}, beside=robots)
    in_a_hurry(server, store, pages, delay=0.005)
    assert rows(store, "SELECT name, crawl_delay FROM hosts") == [("a.test", 0.04)]
    asked = server.all_asked.index(f"{asking}://a.test/robots.txt")
    assert min(server.gaps[asked:]) >= 0.04


def test_a_robots_txt_that_is_known_is_not_asked_for_again(store: Path) -> None:
    """Neither where a redirect leads to it, nor where one has led to it."""
    hosts = [f"http://{number}.test/" for number in range(20)]
    site: Site = {home: ["/x"] for home in [A, *hosts]}
    server = Server(site, beside={f"{host}robots.txt": A_ROBOTS for host in hosts} | {A_ROBOTS: NO_X})
    in_a_hurry(server, store, [*hosts, A])
    assert server.all_asked.count(A_ROBOTS) == 1
    assert sorted(server.asked) == sorted(site)
    assert {state for url, state in states(store).items() if url.endswith("x")} == {FORBIDDEN}
    assert len(rows(store, "SELECT origin FROM robots WHERE status = 200")) == 21


@pytest.mark.parametrize("moved", [{A_ROBOTS: A_ROBOTS}, {A_ROBOTS: B_ROBOTS, B_ROBOTS: A_ROBOTS}])
def test_redirects_in_circles_come_to_an_end(store: Path, moved: dict[str, Reply]) -> None:
    server = Server({A: [], B: []}, beside=moved)
    in_a_hurry(server, store, [A, B], concurrency=2)
    assert states(store) == {A: OK, B: OK}


def test_what_is_forbidden_elsewhere_is_still_asked_for_as_a_robots_txt(store: Path) -> None:
    moved: dict[str, Reply] = {A_ROBOTS: B + "x", B + "x": NO_X, B_ROBOTS: NO_X}
    server = Server({A: [], B: []}, beside=moved)
    in_a_hurry(server, store, [B, A, A + "x"])
    assert states(store) == {A: OK, B: OK, A + "x": FORBIDDEN}


@pytest.mark.parametrize("sitemaps", [True, False])
def test_sitemaps_behind_a_redirect_are_those_of_the_site(store: Path, sitemaps: bool) -> None:
    moved: dict[str, Reply] = {
        A_ROBOTS: B + "rules",
        B + "rules": text(f"Sitemap: {A}map.txt"),
        A + "map.txt": text(f"\n{A}only\n"),
    }
    server = Server({A: [], A + "only": []}, beside=moved)
    in_a_hurry(server, store, [A], sitemaps=sitemaps)
    assert (A + "only" in server.asked) is sitemaps


@pytest.mark.parametrize(
    ("there", "reason", "tries"),
    [(503, "disallowed robots-unreachable", 3), (404, OK, 1), (410, OK, 1)],
    ids=["unreachable", "unavailable", "gone"],
)
def test_what_is_found_behind_a_redirect_counts(store: Path, there: int, reason: str, tries: int) -> None:
    server = Server({A: []}, beside={A_ROBOTS: B_ROBOTS, B_ROBOTS: there})
    in_a_hurry(server, store, [A])
    assert states(store) == {A: reason}
    assert server.all_asked.count(B_ROBOTS) == tries


# With addresses.


@contextmanager
def absorbing(store: Path) -> Iterator[tuple[Intake, DueRequests]]:
    """A crawl of one page each of a.test and b.test, both at one address, and what it asks for."""
    writer = Writer(store)
    settings = CrawlSettings(delay=1.0, strategy="breadth-first")
    crawl = Intake(writer, settings, 0.0, Terms(locates=True))
    crawl.start([A, B], 0.0)
    for host in crawl.state.frontier.hosts:
        crawl.state.frontier.locate(host, "192.0.2.1", 10**9, 0.0)
    try:
        yield crawl, DueRequests(crawl, settings)
    finally:
        writer.close()


def begun(requests: DueRequests, now: float) -> Request | None:
    """What is asked for now."""
    due = requests.next(now, attempts=True)
    return None if due is None else requests.begun(due, now)


def asked(requests: DueRequests, url: str, now: float) -> Request:
    """The request made now, which is for this URL."""
    request = begun(requests, now)
    assert request is not None
    assert request.url == url
    return request


def answer_to(request: Request, now: float, location: str | None = None, status: int = 404) -> None:
    request.fetched = Fetched(request.url, status=status if location is None else 301, location=location)
    request.on_answer(now)


DAY = 24 * 3600.0


@pytest.mark.parametrize(("status", "rests"), [(403, True), (429, True), (503, True), (404, False), (410, False)])
def test_a_rest_that_is_asked_for_with_a_robots_txt_is_the_hosts(store: Path, status: int, rests: bool) -> None:
    with absorbing(store) as (crawl, requests):
        request = asked(requests, A_ROBOTS, 10.0)
        request.fetched = Fetched(request.url, status=status, retry_after=str(int(DAY)))
        request.on_answer(10.5)
        assert crawl.state.frontier.hosts[0].rests_until == (10.5 + DAY if rests else 0.0)


@pytest.mark.parametrize(
    ("asked_for", "opened_at", "expires"),
    [(3 * DAY, DAY, 3 * DAY), (8 * DAY, 5.0, 10.0), (3 * DAY, -30 * DAY, -23 * DAY)],
    ids=["days", "more than a week", "the clock was set back by a month"],
)
def test_a_robots_txt_is_asked_for_again_when_its_server_said(
    store: Path, asked_for: float, opened_at: float, expires: float
) -> None:
    with absorbing(store) as (crawl, _):
        crawl.robots.decide(A[:-1], Fetched(A_ROBOTS, status=503, retry_after=str(int(asked_for))), 0.0)
        crawl.commit({})
    with closing(Writer(store)) as writer:
        state = Intake(writer, CrawlSettings(), opened_at, Terms()).robots.state(A[:-1])
        assert state is not None
        assert state.expires == expires


def test_a_redirect_waits_for_the_address_too(store: Path) -> None:
    with absorbing(store) as (crawl, requests):
        answer_to(asked(requests, A_ROBOTS, 10.0), 10.5, B_ROBOTS)
        for now in (10.5, 11.0, 11.4):
            assert begun(requests, now) is None
        hop = asked(requests, B_ROBOTS, 11.5)
        assert begun(requests, 11.5) is None
        answer_to(hop, 11.6)
        for origin in (A[:-1], B[:-1]):
            state = crawl.robots.state(origin)
            assert state is not None
            assert state.status == 404


# What cannot be asked.


@pytest.mark.parametrize(
    ("place", "reason"), [("private.test", "private-address"), ("none.test", "dns"), ("127.0.0.9", "private-address")]
)
async def test_a_redirect_to_where_nothing_may_be_asked_fails(
    store: Path, monkeypatch: pytest.MonkeyPatch, place: str, reason: str
) -> None:
    """Over real connections: the first address may be asked, others may not."""

    async def look_up(_: DnsCache, name: str) -> tuple[str, ...]:
        if name == "none.test":
            raise aiodns.error.DNSError(aiodns.error.ARES_ENOTFOUND, "Domain name not found")
        return ("127.0.0.9" if name == "private.test" else "127.0.0.1",)

    class Pages(MisbehavingServer):
        def _fault(self, host: str, path: str) -> bytes:
            return redirect(f"http://{place}/robots.txt".encode()) if path == "/robots.txt" else answer()

    monkeypatch.setattr(DnsCache, "look_up", look_up)
    check = Resolver.check
    monkeypatch.setattr(
        Resolver, "check", lambda self, address: None if address == "127.0.0.1" else check(self, address)
    )
    async with Pages({}) as server:
        port = (ConnectTo(None, None, "", server.port),)
        await acrawl([A], store, connect_to=port, delay=0.0, timing=HURRY)
    assert [host for host, _ in server.requests] == ["a.test"]
    assert states(store) == {A: f"error {reason}"}


def test_other_hosts_redirects_take_one_in_ten_turns_and_ones_own_the_next(store: Path) -> None:
    with absorbing(store) as (crawl, requests):
        crawl.start([f"{B}{number}" for number in range(20)], 10.0)
        b = crawl.state.frontier.hosts[1]
        b.pages_since_errand = 0
        crawl.state.frontier.locate(b, "192.0.2.2", 10**9, 10.0)
        robots = asked(requests, A_ROBOTS, 10.0)
        answer_to(asked(requests, B_ROBOTS, 10.0), 10.0, "https://b.test/robots.txt")
        answer_to(robots, 10.0, B + "rules")
        taken: list[str] = []
        for now in np.arange(20.0, 60.0, 0.5).tolist():
            request = begun(requests, now)
            if request is None or request.host is not b:
                continue
            taken.append(request.url)
            if request.is_page:
                assert request.page is not None
                crawl.state.frontier.release(request.page, now)
            else:
                answer_to(request, now)
        assert taken[:2] == ["https://b.test/robots.txt", B]
        assert taken.index(B + "rules") == 1 + 9
