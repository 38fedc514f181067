"""What the store promises: one file, all or nothing, a view that ranks, and a clear word when it cannot be used."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.sample_stores import unpack
from support.sites import HOME, Site, crawl, rows

from minicrawl.errors import StoreError
from minicrawl.store.database import open_to_read
from minicrawl.store.pages import url_hash
from minicrawl.store.reader import open_store
from minicrawl.store.schema import SCHEMA_VERSION
from minicrawl.store.writer import Writer


def test_snapshot_is_of_one_commit_whatever_is_written_meanwhile(crawled: Path) -> None:
    with open_store(crawled) as store:
        with store.snapshot():
            before = store.size(), store.ranks.arrays()["inlinks"].tolist(), store.meta("clock")
            rows(crawled, "UPDATE pages SET inlinks = 99")
            rows(crawled, "UPDATE meta SET value = 7 WHERE key = 'clock'")
            assert (store.size(), store.ranks.arrays()["inlinks"].tolist(), store.meta("clock")) == before
        assert (set(store.ranks.arrays()["inlinks"]), store.meta("clock")) == ({99}, 7)


def test_readers_at_a_time_do_not_disturb_one_another(crawled: Path) -> None:
    """Each removes the write-ahead log if it is the last one."""
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda _: open_to_read(crawled).close(), range(1_600)):
            pass


def test_urls_that_share_a_hash_are_told_apart(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pages", "writer"):
        monkeypatch.setattr(f"minicrawl.store.{module}.url_hash", lambda url, key: 7)
    site: Site = {HOME: ["/1", "/2"], HOME + "1": ["/2", "/3"], HOME + "2": [HOME], HOME + "3": ["/1"]}
    _, server = crawl(site, store, [HOME])
    assert sorted(server.asked) == sorted(site)
    with open_store(store) as reader:
        assert reader.page_table.find([HOME + "2", HOME + "9"]) == {
            HOME + "2": rows(store, "SELECT id FROM pages WHERE url = ?", HOME + "2")[0][0]
        }


def test_finished_crawl_is_one_file(crawled: Path) -> None:
    with open_store(crawled) as store:
        list(store.pages(n=3))
    assert not Path(f"{crawled}-wal").exists()
    assert rows(crawled, "PRAGMA journal_mode") == [("wal",)]
    assert rows(crawled, "PRAGMA user_version") == [(SCHEMA_VERSION,)]


def test_reader_cannot_write(crawled: Path) -> None:
    with contextlib.closing(open_to_read(crawled)) as db, pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("DELETE FROM pages")


def new(path: Path) -> Path:
    Writer(path).close()
    return path


BAD_STORES: dict[str, tuple[Callable[[Path], object], str]] = {
    "another schema": (
        lambda path: rows(new(path), f"PRAGMA user_version = {SCHEMA_VERSION + 1}"),
        "written by a newer minicrawl",
    ),
    "another program's database": (
        lambda path: rows(path, "CREATE TABLE bookmarks (url TEXT)"),
        "belongs to another program",
    ),
    "text": (lambda path: path.write_text("seeds\n" * 300), "damaged or not an SQLite file"),
    "torn": (lambda path: path.write_bytes(new(path).read_bytes()[:100] + b"\xff" * 9000), "is damaged|cannot be used"),
    "folder": (lambda path: path.mkdir(), "it is a folder, and this command needs one store"),
}


@pytest.mark.parametrize("name", BAD_STORES)
def test_store_that_cannot_be_used_is_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    path, (spoil, message) = tmp_path / "bad.db", BAD_STORES[name]
    spoil(path)
    for use in (Writer, open_store):
        with pytest.raises(StoreError, match=message):
            use(path)


def test_missing_store_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="run 'minicrawl crawl SEEDS"):
        open_store(tmp_path / "none.db")


# Where nothing can be written.

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


def test_store_of_an_earlier_schema_says_to_copy_it(folder: Path, crawled: Path) -> None:
    unpack("27", store := folder / "crawl.db")
    told = top(store, crawled)
    assert (told.returncode, told.stderr.count("copy its files to a folder where you may write")) == (3, 1)


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


# The hash under which a URL is found.


KEY = b"k" * 16


def test_hashes_of_an_origin_stand_together() -> None:
    first, second, other = (url_hash(url, KEY) for url in ("http://a.test/1", "http://a.test/2", "http://b.test/1"))
    assert first >> 32 == second >> 32
    assert first >> 32 != other >> 32
    assert len({first, second, other}) == 3


def test_hash_takes_six_bytes_and_depends_on_the_key() -> None:
    urls = [f"http://h{number}.test/{number}" for number in range(200)]
    hashes = [url_hash(url, KEY) for url in urls]
    assert all(-(2**47) <= number < 2**47 for number in hashes)
    assert min(hashes) < 0 < max(hashes)
    assert hashes != [url_hash(url, b"other") for url in urls]
    assert hashes == [url_hash(url, KEY) for url in urls]
