"""Opening the file: what was committed is on the disk."""

from pathlib import Path

from minicrawl.store.writer import Writer


def test_commit_reaches_the_disk_before_it_returns(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crawl.db")
    assert writer.db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    writer.close()
