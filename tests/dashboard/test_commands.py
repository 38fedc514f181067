"""What a page may have done, and that no file is read for it."""

from pathlib import Path
from typing import Any

import pytest
from support.sites import crawl, rows

from minicrawl.dashboard.commands import done, seeds_of
from minicrawl.errors import ConfigError, CrawlEndedError, SeedError

HOME = "http://a.test/"


def test_seeds_are_urls_or_hosts() -> None:
    assert seeds_of([" example.org ", "http://b.test", "https://c.test/x#y"]) == {
        "urls": ["https://example.org/", "http://b.test/", "https://c.test/x"],
        "guessed": ["https://example.org/"],
    }


@pytest.mark.parametrize(
    "texts",
    [
        None,
        "a.test",
        [],
        ["a.test"] * 1001,
        [3],
        [""],
        ["/etc/passwd"],
        ["-"],
        ["file:///etc/passwd"],
        ["mailto:a@b.test"],
    ],
)
def test_files_and_rubbish_are_no_seeds(texts: Any) -> None:
    with pytest.raises(SeedError):
        seeds_of(texts)


@pytest.mark.parametrize(
    "asked", [None, [], "stop", {}, {"do": "status"}, {"do": "look"}, {"do": ["stop"]}, {"do": "rm"}]
)
def test_nothing_else_is_done(tmp_path: Path, asked: Any) -> None:
    with pytest.raises(ConfigError, match="a page may have done add, again, ban"):
        done(tmp_path / "crawl.db", asked)


def test_what_can_be_done_without_a_crawl_is(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: []}, store, [HOME])
    assert done(store, {"do": "add", "seeds": ["b.test", HOME]}) == {"running": False, "seeds": 2, "new": 1}
    assert rows(store, "SELECT url FROM pages ORDER BY id") == [(HOME,), ("https://b.test/",)]
    assert done(store, {"do": "set", "settings": {"delay": "3s"}})["changed"][0]["after"] == "3.0"
    with pytest.raises(CrawlEndedError, match="no crawl runs"):
        done(store, {"do": "pause"})
