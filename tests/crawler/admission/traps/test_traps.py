"""Traps take next to nothing of a crawl, sites that are merely large lose nothing, and every verdict has a name."""

import asyncio
import json
import random
from collections import deque
from collections.abc import Callable
from datetime import date, timedelta
from itertools import count, product
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.command_line import answer, run
from support.sites import HOME, Server, Site, crawl, faults_in, rows

from minicrawl.api import acrawl
from minicrawl.crawler.admission.trap_findings import COMBINATIONS, JUDGED
from minicrawl.crawler.admission.trap_findings import PAGES as COUNTED
from minicrawl.crawler.admission.traps import MONTHS, NO_CONTENT, SAMPLES, PageContent, Traps, is_sample
from minicrawl.demo.web import DemoWeb
from minicrawl.store.reader import open_store
from minicrawl.web.fingerprint import identity_of

Page = tuple[str, list[str]]
"""The content of a page, and its links."""


NO_DIGITS = str.maketrans("", "", "0123456789")


def walked(
    page: Callable[[str], Page], *, seeds: list[str] | None = None, depth_first: bool = False, most: int = 20_000
) -> tuple[list[str], Traps]:
    """Read pages as a crawl does that knows nothing but order: those read, and the traps' state."""
    seeds = seeds or [HOME]
    waiting, known = deque(seeds), set(seeds)
    traps = Traps(knows=known.__contains__)
    read: list[str] = []
    while waiting and len(read) < most:
        url = waiting.pop() if depth_first else waiting.popleft()
        if url not in seeds and traps.turns_away(url) is not None:
            continue
        read.append(url)
        says, links = page(url)
        new = [link for link in dict.fromkeys(links) if link not in known]
        content = PageContent(hash(says), hash(says.translate(NO_DIGITS))) if says else NO_CONTENT
        for link, rule in zip(new, traps.refusals(url, content, new), strict=True):
            if rule is None:
                known.add(link)
                waiting.append(link)
    return read, traps


# Static rules.


def test_digest_leaves_out_link_targets_and_what_was_asked_for() -> None:
    page = "<p>Not found: {path}<a href=\"/s{n}/x\">to</a><a href='/s{n}'>http://a.test/s?id={n}</a> {text}"
    one, two, other = (
        page.format(path=f"/p/{n}", n=n, text=text).encode() for n, text in [(1, ""), (2, ""), (2, "new")]
    )
    assert identity_of(one, HOME + "p/1").digest == identity_of(two, HOME + "p/2").digest
    assert identity_of(two, HOME + "p/2").digest != identity_of(other, HOME + "p/2").digest
    assert identity_of(one, HOME + "p/1").digest != identity_of(one, "https://a.test/p/1").digest


# Sites that are merely large.


def items(url: str) -> Page:
    """3,000 pages /item?id=N, 30 to a list, each with a link to the next."""
    if url == HOME:
        return "home", [f"{HOME}list?page=1"]
    number = int(url.rpartition("=")[2])
    if "list" in url:
        following = [f"{HOME}list?page={number + 1}"] if number < 100 else []
        return url, [f"{HOME}item?id={30 * (number - 1) + place}" for place in range(30)] + following
    return url, [HOME, f"{HOME}item?id={(number + 1) % 3000}"]


def wiki(url: str, form: str = "wiki/{}") -> Page:
    """5,000 titles that link to each other and to nothing else."""
    prefix, _, _ = f"{HOME}{form}".partition("{}")
    number = 0 if url == HOME else int(url.removeprefix(prefix).removeprefix("T_").translate(LETTERS_TO_DIGITS))
    near = [(number * step + step) % 5000 for step in (1, 2, 3, 7, 11)]
    return url, [HOME] + [prefix + "T_" + str(title).translate(DIGITS_TO_LETTERS) for title in near]


DIGITS_TO_LETTERS = str.maketrans("0123456789", "abcdefghij")
LETTERS_TO_DIGITS = str.maketrans("abcdefghij", "0123456789")


def wiki_of_queries(url: str) -> Page:
    return wiki(url, "index.php?title={}")


