"""The preferences of pages by all that is said of them, their columns in exports, and what these leave out."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import run
from support.preferring import FREE, HEADER, HOME, META, SIGNAL, SITE, preferring
from support.searching import urls
from support.sites import crawl, crawled_once, rows

from minicrawl.errors import counted
from minicrawl.search.following import following
from minicrawl.store.reader import Store, open_store

ROBOTS = "User-agent: *\nContent-Usage: search=y\nContent-Usage: /free train-ai=n\nDisallow: /none\n"
store = crawled_once(preferring(robots=ROBOTS), [HOME, HOME + "none"], text=True)
"""A crawl that respects nothing."""


@pytest.fixture
def reader(store: Path) -> Iterator[Store]:
    with open_store(store) as reader:
        yield reader


def test_corpus_has_the_verdicts_that_are_known(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "corpus.jsonl", "--text", "--store", store)
    found = map(json.loads, (tmp_path / "corpus.jsonl").read_text().splitlines())
    assert {page["url"]: page["preferences"] for page in found} == {
        HOME: "search=y",
        META: "search=y, ai-input=n, ai-train=n",
        HEADER: "search=y, ai-train=n",
        SIGNAL: "search=n",
        FREE: "ai-train=n",
    }


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (META, ("disallowed", "robots: noai", "meta", None)),
        (HEADER, ("disallowed", "Content-Usage: train-ai=n, search=y", "header", None)),
        (FREE, ("disallowed", "Content-Usage: /free train-ai=n", "robots.txt", f"{HOME}robots.txt")),
        (HOME, ("unknown", None, None, None)),
        (HOME + "unknown", ("unknown", None, None, None)),
    ],
)
def test_why_tells_what_decides(store: Path, reader: Store, url: str, expected: tuple[str | None, ...]) -> None:
    told = json.loads(run("why", url, "--json", "--store", store).output)["usage"]["ai-train"]
    assert tuple(told.values()) == expected
    printed = run("why", url, "--store", store).output
    if expected[1] is not None:
        assert f"  ai-train    disallowed: {expected[1]}, {expected[3] or expected[2]}\n" in printed


@pytest.mark.parametrize(
    ("respected", "left_out"), [(("search",), {SIGNAL}), (("ai-train", "search"), {META, HEADER, SIGNAL, FREE})]
)
def test_exports_leave_out_pages_that_were_read_and_forbid_a_use(
    store: Path, tmp_path: Path, respected: tuple[str, ...], left_out: set[str]
) -> None:
    """All that is exported: the next run respects another use, and what was read before is left out, too."""
    other = tmp_path / "crawl.db"
    for part in store.parent.glob("crawl.db*"):
        (tmp_path / part.name).write_bytes(part.read_bytes())
    settings = {"respect_usage": list(respected)}
    rows(other, "UPDATE meta SET value = json_patch(value, ?) WHERE key = 'settings'", json.dumps(settings))
    expected = SITE.keys() - left_out
    for file in ("ranks.csv", "ranks.jsonl"):
        run("export", tmp_path / file, "--store", other)
        shown = (tmp_path / file).read_text()
        assert {url for url in (*SITE, HOME + "none") if f"{url}," in shown or f'"{url}"' in shown} == expected | {
            HOME + "none"
        }
    run("export", tmp_path / "corpus.jsonl", "--text", "--store", other)
    assert {json.loads(line)["url"] for line in (tmp_path / "corpus.jsonl").read_text().splitlines()} == expected
    said = run("export", tmp_path / "ranks.csv", "--store", other)
    uses = " or ".join(respected)
    assert said.output.endswith(f"; left out {counted(len(left_out), 'page')} not to be used for {uses}\n") is bool(
        left_out
    )


def test_what_was_refused_is_listed(tmp_path: Path) -> None:
    """Its URL is no content."""
    crawl(
        preferring(robots="User-agent: *\nContent-Usage: /free train-ai=n"),
        tmp_path / "crawl.db",
        [HOME],
        respect_usage="ai-train",
    )
    run("export", tmp_path / "no.csv", "--where", "reason = 'usage'", "--store", tmp_path / "crawl.db")
    with (tmp_path / "no.csv").open(newline="") as lines:
        assert [row["url"] for row in csv.DictReader(lines)] == [FREE]


@pytest.mark.parametrize(("respected", "forbidden"), [((), set()), (("search",), {SIGNAL, FREE})])
def test_search_does_not_find_pages_that_forbid_a_use(
    tmp_path: Path, respected: tuple[str, ...], forbidden: set[str]
) -> None:
    """One that was read is not shown without its text; one that was not, not by the links to it if these are for a
    search."""
    site = SITE | {HOME: [f'<p>words of home <a href="{url}">words of a link</a>' for url in SITE if url != HOME]}
    server = preferring(site, robots="User-agent: *\nContent-Usage: /free search=n")
    path = tmp_path / "crawl.db"
    crawl(server, path, [HOME], text=True, respect_usage=respected)
    with following(path) as follower:
        follower.catch_up()
    assert set(urls(path, "words")) == SITE.keys() - forbidden
