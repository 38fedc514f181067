"""URLs refused by their spelling: what repeats its own value, or grows from link to link; and what looks like these."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from support.command_line import answer, run
from support.sites import HOME, Site, crawl, faults_in, rows

from minicrawl.crawler.admission.spelling import (
    MAX_LETTERS,
    MAX_PARAMETERS,
    MAX_SEGMENTS,
    SPELLING_RULES,
    spelling_rule,
)
from minicrawl.web.urls.normalise import MAX_URL_LENGTH

LONG, PATH, PARAMETER, ESCAPED = SPELLING_RULES
THAI = quote("ข่าว" * 100)  # 400 letters, 3,600 bytes
VALUES = "&".join(f"q{number}" for number in range(MAX_PARAMETERS))
FOLDERS = "/".join(f"f{number}" for number in range(MAX_SEGMENTS))


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("", None),
        ("a" * (MAX_URL_LENGTH - len(HOME)), None),
        ("a" * (MAX_URL_LENGTH - len(HOME) + 1), LONG),
        (f"news/{THAI}", None),
        (f"{FOLDERS}/x/y", None),
        (f"s?{VALUES}&x&y", None),
        ("a/a/a/a/b", None),
        ("a/b/a/b/a/b/a/b", None),
        ("any/any/any/any/1", None),
        ("s?v=1&v=2&v=3&v=4", None),
        ("s?f[]=a&f[]=b&f[]=c&f[]=d&id=1", None),
        ("s?v=1&v=1&v=1", None),
        ("s?v=1&q=1&v=1&v=1&v=1", PARAMETER),
        ("s?a=1&b=1&c=1&d=1", None),
        ("s?q[]=&q[]=&q[]=&q[]=", None),
        ("a%252520b", None),
        ("s?b=1&amp;amp;c=2", None),
    ],
)
def test_a_url_alone_is_refused_for_its_length_and_for_repeated_values(path: str, rule: str | None) -> None:
    for source in (None, HOME, HOME + "x?y=1", "http://b.test/"):
        assert spelling_rule(HOME + path, source) == rule


@pytest.mark.parametrize(
    ("source", "path", "rule"),
    [
        ("a/a/a/", "a/a/a/a/", PATH),
        ("a/a/a/p", "a/a/a/a/p", PATH),
        ("x/a/b/a/b/a/b/", "x/a/b/a/b/a/b/a/b/", PATH),
        ("a/a/", "a/a/a/", None),
        ("a/a/a/p", "a/a/a/q", None),
        ("a/a/", "a/a/a/a/", None),
        ("a/a/a/p", "b/b/b/b/", None),
        ("2011/11/11/11/", "2011/11/11/11/11", None),
        ("s?v=1&v=2&v=3", "s?v=1&v=2&v=3&v=4", PARAMETER),
        ("s?v&v&v", "s?v&v&v&v", PARAMETER),
        ("s?v=1&v=2", "s?v=1&v=2&v=3", None),
        ("s?v=1&v=2&v=3", "s?v=5&v=6&v=7&v=8", None),
        ("s?v=1&v=2&v=3", "t?v=1&v=2&v=3&v=4", None),
        ("s?id=1", "s?id=1&v=1&v=2&v=3&v=4", None),
        ("s?v=1&v=2&v=3&v=4", "s?v=1&v=2&v=3&v=4&page=2", None),
        ("s?q=%25", "s?q=%2525", ESCAPED),
        ("login?to=%2Fp", "login?to=%252Fp", None),
        ("s?q=%2525", "t?q=%2525x", None),
        ("s?a=1&amp;b=2", "s?a=1&amp;amp;b=2&amp;c=3", ESCAPED),
        ("s?a=1", "s?a=1&amp;b=2", None),
        (f"{FOLDERS[:-3]}", f"{FOLDERS}/", LONG),
        (f"{FOLDERS}/x/", f"{FOLDERS}/x/y/", None),
        ("f0/", f"{FOLDERS}/x/", None),
        (f"s?{VALUES}", f"s?{VALUES}&x", LONG),
        ("s?q0", f"s?{VALUES}&x", None),
        (f"{'a' * (MAX_LETTERS - 30)}/", f"{'a' * (MAX_LETTERS - 30)}/{'b' * 30}/", LONG),
        (f"news/{THAI}/", f"news/{THAI}/comments", None),
        (f"{'a' * MAX_LETTERS}/", f"{'a' * MAX_LETTERS}/comments", None),
        ("map", f"map?state={'a' * MAX_LETTERS}", None),
    ],
)
def test_a_url_that_its_sources_grow_into_is_refused(source: str, path: str, rule: str | None) -> None:
    assert spelling_rule(HOME + path, HOME + source) == rule
    assert spelling_rule(HOME + path, f"http://b.test/{source}") is None


BAD, GOOD = f"{HOME}s?v=1&v=1&v=1&v=1", f"{HOME}a/a/a/p?v=1&v=2&v=3&v=4&to=%252525"


def test_what_was_left_out_unread_is_counted_and_named_and_is_not_called_read(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {HOME: [GOOD, BAD, HOME + "x"], GOOD: [BAD], HOME + "x": [f"{HOME}{'x' * 9_000}", f"{BAD}&w=1"]}
    crawl(site, store, [HOME])
    assert rows(store, "SELECT url FROM pages WHERE state = 'fetched'") == [(HOME,), (GOOD,), (HOME + "x",)]
    for command in ("status", "crawl"):  # the crawl has nothing left to ask for
        said = run(command, "--store", store).stdout
        assert "Left out unread for their spelling: 3 URLs, such as http" in said
        assert "all of the importance that is known" in said
        assert "100 %" not in said
    crawl(site, store, [HOME], refresh=True, discovery=0.5, pages=6)
    told = answer("status", "--store", store)["unasked"]
    assert told["unread"] == 3
    assert told["example"] in (BAD, f"{HOME}{'x' * 9_000}")
    for url in (BAD, f"{BAD}&w=1"):
        assert json.loads(run("why", url, "--json", "--store", store).stdout)["reason"] == PARAMETER
    assert faults_in(store) == []


def test_where_all_is_read_nothing_is_said_of_spelling(store: Path) -> None:
    crawl({HOME: [GOOD], GOOD: []}, store, [HOME])
    said = run("status", "--store", store).stdout
    assert "100 % of the importance" in said
    assert "unasked" not in said


@pytest.mark.parametrize("traps", [True, False])
def test_no_url_of_more_than_8000_bytes_becomes_known(tmp_path: Path, traps: bool) -> None:
    most = HOME + "y" * (MAX_URL_LENGTH - len(HOME))
    crawl({HOME: [most, most + "y"], most: []}, tmp_path / "crawl.db", [HOME], traps=traps)
    assert rows(tmp_path / "crawl.db", "SELECT url FROM pages") == [(HOME,), (most,)]
    assert rows(tmp_path / "crawl.db", "SELECT sum(refused) FROM links") == [(1,)]
