"""minicrawl text and minicrawl copies: what they print, as text and as JSON."""

import json
from pathlib import Path

from support.command_line import answer, run
from support.planted_copies import DOCUMENT, planted_copies
from support.planted_copies import HOME as PLANTED
from support.sites import Site, crawled_once

HOME = "http://a.test/"
SITE: Site = {
    HOME: ["<html lang=en><title>Home</title><nav>Menu</nav><h1>Wel\x9bcome</h1><p>See <a href=/x>the other</a> page."],
    f"{HOME}x": ["<p>other"],
}


store = crawled_once(SITE, [HOME], text=True)


def test_text_is_printed_and_steers_no_terminal(store: Path) -> None:
    result = run("text", "a.test", "--store", store)
    assert (result.exit_code, result.stdout) == (0, "Wel\ufffdcome\nSee the other page.\n")


def test_text_as_markdown_and_as_json(store: Path) -> None:
    lines = run("text", HOME, "--markdown", "--store", store).stdout.split("\n")
    assert lines[-2] == "See [the other](http://a.test/x) page."
    found = answer("text", HOME, "--store", store)
    assert (found["title"], found["language"], found["h1"], found["index"]) == ("Home", "en", "Wel\x9bcome", True)
    assert (found["content"], found["text"]) == (
        "Wel\x9bcome\nSee the other page.",
        "Wel\x9bcome\nSee the other page.\nMenu",
    )
    assert found["anchors"] == [{"url": f"{HOME}x", "text": "the other", "before": "See ", "after": " page."}]


planted = crawled_once(planted_copies(6).site, [PLANTED], strategy="breadth-first", traps=False, text=True)


def test_copies_are_told_as_a_table_and_json(planted: Path) -> None:
    asked = ("copies", DOCUMENT, "--least", "90", "--store", planted)
    table = run(*asked).stdout.splitlines()
    assert len(table) == 4
    assert all("100%" in line and f"of {DOCUMENT}, " in line for line in table[1:])
    rows = answer(*asked)
    assert [row["share"] for row in rows] == [1.0] * 3
    assert {row["url"] for row in rows} == {f"http://{host}.test/1.0" for host in "bcd"}
    assert json.loads(run("copies", DOCUMENT, "--since", "2100-01-01", "--json", "--store", planted).stdout) == []
