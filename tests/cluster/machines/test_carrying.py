"""Backups of several machines: all is brought."""

from pathlib import Path

import pytest
from support.cluster_folders import as_here, some_folder, spread_over_machines
from support.cluster_runs import ranked_pages
from support.machine_calls import called

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.backup import backup_all
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.carrying import Carriers, Remote, backup_between
from minicrawl.errors import StoreError
from minicrawl.store.rows import RankedPage

PART = 10_000
"""Bytes: a store is brought in many parts."""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return spread_over_machines(some_folder(tmp_path / "web"))


def carriers() -> Carriers:
    return {name: called(Remote()) for name in (None, "beta")}


def ranked(folder: Folder) -> list[RankedPage]:
    with as_here(folder).opened() as stores:
        assert list(all_violations(stores)) == []
        return list(ranked_pages(stores))


def hidden(*folders: Path) -> list[str]:
    return [file.name for folder in folders for file in folder.glob(".*")]


def test_a_copy_has_what_all_machines_have(folder: Folder, tmp_path: Path) -> None:
    copy = backup_between(folder, tmp_path / "copy", carriers(), PART)
    assert copy == found(tmp_path / "copy")
    assert copy.machines == []
    assert ranked(copy) == ranked(folder)
    assert sorted(path.name for path in copy.path.iterdir()) == ["000.db", "001.db", "cluster.json"]
    assert hidden(folder.path, tmp_path) == []
    with pytest.raises(StoreError, match="partition 1 is on node beta"):
        backup_all(folder, tmp_path / "other")
    assert not (tmp_path / "other").exists()
