"""Stores that cannot be written to can be read."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.store.writer import Writer

HOME = "http://a.test/"
SITE: Site = {HOME: ["/b", "/c"], HOME + "b": [HOME], HOME + "c": ["/b"]}
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


def top(store: Path) -> subprocess.CompletedProcess[str]:
    """Run 'top' as somebody who may not write."""
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other.db"
        crawl(SITE, other, [HOME])
        words = [sys.executable, "-c", _TOP, str(other), str(store)]
        return subprocess.run(words, check=False, capture_output=True, text=True)


def sealed(store: Path) -> None:
    for file in store.parent.iterdir():
        file.chmod(0o444)
    store.parent.chmod(0o555)


def test_store_in_a_folder_that_cannot_be_written_to_is_read(folder: Path) -> None:
    store = folder / "crawl.db"
    crawl(SITE, store, [HOME])
    sealed(store)
    told = top(store)
    assert (told.returncode, told.stderr) == (0, "")
    assert len(told.stdout.splitlines()) == 4
    assert not list(folder.glob("*-*"))


def test_log_that_was_left_in_such_a_folder_is_named(folder: Path) -> None:
    store, left = folder / "crawl.db", folder / "left"
    left.mkdir()
    writer = Writer(store)
    with writer.transaction():
        writer.save_meta({"mark": 1})
    for file in (store, Path(f"{store}-wal")):
        shutil.copy(file, left)
    writer.close()
    sealed(left / store.name)
    told = top(left / store.name)
    assert told.returncode == 3
    assert "its last commits are in" in told.stderr
    assert "crawl.db-wal" in told.stderr
    left.chmod(0o755)