def calendar(url: str) -> Page:
    """Three years of months and days, which link to those beside them. Nothing happens on any of them."""
    dates = [f"{year}/{month:02}" for year, month in product((2023, 2024, 2025), range(1, 13))]
    if url == HOME:
        return "home", [f"{HOME}cal/2025/12"]
    date = url.removeprefix(f"{HOME}cal/")
    month, day = date[:7], int(date[8:] or 0)
    place = dates.index(month)
    beside = [f"{HOME}cal/{dates[at]}" for at in (place - 1, place + 1) if 0 <= at < len(dates)]
    days = range(max(1, day - 1), min(28, day + 1) + 1) if day else range(1, 29)
    return url, beside + [f"{HOME}cal/{month}/{number:02}" for number in days]


def forum(url: str) -> Page:
    """300 threads of 10 pages, each of which links to the next one and to the last."""
    if url == HOME:
        return "home", [f"{HOME}board?f=1&page={page}" for page in range(10)]
    values = dict(part.split("=") for part in url.partition("?")[2].split("&"))
    if "board" in url:
        threads = range(30 * int(values["page"]), 30 * int(values["page"]) + 30)
        return url, [f"{HOME}thread?f=1&t={thread}" for thread in threads]
    page = int(values.get("page", 1))
    thread = f"{HOME}thread?f=1&t={values['t']}"
    return url, [f"{thread}&page={number}" for number in (min(10, page + 1), 10)]


def site_three_times(url: str) -> Page:
    """400 pages of one folder, the same again under two other names."""
    if url == HOME:
        return "home", [f"{HOME}docs/{name}-{number}" for number in range(400) for name in "abc"]
    return url.rpartition("-")[2], [HOME]


def listings(url: str) -> Page:
    """Index pages that say the same and lead on to pages that do not."""
    if url == HOME:
        return "home", [f"{HOME}{'p' * number}/" for number in range(1, 101)]
    return ("index", [f"{url}latest/index.html"]) if url.endswith("/") else (url, [])


def archive(url: str) -> Page:
    """30 years of a newspaper: every month links to its five articles and to the month before."""
    if url == HOME:
        return "home", [f"{HOME}2025/12/"]
    year, month, *article = url.removeprefix(HOME).split("/")
    if any(article):
        return url, [HOME]
    before = 12 * int(year) + int(month) - 2
    earlier = [f"{HOME}{before // 12}/{before % 12 + 1:02}/"] if before >= 12 * 1996 else []
    return url, [f"{url}story-{number}" for number in range(5)] + earlier


def articles(url: str) -> Page:
    """2,000 articles, each with words of its own and a link to the next one: nothing else leads to them."""
    number = int(url.rpartition("/")[2] or 0)
    following = [f"{HOME}article/{number + 1}"] if number < 2000 else []
    return f"All about {str(number).translate(DIGITS_TO_LETTERS)}", [HOME, *following]


def bugs(url: str) -> Page:
    """2,000 numbers that say nothing else, 50 to a list of which there is no end of pages to go through."""
    if url == HOME:
        return "home", [f"{HOME}bugs?page=0"]
    number = int(url.rpartition("=")[2])
    if "page" in url:
        following = [f"{HOME}bugs?page={number + 1}"] if number < 39 else []
        return url, [f"{HOME}bugs?id={50 * number + place}" for place in range(50)] + following
    return f"Bug {number}", [f"{HOME}bugs?id={min(1999, number + 1)}", f"{HOME}bugs?page={number // 50}"]


def threads(url: str) -> Page:
    """200 threads of up to 30 pages, by path."""
    if url == HOME:
        return "home", [f"{HOME}thread/{thread}/1" for thread in range(200)]
    thread, page = map(int, url.removeprefix(f"{HOME}thread/").split("/"))
    return f"Thread {thread}, page {page}", [f"{HOME}thread/{thread}/{min(thread % 30 + 1, page + 1)}"]


