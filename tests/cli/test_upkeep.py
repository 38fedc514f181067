"""minicrawl salvage"""

import json
from pathlib import Path

from click.testing import CliRunner
from support.command_line import run
from support.sites import crawl, rows

from minicrawl.cli import main

HOME = "http://a.test/"


def test_what_is_saved_is_told_and_is_a_store(tmp_path: Path) -> None:
    store, saved = tmp_path / "crawl.db", tmp_path / "saved.db"
    crawl({HOME: ["/b"], HOME + "b": []}, store, [HOME])
    told = json.loads(run("salvage", saved, "--store", store, "--json").stdout)
    assert (told["store"], told["file"], told["pages"]) == (str(store), str(saved), 2)
    assert run("check", "--store", saved).exit_code == 0


def test_the_store_itself_is_no_place_to_save_to(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: []}, store, [HOME])
    kept = store.read_bytes()
    assert run("salvage", store, "--store", store).exit_code != 0
    assert store.read_bytes() == kept


HOME = "http://a.test/"


def test_a_store_is_as_small_as_it_can_be_and_says_what_it_said(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/b"], HOME + "b": []}, store, [HOME])
    before = rows(store, "SELECT * FROM ranks")
    rows(store, "CREATE TABLE ballast AS SELECT zeroblob(1000000) AS weight")
    rows(store, "DROP TABLE ballast")
    told = json.loads(CliRunner().invoke(main, ["compact", "--json", "--store", str(store)]).stdout)
    assert told["store"] == str(store)
    assert told["bytes_after"] == store.stat().st_size < told["bytes_before"]
    assert rows(store, "SELECT * FROM ranks") == before
    assert " before, " in CliRunner().invoke(main, ["compact", "--store", str(store)]).output
