"""What a crawl is doing, or has done."""

import json
from pathlib import Path

import pytest
from support.sites import HOME, Site, crawled_anew, rows

from minicrawl.analysis.status import Status, status
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

SITE: Site = {HOME: ["/b", "/gone", "http://b.test/"], HOME + "b": [HOME], "http://b.test/": HOME}
store = crawled_anew(SITE, [HOME])


def status_of(store: Path) -> Status:
    with open_store(store) as reader:
        return status(reader)


def test_every_known_page_is_counted_once(store: Path) -> None:
    found = status_of(store)
    assert (found.running, found.stopped, found.hosts) == (False, "nothing-left", 2)
    assert found.states == {"fetched": 2, "error": 1, "alias": 1}
    assert sum(found.reasons.values()) == sum(found.states.values()) == found.known == 4
    assert found.read == 3
    assert found.run is not None
    assert (found.run.fetched, found.run.errors) == (4, {"http-404": 1})


def test_a_crawl_that_holds_its_store_runs(store: Path) -> None:
    with Writer(store):
        found = status_of(store)
    assert (found.running, found.stopped) == (True, None)


def test_a_crawl_that_ended_without_a_word_was_killed(store: Path) -> None:
    rows(store, "UPDATE meta SET value = NULL WHERE key = 'stopped'")
    assert status_of(store).stopped == "killed"


def test_before_the_first_commit_there_is_no_run(tmp_path: Path) -> None:
    Writer(tmp_path / "crawl.db").close()
    found = status_of(tmp_path / "crawl.db")
    assert (found.known, found.read, found.run, found.last_commit) == (0, 0, None, None)
    assert found.as_json()["run"] == {}


def test_json_has_stable_keys(store: Path) -> None:
    told = json.loads(json.dumps(status_of(store).as_json()))
    assert set(told) == {
        *("store", "running", "stopped", "known", "read", "left_out", "states", "reasons", "hosts", "ill_hosts"),
        *("refused", "sitemaps", "duplicates", "probes", "run", "pages_per_second", "last_commit"),
        *("hook_errors", "unasked"),
    }
    assert set(told["sitemaps"]) == {"reasons", "left_out", "found", "queued", "waiting", "made_known"}
    assert set(told["run"]) == {
        *("fetched", "bytes", "seconds", "in_flight", "errors", "silence"),
        *("coverage", "coverage_about", "coverage_shown"),
    }
    assert told["pages_per_second"] == pytest.approx(told["run"]["fetched"] / told["run"]["seconds"])
