"""Pages that are fetched again, as a whole: budgets, waiting, pauses, and what the web answers then.

By a clock that is passed in, or one that skips what is waited for.
"""

import asyncio
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.intakes import intake_of, next_page
from support.killing_web import killing_web
from support.misbehaving import answer
from support.raw_server import Server as RawServer
from support.sites import Server, crawl, faults_in, rows, wide_site
from support.skipping import run

from minicrawl.api import Crawl, acrawl
from minicrawl.crawler.frontier.due_pages import most_worth
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.model import Fetched, Wanted
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

HOME, OTHER = "http://a.test/", "http://b.test/"
HOUR, DAY = 3600.0, 86_400.0
FEW_COMMITS = Timing(batch=3000.0, lease=9000.0)
REFRESH: dict[str, Any] = {"refresh": True, "traps": False, "timing": FEW_COMMITS}
WANTED = Wanted(hashes=True, places=True)
# A crawl by a clock that is passed in.


@dataclass
class Web:
    """Pages of a host that all link to each other. version: what a page says at a time; status: of its answer."""

    pages: int
    version: Callable[[int, float], object] = lambda page, now: 0
    status: Callable[[int, float], int] = lambda page, now: 200
    asked: list[tuple[float, int]] = field(default_factory=list)

    def url(self, page: int) -> str:
        return f"{HOME}{page}" if page else HOME

    def answer(self, url: str, now: float) -> Fetched:
        page = int(url.removeprefix(HOME) or 0)
        self.asked.append((now, page))
        links = "".join(f"<p>Page {number}: <a href='{self.url(number)}'>x</a></p>" for number in range(self.pages))
        body = f"{links}<p>{self.version(page, now)}</p>".encode()
        status = self.status(page, now)
        return Fetched(url, status, body if status == 200 else b"", content_type="text/html", size=len(body))

    def gaps(self) -> dict[int, list[float]]:
        """Seconds between two fetches of each page."""
        times: dict[int, list[float]] = {}
        for now, page in self.asked:
            times.setdefault(page, []).append(now)
        return {page: [b - a for a, b in pairwise(of)] for page, of in times.items()}


def go_on(intake: Intake, web: Web, until: float, *, now: float, takes: float = 1.0, most: int = 10**6) -> float:  # noqa: PLR0913 - parameters of a crawl
    """Fetch what is due, `takes` seconds each, until a time, or so many pages; when that is done."""
    intake.start([HOME], now)
    while now < until and most:
        page = next_page(intake.state.frontier, now)
        if page is None:
            ready = intake.state.frontier.next_ready()
            if ready is None:
                break
            now = max(now, ready)
            continue
        intake.state.frontier.pages.charge(page)
        fetched = web.answer(intake.state.urls.url(page), now)
        parsed, _ = read_page(fetched.body, fetched.url, fetched.content_type, WANTED)
        intake.visits.absorb(page, fetched, parsed, now)
        if intake.state.sites is not None and intake.state.sites.is_due:
            intake.commit({})
            intake.ranking.keep_up()
        now += takes
        most -= 1
    intake.commit({})
    return now


def opened(store: Path, now: float, **settings: object) -> Intake:
    options: dict[str, Any] = {"refresh": True, "traps": False} | settings
    return intake_of(store, now=now, **options)


def close(intake: Intake, store: Path) -> None:
    intake.state.writer.close()
    assert faults_in(store) == []


def test_a_crawl_that_stopped_has_the_schedule_of_one_that_did_not(tmp_path: Path) -> None:
    """Fetch times, rates, price and due times, once all pages are valued anew."""
    web, store = Web(8, lambda page, now: int(now / (DAY * 2**page))), tmp_path / "crawl.db"
    intake = opened(store, 0.0, pages=10**6)
    now = go_on(intake, web, 60 * DAY, now=0.0, takes=600.0, most=400)
    close(intake, store)
    before = intake.state.due
    again = opened(store, now, pages=10**6)
    after = again.state.due
    assert before is not None
    assert after is not None
    before.value_all(np.zeros(0, np.int64), now)
    before.price = after.price  # paid since the last commit
    before.value_all(np.zeros(0, np.int64), now)
    assert after.due[:8].tolist() == pytest.approx(before.due[:8].tolist())
    assert after.fetched_at[:8].tolist() == before.fetched_at[:8].tolist()
    assert after.rate[:8].tolist() == before.rate[:8].tolist()
    assert after.rates.of_all(after.group[:8]).tolist() == before.rates.of_all(before.group[:8]).tolist()
    go_on(again, web, now + DAY, now=now, most=10)
    close(again, store)


