"""Commands of a page, with no file read for them; a crawl started from the page goes on by itself."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support.command_line import answer
from support.counted_web import counted_web
from support.patience import PATIENCE
from support.sites import HOME, crawl, rows

from minicrawl.dashboard.commands import done, options, seeds_of, started
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, SeedError, SettingError
from minicrawl.setting import ON_DASHBOARD
from minicrawl.settings import SETTINGS
from minicrawl.settings.options import marked
from minicrawl.store.reader import open_store


def test_seeds_are_urls_or_hosts() -> None:
    assert seeds_of([" example.org ", "http://b.test", "https://c.test/x#y"]) == {
        "urls": ["https://example.org/", "http://b.test/", "https://c.test/x"],
        "guessed": ["https://example.org/"],
    }


@pytest.mark.parametrize("texts", [None, "a.test", [], ["a.test"] * 1001, [3], [""], ["-"], ["file:///etc/passwd"]])
def test_files_and_rubbish_are_no_seeds(texts: Any) -> None:
    with pytest.raises(SeedError):
        seeds_of(texts)


@pytest.mark.parametrize("asked", [None, "stop", {}, {"do": "look"}, {"do": ["stop"]}])
def test_nothing_else_is_done(tmp_path: Path, asked: Any) -> None:
    with pytest.raises(ConfigError, match="a page may have done add, again, ban"):
        done(tmp_path / "crawl.db", asked)


def test_what_can_be_done_without_a_crawl_is(store: Path) -> None:
    crawl({HOME: []}, store, [HOME])
    assert done(store, {"do": "add", "seeds": ["b.test", HOME]}) == {"running": False, "seeds": 2, "new": 1}
    assert rows(store, "SELECT url FROM pages ORDER BY id") == [(HOME,), ("https://b.test/",)]
    assert done(store, {"do": "set", "settings": {"delay": "3s"}})["changed"][0]["after"] == "3.0"
    with pytest.raises(CrawlEndedError, match="no crawl runs"):
        done(store, {"do": "pause"})


def test_settings_become_options_that_cannot_be_taken_for_others() -> None:
    given = {
        "pages": 100,
        "delay": "-1",
        "topic": "--store=/tmp/x",
        "deny": ["a", "-b"],
        "search": True,
        "sitemaps": False,
    }
    assert list(options(given)) == [
        "--pages=100",
        "--delay=-1",
        "--topic=--store=/tmp/x",
        "--deny=a",
        "--deny=-b",
        "--search",
        "--no-sitemaps",
    ]


def test_only_settings_that_name_no_file_and_hold_no_secret_may_be_given() -> None:
    allowed = marked(ON_DASHBOARD)
    assert not allowed & {"ca_file", "connect_to", "archive", "hook", "items", "header", "proxy", "ignore_robots"}
    for name in SETTINGS.keys() - allowed:
        with pytest.raises(SettingError, match="the dashboard cannot set"):
            list(options({name: "1"}))


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (None, SettingError),
        ({"words": ["--help"]}, SettingError),
        ({"settings": {"pages": {}}}, SettingError),
        ({"seeds": ["/etc/passwd"]}, SeedError),
        ({"settings": {"pages": "many"}}, CrawlEndedError),
        ({}, CrawlEndedError),  # there is nothing to go on with
    ],
)
def test_what_cannot_be_started_is_one_sentence(tmp_path: Path, asked: Any, kind: type[MinicrawlError]) -> None:
    with pytest.raises(kind) as refusal:
        started(tmp_path / "crawl.db", asked, PATIENCE)
    assert "\n" not in str(refusal.value)


def test_a_crawl_is_started_and_goes_on_by_itself(tmp_path: Path) -> None:
    store = tmp_path / "new" / "crawl.db"
    with counted_web(pages=5) as web:
        asked = {
            "seeds": [f"http://127.0.0.1:{web.port}/"],
            "settings": {"delay": 30, "pages": 9, "allow_private": True},
        }
        pid = started(store, asked, PATIENCE)["pid"]
        try:
            status = answer("control", "status", "--store", store)
            assert (status["pid"], status["limits"]["pages"]) == (pid, 9)
            assert os.getsid(pid) == pid
            with pytest.raises(SettingError, match="a crawl is already running on this store"):
                started(store, {})
        finally:
            os.kill(pid, signal.SIGKILL)
        with open_store(store) as reader:
            while reader.is_in_use():
                pass


def test_a_crawl_that_is_over_at_once_is_no_failure(store: Path) -> None:
    crawl({HOME: []}, store, [HOME])
    assert started(store, {"settings": {}}, PATIENCE)["log"] == f"{store}.log"
