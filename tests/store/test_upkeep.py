"""Copies that are stores, files made smaller, and disks that fail in the middle of a crawl."""

import contextlib
import json
import resource
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import run
from support.sites import Server, Site, crawl, rows

from minicrawl.crawler.books.invariants import violations
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.database import store_errors
from minicrawl.store.pages import PageTable
from minicrawl.store.reader import open_store
from minicrawl.store.upkeep import backup, compact
from minicrawl.store.writer import Writer

HOME = "http://a.test/"
SITE: Site = {HOME: [f"/{number}" for number in range(40)]}
SITE |= {f"{HOME}{number}": [HOME, f"/{(7 * number) % 40}", f"<p>{'many ' * (number + 1)}</p>"] for number in range(40)}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME], pages=20)
    return path


@contextlib.contextmanager
def largest_file(limit: int) -> Iterator[None]:
    """A disk that is full: no file can be made longer than `limit` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def problems(store: Path) -> list[str]:
    with open_store(store) as reader:
        return list(violations(reader))


def content(store: Path) -> list[list[tuple[object, ...]]]:
    tables = ("pages", "links", "hosts", "meta", "robots", "patterns", "digests")
    return [rows(store, f"SELECT * FROM {table} ORDER BY 1") for table in tables]


def test_copy_made_while_a_crawl_writes_is_of_its_last_commit_and_goes_on(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    before = content(store)
    writer = Writer(store)
    with writer.transaction():
        writer.save_meta({"half": "done"})
        backup(store, copy)
    writer.close()
    assert content(copy) == before
    assert problems(copy) == []
    report, _ = crawl(SITE, copy, [])
    assert (report.reason, report.read) == ("nothing-left", 41)
    assert problems(copy) == []
    assert content(store)[:2] == before[:2]


def test_copy_is_one_file(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    size = backup(store, folder / "copy.db")
    names = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert names == {"copy.db": size}


def test_copy_replaces_a_file_only_when_it_is_told_to(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("letters")
    Path(f"{copy}-wal").write_text("left by another")
    with pytest.raises(SettingError, match="already exists; name another file, or replace it with --force"):
        backup(store, copy)
    assert copy.read_text() == "letters"
    backup(store, copy, force=True)
    assert content(copy) == content(store)
    with pytest.raises(SettingError, match="is the store itself"):
        backup(store, store, force=True)
    writer = Writer(copy)
    with pytest.raises(StoreError, match="a crawl is using"):
        backup(store, copy, force=True)
    writer.close()


def test_copy_that_fails_leaves_nothing_behind(store: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="cannot be opened"):
        backup(store, tmp_path / "file" / "copy.db")
    (tmp_path / "file").unlink()
    with largest_file(20_000), pytest.raises(StoreError, match="the disk that holds"):
        backup(store, tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_commands_copy_and_compact(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    told = json.loads(run("backup", copy, "--store", store, "--json").output)
    assert told == {"store": str(store), "file": str(copy), "pages": 41, "bytes": copy.stat().st_size}
    again = run("backup", copy, "--store", store)
    assert (again.exit_code, again.output) == (
        2,
        f"Error: {copy} already exists; name another file, or replace it with --force\n",
    )
    assert run("backup", copy, "--force", "--store", store).exit_code == 0
    assert run("check", "--store", copy).exit_code == 0
    assert run("compact", "--store", tmp_path / "none.db").exit_code == 3
    assert not (tmp_path / "none.db").exists()
    told = json.loads(run("compact", "--store", copy, "--json").output)
    page = 2048  # SQLite lays the rows of a small store out anew, which may take one more
    assert told["bytes_after"] == copy.stat().st_size <= told["bytes_before"] + page
    assert " before, " in run("compact", "--store", copy).output


def test_compact_gives_room_back_and_changes_nothing(store: Path) -> None:
    before = content(store)
    rows(store, "CREATE TABLE ballast (x)")
    for _ in range(50):
        rows(store, "INSERT INTO ballast VALUES (zeroblob(10000))")
    rows(store, "DROP TABLE ballast")
    size, compacted = compact(store)
    assert size > 500_000 > compacted
    assert content(store) == before
    assert problems(store) == []
    writer = Writer(store)
    with pytest.raises(StoreError, match="another crawl is using"):
        compact(store)
    writer.close()


def test_disk_that_fills_up_in_a_crawl_is_one_sentence_and_keeps_what_was_committed(store: Path) -> None:
    before = content(store)
    with largest_file(8_000), pytest.raises(StoreError, match=r"the disk that holds .* (is full|fails)") as told:
        crawl(SITE, store, [])
    assert told.value.exit_code == 3
    assert content(store) == before
    assert problems(store) == []
    report, _ = crawl(SITE, store, [])
    assert (report.reason, report.read) == ("nothing-left", 41)


READS = {
    "find": lambda store: store.page_table.find([HOME]),
    "url": lambda store: store.page_table.url(0),
    "state": lambda store: store.page_table.state(0),
    "row of links": lambda store: store.link_table.row(0),
    "graph of some": lambda store: store.link_table.graph_of([0]),
    "pattern": lambda store: store.patterns.pattern("a.test"),
    "has_digest": lambda store: store.patterns.has_digest(7),
    "robots": lambda store: store.hosts.robots(HOME),
    "hosts": lambda store: store.hosts.all(),
    "seeds": lambda store: store.page_table.seeds(),
    "size": lambda store: store.size(),
    "urls": lambda store: list(store.page_table.urls()),
    "columns": lambda store: list(store.page_table.columns()),
    "hinted": lambda store: list(store.link_table.hinted()),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_look_up_that_fails_is_a_sentence(store: Path, read: object) -> None:
    """The file is torn behind SQLite's back while the store is open."""
    with open_store(store) as reader:
        store.write_bytes(store.read_bytes()[:100] + b"\xff" * (store.stat().st_size - 100))
        with pytest.raises(StoreError, match=r"damaged|cannot be used|fails"):
            read(reader)  # type: ignore[operator]