def test_after_three_weeks_pages_are_fetched_by_worth(tmp_path: Path) -> None:
    """All are overdue: those that a round of 'minicrawl refresh' would take come first."""
    web, store = Web(40, lambda page, now: int(now / (6 * HOUR)) if page < 20 else 0), tmp_path / "crawl.db"
    intake = opened(store, 0.0, pages=10**6)
    now = go_on(intake, web, 4 * DAY, now=0.0, takes=600.0)
    close(intake, store)
    web.asked.clear()
    later = now + 21 * DAY
    with open_store(store) as reader:
        best = {choice.page for choice in most_worth(reader, 20, later)}
    intake = opened(store, later, pages=10**6)
    go_on(intake, web, later + HOUR, now=later, takes=30.0)
    close(intake, store)
    first = list(dict.fromkeys(page for _, page in web.asked))[:20]  # some were asked again to be sure
    assert len({*first} & best) >= 19


def test_without_a_budget_a_crawl_waits_and_asks_for_no_page_before_it_is_due(tmp_path: Path) -> None:
    web = Web(10)
    intake = opened(tmp_path / "crawl.db", 0.0)
    go_on(intake, web, 60 * DAY, now=0.0)
    close(intake, tmp_path / "crawl.db")
    gaps = [gap for of in web.gaps().values() for gap in of]
    assert min(gaps) > DAY  # a week at first, and longer as nothing changes
    assert len(web.asked) < 10 * 9


@pytest.mark.parametrize("pages", [1, 2, 30])
def test_with_a_budget_all_of_it_is_used_and_no_page_is_asked_for_too_soon(store: Path, pages: int) -> None:
    """The price finds its level, with one page, too: no fetch is left over, and none is too many."""
    web = Web(pages)
    intake = opened(store, 0.0, time=2 * DAY)
    go_on(intake, web, 2 * DAY, now=0.0, takes=300.0)
    close(intake, store)
    gaps = [gap for of in web.gaps().values() for gap in of]
    assert min(gaps) >= HOUR
    possible = min(2 * DAY / 300.0, pages * 2 * DAY / (HOUR + 300.0))
    assert len(web.asked) >= 0.95 * possible
    assert 1.0 < rows(store, "SELECT value FROM meta WHERE key = 'refresh_price'")[0][0] < 90 * DAY


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_discovery_has_its_share_within_two_fetches(store: Path, share: float) -> None:
    """Of a web without end, from the moment on when pages may be fetched again."""
    seen: set[int] = set()
    discoveries: list[bool] = []
    intake = opened(store, 0.0, discovery=share, pages=10**6, refresh_min="10s", max_depth=10**6)
    intake.start([HOME], 0.0)
    now = 0.0
    while len(discoveries) < 1000:
        page = next_page(intake.state.frontier, now)
        assert page is not None
        discoveries.append(page not in seen)
        seen.add(page)
        number = int(intake.state.urls.url(page).removeprefix(HOME) or 0)
        intake.state.frontier.pages.charge(page)
        links = "".join(f"<a href='{HOME}{2 * number + child}'>x</a>" for child in (1, 2))
        fetched = Fetched(intake.state.urls.url(page), 200, links.encode(), content_type="text/html")
        intake.visits.absorb(page, fetched, read_page(fetched.body, fetched.url, "text/html", WANTED)[0], now)
        now += 1.0
    intake.state.writer.close()
    both = discoveries[200:]
    for fetches in range(1, len(both)):
        assert abs(sum(both[:fetches]) - share * fetches) <= 2.0


