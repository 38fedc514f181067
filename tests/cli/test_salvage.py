"""minicrawl salvage"""

import json
from pathlib import Path

from support.command_line import run
from support.sites import crawl

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
