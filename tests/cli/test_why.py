"""What became of a URL, in sentences."""

import contextlib
import json
import re
from pathlib import Path

import httpx
import pytest
from support.command_line import HOME, answer, run
from support.sites import Server, Site, crawl, crawled_once

import minicrawl
from minicrawl.errors import NothingFetchedError

SITE: Site = {
    HOME: [HOME + name for name in ("a", "b", "private", "out", "moved", "gone", "meta")],
    HOME + "a": [HOME + "b", HOME + "late"],
    HOME + "b": [],
    HOME + "out": "http://b.test/x",
    HOME + "moved": HOME + "a",
}
store = crawled_once(
    Server(SITE, robots="User-agent: *\nDisallow: /p"), [HOME], scope="host", pages=6, strategy="breadth-first"
)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "private",
            "Refused by robots.txt: 'Disallow: /p' of http://a.test/robots.txt. minicrawl reads it again after",
        ),
        ("out", "it redirects, but a rule leaves out its target: it is on none of the seeds' hosts (--scope host)"),
        ("out", "It leads to http://b.test/x."),
        ("moved", "It stands for http://a.test/a: it redirects to another page (301 Moved Permanently)."),
        ("gone", "Given up: the answer was 404 Not Found."),
        ("b", "it leads to 0 pages, and 2 pages link to it."),
        ("late", "It waits: a page links to it, and it has not been fetched yet."),
        ("late", "Pages ahead of it: "),
        ("late", "Its host must rest until "),
    ],
)
def test_why_says_it_in_sentences(store: Path, path: str, said: str) -> None:
    assert said in run("why", HOME + path, "--store", store).output


def test_a_file_that_is_left_unread_is_not_said_to_be_read(tmp_path: Path) -> None:
    def reply(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=b"%PDF-1.7", headers={"Content-Type": "application/pdf"})

    store = tmp_path / "crawl.db"
    minicrawl.crawl([HOME], store, transport=httpx.MockTransport(reply), delay=0)
    told = run("why", HOME, "--store", store).output
    assert re.search(r"Fetched .*: it is not HTML, so it was not read, and has no links\. 0 pages link to it\.", told)


def test_a_robots_txt_that_could_not_be_read_has_refused_nothing(tmp_path: Path) -> None:
    with contextlib.suppress(NothingFetchedError):
        crawl(Server({HOME: []}, robots=500), tmp_path / "crawl.db", [HOME])
    told = run("why", HOME, "--store", tmp_path / "crawl.db").output
    assert "Not requested: robots.txt could not be read, so it forbids everything. minicrawl reads it again" in told
    assert "Refused" not in told


def test_how_many_are_before_a_page_is_counted(store: Path) -> None:
    waiting = [page for page in answer("top", "--where", "1", "--store", store) if page["state"] == "waiting"]
    assert len(waiting) >= 2
    for page in waiting:
        queue = answer("why", page["url"], "--store", store)["queue"]
        before = [other for other in waiting if other["importance"] > page["importance"]]
        assert queue == {
            "all": len(waiting),
            "before": len(before),
            "on_host": len(waiting),
            "before_on_host": len(before),
        }
    assert answer("why", HOME, "--store", store)["queue"] is None


def test_a_ban_is_told(store: Path) -> None:
    assert run("control", "ban", "a.test", "--store", store).exit_code == 0
    text = run("why", HOME + "late", "--store", store).output
    assert "It waits: its host is banned" in text
    assert "must rest until" not in text
    run("control", "unban", "a.test", "--store", store)


def test_a_host_that_was_never_asked_may_be_asked_at_once(tmp_path: Path) -> None:
    other = "http://b.test/"
    crawl({HOME: [other], other: []}, tmp_path / "crawl.db", [HOME], pages=1)
    text = run("why", other, "--store", tmp_path / "crawl.db").output
    assert "host        b.test: not asked so far\n" in text
    assert "It waits: " in text
    assert "1970" not in text
    assert "must rest until" not in text


A, B, C, D = (f"http://{name}.test/" for name in "abcd")
SITES: Site = {
    A: [A + "in", A + "moved", B, B + "deep"],
    A + "in": [A + "late"],
    A + "moved": A,
    B: [A, C],
    B + "deep": [],
    C: [D],
    D: [D + "x"],
    D + "x": [],
}
"""Nothing leads back from the third site, which therefore passes no trust on to the fourth."""


of_sites = crawled_once(SITES, [A], jump="sites")


