"""The archive and the store know the same, whatever happens between two commits."""

import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.archives import an_answer, answers, complaints, files
from support.command_line import run
from support.dying import killed_at
from support.killing_web import killing_web
from support.sites import HOME, Server, crawl, rows

from minicrawl.archive.collection import index_anew, index_of
from minicrawl.archive.record import Original
from minicrawl.archive.writer import ArchiveWriter, Rules
from minicrawl.crawler.steps.archive import Archive
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

LONG = "<p>" + "the same words " * 100
SITE = {HOME: ["/b", "/c", "/gone", LONG], HOME + "b": [HOME, LONG + "b"], HOME + "c": [HOME, LONG + "b"]}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    crawl(SITE, tmp_path / "crawl.db", [HOME], archive=tmp_path / "kept")
    return tmp_path / "kept"


def known(store: Path) -> list[tuple[Any, ...]]:
    tables = "records LEFT JOIN pages ON pages.id = page"
    wanted = "coalesce(records.url, pages.url), kind, records.status"
    return rows(store, f"SELECT {wanted} FROM {tables} ORDER BY records.id")


def test_every_answer_has_its_row_and_the_index_of_the_rows_is_that_of_the_files(kept: Path) -> None:
    store = kept.parent / "crawl.db"
    assert known(store) == [(one.url, one.kind, int(one.status[:3])) for one in answers(kept)]
    assert sorted(kind for _, kind, _ in known(store)) == ["response"] * 5 + ["revisit"]
    with open_store(store) as reader:
        assert reader.meta_json("archive_files") == {file.name: file.stat().st_size for file in files(kept)}
    by_rows = index_of(kept).read_bytes()
    index_anew(kept)
    assert index_of(kept).read_bytes() == by_rows
    assert complaints(store) == []


def test_the_next_run_writes_a_file_of_its_own_refers_to_the_last_one_and_cuts_what_a_kill_left(kept: Path) -> None:
    store, (first,) = kept.parent / "crawl.db", files(kept)
    whole = first.read_bytes()
    first.write_bytes(whole + b"torn")
    torn = first.with_name(first.name.replace("-00000-", "-00007-"))
    torn.write_bytes(b"torn")
    site = SITE | {HOME: ["/b", "/c", "/gone", "/new", LONG], HOME + "new": [HOME, LONG + "b"]}
    crawl(site, store, [HOME], discovery=0.5, pages=6)
    assert first.read_bytes() == whole
    assert not torn.exists()
    assert len(files(kept)) == 2
    assert known(store) == [(one.url, one.kind, int(one.status[:3])) for one in answers(kept)]
    assert complaints(store) == []


def test_a_page_that_is_not_in_the_archive_with_its_files_is_asked_for_without_condition(tmp_path: Path) -> None:
    """A 304 would leave the archive without it, and tells of no files."""
    conditions: list[bool] = []

    def unchanged(request: httpx.Request, _: int) -> httpx.Response:
        conditions.append("if-none-match" in request.headers)
        return httpx.Response(304) if conditions[-1] else httpx.Response(200, html=LONG, headers={"ETag": '"1"'})

    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    server = Server({}, absent=unchanged)
    crawl(server, store, [HOME], recrawl_after=1e-9, refresh_min=1e-9)
    for needs in (False, False, True, True):
        crawl(server, store, [HOME], archive=folder, requisites=needs, recrawl_after=1e-9, refresh_min=1e-9, pages=1)
    assert conditions[-4:] == [False, True, False, True]
    assert [kind for url, kind, _ in known(store) if url == HOME][:2] == ["response", "not-modified"]


def test_a_disk_that_fails_midway_stops_the_crawl_and_the_next_run_lacks_nothing(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"

    def failing(*_: object) -> Any:
        if (folder / "archive").is_dir():  # every answer begins a file
            (folder / "archive").rename(folder / "away")
            (folder / "archive").write_text("no folder")
        return SITE[HOME + "c"]

    with pytest.raises(StoreError, match=r"the archive at .* (failed|cannot be written)"):
        crawl(SITE | {HOME + "c": failing}, store, [HOME], archive=folder)
    (folder / "archive").unlink()
    (folder / "away").rename(folder / "archive")
    crawl(SITE, store, [HOME])
    assert {url for url, _, _ in known(store)} >= {*SITE, HOME + "gone"}
    assert sorted(known(store)) == sorted((one.url, one.kind, int(one.status[:3])) for one in answers(folder))
    assert complaints(store) == []


def rounds(store: Path, folder: Path, begun: int) -> None:
    """Two commits of two answers each, the second of every commit a revisit; files are full after some of them."""
    writer = Writer(store)
    archived = Archive(writer, CrawlSettings(archive=folder), str)

    def of_digest(digest: bytes) -> tuple[Original, str] | None:
        found = writer.archived.with_body(digest)
        return None if found is None else (found[:2], found[3])

    archive = ArchiveWriter(folder, archived.prefix, Rules(1200, dedups=True), (of_digest, lambda url: None))
    for number in range(begun, begun + 2):
        for body in (b"%d" % number * 2000, b"x" * 2000):
            answer = an_answer(f"http://h.test/{number}/{len(body)}", body=body)
            archived.on_record(archive.write(answer), None)
        with writer.transaction():
            archived.save(writer)
            writer.save_meta({"committed": number + 1, "asked_until": time.time()})
    archived.finish()


def test_every_committed_answer_is_there_once_whenever_it_is_killed(tmp_path: Path) -> None:
    """Killed at every step of begin, record, sync, commit, roll and index, one after the other."""
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    writer = Writer(store)
    with writer.transaction():
        writer.save_meta({"asked_until": time.time()})  # as a crawl does before its first request
    writer.close()
    committed = torn = 0
    for step in range(36):
        before = {file: file.stat().st_size for file in files(folder)}
        killed_at(step, ("open", "write", "fdatasync", "fsync", "close"), partial(rounds, store, folder, committed))
        grown = {file for file in files(folder) if file.stat().st_size > before.get(file, 0)}
        writer = Writer(store)
        sizes = writer.meta_json("archive_files")
        torn += any(file.stat().st_size > sizes.get(file.name, 0) for file in grown)
        Archive(writer, CrawlSettings(archive=folder), str)  # which cuts
        committed = int(writer.meta("committed") or 0)
        writer.close()
        assert {file.name: file.stat().st_size for file in files(folder)} == sizes
        if step % 7 == 0:
            found = [(one.url, one.kind, int(one.status[:3])) for one in answers(folder)]
            assert sorted(known(store)) == sorted(found)
            assert len(found) == 2 * committed
    assert torn > 8
    assert committed > 10


def test_what_a_killed_crawl_has_left_is_noted_and_nothing_wrong(tmp_path: Path) -> None:
    """Killed by the server in the middle of an answer, for real, at two moments of one crawl."""
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    noted = 0
    seeds = [f"http://h{host}.test/" for host in range(20)]
    with killing_web() as web:
        for requests, workers in ((45, 0), (70, 2)):
            options = f"--archive {folder} --no-traps --workers {workers}"
            assert web.kill(web.crawl_command(store, seeds, *options.split()), requests)
            result = run("archive", "check", "--deep", "--store", store, "--json")
            found = json.loads(result.output)
            assert (result.exit_code, found["problems"]) == (0, [])
            noted += len(found["notes"])
    assert noted
    crawl({}, store, [], pages=1, workers=0)  # which cuts
    assert complaints(store) == []
    assert sorted(known(store)) == sorted((one.url, one.kind, int(one.status[:3])) for one in answers(folder))
