"""Requests for files at places that everybody knows: what comes of each answer, where else is looked, and kills."""

import os
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.dying import killed_at
from support.sites import Reply, faults_in
from support.well_known import Files, WithFiles, crawl, outcomes, pages

from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.requests.well_known import DUE, WellKnownQueue
from minicrawl.model import Fetched
from minicrawl.store.rows import WellKnownRow

HOME, LLMS = "https://h.test/", "https://h.test/llms.txt"
TEXT = "# The docs\n\n- [Start](/start)\n"
SITE: dict[str, Reply] = {HOME: [], f"{HOME}start": []}


def found(store: Path, site: dict[str, Reply], files: Files, **settings: Any) -> tuple[dict[str, str], WithFiles]:
    server = WithFiles(SITE | site, files, settings.pop("robots", 404))
    crawl(server, store, HOME, **{"well_known": "llms.txt", "delay": 0.0, "probe": False} | settings)
    assert faults_in(store) == []
    return outcomes(store), server


@pytest.mark.parametrize(
    ("kind", "content", "reason"),
    [
        ("text/plain", TEXT, "ok"),
        ("Text/Markdown; charset=utf-8", TEXT, "ok"),
        (None, TEXT, "ok"),
        pytest.param("text/plain", TEXT + "word " * 300_000, "ok", id="long"),
        ("text/html", TEXT, "not-such-a-file"),
        ("text/html", "<!doctype html><title>Sorry</title>", "not-such-a-file"),
        ("text/plain", "<!doctype html><title>Sorry</title># x", "not-such-a-file"),
        ("application/octet-stream", TEXT, "not-such-a-file"),
        ("text/plain", b"# \0\1", "not-such-a-file"),
        ("application/json", "{}", "not-such-a-file"),
        ("text/plain", "", "not-such-a-file"),
        ("text/plain", "Not found", "not-such-a-file"),
    ],
)
def test_a_file_is_a_page_if_it_looks_like_one(
    tmp_path: Path, kind: str | None, content: str | bytes, reason: str
) -> None:
    store = tmp_path / "crawl.db"
    assert found(store, {}, {LLMS: (kind, content)})[0] == {LLMS: reason}
    expected = {LLMS, f"{HOME}start"} if reason == "ok" else set()
    assert pages(store).keys() == {HOME} | expected
    assert pages(store).get(LLMS) in (None, "ok", "truncated")


@pytest.mark.parametrize(
    ("reply", "reason", "tries"),
    [(404, "http-404", 1), (403, "http-403", 1), (410, "http-410", 1), (503, "http-503", 3)],
)
def test_an_error_is_no_page(tmp_path: Path, reply: int, reason: str, tries: int) -> None:
    store = tmp_path / "crawl.db"
    told, server = found(store, {LLMS: reply}, {})
    assert told == {LLMS: reason}
    assert server.asked_files == [LLMS] * tries
    assert pages(store) == {HOME: "ok"}


