"""What a user may type, and what the commands make of it."""

import gzip
import json
from pathlib import Path

import pytest
from support.command_line import run
from support.sites import HOME, crawled_once, rows

NOWHERE = "http://127.0.0.1:2/"
crawled = crawled_once({HOME: ["/b", "https://b.test/"]}, [HOME], scope="host", max_depth=3)


def test_a_crawl_that_goes_on_keeps_its_scope_and_tells_what_is_changed(store: Path) -> None:
    result = run("crawl", "--store", store, "--time", "0.1s", "--delay", "0s", "--max-depth", "2")
    assert result.stderr.splitlines()[1:3] == [
        "Requests pages of each host without a pause, as its robots.txt allows, as minicrawl/1.0.",
        "max-depth: 3 -> 2",
    ]
    assert not any("scope" in line for line in result.stderr.splitlines())
    kept = json.loads(rows(store, "SELECT value FROM meta WHERE key = 'settings'")[0][0])
    assert (kept["scope"], kept["max_depth"], kept["delay"]) == ("host", 2, 0)


def test_a_seed_that_was_not_to_be_connected_to_is_asked_again_with_the_right_option(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    assert run("crawl", NOWHERE, "--store", store).exit_code == 1
    assert rows(store, "SELECT state, reason FROM pages") == [("error", "private-address")]
    result = run("crawl", NOWHERE, "--store", store, "--allow-private", "--ignore-robots", "--time", "1s")
    assert "to try again: 1" in result.stderr
    assert rows(store, "SELECT state FROM pages") == [("waiting",)]


def test_an_export_to_standard_output_is_that_of_a_file(store: Path, tmp_path: Path) -> None:
    form = "jsonl"
    run("export", tmp_path / f"ranks.{form}", "--store", store)
    run("export", tmp_path / "ranks", "--format", form, "--store", store)
    run("export", tmp_path / "packed.gz", "--format", form, "--store", store)
    whole = (tmp_path / f"ranks.{form}").read_bytes()
    assert run("export", "-", "--format", form, "--store", store).stdout_bytes == whole
    assert (tmp_path / "ranks").read_bytes() == whole
    assert gzip.decompress((tmp_path / "packed.gz").read_bytes()) == whole


@pytest.mark.parametrize(("asked", "url"), [("a.test", HOME), ("a.test/b", HOME + "b"), ("a.test/?utm_source=x", HOME)])
def test_why_looks_for_both_schemes(store: Path, asked: str, url: str) -> None:
    assert json.loads(run("why", asked, "--store", store, "--json").stdout)["url"] == url