@pytest.mark.parametrize("days", [1, 5])
def test_a_page_that_comes_back_is_welcome_and_one_that_stays_away_is_gone(store: Path, days: int) -> None:
    away = range(5, 5 + days * 24)
    web = Web(4, status=lambda page, now: 404 if page == 2 and int(now / HOUR) in away else 200)
    intake = opened(store, 0.0, time=8 * DAY)
    go_on(intake, web, 8 * DAY, now=0.0, takes=1800.0)
    close(intake, store)
    missed = [now for now, page in web.asked if page == 2 and web.status(page, now) == 404]
    (state,) = rows(store, "SELECT state FROM pages WHERE url = ?", web.url(2))[0]
    if days == 1:
        assert (state, len(missed)) == ("fetched", 1)
        assert max(now for now, page in web.asked if page == 2) > 7 * DAY
    else:
        assert (state, len(missed)) == ("gone", 2)
        assert DAY <= missed[1] - missed[0] < DAY + 2 * HOUR
        assert max(now for now, page in web.asked if page == 2) == missed[1]
    assert [what for (what,) in rows(store, "SELECT what FROM changes WHERE what = 'gone'")] == ["gone"] * (days > 1)


# What servers say, over sockets and by a clock that skips what is waited for.

PAGE_BODY = b"<p>One</p><p>Two</p><a href='/'>home</a>"


def crawled(talk: Callable[[bytes, int], bytes], store: Path, **settings: Any) -> list[bytes]:
    """The heads of the requests for /page. talk: its answer to a head, and to how many before there were."""
    heads: list[bytes] = []

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await server.head(reader)
            if head.startswith(b"GET /robots.txt"):
                writer.write(answer(b"", status="404 Not Found"))
            elif head.startswith(b"GET /page "):
                heads.append(head)
                writer.write(talk(head, len(heads)))
            else:
                writer.write(answer(b"<a href='/page'>page</a>"))
            await writer.drain()

    server = RawServer(speak)

    async def all_of_it() -> None:
        async with server:
            rules = (ConnectTo(None, None, "127.0.0.1", server.port),)
            options = {"pages": 24, "delay": 0.0, "concurrency": 1, "connect_to": rules, "allow_private": True}
            await acrawl([HOME], store, **{**REFRESH, **options, **settings})

    run(all_of_it())
    assert faults_in(store) == []
    return heads


def of_page(store: Path, columns: str) -> tuple[Any, ...]:
    found = rows(store, f"SELECT {columns} FROM refresh JOIN pages ON pages.id = page WHERE url = ?", HOME + "page")
    return found[0]


# Pages that become something else.


def test_a_page_that_has_moved_stands_for_its_target_and_may_come_back(store: Path) -> None:

    def talk(_: bytes, count: int) -> bytes:
        moved = answer(b"", "Location: /new", status="301 Moved Permanently")
        return moved if count > 3 else answer(PAGE_BODY)

    crawled(talk, store, pages=14)
    assert of_page(store, "state, reason") == ("alias", "redirect-301")
    assert rows(store, "SELECT state FROM pages WHERE url = ?", HOME + "new") == [("fetched",)]
    crawled(lambda *_: answer(PAGE_BODY), store, pages=14)
    assert of_page(store, "state, reason") == ("fetched", "ok")
    assert of_page(store, "changes")[0] >= 2


class Site(Server):
    """A home and a page. closed: hours since the start in which robots.txt forbids, or nobody answers for, the page."""

    def __init__(self, closed: range, how: str) -> None:
        super().__init__({HOME: [OTHER]})
        self.closed, self.how = closed, how
        self.began: float | None = None
        self.hours: list[float] = []

    def _answer(self, request: httpx.Request) -> httpx.Response:
        now = asyncio.get_running_loop().time()
        self.began = now if self.began is None else self.began
        hours = (now - self.began) / HOUR
        is_closed = int(hours) in self.closed
        if request.url.host == "b.test" and self.how == "dead" and is_closed:
            raise httpx.ConnectError("nobody is there")
        if request.url.path == "/robots.txt":
            is_forbidden = request.url.host == "b.test" and self.how == "forbidden" and is_closed
            return httpx.Response(200, text="User-agent: *\nDisallow: /" if is_forbidden else "")
        if str(request.url) == OTHER:
            self.hours.append(hours)
            return httpx.Response(200, html=f"<p>same</p><a href='{HOME}'>home</a>")
        return super()._answer(request)