def stations(url: str) -> Page:
    """50 stations, each with 20 years, and each year with 12 months, by parameters."""
    chosen = dict(part.split("=") for part in filter(None, url.partition("?")[2].split("&")))
    if url == HOME:
        return "home", [f"{HOME}data?station={number}" for number in range(50)]
    name, least, most = (("year", 2000, 2020), ("month", 1, 13), ("", 0, 0))[len(chosen) - 1]
    return url, [f"{url}&{name}={number}" for number in range(least, most)]


@pytest.mark.parametrize("depth_first", [False, True], ids=["breadth-first", "depth-first"])
@pytest.mark.parametrize(
    ("site", "pages"),
    [
        (items, 1 + 100 + 3000),
        (wiki, 1 + 5000),
        (wiki_of_queries, 1 + 5000),
        (calendar, 1 + 36 + 36 * 28),
        (forum, 1 + 10 + 300 * 10),
        (site_three_times, 1 + 1200),
        (listings, 1 + 200),
        (archive, 1 + 360 + 360 * 5),
        (articles, 1 + 2000),
        (bugs, 1 + 40 + 2000),
        (stations, 1 + 50 + 50 * 20 + 50 * 20 * 12),
        (threads, 1 + sum(thread % 30 + 1 for thread in range(200))),
    ],
)
def test_large_site_is_not_cut(site: Callable[[str], Page], pages: int, depth_first: bool) -> None:
    read, traps = walked(site, depth_first=depth_first)
    assert [row for row in traps.take_rows()[0] if row.trap] == []
    assert len(read) == pages


# Traps.


def endless_calendar(url: str) -> Page:
    year, month = (2026, 11) if url == HOME else map(int, url.removeprefix(f"{HOME}cal/").split("/"))
    at = 12 * year + month - 1
    return url, [f"{HOME}cal/{beside // 12}/{beside % 12 + 1:02}" for beside in (at - 1, at + 1)]


def days(url: str) -> Page:
    """Days that are only numbered; nothing happens on any of them."""
    number = int(url.rpartition("=")[2]) if "=" in url else 0
    return f"Day {number} is a {WEEKDAYS[number % 7]}", [f"{HOME}cal?d={number + step}" for step in (1, -1, 7, 30, 365)]


def dated_days(url: str) -> Page:
    """Days by date, with as little on them."""
    day = date.fromisoformat(url.rpartition("/")[2] or "2026-01-01")
    beside = (f"{HOME}events/{day + timedelta(days=step)}" for step in (1, -1))
    return f"{day}, a {WEEKDAYS[day.weekday()]}: no events", [HOME, *beside]


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weeks(url: str) -> Page:
    """Weeks of years, by path."""
    year, week = (2026, 1) if url == HOME else map(int, url.removeprefix(f"{HOME}week/").split("/w"))
    at = 52 * year + week - 1
    return f"{year}, week {week}", [f"{HOME}week/{beside // 52}/w{beside % 52 + 1}" for beside in (at - 1, at + 1)]


def offsets(url: str) -> Page:
    """Months by their distance from this one, with a view."""
    offset = int(url.partition("offset=")[2] or 0)
    month = f"{WEEKDAYS[offset % 7]} to {WEEKDAYS[(offset + 2) % 7]}, {2026 + offset // 12}"
    return month, [HOME, *(f"{HOME}events?view=month&offset={offset + step}" for step in (-1, 1))]


def endless_parameters(url: str) -> Page:
    chosen = dict(part.split("=") for part in (url.partition("?")[2] or "a=0&b=0&c=0&d=0").split("&"))
    return url, [
        f"{HOME}s?" + "&".join(f"{key}={old}" for key, old in (chosen | {name: str(value)}).items())
        for name, value in product("abcd", range(8))
    ]


def facets(url: str) -> Page:
    """A shop's 200 goods by four properties with nine values each, 10,000 lists in all."""
    if "/good/" in url:
        return url, [HOME, f"{HOME}goods"]
    chosen = dict(part.split("=") for part in filter(None, url.partition("?")[2].split("&")))
    others = [chosen | {name: str(value)} for name, value in product(("color", "maker", "size", "sort"), range(9))]
    goods = random.Random(url).sample(range(200), 12)
    links = [f"{HOME}goods?" + "&".join(f"{name}={other[name]}" for name in sorted(other)) for other in others]
    return url, [*links, *(f"{HOME}good/{number}" for number in goods)]


