"""Copies that are stores, files made smaller, and disks that fail in the middle of a crawl."""

from pathlib import Path

import pytest
from support.dying import largest_file
from support.sites import HOME, Site, crawl, crawled_anew, faults_in, rows

from minicrawl.errors import SettingError, StoreError
from minicrawl.store.upkeep import backup, compact
from minicrawl.store.writer import Writer

SITE: Site = {HOME: [f"/{number}" for number in range(40)]}
SITE |= {f"{HOME}{number}": [HOME, f"/{(7 * number) % 40}", f"<p>{'many ' * (number + 1)}</p>"] for number in range(40)}


store = crawled_anew(SITE, [HOME], pages=20)


def content(store: Path) -> list[list[tuple[object, ...]]]:
    tables = ("pages", "links", "hosts", "meta", "robots", "patterns", "lines")
    return [rows(store, f"SELECT * FROM {table} ORDER BY 1") for table in tables]


def test_copy_made_while_a_crawl_writes_is_of_its_last_commit_and_goes_on(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    before = content(store)
    with Writer(store) as writer, writer.transaction():
        writer.save_meta({"half": "done"})
        backup(store, copy)
    assert content(copy) == before
    assert faults_in(copy) == []
    report, _ = crawl(SITE, copy, [])
    assert (report.reason, report.read) == ("nothing-left", 41)
    assert faults_in(copy) == []
    assert content(store)[:2] == before[:2]


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
    with Writer(copy), pytest.raises(StoreError, match="a crawl is using"):
        backup(store, copy, force=True)


def test_copy_that_fails_leaves_nothing_behind(store: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="cannot be opened"):
        backup(store, tmp_path / "file" / "copy.db")
    (tmp_path / "file").unlink()
    with largest_file(20_000), pytest.raises(StoreError, match="the disk that holds"):
        backup(store, tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_compact_changes_nothing_and_no_store_in_use(store: Path) -> None:
    before = content(store)
    with Writer(store), pytest.raises(StoreError, match="another crawl is using"):
        compact(store)
    compact(store)
    assert content(store) == before
    assert faults_in(store) == []


def test_disk_that_fills_up_in_a_crawl_is_one_sentence_and_keeps_what_was_committed(store: Path) -> None:
    before = content(store)
    with largest_file(8_000), pytest.raises(StoreError, match=r"the disk that holds .* (is full|fails)") as told:
        crawl(SITE, store, [])
    assert told.value.exit_code == 3
    assert content(store) == before
    assert faults_in(store) == []
    report, _ = crawl(SITE, store, [])
    assert (report.reason, report.read) == ("nothing-left", 41)
