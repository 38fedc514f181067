"""Backups and moves between machines: all is brought, and one store is the partition whatever is lost on the way."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.cluster_folders import as_here, some_folder, spread_over_machines
from support.cluster_runs import ranked_pages
from support.machine_calls import called

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.backup import backup_all
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.carrying import Carriers, Remote, backup_between, move_between
from minicrawl.errors import StoreError
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.partitions.folder import Place
from minicrawl.store.rows import RankedPage

PART = 10_000
"""Bytes: a store is brought in many parts."""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return spread_over_machines(some_folder(tmp_path / "web"), tmp_path / "beta")


def carriers(before: Callable[[str], None] = lambda what: None) -> Carriers:
    return {name: called(Remote(), before) for name in (None, "beta", "gamma")}


def ranked(folder: Folder) -> list[RankedPage]:
    with as_here(folder).opened() as stores:
        assert list(all_violations(stores)) == []
        return list(ranked_pages(stores))


def moved(
    folder: Folder, number: int, target: Place, by: Carriers | None = None, part: int = PART
) -> tuple[Folder, int]:
    return move_between(folder, number, target, by or carriers(), lambda: check_agreement(as_here(folder)), part)


def hidden(*folders: Path) -> list[str]:
    return [file.name for folder in folders for file in folder.glob(".*")]


def test_a_copy_has_what_all_machines_have(folder: Folder, tmp_path: Path) -> None:
    copy = backup_between(folder, tmp_path / "copy", carriers(), PART)
    assert copy == found(tmp_path / "copy")
    assert copy.machines == []
    assert ranked(copy) == ranked(folder)
    assert sorted(path.name for path in copy.path.iterdir()) == ["000.db", "001.db", "cluster.json"]
    assert hidden(folder.path, tmp_path / "beta", tmp_path) == []
    with pytest.raises(StoreError, match="partition 1 is on node beta"):
        backup_all(folder, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_partition_goes_to_another_machine_on_to_a_third_and_back(folder: Folder, tmp_path: Path) -> None:
    before, size = ranked(folder), folder.stores[1].stat().st_size
    third, brought = moved(folder, 1, Place(str(tmp_path / "gamma" / "web"), machine="gamma"))
    assert brought >= size > 2 * PART
    assert third == found(folder.path)
    assert third.places == (Place(), Place(str(tmp_path / "gamma" / "web"), 1, "gamma"))
    assert list((tmp_path / "beta").iterdir()) == []
    assert ranked(third) == before
    back, _ = moved(third, 1, Place(str(folder.path)))
    assert back.places == (Place(), Place(".", 2))
    assert ranked(back) == before
    away, _ = moved(back, 0, Place(str(tmp_path / "beta"), machine="beta"))
    assert away.places[0] == Place(str(tmp_path / "beta"), 1, "beta")
    assert ranked(away) == before
    assert hidden(folder.path, tmp_path / "beta", tmp_path / "gamma" / "web") == []