def test_failing_look_up_ends_a_crawl_with_what_was_committed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(table: PageTable, urls: list[str]) -> dict[str, int]:
        with store_errors(store):
            raise sqlite3.OperationalError("no such table: nowhere")

    kept = content(store)
    monkeypatch.setattr(PageTable, "find", fails)
    with pytest.raises(StoreError, match=r"crawl\.db cannot be used: no such table: nowhere"):
        crawl(Server(SITE), store, [])
    monkeypatch.undo()
    assert content(store)[1] == kept[1]
    assert problems(store) == []


def test_store_that_cannot_be_written_is_one_sentence(store: Path) -> None:
    writer = Writer(store)
    writer._db.execute("PRAGMA query_only = ON")
    sentence = "cannot be opened for writing; check its folder's permissions"
    with pytest.raises(StoreError, match=sentence), writer.transaction():
        writer.save_meta({"x": 1})
    writer._db.execute("PRAGMA query_only = OFF")
    writer.close()


def test_backup_blames_the_file_that_is_at_fault(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "folder" / "copy.db"
    with largest_file(50_000), pytest.raises(StoreError) as told:
        backup(store, copy)
    assert str(copy) in str(told.value)
    assert str(store) not in str(told.value)
    store.write_bytes(store.read_bytes()[: store.stat().st_size // 2])
    with pytest.raises(StoreError) as told:
        backup(store, copy)
    assert str(store) in str(told.value)
    assert str(copy) not in str(told.value)
    assert not copy.exists()


def test_what_killed_copies_have_left_goes_with_the_next(store: Path, tmp_path: Path) -> None:
    (tmp_path / ".copy.db.unfinished").touch()
    backup(store, tmp_path / "copy.db")
    assert sorted(file.name for file in tmp_path.glob("*copy*")) == ["copy.db"]