def issues(url: str) -> Page:
    """A tracker's 60 issues by page and columns to sort by, the last five chosen; each list has a file of its own."""
    if "/issue/" in url or ".csv" in url:
        return "" if ".csv" in url else url, [f"{HOME}issues"]
    chosen = dict(part.split("=") for part in filter(None, url.partition("?")[2].split("&")))
    by = [column for column in chosen.get("sort", "").split(",") if column]
    page, size = int(chosen.get("page", 1)), int(chosen.get("size", 20))
    shown = random.Random(",".join(by)).sample(range(60), 60)[size * (page - 1) : size * page]
    others = [{"sort": ",".join([column, *(one for one in by if one != column)][:5])} for column in "abcdef"]
    others += [{"page": f"{number}"} for number in range(1, 60 // size + 1)]
    others += [{"size": number, "page": "1"} for number in ("10", "20", "60")] + [{"filter": "1"}]
    lists = ["&".join(f"{name}={value}" for name, value in sorted((chosen | other).items())) for other in others]
    files = [f"{HOME}issues.csv?{chosen}" for chosen in lists]
    return f"{shown}", [*(f"{HOME}issues?{one}" for one in lists), *files, *(f"{HOME}issue/{one}" for one in shown)]


def folders(url: str) -> Page:
    """A shop's lists by up to nine properties, chosen in any order."""
    return url, [f"{url.removesuffix('/')}/{name}" for name in "abcdefghi" if f"/{name}/" not in f"{url}/"]


def searches(url: str) -> Page:
    """Results with words to add."""
    return url, [
        f"{url}+{word}" if "?" in url else f"{HOME}?q={word}" for word in "abcdefghijkl" if word not in url[14:]
    ]


SESSIONS = count()


def sessions(url: str) -> Page:
    """Seven pages; every answer has another id in its links."""
    return url.rpartition("/")[2], [f"{HOME}{next(SESSIONS):032x}/{page}" for page in "abcdefg"]


def session_parameters(url: str) -> Page:
    """The same with PHP's parameter."""
    return url.partition("?")[0], [f"{HOME}{page}.php?PHPSESSID={next(SESSIONS):x}&p=1" for page in "abcdefg"]


def endless_path(url: str) -> Page:
    return "always the same", [f"{url}{folder}/" for folder in ("team", "history", "contact")]


def appended(url: str) -> Page:
    """A document whose links add its parameter once more."""
    return "a document", [f"{url}{'&' if '?' in url else '?'}v={version}" for version in range(3)]


def escaped(url: str) -> Page:
    """A list whose links escape its URL once more."""
    again = url.replace("&", "&amp;")
    return "goods", [f"{again}{'&amp;' if '?' in url else '?'}{name}={by}" for name, by in product("st", range(2))]


def not_found(url: str) -> Page:
    return "sorry", [f"{url}{letter}" for letter in "abcdef"]


@pytest.mark.parametrize("depth_first", [False, True], ids=["breadth-first", "depth-first"])
@pytest.mark.parametrize(
    ("site", "rule", "most"),
    [
        (endless_calendar, "trap-calendar", MONTHS + 1),
        (days, "trap-calendar", COUNTED + 2),
        (dated_days, "trap-calendar", 2 * COUNTED),
        (weeks, "trap-calendar", 2 * COUNTED),
        (offsets, "trap-calendar", 2 * COUNTED),
        (endless_parameters, "trap-parameters", 2 * JUDGED),
        (facets, "trap-parameters", 1_200),
        (issues, "trap-parameters", 2_200),
        (folders, "trap-parameters", 1_200),
        (searches, "trap-parameters", 100),
        (sessions, "trap-session", 4 * JUDGED),
        (session_parameters, "trap-session", 8 * JUDGED),
        (endless_path, "trap-duplicates", 7 * JUDGED),
        (appended, "trap-duplicates", 2 * JUDGED),
        (escaped, "trap-escaped-again", 2 * JUDGED),
        (not_found, "trap-duplicates", 2 * JUDGED),
    ],
)
def test_trap_is_left_after_some_pages(site: Callable[[str], Page], rule: str, most: int, depth_first: bool) -> None:
    read, traps = walked(site, depth_first=depth_first)
    assert len(read) <= most
    assert rule in {row.trap for row in traps.take_rows()[0]}


def test_months_that_are_known_stay_open_when_a_calendar_is_shut() -> None:
    read, traps = walked(endless_calendar)
    assert traps.verdict(read[5]) is None
    assert traps.verdict(f"{HOME}cal/1999/01") == ("trap-calendar", "a.test/cal/{date}")


def test_few_new_combinations_are_no_explosion() -> None:
    """Three parameters, 100 URLs in all: fewer than it takes."""
    links = [f"{HOME}s?a={a}&b={b}&c=1" for a, b in product(range(10), range(10))]
    assert len(links) < COMBINATIONS
    read, _ = walked(lambda url: (url, links))
    assert len(read) == 101


# The live crawl.


def transport(web: DemoWeb) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        reply = web.respond(str(request.url))
        return httpx.Response(reply.status, headers=dict(reply.headers), content=reply.body)

    return httpx.MockTransport(answer)


@pytest.mark.slow
def test_traps_of_the_demo_take_two_percent_of_a_crawl_at_most(store: Path) -> None:
    web = DemoWeb.generate(seed=0, hosts=40, pages=6000, traps=True)
    settings: dict[str, Any] = {"delay": 0.0, "concurrency": 1, "pages": 5000, "jump": "pages"}
    asyncio.run(acrawl(web.seeds, store, transport=transport(web), **settings))
    assert web.traps is not None
    with open_store(store) as reader:
        fetched = reader.page_table.fetch_order()
        shut = reader.patterns.trap_patterns()
    assert len(fetched) == 5000
    assert sum(url.startswith((web.traps, web.calendar)) for url in fetched) <= 100
    # Of a calendar, and of parameters that are combined, too few pages have the cash to be read.
    assert {row.trap for row in shut} >= {"trap-duplicates", "trap-repeated-path", "trap-session"}
    assert all(row.name.startswith(web.hosts[1]) for row in shut)
    assert faults_in(store) == []


def test_link_into_a_trap_is_not_counted_and_its_number_is_kept(store: Path) -> None:
    trap = HOME + "s?v=1&v=1&v=1&v=1"
    crawl({HOME: [HOME + "a", trap]}, store, [HOME], pages=1)
    assert rows(store, "SELECT url FROM pages") == [(HOME,), (HOME + "a",)]
    assert rows(store, "SELECT length(targets) / 4, refused FROM links") == [(1, 1)]


def test_without_the_defence_every_link_is_followed(tmp_path: Path) -> None:
    trap = HOME + "a/b/a/b/a/b"
    _, server = crawl({HOME: [trap], trap: []}, tmp_path / "crawl.db", [HOME], traps=False)
    assert server.asked == [HOME, trap]
    assert rows(tmp_path / "crawl.db", "SELECT count(*) FROM patterns") == [(0,)]


def test_seed_is_fetched_whatever_it_looks_like(tmp_path: Path) -> None:
    trap = HOME + "a/a/a/a"
    _, server = crawl({trap: []}, tmp_path / "crawl.db", [trap])
    assert server.asked == [trap]


@pytest.mark.parametrize(
    "link",
    [HOME + "s?v=1&v=1&v=1&v=1", '<link rel="canonical" href="/s?v=1&v=1&v=1&v=1">'],
    ids=["redirect", "canonical"],
)
def test_page_cannot_stand_for_a_trap(store: Path, link: str) -> None:
    site: Site = {HOME: link if link.startswith("http") else [link]}
    crawl(site, store, [HOME])
    is_redirect = link.startswith("http")
    expected = (
        "error" if is_redirect else "fetched",
        f"{'redirect' if is_redirect else 'canonical'}-trap-repeated-parameter",
    )
    assert rows(store, "SELECT state, reason FROM pages") == [expected]


LOST = [f"{HOME}lost/{'x' * number}" for number in range(1, 41)]
SAMPLE = [*filter(is_sample, LOST[JUDGED:])][:SAMPLES]


def soft_404s() -> dict[str, list[str]]:
    """40 pages that say the same and lead to more of their kind, and five real ones."""
    real = [f"{HOME}real-{letter}" for letter in "abcde"]
    return (
        {HOME: LOST + real}
        | {url: ["<h1>Sorry</h1>", f"{HOME}lost/x"] for url in LOST}
        | {url: [f"<h1>{url}</h1>"] for url in real}
    )


def test_known_page_in_a_trap_is_turned_away_without_a_fetch_and_no_cash_is_stuck(store: Path) -> None:
    _, server = crawl(soft_404s(), store, [HOME], strategy="breadth-first")
    assert [url for url in server.asked if url in LOST] == LOST[:JUDGED] + SAMPLE
    assert sum("real" in url for url in server.asked if url in soft_404s()) == 5
    turned_away = rows(store, "SELECT state, fetch, visited FROM pages WHERE reason = 'trap-duplicates'")
    assert set(turned_away) == {("error", None, 1)}
    assert faults_in(store) == []


def shop(alike: int, products: int = 500) -> dict[str, list[str]]:
    """Products of which the first ones say the same, each with a link to another one that nobody else links to."""
    names = [str(number).translate(DIGITS_TO_LETTERS) for number in range(products)]
    pages = {
        f"{HOME}p/{name}": [f"<h1>{'Lamp' if number < alike else 'Lamp ' + name}</h1>", f"{HOME}p/{name}-more"]
        for number, name in enumerate(names)
    }
    return {HOME: list(pages)} | pages


@pytest.mark.parametrize("strategy", ["greedy", "breadth-first"])
def test_pages_that_say_something_are_read_though_the_first_ones_of_their_pattern_do_not(
    tmp_path: Path, strategy: str
) -> None:
    _, server = crawl(shop(2 * JUDGED, 50), tmp_path / "crawl.db", [HOME], strategy=strategy)
    assert {*server.asked} >= {*shop(0, 50)}
    assert faults_in(tmp_path / "crawl.db") == []


def test_few_pages_of_a_trap_are_sampled(tmp_path: Path) -> None:
    """And what these link to stays unknown."""
    _, server = crawl(shop(500), tmp_path / "crawl.db", [HOME], strategy="breadth-first")
    products = {url for url in shop(500) if "/p/" in url}
    assert sum(url in products for url in server.asked) == JUDGED + SAMPLES


def test_page_turned_away_is_not_asked_for_when_pages_are_read_again(tmp_path: Path) -> None:
    server = Server(soft_404s())
    crawl(server, tmp_path / "crawl.db", [HOME], strategy="breadth-first", discovery=0.5, pages=200)
    assert {url for url in server.asked if url in LOST} == {*LOST[:JUDGED], *SAMPLE}
    assert sum(url in soft_404s() for url in server.asked) == 200


def test_crawl_in_pieces_leaves_the_same_traps_as_the_crawl_in_one(tmp_path: Path) -> None:
    """In an order that no end of a run changes."""
    web = DemoWeb.generate(seed=1, hosts=8, pages=200, traps=True)
    whole, pieces = tmp_path / "whole.db", tmp_path / "pieces.db"

    def crawled(store: Path, pages: int) -> None:
        settings: dict[str, Any] = {"delay": 0.0, "concurrency": 1, "ignore_robots": True, "strategy": "breadth-first"}
        asyncio.run(acrawl(web.seeds, store, transport=transport(web), pages=pages, **settings))

    crawled(whole, 400)
    for pages in (1, 3, 6, 40, 50, 100, 200):
        crawled(pieces, pages)
    for query in ("SELECT * FROM patterns", "SELECT * FROM digests", "SELECT url, state, reason FROM pages"):
        assert rows(pieces, query) == rows(whole, query)
    assert rows(whole, "SELECT count(DISTINCT trap) FROM patterns WHERE trap IS NOT NULL")[0][0] >= 4


# What the user is told.


@pytest.fixture(scope="module")
def shut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("traps") / "crawl.db"
    site = soft_404s()
    site[HOME] = [*site[HOME], HOME + "s?v=1&v=1&v=1&v=1"]
    crawl(site, store, [HOME], strategy="breadth-first")
    return store


def test_status_names_the_patterns_and_how_many_urls_each(shut: Path) -> None:
    lines = [line for line in run("status", "--store", shut).stdout.splitlines() if line.startswith("trap")]
    assert lines == [
        "trap      a.test trap-repeated-parameter: trap-repeated-parameter; 0 read, 1 link dropped",
        f"trap      a.test/lost/*: trap-duplicates; {JUDGED + SAMPLES} read, 0 links dropped",
    ]
    told = answer("status", "--store", shut)["traps"]
    assert told[1] == {"pattern": "a.test/lost/*", "rule": "trap-duplicates", "read": JUDGED + SAMPLES, "dropped": 0}


def test_why_names_the_budget_of_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minicrawl.crawler.admission.traps.PAGES", 3)
    store, other = tmp_path / "crawl.db", "http://b.test/"
    site: Site = {HOME: [other], other: [f"{other}{page}" for page in "abcdefgh"]}
    for _ in range(2):
        crawl(site, store, [HOME], pages=1)
    assert rows(store, "SELECT count(*) FROM pages") == [(7,)]
    told = [
        json.loads(run("why", url, "--json", "--store", store).stdout)
        for url in (other + "h", other + "new", other + "a")
    ]
    assert [(each["trap"] or {"rule": None})["rule"] for each in told] == ["trap-host-budget"] * 2 + [None]
    assert told[0]["trap"]["pattern"] == "b.test"


def test_farm_makes_no_room(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty domains behind one honest link vouch for their hub less than seven honest sites do for one."""
    monkeypatch.setattr("minicrawl.crawler.admission.traps.PAGES", 50)
    honest, large = [f"http://s{number}.test/" for number in range(8)], "http://s1.test/"
    web: Site = {site: [other for other in honest if other != site] for site in honest}
    web[large] = [*honest, *(f"{large}{page}" for page in range(20))]
    web |= {f"{large}{page}": [f"{large}{page}/{leaf}" for leaf in range(10)] for page in range(20)}
    web[honest[0]] = [*honest, "http://farm0.test/"]
    for number in range(60):
        links = [f"http://farm{(number + step) % 60}.test/" for step in (1, 2, 3)]
        web[f"http://farm{number}.test/"] = [*links, *(f"http://hub.test/{number}-{page}" for page in range(20))]
    for pages in (8, 20, 20, 500):
        crawl(web, store, honest[:1], jump="sites", pages=pages)
    known = dict(rows(store, "SELECT name, count(*) FROM pages JOIN hosts ON hosts.id = host GROUP BY name"))
    assert known["s1.test"] == 221
    assert known["hub.test"] < 150
    told = json.loads(run("why", "http://hub.test/59-19", "--json", "--store", store).stdout)["trap"]
    assert (told["rule"], told["pattern"]) == ("trap-host-budget", "hub.test")


@pytest.mark.parametrize(
    ("path", "reason", "rule"),
    [
        ("s?v=1&v=1&v=1&v=1", "trap-repeated-parameter", "trap-repeated-parameter"),
        ("lost/never-linked", "trap-duplicates", "trap-duplicates"),
        ("lost/" + "x" * 40, "trap-duplicates", "trap-duplicates"),
        ("lost/x", "ok", "trap-duplicates"),
        ("real-a", "ok", None),
        ("other", "no-link", None),
    ],
)
def test_why_names_the_rule_for_any_url(shut: Path, path: str, reason: str, rule: str | None) -> None:
    told = json.loads(run("why", HOME + path, "--json", "--store", shut).stdout)
    assert told["reason"] == reason
    assert (told["trap"] or {"rule": None})["rule"] == rule
    assert (f"  trap        {rule}, pattern a.test/" in run("why", HOME + path, "--store", shut).stdout) == (
        rule is not None
    )