def why(store: Path, url: str) -> list[str]:
    """The sentences about a page that are about trust, doors and jumps; numbers are N."""
    lines = [line.strip() for line in run("why", url, "--store", store).output.splitlines()]
    begin = next(at for at, line in enumerate(lines) if line.startswith("Its site, "))
    end = next(at for at, line in enumerate(lines) if line.startswith("state "))
    return [re.sub(r"\b0\.\d+|\b\d+%", "N", line) for line in lines[begin:end]]


JUMPS = "from jumps: walkers start at front pages, seeds and, by links in texts, any page of a site they trust"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (A, [
            "Its site, a.test, has N of all trust: it is a seed's, and trusted by 1 site, first b.test.",
            "1 other site links to it, first b.test.",
            "Weighed by trust, that makes 0 voices.",
            f"N of its importance comes {JUMPS}. The rest comes from links, first {A} with N of that.",
        ]),
        (A + "moved", [
            "Its site, a.test, has N of all trust: it is a seed's, and trusted by 1 site, first b.test.",
            "No other site links to this page itself.",
        ]),
        (D, [
            "Its site, d.test, has 0 of all trust: it is trusted by 1 site, first c.test.",
            "1 other site links to it, first c.test.",
            "Weighed by trust, that makes 0 voices.",
            f"N of its importance comes {JUMPS}. The rest comes from links, first {C} with N of that.",
        ]),
    ],
)  # fmt: skip
def test_why_says_how_far_a_site_is_trusted_and_where_importance_comes_from(
    of_sites: Path, url: str, said: list[str]
) -> None:
    assert why(of_sites, url) == said


def test_a_front_page_to_which_nobody_links_has_all_its_importance_from_jumps(tmp_path: Path) -> None:
    """Its twin, to which a page of its site links back, has not."""
    by_links = f"N of its importance comes {JUMPS}. The rest comes from links, first {A}in with N of that."
    nobody = f"All its importance comes {JUMPS}. No page read links to it."
    for back, last in (([], nobody), ([A], by_links)):
        store = tmp_path / f"{len(back)}.db"
        crawl({A: [A + "in"], A + "in": back}, store, [A], jump="sites")
        assert why(store, A)[-1] == last


# minicrawl why.


WHY = {
    "deny": ("http://a.test/secret", "deny", "--deny 'secret'"),
    "scope": ("http://b.test/", "scope-host", "--scope host: b.test is none of the seeds': a.test"),
    "too long": (HOME + "s" * 8_000, "too-long", "it has 8,014 bytes"),
    "too far": (HOME + "far", "max-depth", "--max-depth 2: it is 3 links from a seed; http://a.test/b links to it"),
    "no link": (HOME + "never-linked", "no-link", "no page read so far has a counted link to it"),
    "robots": (HOME + "private", "robots", "'Disallow: /p' of http://a.test/robots.txt"),
    "redirect": (
        HOME + "out",
        "redirect-scope-host",
        "http://b.test/x: --scope host: b.test is none of the seeds': a.test",
    ),
    "loop": (HOME + "meta2", "meta-refresh-loop", "http://a.test/meta: leads back here"),
    "canonical": (HOME + "named", "canonical-deny", "http://a.test/secret: --deny 'secret'"),
    "parameters": (HOME + "b?utm_source=x", "ok", None),
}


@pytest.mark.parametrize(("url", "reason", "rule"), WHY.values(), ids=WHY.keys())
def test_why_names_the_rule_that_decides(explained: Path, url: str, reason: str, rule: str | None) -> None:
    told = json.loads(run("why", url, "--json", "--store", explained).stdout)
    assert (told["reason"], told["rule"], told["asked"]) == (reason, rule, url)
    text = run("why", url, "--store", explained).output
    assert (
        f"{reason}: {rule}" in text
        if rule
        else "known as    this, without parts of the URL that change nothing" in text
    )
    assert "robots.txt  " + ("robots, 'Disallow: /p' of" if reason == "robots" else "") in text


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with something for every rule."""
    store = tmp_path_factory.mktemp("why") / "crawl.db"
    site: Site = {
        HOME: [HOME + name for name in ("a", "private", "out", "meta", "meta2", "named", "secret")],
        HOME + "a": [HOME + "b?utm_source=y"],
        HOME + "b": [HOME + "far"],
        HOME + "out": "http://b.test/x",
        HOME + "meta": [f'<meta http-equiv="refresh" content="0;{HOME}meta2">'],
        HOME + "meta2": [f'<meta http-equiv="refresh" content="0;{HOME}meta">'],
        HOME + "named": [f'<link rel="canonical" href="{HOME}secret">'],
    }
    server = Server(site, robots="User-agent: *\nDisallow: /p")
    crawl(server, store, [HOME], scope="host", deny=("secret",), max_depth=2, strategy="breadth-first")
    return store
