"""Where the stores of all partitions are: copied, moved, spread."""

from pathlib import Path

import pytest
from support.cluster_folders import some_folder
from support.command_line import answer, run
from support.sites import rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return some_folder(tmp_path / "web").path


def top(folder: Path) -> object:
    return answer("top", "--store", folder)


def test_a_backup_is_a_crawl_like_any_other(folder: Path, tmp_path: Path) -> None:
    told = answer("backup", tmp_path / "monday", "--store", folder)
    size = sum(path.stat().st_size for path in (tmp_path / "monday").iterdir())
    known = answer("status", "--store", folder)["known"]
    assert told == {"store": str(folder), "file": str(tmp_path / "monday"), "pages": known, "bytes": size}
    assert top(tmp_path / "monday") == top(folder)
    again = run("backup", tmp_path / "monday", "--store", folder)
    assert (again.exit_code, "is there already, and has something in it" in again.stderr) == (2, True)
    forced = run("backup", tmp_path / "tuesday", "--store", folder, "--force")
    assert (forced.exit_code, "name a new folder" in forced.stderr) == (2, True)


def test_a_partition_is_moved_and_found_again(folder: Path, tmp_path: Path) -> None:
    before = top(folder)
    planned = answer("cluster", "rebalance", tmp_path / "disk", "--store", folder, "--dry-run")
    assert len(planned["moves"]) == 1
    told = answer("cluster", "move", "1", tmp_path / "disk", "--store", folder)
    assert (told["partition"], told["store"]) == (1, str(tmp_path / "disk" / "001.db"))
    assert top(folder) == before


def test_stores_of_different_moments_are_refused_in_a_sentence(folder: Path, tmp_path: Path) -> None:
    rows(folder / "000.db", "UPDATE neighbours SET taken = taken + 1000")
    for words in (["backup", tmp_path / "copy"], ["cluster", "move", "0", tmp_path / "disk"], ["crawl", "-q"]):
        result = run(*words, "--store", folder)
        assert (result.exit_code, "restore all from one backup" in result.stderr) == (3, True)
    assert [path.name for path in tmp_path.iterdir()] == ["web"]
