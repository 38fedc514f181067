"""Links as a user asks for them."""

import csv
import io
import json
from pathlib import Path

import pytest
from support.command_line import HOME, answer, run
from support.sites import Site, crawl, crawled_once

SITE: Site = {
    HOME: ['<a href="/gone">=cmd("\x1b[31mx")</a>', "/moved", "/on", "http://b.test/"],
    HOME + "moved": HOME + "gone",
    HOME + "on": [HOME, "/forbidden"],
    HOME + "forbidden": 403,
    "http://b.test/": HOME,
}
store = crawled_once(SITE, [HOME], text=True)


def link(source: str, anchor: str) -> dict[str, object]:
    """A link as it stands once, on a page without a title whose links are all alike."""
    return {"source": source, "title": None, "anchor": anchor, "place": None, "times": 1}


def test_broken_links_are_told_with_page_anchor_and_end(store: Path) -> None:
    found = answer("links", "--broken", "--store", store)
    assert {(end["target"], end["status"], end["leads_to"]): end["links"] for end in found} == {
        (HOME + "gone", 404, None): [link(HOME, '=cmd("[31mx")')],
        (HOME + "moved", 404, HOME + "gone"): [link(HOME, "to")],
        (HOME + "forbidden", 403, None): [link(HOME + "on", "to")],
    }
    assert {end["sources"] for end in found} == {1}
    printed = run("links", "--broken", "--store", store).stdout
    assert "404       -> http://a.test/gone" in printed
    assert "404       -> http://a.test/moved -> http://a.test/gone" in printed
    assert "\x1b" not in printed
    assert "3 links. They end with: http-404 2, http-403 1." in printed
    few = run("links", "--broken", "-n", "2", "--store", store).stdout
    assert "3 links, the first 2 shown; --n shows more" in few


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--fail-on", "404"], 1),
        (["--fail-on", "410, http-403"], 1),
        (["--broken", "--fail-on", "5xx,410"], 0),
        (["--broken", "--external", "--fail-on", "404"], 0),
        (["--to", "a.test/gone", "--fail-on", "404"], 1),
    ],
)
def test_fail_on_looks_at_what_is_shown(store: Path, words: list[str], code: int) -> None:
    for form in ([], ["--json"], ["-n", "1"]):
        assert run("links", *words, *form, "--store", store).exit_code == code


LISTED: Site = {
    HOME: [
        "<title>=1+1 Käse</title><nav><a href=/gone>Menü</a><a href=/on>On</a></nav>",
        '<p>Words of a paragraph, before <a href="/gone">@the link</a> and <a href="/gone">another</a>.',
        '<a href="/old">old</a>',
    ],
    HOME + "on": ["<title>On</title>", '<a href="/gone"><img src=/x></a>'],
    HOME + "old": HOME + "older",
    HOME + "older": HOME + "gone",
}
EMPTY = {"title": "", "place": "", "chain": "", "codes": "", "leads_to": ""}


