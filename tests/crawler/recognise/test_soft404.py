"""Hosts that answer for pages they do not have."""

import random
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.behaviours import BEHAVIOURS, DEAD, outcome, words
from support.command_line import answer, run
from support.prose import prose
from support.sites import EVERYTHING, HOME, Server, Site, crawl, faults_in, rows

from minicrawl.crawler.recognise.soft404 import MOST_PROBES, Soft404s, folder_of, probe_url
from minicrawl.model import Fetched
from minicrawl.store.recognised import Probe, RecentPage

REAL = [f"{HOME}f/real{number}" for number in range(5)]
LOST = [f"{HOME}f/lost{number}" for number in range(9)]


def soft(site: Site, says: str, robots: str | int = 404, under: str = HOME) -> Server:
    """A site that answers for what it does not have, where it does, with status 200, or redirects to its front page."""

    def said(request: httpx.Request, _: int) -> Any:
        if not str(request.url).startswith(under):
            return 404
        if says == "/":
            return httpx.Response(302, headers={"location": "/"})
        return httpx.Response(200, html=says.replace("PATH", request.url.path))

    return Server(site, robots, absent=said)


def probes(server: Server) -> list[str]:
    return [url for url in server.asked if url not in (HOME, *REAL, *LOST)]


def site() -> Site:
    pages: Site = {HOME: [*LOST, *REAL]}
    return pages | {url: [prose(number + 10, 400, f"Page {url}")] for number, url in enumerate(REAL)}


NOT_FOUND = prose(1, 400, "Not here").replace("<body>", '<body><h1>Sorry, no PATH</h1><a href="/f/lost8">more</a>')


def states(store: Path, urls: list[str]) -> set[tuple[str, str]]:
    found = {url: (state, reason) for url, state, reason in rows(store, "SELECT url, state, reason FROM pages")}
    return {found[url] for url in urls}


def test_soft_404s_are_errors_also_those_read_before_and_the_host_is_asked_once(store: Path) -> None:
    report, server = crawl(soft(site(), NOT_FOUND), store, [HOME], strategy="breadth-first")
    assert states(store, LOST) == {("error", "soft-404")}
    assert states(store, REAL) == {("fetched", "ok")}
    assert 2 <= len(probes(server)) <= MOST_PROBES
    assert all(url.startswith(HOME + "f/") for url in probes(server))
    assert report.fetched == len([HOME, *REAL, *LOST])
    assert report.failures == {"soft-404": len(LOST)}
    assert rows(store, "SELECT sum(length(targets)) FROM links JOIN pages ON id = source WHERE state = 'error'") == [
        (0,)
    ]
    assert faults_in(store) == []


def test_redirects_of_what_is_not_there_to_the_front_page_are_soft_404s(tmp_path: Path) -> None:
    """Those read before, too; not a seed, nor other names of the front page, nor what redirects elsewhere."""
    store, seed, index, moved = tmp_path / "crawl.db", HOME + "old", HOME + "index.html", HOME + "f/moved"
    web = site() | {moved: REAL[0], index: HOME}
    web[HOME] = [*LOST, index, *REAL, moved]
    server = soft(web, "/")
    for pages in (4, 3, 100):
        crawl(server, store, [HOME, seed], strategy="breadth-first", pages=pages)
    assert states(store, LOST) == {("error", "soft-404")}
    assert states(store, [HOME, *REAL]) == {("fetched", "ok")}
    assert states(store, [index, moved]) == {("alias", "redirect-301")}
    assert states(store, [seed]) == {("alias", "redirect-302")}
    assert 2 <= len(set(probes(server)) - {seed, index, moved}) <= MOST_PROBES
    assert faults_in(store) == []


@pytest.mark.parametrize("case", ["old pages", "all but one"])
def test_redirects_to_the_front_page_are_aliases_where_they_do_not_tell(store: Path, case: str) -> None:
    """What is not there is a 404; or nearly every page is redirected, as where the front page wants a cookie."""
    web: Site = site() | dict.fromkeys(LOST, HOME)
    if case == "all but one":
        web |= dict.fromkeys(REAL[1:], HOME)
    server = soft(web, "/", under="http://nowhere" if case == "old pages" else HOME)
    crawl(server, store, [HOME], strategy="breadth-first")
    assert states(store, LOST) == {("alias", "redirect-301")}
    assert len(probes(server)) == {"old pages": 1}.get(case, 2)
    assert faults_in(store) == []


