"""Copies of all stores as of one moment."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.cluster_folders import killed_at_every_step, some_folder
from support.gathered import all_violations, ranked_pages
from support.sites import rows

from minicrawl.cluster.backup import backup_all
from minicrawl.cluster.folder import Folder, found
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.database import hold
from minicrawl.store.ranks import RankedPage


def faults(folder: Folder) -> list[str]:
    with folder.opened() as stores:
        return list(all_violations(stores))


def ranked(folder: Folder) -> list[RankedPage]:
    with folder.opened() as stores:
        return list(ranked_pages(stores))


def test_a_copy_has_what_the_crawl_has(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web")
    copy = backup_all(folder, tmp_path / "copies" / "monday")
    assert copy == found(tmp_path / "copies" / "monday")
    assert (copy.cluster, copy.homes, copy.settings) == (folder.cluster, folder.homes, folder.settings)
    assert ranked(copy) == ranked(folder)
    assert faults(copy) == []
    assert sorted(path.name for path in copy.path.iterdir()) == ["000.db", "001.db", "cluster.json"]
    assert [path.name for path in copy.path.parent.iterdir()] == ["monday"]


def test_what_is_there_stays(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web")
    (tmp_path / "copy").mkdir()
    assert faults(backup_all(folder, tmp_path / "copy")) == []
    with pytest.raises(SettingError, match="already exists, and has something in it"):
        backup_all(folder, tmp_path / "copy")
    with pytest.raises(SettingError, match="already exists"):
        backup_all(folder, folder.stores[0])


def test_stores_that_do_not_agree_are_not_kept_as_a_copy(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web")
    rows(folder.stores[0], "UPDATE neighbours SET taken = taken + 1000")
    with pytest.raises(StoreError, match="one of the stores is older than the other"):
        backup_all(folder, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["web"]


def test_a_crawl_that_runs_is_not_copied(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web")
    lock = hold(folder.stores[1])
    try:
        with pytest.raises(StoreError, match="another crawl is using"):
            backup_all(folder, tmp_path / "copy")
    finally:
        lock.release()
    assert [path.name for path in tmp_path.iterdir()] == ["web"]


def test_stores_of_other_machines_are_named(tmp_path: Path) -> None:
    folder = replace(some_folder(tmp_path / "web"), nodes={1: "10.0.0.2"})
    with pytest.raises(StoreError, match=r"partition 1 is on node 10\.0\.0\.2"):
        backup_all(folder, tmp_path / "copy")


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_a_whole_copy_or_none(tmp_path: Path) -> None:
    some_folder(tmp_path / "web")
    told = killed_at_every_step(tmp_path)
    assert told["kills"] > 20
    assert set(told["places"]) == {"none", "copy"}
    assert told["places"] == sorted(told["places"], reverse=True), "none before it is whole, a copy ever after"
