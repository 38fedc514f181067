"""Partitions taken to other folders: one store is the partition at any moment, whoever dies on the way."""

from pathlib import Path

import pytest
from support.cluster_folders import killed_at_every_step, some_folder
from support.cluster_runs import ranked_pages
from support.sites import rows

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.moving import move
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.rows import RankedPage
from minicrawl.store.writer import Writer


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return some_folder(tmp_path / "web")


def ranked(folder: Folder) -> list[RankedPage]:
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []
        return list(ranked_pages(stores))


def test_a_partition_that_was_moved_is_the_same_crawl(folder: Folder, tmp_path: Path) -> None:
    before = ranked(folder)
    old = folder.stores[1]
    moved = move(folder, 1, tmp_path / "disk" / "web")
    assert moved == found(folder.path)
    assert (moved.stores[1].parent, moved.places[1].generation) == (tmp_path / "disk" / "web", 1)
    assert moved.places[0] == folder.places[0]
    assert list(old.parent.glob("001.db*")) == []
    assert ranked(moved) == before
    back = move(moved, 1, folder.path)
    assert (back.places[1].folder, back.places[1].generation) == (".", 2)
    assert ranked(back) == before


def test_a_folder_that_cannot_be_made_is_named_as_it_was_typed(folder: Folder, tmp_path: Path) -> None:
    target = tmp_path / "a file" / "disk"
    target.parent.write_text("mine")
    with pytest.raises(SettingError, match=r"a file/disk cannot be made: Not a directory; name another folder to move"):
        move(folder, 1, target)
    assert found(folder.path) == folder


def test_a_copy_from_before_the_move_is_refused(folder: Folder, tmp_path: Path) -> None:
    before = folder.stores[1].read_bytes()
    moved = move(folder, 1, tmp_path / "disk")
    moved.stores[1].write_bytes(before)
    with (
        pytest.raises(StoreError, match=r"001\.db is generation 0 of partition 1, and .* names generation 1"),
        moved.opened(),
    ):
        pass


@pytest.mark.parametrize(
    ("number", "target", "message"),
    [(2, "disk", "there is no partition 2; they are 0 to 1"), (1, "web", "partition 1 is in .* already")],
)
def test_mistakes_are_one_sentence(folder: Folder, tmp_path: Path, number: int, target: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        move(folder, number, tmp_path / target)


def test_nothing_is_moved_while_anybody_writes_or_what_is_there_does_not_agree(folder: Folder, tmp_path: Path) -> None:
    writer = Writer(folder.stores[0])
    with pytest.raises(StoreError, match="another crawl is using"):
        move(folder, 1, tmp_path / "disk")
    writer.close()
    rows(folder.stores[0], "UPDATE neighbours SET taken = taken + 1000")
    with pytest.raises(StoreError, match="one of the stores is older than the other; restore all from one backup"):
        move(folder, 1, tmp_path / "disk")
    assert found(folder.path) == folder


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_one_store_that_is_the_partition(tmp_path: Path) -> None:
    """A process that moves is killed before every call that it makes of the system, see killed_at.py."""
    some_folder(tmp_path / "web")
    told = killed_at_every_step("move", tmp_path)
    assert told["kills"] > 20
    assert set(told["places"]) == {".", str(tmp_path / "now" / "disk")}, "before and after cluster.json names it"