@pytest.mark.parametrize("case", ["no traps", "robots", "not found", "nothing said"])
def test_nothing_is_taken_for_an_error(store: Path, case: str) -> None:
    settings: dict[str, bool] = {"traps": case != "no traps"}
    web, says = site() | {url: [NOT_FOUND] for url in LOST}, NOT_FOUND
    robots: str | int = (
        "User-agent: *\nAllow: /$\nAllow: /f/lost\nAllow: /f/real\nDisallow: /" if case == "robots" else 404
    )
    if case == "nothing said":
        says = ""
    server = soft(web, says, robots, under="http://nowhere" if case == "not found" else HOME)
    crawl(server, store, [HOME], strategy="breadth-first", **settings)
    assert states(store, [HOME, *LOST, *REAL]) == {("fetched", "ok")}
    assert len(probes(server)) == {"no traps": 0, "robots": 0}.get(case, 1)


@pytest.mark.parametrize("there", [HOME, LOST[0]])
def test_page_that_is_surely_there_is_no_error_and_says_nothing_of_others(store: Path, there: str) -> None:
    """A host that answers with its home page for all that it does not have, or a seed that is not there any more."""
    web = site() | {there: [NOT_FOUND, *LOST, *REAL]}
    crawl(soft(web, NOT_FOUND), store, [HOME, there], strategy="breadth-first")
    assert states(store, [there, *REAL]) == {("fetched", "ok")}
    assert states(store, LOST[1:]) == {("error", "soft-404")}


@pytest.mark.parametrize(
    ("name", "order"), list(zip(BEHAVIOURS, cycle(["mixed", "dead first", "good first"]), strict=False))
)
def test_dead_links_are_found_and_pages_kept(store: Path, name: str, order: str) -> None:
    result = outcome(name, store, order, **EVERYTHING)
    least = 0.95 if BEHAVIOURS[name].tells else 0
    assert len(result.found) >= least * DEAD
    assert result.lost == []
    assert len(result.probes) <= MOST_PROBES
    assert faults_in(store) == []


@pytest.mark.parametrize("own", [0, 2])
def test_restart_forgets_nothing_of_pages_that_were_read(own: int) -> None:
    """Neither that hosts are to be asked, nor what will be judged by their answers; here is one after every page."""
    rng, dead, urls = random.Random(1), 20, [f"{HOME}f/{number}" for number in range(60)]
    probes: dict[str, Probe] = {}
    kept: dict[int, RecentPage] = {}
    found = Soft404s([], b"secret")
    for number, url in enumerate(urls):
        not_found = f"home sorry there is nothing here {words(rng, own)}"
        said = not_found if number < dead else f"home {words(rng, 30)}"
        found.read(number, page_of(url, said), is_there=False)
        if number >= dead and (probe := found.wanted.pop("http://a.test", None)):
            found.note_answer(page_of(probe, not_found), 0.0)
        new, dropped = found.take_read()
        kept = {row.id: row for row in [*kept.values(), *new] if row.id not in dropped}
        probes |= {row.folder: row for row in found.take_rows()}
        found = Soft404s(probes.values(), b"secret", [(row, urls[row.page]) for row in kept.values()])
    assert [found.is_soft_404(number, HOME) for number in range(60)] == [number < dead for number in range(60)]


def page_of(url: str, said: str) -> Fetched:
    return Fetched(url, status=200, digest=hash(said), short_text=said.encode())


def test_pages_taken_for_errors_are_given_back_when_nearly_all_are_like_them() -> None:
    """Two pages that differ are enough for 16 that do not, and too few for 17."""
    found = Soft404s([], b"secret")
    judged = [found.read(number, page_of(f"{HOME}f/a{number}", "nothing here"), is_there=False) for number in range(16)]
    for _ in range(2):
        probe = found.wanted.pop("http://a.test", None)
        assert probe is not None
        judged.append(found.note_answer(page_of(probe, "nothing here"), 0.0))
    for number, said in ((16, "wholly other text"), (17, "as this is")):
        judged.append(found.read(number, page_of(f"{HOME}f/b{number}", said), is_there=False))
    assert [(len(lost), len(regained)) for lost, regained in judged] == [(0, 0)] * 19 + [(16, 0)]
    _, regained = found.read(18, page_of(f"{HOME}f/c", "nothing here"), is_there=False)
    assert len(regained) == 16
    assert not found.is_soft_404(18, f"{HOME}f/c")


