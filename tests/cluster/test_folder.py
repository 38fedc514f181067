"""The folder of a crawl in partitions: made whole, found again, refused when it is not what it was."""

import json
import os
import resource
import stat
from pathlib import Path

import pytest
from support.cluster_runs import make_here
from support.sites import rows

from minicrawl.cluster.folder import Folder, found, found_or_made
from minicrawl.errors import ConfigError, StoreError
from minicrawl.opic.cash_book import TOTAL
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import hold, is_held
from minicrawl.store.partitions.folder import Place, store_of, taken


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return found_or_made(tmp_path / "web", 3, make_here)


def test_a_crawl_is_made_once_and_found_again(folder: Folder) -> None:
    assert [path.name for path in folder.stores] == ["000.db", "001.db", "002.db"]
    cash = [int(rows(path, "SELECT value FROM meta WHERE key = 'cash_total'")[0][0]) for path in folder.stores]
    assert sum(cash) == TOTAL
    assert found(folder.path) == found_or_made(folder.path, None) == found_or_made(folder.path, 3) == folder
    assert stat.S_IMODE((folder.path / "cluster.json").stat().st_mode) == 0o600, "whoever has the key can aim hosts"


def test_two_crawls_have_nothing_in_common(folder: Folder, tmp_path: Path) -> None:
    other = found_or_made(tmp_path / "other", 3)
    assert other.cluster != folder.cluster
    assert other.homes.secret != folder.homes.secret


def test_settings_are_kept_without_what_may_be_secret(folder: Folder) -> None:
    folder.keep_settings(CrawlSettings.of({"scope": "site", "header": ["Authorization: secret"]}))
    kept = found(folder.path)
    assert kept.settings["scope"] == "site"
    assert "secret" not in str(kept.settings)
    assert (kept.cluster, kept.homes) == (folder.cluster, folder.homes)


def test_another_number_of_partitions_is_refused(folder: Folder) -> None:
    with pytest.raises(ConfigError, match="has 3 partitions, which is fixed"):
        found_or_made(folder.path, 4)


def test_a_new_crawl_needs_a_number_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--partitions N"):
        found_or_made(tmp_path / "web", None)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="has files in it"):
        found_or_made(tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_a_kill_at_its_birth_has_left_is_no_file_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "cluster.json.new").write_text('{"version": ')
    assert len(found_or_made(tmp_path, 2).places) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["cluster.json"]


PLACELESS = '{"cluster": "x", "partitions": 2, "secret": "00", "settings": {}, "places": [{"folder": "."}]}'


@pytest.mark.parametrize("text", ["", "[]", '{"cluster": "x"}', '{"partitions": "many", "secret": "zz"}', PLACELESS])
def test_a_damaged_file_is_one_sentence(folder: Folder, text: str) -> None:
    (folder.path / "cluster.json").write_text(text)
    with pytest.raises(StoreError, match="is damaged"):
        found(folder.path)


def test_a_file_of_another_version_is_read_or_refused(folder: Folder) -> None:
    """One that says no version is of the first."""
    file = folder.path / "cluster.json"
    kept = json.loads(file.read_text())
    assert kept.pop("version") == 2
    file.write_text(json.dumps({**kept, "places": [{"folder": ".", "generation": 0}] * 3}))
    assert found(folder.path) == folder
    file.write_text(json.dumps({**kept, "version": 3, "cluster": {"of another": "form"}}))
    with pytest.raises(StoreError, match=r"newer minicrawl \(version 3, this one reads 2\); upgrade"):
        found(folder.path)


def test_a_partition_is_where_its_place_says(folder: Folder, tmp_path: Path) -> None:
    moved = folder.keep_place(1, Place(str(tmp_path / "other"), 3)).keep_place(2, Place("disk", 1))
    store_of(tmp_path / "other", 1).parent.mkdir()
    store_of(folder.path / "disk", 2).parent.mkdir()
    for number in (1, 2):
        folder.stores[number].rename(moved.stores[number])
    assert [path.parent for path in moved.stores] == [folder.path, tmp_path / "other", folder.path / "disk"]
    assert found(folder.path) == moved


