"""Pages that are fetched again: what is learned, what is asked with which validators, what is kept."""

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.changing_web import CHANGES, ChangingPage
from support.sites import HOME, Reply, Server, crawl, faults_in, rows
from support.skipping import run, run_apart

from minicrawl.analysis.explain import explain
from minicrawl.analysis.why_facts import PageRefresh
from minicrawl.api import Crawl, acrawl
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.frontier.due_pages import most_worth
from minicrawl.crawler.frontier.schedules import BELIEVED
from minicrawl.crawler.loop.limits import SteadyClock
from minicrawl.crawler.run import Caller, crawl_with
from minicrawl.store.reader import Store, open_store
from minicrawl.store.tables import Tables
from minicrawl.timing import Timing

PAGE = HOME + "page"
DAY = 86_400.0
PATIENT = Timing(batch=3000.0, lease=9000.0)
"""Few commits in hours that pass in a moment."""


class Changing(Server):
    """Serves one page beside its home."""

    def __init__(self, reply: Reply) -> None:
        super().__init__({HOME: [PAGE], PAGE: reply})

    def of_page(self) -> list[httpx.Request]:
        return [request for request in self.requests if str(request.url) == PAGE]


def refreshed(server: Changing, store: Path, pages: int = 24, **more: Any) -> Changing:
    crawl(server, store, [HOME], **{"refresh": True, "pages": pages, "traps": False, "timing": PATIENT} | more)
    assert faults_in(store) == []
    return server


def row(store: Path, columns: str) -> tuple[Any, ...]:
    return rows(store, f"SELECT {columns} FROM refresh JOIN pages ON pages.id = page WHERE url = ?", PAGE)[0]


def page_of(store: Store, url: str) -> PageRefresh:
    page = explain(store, url).page
    assert page is not None
    assert page.refresh is not None
    return page.refresh


def linking(text: str) -> str:
    return f"<p>{text}</p><a href='{HOME}'>home</a>"


@pytest.mark.parametrize("etag", ['"v1"', 'W/"v1"', "v1", '"odd\\"', "Ünquoted ~"])
def test_validators_go_back_byte_for_byte_and_a_304_keeps_state_links_and_books(store: Path, etag: str) -> None:
    raw, date = etag.encode("latin-1"), b"yesterday, about noon"

    def reply(request: httpx.Request, _: int) -> httpx.Response:
        sent = dict(request.headers.raw)
        if sent.get(b"If-None-Match") == raw and sent.get(b"If-Modified-Since") == date:
            return httpx.Response(304)
        return httpx.Response(200, html=linking("same"), headers=[(b"etag", raw), (b"last-modified", date)])

    server = refreshed(Changing(reply), store, pages=40)
    unconditional = [
        number for number, request in enumerate(server.of_page()) if b"If-None-Match" not in dict(request.headers.raw)
    ]
    assert unconditional == [0, 10]
    assert row(store, "state, reason, fetches, changes, answers") == ("fetched", "ok", 20, 0, "=" * 8)
    assert rows(store, "SELECT count(*) FROM links WHERE length(targets) = 4") == [(2,)]


PLAIN: dict[str, Any] = {"traps": False, "timing": PATIENT, "refresh_min": "1s"}


def again_by_name(server: Server, store: Path) -> None:
    async def main() -> None:
        async with Crawl([], store, transport=server, delay=0.0, **PLAIN) as running:
            await running.again(PAGE)
            await running.finished()

    run(main())


def in_a_round(server: Server, store: Path) -> None:
    run(crawl_with({"delay": 0.0}, Seeds([]), store, Caller(refreshed=2, transport=server, timing=PATIENT)), grace=0.0)


def crawling(**settings: Any) -> Callable[[Server, Path], Any]:
    return lambda server, store: crawl(server, store, [], **PLAIN | {"pages": 2} | settings)


WAYS: dict[str, Callable[[Server, Path], Any]] = {
    "crawl --refresh": crawling(refresh=True),
    "refresh": in_a_round,
    "crawl --recrawl-after": crawling(recrawl_after="1s"),
    "crawl --discovery": crawling(discovery=0.5),
    "control again": again_by_name,
}


