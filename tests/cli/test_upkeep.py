"""minicrawl salvage and minicrawl compact"""

from pathlib import Path

from support.command_line import answer, run
from support.sites import rows


def test_what_is_saved_is_told_and_is_a_store(store: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    told = answer("salvage", saved, "--store", store)
    assert (told["store"], told["file"], told["pages"]) == (str(store), str(saved), 5)
    assert run("check", "--store", saved).exit_code == 0


def test_the_store_itself_is_no_place_to_save_to(store: Path) -> None:
    kept = store.read_bytes()
    assert run("salvage", store, "--store", store).exit_code != 0
    assert store.read_bytes() == kept


def test_a_store_is_as_small_as_it_can_be_and_says_what_it_said(store: Path) -> None:
    before = rows(store, "SELECT * FROM ranks")
    rows(store, "CREATE TABLE ballast AS SELECT zeroblob(1000000) AS weight")
    rows(store, "DROP TABLE ballast")
    told = answer("compact", "--store", store)
    assert told["store"] == str(store)
    assert told["bytes_after"] == store.stat().st_size < told["bytes_before"]
    assert rows(store, "SELECT * FROM ranks") == before
    assert " before, " in run("compact", "--store", store).output