@pytest.mark.parametrize("how", ["forbidden", "dead"])
def test_a_page_that_may_not_or_cannot_be_fetched_for_days_is_fetched_again_later(store: Path, how: str) -> None:
    site = Site(range(50, 150), how)
    crawl(site, store, [HOME], **REFRESH, time=20 * DAY, refresh_min="6h")
    assert not any(int(hour) in range(50 + 24, 150) for hour in site.hours)  # a robots.txt holds for a day
    assert any(hour > 150 for hour in site.hours)
    assert rows(store, "SELECT state FROM pages WHERE url = ?", OTHER) == [("fetched",)]
    assert faults_in(store) == []


def test_given_up_pages_are_asked_for_again_after_one_two_four_days(store: Path) -> None:
    server = Server({HOME: [HOME + "no"], HOME + "no": 403})
    crawl(server, store, [HOME], **REFRESH, time=16 * DAY)
    days = [round((b - a) / DAY) for a, b in pairwise(at for at, url in server.times if url == HOME + "no")]
    assert days == [1, 2, 4, 8]


@pytest.mark.parametrize("settings", [{"discovery": 0.5}, {"refresh": True}], ids=str)
def test_no_page_is_fetched_again_before_the_least_age_whatever_asks_for_it(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Two runs in one clock; the second begins with pages of all ages. Each sets its clock by the machine's, which may
    have been set back by some milliseconds in between."""
    server, store = Server(wide_site(1, 200)[0]), tmp_path / "crawl.db"
    seeds = wide_site(1, 200)[1]
    for _ in range(2):
        least = {"refresh_min": "1h", "traps": False}
        crawl(server, store, seeds, delay=150, time=2 * HOUR, timing=FEW_COMMITS, **least, **settings)
    times = {url: [at for at, asked in server.times if asked == url] for url in server.asked}
    gaps = [b - a for each in times.values() for a, b in pairwise(each)]
    assert len(gaps) > 20
    assert min(gaps) >= HOUR - 1


def test_a_crawl_by_cash_ends_when_all_pages_are_too_young_but_a_page_is_asked_for_by_name(tmp_path: Path) -> None:
    pages = [f"{HOME}{name}" for name in ("", *"abcdefgh")]
    server, store = Server(dict.fromkeys(pages, pages)), tmp_path / "crawl.db"

    async def main() -> None:
        async with Crawl(HOME, store, transport=server, delay=10.0, discovery=0.5) as crawl:
            await asyncio.sleep(35)
            await crawl.again(HOME)
            assert (await crawl.finished()).reason == "nothing-left"
        assert Counter(server.asked) == Counter([*pages, HOME])
        assert server.asked.index(HOME, 1) < len(pages)
        report = await acrawl([], store, transport=server)  # finds them as young
        assert (report.reason, report.fetched) == ("nothing-left", 0)

    run(main(), grace=0.0)


@pytest.mark.slow
def test_killed_while_it_refreshes_it_goes_on(tmp_path: Path) -> None:
    store, seeds = tmp_path / "crawl.db", [f"http://h{host}.test/" for host in range(9)]
    noted_twice = "SELECT page FROM changes WHERE what = 'new' GROUP BY page HAVING count(*) > 1"
    with killing_web() as web:
        asked = web.crawl_command(store, seeds, "--no-traps", "--refresh", "--refresh-min", "0.001")
        for requests in (40, 90, 200):
            assert web.kill(asked, requests)
            assert faults_in(store) == []
            assert rows(store, noted_twice) == []
        subprocess.run([*asked, "--pages", "150"], stdout=subprocess.DEVNULL, check=True)
    assert faults_in(store) == []
    assert rows(store, noted_twice) == []
    ((fetches, pages),) = rows(store, "SELECT sum(fetches), count(*) FROM refresh")
    assert fetches > 2 * pages, "pages were fetched again"
