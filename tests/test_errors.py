"""What can go wrong, and with which exit code a command ends."""

from pathlib import Path

import pytest
from click.testing import Result
from support.command_line import HOME, run
from support.effort import growth
from support.sites import crawl

from minicrawl.errors import without_logins

SECRET = "Zx7q"
MISTYPED = (
    ("crawl", HOME, "--header", "Authorization Zx7q"),
    ("crawl", HOME, "--header", "Authorization: Zx7q\n4"),
    ("crawl", HOME, "--heder", "Authorization: Zx7q"),
    ("crawl", HOME, "--cookie", "session=Zx7q"),
    ("crawl", HOME, "--auth", "Zx7q"),
    ("crawl", HOME, "--proxy", "htp://user:Zx7q@proxy.test:1"),
    ("crawl", HOME, "--proxy", "user:Zx7q@proxy.test:1"),
    ("crawl", HOME, "--proxy", "*.onion=user:Zx7q@proxy.test:1"),
    ("crawl", HOME, "--proxy", "http://user:Zx7q@proxy.test:99999"),
    ("crawl", "htp://user:Zx7q@a.test/"),
    ("crawl", "user:Zx7q@a.test"),
    ("control", "set", "header:Authorization Zx7q"),
    ("control", "set", "header=Authorization Zx7q"),
    ("control", "again", "htp://user:Zx7q@a.test/"),
)
MISWRITTEN = (
    *('[crawl]\nheader = {Authorization = "Zx7q"}', '[crawl]\nheader = [["Authorization: Zx7q"]]'),
    *('[crawl]\nheader = "Authorization Zx7q"', '[crawl]\nproxy = {url = "Zx7q"}', '[crawl]\nauth = [["u:Zx7q"]]'),
    'crawl = ["--header", "Authorization: Zx7q"]',
)


def is_discreet(result: Result) -> bool:
    said = result.stdout + result.stderr
    return result.exit_code == 2 and bool(said) and SECRET not in said


@pytest.mark.parametrize("words", MISTYPED)
def test_a_mistyped_secret_is_not_repeated(store: Path, words: tuple[str, ...]) -> None:
    if words[0] == "control" and not store.exists():
        crawl({HOME: []}, store, [HOME])
    result = run(*words, "--store", store)
    assert is_discreet(result), result.output


@pytest.mark.parametrize("text", MISWRITTEN)
def test_a_secret_that_is_wrong_in_a_file_is_not_repeated(tmp_path: Path, text: str) -> None:
    file = tmp_path / "options.toml"
    file.write_text(text)
    result = run("--config", file, "crawl", HOME, "--store", tmp_path / "crawl.db")
    assert is_discreet(result), result.output
    assert SECRET not in run("--config", file, "config", "check").output


def test_other_addresses_are_shown_in_full() -> None:
    for text in (
        "mailto:me@a.test",
        "me@a.test",
        "http://a.test/@me/",
        "http://a.test:80/@me",
        "--auth @file: no file",
    ):
        assert without_logins(text) == text


@pytest.mark.parametrize("text", ["a:", "//", "//a:", "a:b"])
def test_a_long_text_takes_time_linear_in_its_length(text: str) -> None:
    """As a message may quote the web."""
    assert growth(lambda count: without_logins(text * count + "@"), 2_000) < 1.5