def let_age(store: Path) -> None:
    rows(store, "UPDATE fetches SET fetched_at = fetched_at - 60")
    rows(store, "UPDATE refresh SET fetched_at = fetched_at - 60, due = due - 60")
    rows(store, "UPDATE meta SET value = value - 60 WHERE key = 'needed_since' AND value > 0")


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_every_way_to_fetch_a_page_again_obeys_one_rule(tmp_path: Path, way: Callable[[Server, Path], Any]) -> None:
    """A crawl that reads pages once; then twice by this way. The first of these is conditional, and finds the page as
    it was; for the second it has changed, and for the third the crawl keeps texts."""
    text = "the first version of a page that says enough to be known by its words " * 9

    def reply(request: httpx.Request, _: int) -> httpx.Response:
        etag = f'"{len(text)}"'
        if request.headers.get("if-none-match") == etag:
            return httpx.Response(304)
        return httpx.Response(200, html=linking(text), headers={"etag": etag})

    server, store = Changing(reply), tmp_path / "crawl.db"
    crawl(server, store, [HOME], **PLAIN)
    about = "SELECT state, reason, title, fetched_at, validators FROM pages JOIN fetches ON fetches.id = fetch"
    let_age(store)
    outlinks = "SELECT source, targets, nofollow, refused FROM links"
    before, links = rows(store, about), rows(store, outlinks)
    way(server, store)
    assert (rows(store, about)[1:], rows(store, outlinks)) == (before[1:], links)
    let_age(store)
    assert row(store, "refresh.fetches, changes, answers") == (2, 0, "=")
    text = text.replace("first", "second")
    way(server, store)
    assert row(store, "refresh.fetches, changes, answers") == (3, 1, "=#")
    assert rows(store, "SELECT what FROM changes WHERE page = 1 ORDER BY id") == [("new",), ("changed",)]
    crawl(server, store, [], text=True, time=0.01)  # while all are too young
    let_age(store)
    way(server, store)
    assert ["if-none-match" in request.headers for request in server.of_page()] == [False, True, True, False]
    assert row(store, "refresh.fetches, changes, answers") == (4, 1, "=#=")
    assert faults_in(store) == []


class Shop(Server):
    """Serves changing pages, with ETags if they have versions."""

    def __init__(self, pages: Mapping[str, ChangingPage], versions: Mapping[str, int] | None = None) -> None:
        super().__init__({HOME: list(pages)})
        self.pages, self.versions = pages, versions

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        if url not in self.pages:
            return super()._answer(request)
        headers = {"content-type": "text/html"}
        if self.versions is not None:
            headers["etag"] = f'"{self.versions[url]}"'
            if request.headers.get("if-none-match") == headers["etag"]:
                return httpx.Response(304)
        return httpx.Response(200, content=self.pages[url].html(), headers=headers)


def one_round(server: Shop, store: Path) -> None:
    let_age(store)
    settings, pages = {"delay": 0.0}, 1 + len(server.pages)
    run(crawl_with(settings, Seeds([]), store, Caller(refreshed=pages, transport=server, timing=PATIENT)), grace=0.0)


def told(store: Path) -> list[tuple[Any, ...]]:
    """URLs and kinds of changes."""
    return rows(
        store, "SELECT url, kinds FROM changes JOIN pages ON pages.id = page WHERE what = 'changed' ORDER BY url"
    )


@pytest.mark.parametrize("keeps", ["text", "nothing"])
def test_after_a_crawl_that_kept_texts_the_first_change_is_told_else_the_second_round_remembers(
    store: Path, keeps: str
) -> None:
    """A text tells of itself alone: what else has changed is known from the next round on."""
    changes = [what for what in CHANGES if what != "words of a link"]  # those are text, too
    pages = {f"{HOME}{at}": ChangingPage(at, random.Random(at), {"time"}) for at in range(len(changes))}
    server = Shop(pages)
    crawl(server, store, [HOME], **PLAIN, pages=1 + len(pages), text=keeps == "text")
    in_text = {"title", "description", "link", "text"} if keeps == "text" else set[str]()
    for whats in (in_text, set(CHANGES.values())):
        before = Counter(told(store))
        for url, what in zip(pages, changes, strict=True):
            pages[url].change(what)
        one_round(server, store)
        kinds = {url: CHANGES[what] for url, what in zip(pages, changes, strict=True) if CHANGES[what] in whats}
        assert sorted(Counter(told(store)) - before) == sorted(kinds.items())


