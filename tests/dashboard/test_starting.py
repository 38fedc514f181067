"""A crawl that is started from the page: its options, its end, and that it goes on by itself."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support.command_line import answer
from support.counted_web import counted_web
from support.sites import crawl

from minicrawl.dashboard.starting import ALLOWED, options, started
from minicrawl.errors import CrawlEndedError, MinicrawlError, SeedError, SettingError
from minicrawl.settings import SETTINGS
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
PATIENT = 600.0  # seconds: a machine may be busy


def test_settings_become_options_that_cannot_be_taken_for_others() -> None:
    given = {
        "pages": 100,
        "delay": "-1",
        "topic": "--store=/tmp/x",
        "deny": ["a", "-b"],
        "search": True,
        "sitemaps": False,
    }
    assert list(options({**given, "html_only": False})) == [
        "--pages=100",
        "--delay=-1",
        "--topic=--store=/tmp/x",
        "--deny=a",
        "--deny=-b",
        "--search",
        "--no-sitemaps",
    ]


def test_only_settings_that_name_no_file_and_hold_no_secret_may_be_given() -> None:
    assert SETTINGS.keys() >= ALLOWED
    assert not ALLOWED & {"ca_file", "connect_to", "archive", "hook", "items", "header", "proxy", "ignore_robots"}
    for name in SETTINGS.keys() - ALLOWED:
        with pytest.raises(SettingError, match="a page cannot set"):
            list(options({name: "1"}))


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (None, SettingError),
        ({"words": ["--help"]}, SettingError),
        ({"settings": [1]}, SettingError),
        ({"settings": {"pages": {}}}, SettingError),
        ({"settings": {"pages": None}}, SettingError),
        ({"settings": {"search": "yes"}}, SettingError),
        ({"seeds": "http://a.test/"}, SeedError),
        ({"seeds": ["/etc/passwd"]}, SeedError),
        ({"settings": {"pages": "many"}}, CrawlEndedError),
        ({}, CrawlEndedError),  # there is nothing to go on with
    ],
)
def test_what_cannot_be_started_is_one_sentence(tmp_path: Path, asked: Any, kind: type[MinicrawlError]) -> None:
    with pytest.raises(kind) as refusal:
        started(tmp_path / "crawl.db", asked, PATIENT)
    assert "\n" not in str(refusal.value)


def test_a_crawl_is_started_and_goes_on_by_itself(tmp_path: Path) -> None:
    store = tmp_path / "new" / "crawl.db"
    with counted_web(pages=5) as web:
        asked = {
            "seeds": [f"http://127.0.0.1:{web.port}/"],
            "settings": {"delay": 30, "pages": 9, "allow_private": True},
        }
        pid = started(store, asked, PATIENT)["pid"]
        try:
            status = answer("control", "status", "--store", store)
            assert (status["pid"], status["limits"]["pages"]) == (pid, 9)
            assert os.getsid(pid) == pid
            with pytest.raises(SettingError, match="a crawl runs on this store already"):
                started(store, {})
        finally:
            os.kill(pid, signal.SIGKILL)
        with open_store(store) as reader:
            while reader.is_in_use():
                pass


def test_a_crawl_that_is_over_at_once_is_no_failure(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: []}, store, [HOME])
    assert started(store, {"settings": {}}, PATIENT)["log"] == f"{store}.log"
