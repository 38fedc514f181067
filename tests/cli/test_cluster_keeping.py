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


def test_all_commands_find_a_partition_where_it_was_moved_to(folder: Path, tmp_path: Path) -> None:
    before = top(folder)
    told = answer("cluster", "move", "1", tmp_path / "disk", "--store", folder)
    assert (told["partition"], told["store"]) == (1, str(tmp_path / "disk" / "001.db"))
    assert top(folder) == before
    assert "all consistent" in run("check", "--store", folder).output
    result = run("cluster", "move", "1", tmp_path / "disk", "--store", folder)
    assert (result.exit_code, "is in" in result.stderr) == (2, True)
    assert "is 001.db now" not in run("cluster", "move", "1", folder, "--store", folder).output
    (folder / "001.db").unlink()
    result = run("top", "--store", folder)
    assert (result.exit_code, "mount its disk, or restore all from one backup" in result.stderr) == (3, True)


def test_rebalance_says_what_it_does_and_only_that_if_asked_to(folder: Path, tmp_path: Path) -> None:
    disk, before = tmp_path / "disk", top(folder)
    planned = answer("cluster", "rebalance", disk, "--store", folder, "--dry-run")
    assert len(planned["moves"]) == 1
    assert not disk.exists()
    assert "would go from" in run("cluster", "rebalance", disk, "--store", folder, "--dry-run").output
    output = run("cluster", "rebalance", disk, "--store", folder).output
    number = planned["moves"][0]["partition"]
    assert f"partition {number}, " in output
    assert f"{disk}: 1 partition, " in output
    assert sorted(path.name for path in disk.iterdir() if path.suffix == ".db") == [f"00{number}.db"]
    assert top(folder) == before
    assert answer("cluster", "rebalance", "--store", folder)["moves"] == [], "it is as even as it can be"
    assert "No move of a partition makes these folders" in run("cluster", "rebalance", "--store", folder).output


@pytest.mark.parametrize(
    "words", [["backup", "copy"], ["cluster", "move", "0", "disk"], ["cluster", "rebalance", "disk"]]
)
def test_stores_of_different_moments_are_refused_in_a_sentence(folder: Path, tmp_path: Path, words: list[str]) -> None:
    rows(folder / "000.db", "UPDATE neighbours SET taken = taken + 1000")
    words = [str(tmp_path / word) if word in {"copy", "disk"} else word for word in words]
    result = run(*words, "--store", folder)
    assert (result.exit_code, "restore all from one backup" in result.stderr) == (3, True)
    assert [path.name for path in tmp_path.iterdir()] == ["web"]


def test_so_is_a_crawl(folder: Path) -> None:
    rows(folder / "000.db", "UPDATE neighbours SET taken = taken + 1000")
    result = run("crawl", "--store", folder, "-q")
    assert (result.exit_code, result.stderr.count("\n"), "restore all from one backup" in result.stderr) == (3, 1, True)