@pytest.mark.parametrize(
    ("url", "folder", "ending"),
    [
        (HOME, HOME, ""),
        (HOME + "a", HOME, ""),
        (HOME + "a/", HOME, "/"),
        (HOME + "a/b.html?q=/x", HOME + "a/", ".html"),
        (HOME + "a/b.c/", HOME + "a/", "/"),
        ("http://a.test:8080/a/b/c", "http://a.test:8080/a/b/", ""),
    ],
)
def test_probe_is_beside_the_page(url: str, folder: str, ending: str) -> None:
    probe = probe_url(url, b"secret")
    assert folder_of(url) == folder_of(probe) == folder
    assert probe.endswith(ending)
    assert probe == probe_url(folder + "other" + ending, b"secret") != probe_url(url, b"another")


def test_why_and_status_tell(store: Path) -> None:
    _, server = crawl(soft(site(), NOT_FOUND), store, [HOME], strategy="breadth-first")
    why, told = (run(*words, "--store", store).stdout for words in (("why", LOST[0]), ("status",)))
    assert f"  soft 404    it says what the host says for {probes(server)[-1]}, which cannot exist" in why
    said = "probes    requested 2 pages that cannot exist, 2 answered as if they existed (soft 404s in 1 folder)"
    assert said in told
    assert answer("status", "--store", store)["probes"] == {"asked": 2, "existed": 2, "soft_404": [HOME + "f/"]}
    assert len(probes(server)) == 2


@pytest.mark.parametrize(
    ("reply", "existed"),
    [(NOT_FOUND, 2), ("", 1), (404, 0), (403, 0), (httpx.Response(302, headers={"location": HOME}), 2)],
    ids=["a page", "a page without text", "not found", "forbidden", "the front page"],
)
def test_answers_are_counted_whatever_they_prove(store: Path, reply: Any, existed: int) -> None:
    def absent(request: httpx.Request, _: int) -> Any:
        is_known = str(request.url) in LOST
        return httpx.Response(200, html=NOT_FOUND if is_known else reply) if is_known or reply == "" else reply

    server = soft(site(), NOT_FOUND) if reply == NOT_FOUND else Server(site(), absent=absent)
    crawl(server, store, [HOME], strategy="breadth-first")
    assert answer("status", "--store", store)["probes"]["existed"] == existed
    assert answer("status", "--store", store)["probes"]["asked"] == len(probes(server))


WALL, BLANK = prose(1, 30, "Just a moment"), "<div id=page></div>"
SHELL = "<title>Our application</title><div id=root></div><script src=/app.js></script>"
OPEN: Site = {url: [f"<p>{prose(number, 60)}", *REAL] for number, url in enumerate(REAL)}


def all_say(text: str) -> Site:
    return dict.fromkeys(REAL, lambda *_: httpx.Response(200, html=text))


@pytest.mark.parametrize(
    ("pages", "robots", "later", "asked"),
    [
        *((all_say(wall), wall, OPEN, set(REAL)) for wall in (WALL, BLANK, SHELL)),
        (all_say(SHELL), SHELL, all_say(f"{SHELL}<p>Version 2"), {REAL[0]}),
        *((OPEN, robots, OPEN, set()) for robots in ("".join(OPEN[REAL[0]]), WALL, BLANK, SHELL)),
    ],
)
def test_where_robots_txt_says_what_all_pages_say_each_run_asks_for_one(
    pages: Site, robots: str, later: Site, asked: set[str], store: Path
) -> None:
    """A wall may have stood before all of the host. An application that is drawn in the browser looks the same."""
    server = Server(pages, robots)
    for site, expected in ((pages, set(REAL)), *[(pages, set(REAL[:1] if asked else ()))] * 2, (later, asked)):
        server.site = site
        server.asked.clear()
        crawl(server, store, REAL, traps=False)
        read = [url for url in server.asked if url in REAL]
        assert set(read) == expected
        assert site is later or len(read) == len(expected)
