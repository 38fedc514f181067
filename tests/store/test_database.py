"""Opening the file: what was committed is on the disk."""

import os
from pathlib import Path

import pytest

from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def test_commit_reaches_the_disk_before_it_returns(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crawl.db")
    assert writer._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    writer.close()


@pytest.mark.parametrize("room", [0, 1, 2])
def test_too_many_open_files_are_no_matter_of_permissions(room: int, tmp_path: Path) -> None:
    """Nor of the store, whichever of its files cannot be opened any more."""
    resource = pytest.importorskip("resource")
    Writer(tmp_path / "crawl.db").close()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    handles = [os.open(os.devnull, os.O_RDONLY) for _ in range(room + 1)]  # all numbers below the last are taken
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (handles[-1], limits[1]))
        for handle in handles:
            os.close(handle)
        with pytest.raises(StoreError, match="too many files are open; run 'ulimit -n 4096' first"):
            open_store(tmp_path / "crawl.db")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