def test_what_robots_txt_forbids_is_not_asked_for_but_by_the_next_run(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    told, server = found(store, {}, {LLMS: ("text/plain", TEXT)}, robots="User-agent: *\nDisallow: /llms.txt")
    assert (told, server.asked_files) == ({LLMS: "robots"}, [])
    told, server = found(store, {}, {LLMS: ("text/plain", TEXT)}, ignore_robots=True)
    assert (told, server.asked_files) == ({LLMS: "ok"}, [LLMS])


MOVED = "https://www.h.test/docs/llms.txt"


@pytest.mark.parametrize(
    ("redirects", "told", "is_found"),
    [
        ({LLMS: MOVED}, {LLMS: "redirect-301", MOVED: "ok", "https://www.h.test/llms.txt": "http-404"}, True),
        ({LLMS: HOME}, {LLMS: "redirect-301", HOME: "link"}, False),
        ({LLMS: f"{HOME}new"}, {LLMS: "redirect-301", f"{HOME}new": "not-such-a-file"}, False),
        ({LLMS: "https://other.test/llms.txt"}, {LLMS: "redirect-301"}, False),
        ({LLMS: LLMS}, {LLMS: "redirect-loop"}, False),
        ({LLMS: f"{HOME}b", f"{HOME}b": LLMS}, {LLMS: "redirect-301", f"{HOME}b": "redirect-301"}, False),
    ],
    ids=["another place", "front page", "web page", "another site", "itself", "circle"],
)
def test_redirects_are_followed_within_the_site(
    tmp_path: Path, redirects: dict[str, Reply], told: dict[str, str], is_found: bool
) -> None:
    files = {MOVED: ("text/plain", TEXT), "https://other.test/llms.txt": ("text/plain", TEXT)}
    store = tmp_path / "crawl.db"
    asked, _ = found(store, {f"{HOME}new": ["<p>new"], **redirects}, files)
    assert asked == told
    assert pages(store).keys() == {HOME} | ({MOVED, "https://www.h.test/start"} if is_found else set())


def test_a_chain_of_redirects_has_an_end(tmp_path: Path) -> None:
    chain: dict[str, Reply] = {f"{HOME}{number}": f"{HOME}{number + 1}" for number in range(9)}
    told, _ = found(tmp_path / "crawl.db", {LLMS: f"{HOME}0", **chain}, {})
    assert list(told) == [LLMS, *(f"{HOME}{number}" for number in range(5))]


SECURITY, ROOT = f"{HOME}.well-known/security.txt", f"{HOME}security.txt"
CONTACT = ("text/plain", "Contact: mailto:me@h.test\n")


@pytest.mark.parametrize(
    ("site", "files", "told"),
    [
        ({}, {SECURITY: CONTACT, ROOT: CONTACT}, {SECURITY: "ok"}),
        ({}, {ROOT: CONTACT}, {SECURITY: "http-404", ROOT: "ok"}),
        ({}, {SECURITY: ("text/html", "<p>no"), ROOT: CONTACT}, {SECURITY: "not-such-a-file", ROOT: "ok"}),
        ({SECURITY: 403}, {ROOT: CONTACT}, {SECURITY: "http-403"}),
        ({SECURITY: ROOT}, {ROOT: CONTACT}, {SECURITY: "redirect-301", ROOT: "ok"}),
        ({ROOT: SECURITY}, {SECURITY: CONTACT}, {SECURITY: "ok"}),
        ({}, {}, {SECURITY: "http-404", ROOT: "http-404"}),
    ],
)
def test_security_txt_is_at_the_root_only_where_it_is_missing_at_its_place(
    tmp_path: Path, site: dict[str, Reply], files: Files, told: dict[str, str]
) -> None:
    """RFC 9116 3."""
    asked, server = found(tmp_path / "crawl.db", site, files, well_known="security.txt")
    assert asked == told
    assert server.asked_files == list(told)


def test_security_txt_is_asked_for_by_https_alone(tmp_path: Path) -> None:
    store, server = tmp_path / "crawl.db", WithFiles({"http://h.test/": []}, {})
    crawl(server, store, "http://h.test/", well_known="llms.txt,security.txt", delay=0.0)
    assert outcomes(store) == {"http://h.test/llms.txt": "http-404"}


def test_pages_with_an_error_or_in_another_place_let_no_origin_be_asked(tmp_path: Path) -> None:
    site: dict[str, Reply] = {HOME: ["https://gone.test/", "https://moved.test/"], "https://moved.test/": HOME}
    assert found(tmp_path / "crawl.db", site, {})[0] == {LLMS: "http-404"}


class Dying(WithFiles):
    """Kills the crawl in place of its answer number `step`."""

    step = 0

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.step -= 1
        if not self.step:
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._answer(request)


@pytest.mark.parametrize("step", range(3, 13, 2))
def test_a_kill_loses_no_file(step: int, tmp_path: Path) -> None:
    site: dict[str, Reply] = {HOME: ["https://b.test/", f"{HOME}a"], "https://b.test/": [HOME], f"{HOME}a": []}
    files = {LLMS: ("text/plain", TEXT), "https://b.test/security.txt": CONTACT}

    def run(server: WithFiles) -> None:
        crawl(server, tmp_path / "crawl.db", HOME, well_known="llms.txt,security.txt", probe=False)

    dying = Dying(SITE | site, files)
    dying.step = step
    killed_at(0, [], lambda: run(dying))
    run(WithFiles(SITE | site, files))
    assert pages(tmp_path / "crawl.db") == dict.fromkeys([*site, f"{HOME}start", *files], "ok")
    assert DUE not in outcomes(tmp_path / "crawl.db").values()
    assert faults_in(tmp_path / "crawl.db") == []


def test_the_queue_goes_on_with_what_has_no_outcome() -> None:
    queue = WellKnownQueue([])
    queue.note("https://h.test", ["llms.txt", "security.txt"], 7)
    queue.note("https://h.test", ["llms.txt"], 8)
    first, second = queue.to_ask(0.0)
    assert (first.url, first.page, second.url) == (LLMS, 7, SECURITY)
    assert queue.to_ask(0.0) == []
    queue.tried(first, Outcome(None, "timeout", wait=5.0), Fetched(LLMS), 10.0)
    queue.closed(second, "robots")
    assert (queue.next_ready(), queue.to_ask(14.0)) == (15.0, [])
    (again,) = queue.to_ask(15.0)
    assert again.attempts == 1
    rows = queue.take_rows()
    assert queue.take_rows() == []
    later = WellKnownQueue(map(WellKnownRow._make, rows))
    assert [row.url for row in later.to_ask(0.0)] == [LLMS, SECURITY]
    later.closed(again, "ok", 200, 99.0)
    assert [row.reason for row in later.take_rows()] == ["ok"]
    assert WellKnownQueue([again._replace(reason="ok", attempts=0, asked_at=99.0)]).to_ask(0.0) == []
