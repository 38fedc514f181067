"""Stores that cannot be written to can be read."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from minicrawl.store.writer import Writer

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may look into, as pytest's own may not be."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


# Root may write everywhere; Python itself may be where nobody else may look, so it is loaded before it is nobody.
_TOP = f"""
import os, sys
from click.testing import CliRunner
from minicrawl.cli import main
CliRunner().invoke(main, ["top", "--store", sys.argv[1]])
if os.geteuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
main(["top", "--store", sys.argv[2]])
"""


def top(store: Path, other: Path) -> subprocess.CompletedProcess[str]:
    """Run 'top' on a store as somebody who may not write. other: any store."""
    for file in store.parent.iterdir():
        file.chmod(0o444)
    store.parent.chmod(0o555)
    words = [sys.executable, "-c", _TOP, str(other), str(store)]
    return subprocess.run(words, check=False, capture_output=True, text=True)


def test_store_in_a_folder_that_cannot_be_written_to_is_read(folder: Path, crawled: Path) -> None:
    told = top(Path(shutil.copy(crawled, folder)), crawled)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.count("http://") == 12
    assert not list(folder.glob("*-*"))


def test_log_that_was_left_in_such_a_folder_is_named(folder: Path, crawled: Path, tmp_path: Path) -> None:
    with Writer(tmp_path / "left.db") as writer:
        with writer.transaction():
            writer.save_meta({"mark": 1})
        for name in ("left.db", "left.db-wal"):
            shutil.copy(tmp_path / name, folder)
    told = top(folder / "left.db", crawled)
    assert told.returncode == 3
    assert "its last commits are in" in told.stderr
    assert "left.db-wal" in told.stderr
