"""Files after a kill."""

import os
from pathlib import Path

import pytest

from minicrawl.archive.recovery import Committed, cut, sync
from minicrawl.errors import StoreError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "archive").mkdir()
    for name in ("me-1.warc.gz", "me-2.warc.gz", "me-3.warc.gz", "other-1.warc.gz"):
        file = tmp_path / "archive" / name
        file.write_bytes(b"0123456789")
        os.utime(file, (1000, 1000))
    return tmp_path


def sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in sorted((folder / "archive").iterdir())}


def test_what_was_not_committed_is_cut_off_and_files_of_others_stay(folder: Path) -> None:
    assert cut(folder, Committed("me", {"me-1.warc.gz": 4, "me-2.warc.gz": 10}, 990.0)) == 16
    assert sizes(folder) == {"me-1.warc.gz": 4, "me-2.warc.gz": 10, "other-1.warc.gz": 10}
    assert cut(folder, Committed("me", {"me-1.warc.gz": 4, "me-2.warc.gz": 10}, 990.0)) == 0


def test_a_file_that_has_lost_what_was_committed_is_told_and_nothing_is_cut(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"me-2\.warc\.gz has 10 bytes, and the store knows of 11"):
        cut(folder, Committed("me", {"me-1.warc.gz": 4, "me-2.warc.gz": 11}, 990.0))
    assert set(sizes(folder).values()) == {10}


def test_an_old_copy_of_a_store_does_not_cut_what_came_after_it(folder: Path) -> None:
    with pytest.raises(StoreError, match="must be an older copy: name another folder with --archive"):
        cut(folder, Committed("me", {"me-1.warc.gz": 4}, 100.0))
    assert set(sizes(folder).values()) == {10}


def test_a_folder_that_is_not_there_yet_needs_no_cut(tmp_path: Path) -> None:
    assert cut(tmp_path / "new", Committed("me", {"me-1.warc.gz": 4}, 0.0)) == 0


def test_files_that_are_not_there_cannot_be_synced(folder: Path) -> None:
    sync(folder, ["me-1.warc.gz"], ["me-1.warc.gz"])
    with pytest.raises(StoreError, match="No such file"):
        sync(folder, ["me-9.warc.gz"], [])