def test_a_folder_of_before_there_were_places_has_all_its_stores_in_it(folder: Folder) -> None:
    file = folder.path / "cluster.json"
    kept = json.loads(file.read_text())
    assert kept.pop("places") == {}
    file.write_text(json.dumps(kept))
    assert found(folder.path) == folder


def test_a_copy_of_another_generation_is_refused(folder: Folder) -> None:
    """It is the partition as it was before it was moved, or cluster.json is."""
    moved = folder.keep_place(1, Place(".", 2))
    with (
        pytest.raises(StoreError, match=r"001\.db is generation 0 of partition 1, and .* names generation 2"),
        moved.opened(),
    ):
        pass
    rows(folder.stores[1], "INSERT INTO meta VALUES ('generation', 2)")
    with moved.opened() as stores:
        assert len(stores) == 3


def test_places_of_many_partitions_are_read_at_once(folder: Folder, tmp_path: Path) -> None:
    """Those alone that are not in the crawl's folder are written."""
    places = [Place()] * 65_536
    places[7] = Place(str(tmp_path), 0, "10.0.0.2")
    Folder(folder.path, folder.cluster, folder.secret, tuple(places), {}).keep_ray("auto")
    file = folder.path / "cluster.json"
    assert file.stat().st_size < 500
    read = found(folder.path)
    assert list(read.places) == places
    assert len({id(place) for place in read.places}) == 2
    assert read.made == [0, 1, 2]
    wrong: object
    for wrong in ({"65536": {"folder": ".", "generation": 0}}, {"one": {}}, {"-1": {"folder": ".", "generation": 0}}):
        file.write_text(json.dumps({**json.loads(file.read_text()), "places": wrong}))
        with pytest.raises(StoreError, match="is damaged"):
            found(folder.path)
    file.write_text(json.dumps({**json.loads(file.read_text()), "partitions": 10**12, "places": {}}))
    with pytest.raises(StoreError, match=r"1000000000000 partitions, not 1 to 65536"):
        found(folder.path)


def test_stores_that_have_changed_places_are_refused(folder: Folder) -> None:
    first, second, _ = folder.stores
    other = first.with_name("other.db")
    for old, new in ((first, other), (second, first), (other, second)):
        old.rename(new)
    with pytest.raises(StoreError, match=r"000\.db is not partition 0 of this crawl"), folder.opened():
        pass


def test_no_crawl_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl in partitions at"):
        found(tmp_path)
    (tmp_path / "crawl.db").touch()
    with pytest.raises(StoreError, match=r"crawl[.]db is a file, and a crawl in partitions has a folder"):
        found(tmp_path / "crawl.db")


def test_settings_are_kept_without_taking_back_a_move(tmp_path: Path) -> None:
    """A run that has read cluster.json before the move ended."""
    before = found_or_made(tmp_path / "web", 2)
    moved = before.keep_place(1, Place("/disk/web", 1, "beta"))
    before.keep_settings(CrawlSettings.of({"per_host": 2}))
    assert found(before.path).places == moved.places
    assert found(before.path).settings["per_host"] == 2


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux for open files")
def test_a_crawl_of_more_stores_than_files_may_be_open_is_locked(tmp_path: Path) -> None:
    folder = found_or_made(tmp_path / "web", 40)
    for number in range(40):
        folder.store(number).write_bytes(b"a store")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 20, limits[1]))
    try:
        with folder.locked():
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_locked_crawl_can_neither_begin_nor_be_locked_again(folder: Folder) -> None:
    for other in (taken(folder.path), folder.locked()):
        with folder.locked(), pytest.raises(StoreError, match=f"another crawl is using {folder.path}; wait"), other:
            pass
    with taken(folder.path), pytest.raises(StoreError, match="another crawl is using"), folder.locked():
        pass
    with folder.locked():
        pass


def test_a_crawl_whose_command_was_killed_is_locked_once_its_processes_have_ended(folder: Folder) -> None:
    left = hold(folder.store(1))
    with pytest.raises(StoreError, match=r"another crawl is using .*001\.db"), folder.locked():
        pass
    left.release()
    with folder.locked():
        assert not any(map(is_held, folder.stores))
