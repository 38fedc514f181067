"""Hosts that answer for pages they do not have."""

import json
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from prose import prose
from sites import Server, Site, crawl, rows

from minicrawl.cli import main
from minicrawl.crawl.audit import audit
from minicrawl.crawl.soft404 import MOST_PROBES, Soft404s, above, folder_of, probe_url
from minicrawl.model import Fetched
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
REAL = [f"{HOME}f/real{number}" for number in range(5)]
LOST = [f"{HOME}f/lost{number}" for number in range(9)]


class Soft(Server):
    """A site that answers for what it does not have, where it does, with status 200."""

    def __init__(self, site: Site, says: str, robots: str | int = 404, under: str = HOME) -> None:
        super().__init__(site, robots)
        self._says, self._under = says, under

    def _answer(self, request: httpx.Request) -> httpx.Response:
        found = super()._answer(request)
        url = str(request.url)
        if found.status_code != 404 or url.endswith("/robots.txt") or not url.startswith(self._under):
            return found
        return httpx.Response(200, html=self._says.replace("PATH", request.url.path))

    def probes(self) -> list[str]:
        return [url for url in self.asked if url not in (HOME, *REAL, *LOST)]


def site() -> Site:
    pages: Site = {HOME: [*LOST, *REAL]}
    return pages | {url: [prose(number + 10, 400, f"Page {url}")] for number, url in enumerate(REAL)}


NOT_FOUND = prose(1, 400, "Not here").replace("<body>", '<body><h1>Sorry, no PATH</h1><a href="/f/lost8">more</a>')


def states(store: Path, urls: list[str]) -> set[tuple[str, str]]:
    found = {url: (state, reason) for url, state, reason in rows(store, "SELECT url, state, reason FROM pages")}
    return {found[url] for url in urls}


def test_soft_404s_are_errors_also_those_read_before_and_the_host_is_asked_once(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    report, server = crawl(Soft(site(), NOT_FOUND), store, [HOME], strategy="breadth-first")
    assert states(store, LOST) == {("error", "soft-404")}
    assert states(store, REAL) == {("fetched", "ok")}
    assert len(server.probes()) == 1
    assert server.probes()[0].startswith(HOME + "f/")
    assert report.fetched == len([HOME, *REAL, *LOST])
    assert report.failures == {"soft-404": len(LOST)}
    assert rows(store, "SELECT sum(length(targets)) FROM links JOIN pages ON id = source WHERE state = 'error'") == [
        (0,)
    ]
    assert list(audit(open_store(store))) == []


def test_restart_asks_no_more_and_knows_them_still(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    server = Soft(site(), NOT_FOUND)
    for pages in (4, 3, 100):
        crawl(server, store, [HOME], strategy="breadth-first", pages=pages)
    assert len(server.probes()) == 1
    assert states(store, LOST) == {("error", "soft-404")}


@pytest.mark.parametrize("case", ["no-probe", "robots", "not found", "nothing said", "home page says the same", "seed"])
def test_nothing_is_taken_for_an_error(tmp_path: Path, case: str) -> None:
    store = tmp_path / "crawl.db"
    web, seeds, says = site() | {url: [NOT_FOUND] for url in LOST}, [HOME], NOT_FOUND
    robots: str | int = (
        "User-agent: *\nAllow: /$\nAllow: /f/lost\nAllow: /f/real\nDisallow: /" if case == "robots" else 404
    )
    if case == "nothing said":
        says = "<p>x"
    if case == "home page says the same":
        web[HOME] = [NOT_FOUND, *LOST, *REAL]
    if case == "seed":
        seeds = [HOME, LOST[0]]
    server = Soft(web, says, robots, under="http://nowhere" if case == "not found" else HOME)
    crawl(server, store, seeds, strategy="breadth-first", probe=case != "no-probe")
    assert states(store, [HOME, *LOST, *REAL]) == {("fetched", "ok")}
    assert len(server.probes()) == (0 if case in ("no-probe", "robots") else 1)


def test_page_that_is_surely_there_clears_the_host(tmp_path: Path) -> None:
    """The folder is read after the probe, and says what the probe was answered."""
    store = tmp_path / "crawl.db"
    web = site()
    web[HOME] = [*LOST[:6], HOME + "f/", *LOST[6:]]
    says = NOT_FOUND.replace("PATH", "page")
    web[HOME + "f/"] = [says]
    crawl(Soft(web, says), store, [HOME], strategy="breadth-first")
    assert rows(store, "SELECT verdict FROM probes") == [("catch-all",)]
    assert states(store, [HOME + "f/", *LOST[6:]]) == {("fetched", "ok")}


def test_page_that_nearly_says_the_same_under_another_title_is_none(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    web = site() | {REAL[0]: [NOT_FOUND.replace("Sorry, no PATH", "Sorry").replace("Not here", "Not there")]}
    crawl(Soft(web, NOT_FOUND.replace("PATH", "PATH at")), store, [HOME], strategy="breadth-first")
    assert states(store, LOST) == {("error", "soft-404")}
    assert states(store, REAL) == {("fetched", "ok")}


def test_host_is_asked_a_few_times_at_most() -> None:
    found = Soft404s([], b"secret")
    asked = []
    for number in range(9):
        found.suspect(f"{HOME}{number}/x", f"{HOME}{number}/y", (1, 2))
        asked.append(found.take_due("http://a.test"))
        if asked[-1]:
            found.take_in(Fetched(asked[-1], status=404), None, "not-found", 0.0)
    assert [url is not None for url in asked] == [True] * MOST_PROBES + [False] * (9 - MOST_PROBES)
    assert len(found.take_rows()) == MOST_PROBES


def test_second_probe_is_for_pages_that_say_what_those_beside_them_say() -> None:
    found = Soft404s([], b"secret")
    for leader, folder in [("y/1", "x/"), ("z/1", "y/"), ("z/1", "z/")]:
        found.suspect(f"{HOME}{folder}2", HOME + leader, (1, 2))
        assert (found.take_due("http://a.test") is not None) == (folder != "y/")


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


def test_folders_above_end_at_the_home_page() -> None:
    assert list(above(HOME + "a/b/c")) == [HOME + "a/b/", HOME + "a/b", HOME + "a/", HOME + "a", HOME]
    assert list(above(HOME)) == list(above(HOME + "x")) == [HOME]


def test_why_and_status_tell(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    _, server = crawl(Soft(site(), NOT_FOUND), store, [HOME], strategy="breadth-first")

    def run(*words: str) -> str:
        return CliRunner().invoke(main, [*words, "--store", str(store)]).stdout

    assert f"  soft 404    it says what the host said of {server.probes()[0]}, which cannot exist" in run(
        "why", LOST[0]
    )
    assert "probes    1 pages that cannot exist asked for, 1 answered as if they did" in run("status")
    assert json.loads(run("status", "--json"))["probes"] == {"asked": 1, "soft_404": [HOME + "f/"]}
