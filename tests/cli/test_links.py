"""Links as a user asks for them."""

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


def test_broken_links_are_told_with_page_anchor_and_end(store: Path) -> None:
    found = answer("links", "--broken", "--store", store)
    assert {(end["target"], end["status"], end["leads_to"]): end["links"] for end in found} == {
        (HOME + "gone", 404, None): [{"source": HOME, "anchor": '=cmd("[31mx")'}],
        (HOME + "moved", 404, HOME + "gone"): [{"source": HOME, "anchor": "to"}],
        (HOME + "forbidden", 403, None): [{"source": HOME + "on", "anchor": "to"}],
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


def test_nothing_found_is_a_sentence(store: Path) -> None:
    assert run("links", "--to", "a.test/moved", "--external", "--store", store).stdout == "No link matches.\n"
    assert answer("links", "--to", "a.test/moved", "--external", "--store", store) == []


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
