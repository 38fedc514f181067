"""minicrawl text, and export with texts."""

from pathlib import Path

from support.command_line import answer, run
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
    assert found["anchors"] == [
        {"url": f"{HOME}x", "text": "the other", "before": "See ", "after": " page."},
    ]