def test_a_server_that_has_said_304_tells_of_a_change_though_nobody_knows_in_what(store: Path) -> None:
    pages = {f"{HOME}{at}": ChangingPage(at, random.Random(at), {"time"}) for at in range(4)}
    versions = dict.fromkeys(pages, 0)
    server = Shop(pages, versions)
    crawl(server, store, [HOME], **PLAIN, pages=1 + len(pages))
    one_round(server, store)
    changed = f"{HOME}2"
    for kinds in ("", "text"):
        pages[changed].change("text")
        versions[changed] += 1
        one_round(server, store)
        assert told(store)[-1] == (changed, kinds)
    assert len(told(store)) == 2


def test_a_page_that_differs_is_asked_again_after_half_a_minute_without_a_condition(store: Path) -> None:
    """A counter takes one answer more, once; a change two; and neither is a turn."""
    texts = {"counter": iter(range(1000)), "changed": iter([0, *[1] * 1000])}

    def reply(request: httpx.Request, count: int) -> httpx.Response:
        lines = "".join(f"<p>Line {word} of the page</p>" for word in ("one", "two", "three", "four"))
        body = f"<p>Known to {next(texts['counter'])} friends</p>{lines}<p>Version {'new' if count > 3 else 'old'}</p>"
        return httpx.Response(200, html=linking(body), headers={"etag": f'"{count}"'})

    server = refreshed(Changing(reply), store, pages=20)
    conditions = ["if-none-match" in request.headers for request in server.of_page()]
    at = [time for time, url in server.times if url == PAGE]
    gaps = [round(b - a) for a, b in pairwise(at)]
    again = [number for number, gap in enumerate(gaps, 1) if gap < 60]
    assert again == [2, 4, 5]
    assert not any(conditions[number] for number in again)
    assert row(store, "refresh.fetches, changes") == (len(at) - len(again), 1)


def test_a_page_that_is_retried_is_asked_for_as_one_never_read(store: Path) -> None:
    answers = [httpx.Response(404, headers={"etag": '"x"'}), httpx.Response(200, html=linking("x"))]
    server = Changing(lambda _, count: answers[count - 1])
    crawl(server, store, [HOME], **PLAIN)
    crawl(server, store, [], **PLAIN, retry="http-404")
    assert ["if-none-match" in request.headers for request in server.of_page()] == [False, False]
    assert rows(store, "SELECT count(*) FROM refresh") == [(0,)]


def test_a_page_whose_server_lies_is_asked_without_condition_until_it_is_repaired(store: Path) -> None:
    """It says 304 to its one ETag whatever has changed, until it has an ETag for each version."""
    turns: list[str] = []

    def reply(request: httpx.Request, _: int) -> httpx.Response:
        now = asyncio.get_running_loop().time()
        if not turns or now - float(turns[-1].split()[0]) > 300.0:
            turns.append(f"{now} {'if-none-match' in request.headers}")
        version = len(turns) // 6
        etag = '"for ever"' if len(turns) <= 80 else f'"{version}"'
        if request.headers.get("if-none-match") == etag:
            return httpx.Response(304)
        return httpx.Response(200, html=linking(f"version {version}"), headers={"etag": etag})

    refreshed(Changing(reply), store, pages=400)
    conditional = [turn.endswith("True") for turn in turns]
    assert sum(conditional[:16]) == 10
    assert sum(conditional[40:80]) == 5
    assert sum(conditional[-32:]) >= 29
    assert rows(store, "SELECT doubt < 2 FROM refresh_hosts") == [(1,)]