def listed(*words: str | Path) -> list[dict[str, str]]:
    result = run("links", *words)
    assert result.exit_code == 0
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_a_list_to_hand_on_has_all_of_each_link(tmp_path: Path) -> None:
    store, file = tmp_path / "crawl.db", tmp_path / "broken.csv"
    crawl(LISTED, store, [HOME], text=True)
    rows = listed("--broken", "--csv", "--store", store)
    gone = {"target": HOME + "gone", "status": "404", "reason": "http-404", "meaning": "the answer was 404 Not Found"}
    home, chain = {"source": HOME, "title": "'=1+1 Käse"}, f"{HOME}older -> {HOME}gone"
    moved = {**gone, "target": HOME + "old", "chain": chain, "codes": "301 -> 301", "leads_to": HOME + "gone"}
    expected = [
        {**EMPTY, **gone, **home, "anchor": "'@the link", "place": "text", "times": "3", "pages": "2"},
        {**EMPTY, **moved, **home, "anchor": "old", "place": "list", "times": "1", "pages": "1"},
        {**EMPTY, **gone, "source": HOME + "on", "title": "On", "anchor": "", "times": "", "pages": "2"},
    ]
    assert [{name: value for name, value in row.items() if name != "importance"} for row in rows] == expected
    worth = {page["url"]: page["importance"] for page in answer("top", "--store", store)}
    assert [float(row["importance"]) for row in rows] == [worth[row["source"]] for row in rows]
    assert listed("--broken", "--csv", "-", "-n", "1", "--store", store) == rows[:1]
    told = run("links", "--broken", "--csv", file, "--csv-for", "excel", "--store", store)
    assert (told.exit_code, told.stdout) == (0, f"3 links written to {file}\n")
    assert file.read_bytes().startswith(b"\xef\xbb\xbfsource,title,")
    assert list(csv.DictReader(io.StringIO(file.read_text("utf-8-sig")))) == rows
    (only,) = listed("--redirected", "--csv", "--store", store)
    assert (only["target"], only["chain"]) == (HOME + "old", chain)
    assert run("links", "--broken", "--csv", "--json", "--store", store).exit_code == 2
    both = run("links", "--broken", "--csv", file, "--json", "--fail-on", "404", "--store", store)
    assert (both.exit_code, file.read_bytes()[:3], json.loads(both.stdout)[0]["chain"]) == (1, b"sou", [])


def test_nothing_found_is_a_sentence(store: Path) -> None:
    assert run("links", "--to", "a.test/moved", "--external", "--store", store).stdout == "No link matches.\n"
    assert answer("links", "--to", "a.test/moved", "--external", "--store", store) == []


def test_a_broken_link_is_told_with_the_reason_that_its_status_does_not_say(tmp_path: Path) -> None:
    crawl({HOME: ["/loop"], HOME + "loop": HOME + "loop"}, tmp_path / "crawl.db", [HOME])
    assert "They end with: redirect-loop 1." in run("links", "--broken", "--store", tmp_path / "crawl.db").stdout


def test_links_that_are_no_urls_are_broken(tmp_path: Path) -> None:
    written = ["http://", "http://[bad", "htp://a.test/", "http://a.test:99999/", "https://two words/"]
    crawl({HOME: [f'<a href="{text}">x</a>' for text in (*written, "mailto:x@a.test")]}, tmp_path / "crawl.db", [HOME])
    stores = ("--store", tmp_path / "crawl.db")
    found = answer("links", "--broken", *stores)
    assert [(link["target"], link["reason"], link["links"][0]["source"]) for link in found] == [
        (text, "no-url", HOME) for text in written
    ]
    told = run("links", "--fail-on", "no-url", *stores)
    assert (told.exit_code, told.stdout.splitlines()[-1]) == (1, "5 links. They end with: no-url 5.")
    assert answer("links", "--broken", "--external", *stores) == []
    assert run("audit", "--fail-on", "link-no-url", *stores).exit_code == 1


def test_links_to_an_alias_are_links_to_its_page(tmp_path: Path) -> None:
    menu = ["/index.html", "/b"]
    site: Site = {HOME: menu, HOME + "a": menu, HOME + "b": [*menu, "/a"], HOME + "index.html": HOME + "start"}
    crawl(site | {HOME + "start": HOME}, tmp_path / "crawl.db", [HOME])
    stores = ("--store", tmp_path / "crawl.db")
    assert {page["url"]: page["inlinks"] for page in answer("top", *stores)} == {HOME: 3, HOME + "b": 2, HOME + "a": 1}
    told = answer("why", HOME, *stores)
    assert (told["inlinks"], set(told["linked_from"])) == (3, {HOME, HOME + "a", HOME + "b"})
    links = answer("links", "--to", HOME, *stores)
    assert {(link["source"], link["target"], link["leads_to"]) for link in links} == {
        (page, HOME + "index.html", HOME) for page in (HOME, HOME + "a", HOME + "b")
    }