def test_the_simple_rule_ends_when_nothing_is_left_and_fetches_again_what_is_old(store: Path) -> None:
    site = {HOME: [HOME + "1"], HOME + "1": [HOME]}
    _, first = crawl(site, store, [HOME], recrawl_after="30d")
    _, soon = crawl(site, store, [])
    rows(store, "UPDATE refresh SET fetched_at = fetched_at - 3e6, due = due - 3e6")
    _, later = crawl(site, store, [])
    assert [sorted(set(server.asked)) for server in (first, soon, later)] == [sorted(site), [], sorted(site)]


DATES = {
    "true": (lambda edited, now: edited, True),
    "of the request": (lambda edited, now: now, False),
    "of the last minute": (lambda edited, now: now - 60.0, False),
    "a day ahead": (lambda edited, now: edited + DAY, False),
    "never moves": (lambda edited, now: 0.0, False),
}


@pytest.mark.parametrize(("date", "is_believed"), DATES.values(), ids=DATES.keys())
def test_last_modified_is_believed_where_it_moves_with_the_text(
    tmp_path: Path, date: Callable[[float, float], float], is_believed: bool
) -> None:
    """A page that changes every seven hours and is asked for every two: now and then it has changed, mostly not."""
    clock: list[SteadyClock] = []

    def reply(request: httpx.Request, _: int) -> httpx.Response:
        clock.extend([SteadyClock()] if not clock else [])
        now = clock[0]()
        edited = now - now % (7 * 3600.0)
        fields = {"last-modified": formatdate(date(edited, now), usegmt=True)}
        return httpx.Response(200, html=linking(f"version {edited}"), headers=fields)

    store, server = tmp_path / "crawl.db", Changing(reply)
    run_apart(acrawl([HOME], store, transport=server, delay=0.0, refresh=True, refresh_min="2h", time="90h",
                     timing=PATIENT, traps=False))  # fmt: skip
    assert len(server.requests) > 30
    (belief,) = rows(store, "SELECT dates FROM refresh_hosts")[0]
    assert (belief >= BELIEVED) == is_believed


def test_a_page_that_has_changed_by_its_sitemap_is_due_sooner_in_the_next_run_too(store: Path) -> None:
    site = {HOME: [HOME + str(number) for number in range(5)], **{HOME + str(n): [HOME] for n in range(5)}}
    crawl(site, store, [HOME], refresh=True, pages=12, timing=PATIENT, traps=False)
    url = HOME + "3"
    rows(store, "UPDATE refresh SET lastmod = fetched_at + 1 WHERE page = (SELECT id FROM pages WHERE url = ?)", url)
    with open_store(store) as reader:
        before, others = page_of(reader, url), page_of(reader, HOME + "2")
    rows(store, "INSERT OR REPLACE INTO refresh_hosts (host, lastmods) VALUES (0, ?)", BELIEVED)
    with open_store(store) as reader:
        after, stale = page_of(reader, url), most_worth(reader, 100, 4e9)
        assert {reader.page_table.url(choice.page): choice.stale for choice in stale}[url] == 1.0
    assert (before.why_due, after.why_due, others.why_due) == ("worth", "lastmod", "worth")
    assert before.due is not None
    assert after.due is not None
    assert after.due < before.due


@pytest.mark.parametrize(("html", "etag"), [(linking("x"), "x" * 1000), ("<p>" + "x" * 5000, "x")])
def test_long_validators_are_dropped_and_those_of_cut_pages(store: Path, html: str, etag: str) -> None:
    answer = Changing(lambda *_: httpx.Response(200, html=html, headers={"etag": f'"{etag}"'}))
    server = refreshed(answer, store, pages=6, max_size=4000)
    assert not any("if-none-match" in request.headers for request in server.of_page())


def test_what_is_asked_is_worked_out_while_nothing_is_written(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the task that waits for commits, before a request has one of its own: a connection serves one at a time."""
    tasks, take_row = set[Any](), Tables.row

    def noted(self: Tables, query: str, *values: Any) -> Any:
        if threading.current_thread() is threading.main_thread():
            tasks.add(asyncio.current_task())
        return take_row(self, query, *values)

    crawl({HOME: [PAGE], PAGE: []}, store, [HOME])
    with monkeypatch.context() as patched:
        patched.setattr(Tables, "row", noted)
        in_a_round(Server({HOME: [PAGE], PAGE: []}), store)
    assert len(tasks - {None}) == 1
