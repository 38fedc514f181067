"""The archive and the store know the same, whatever happens between two commits."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from archives import answers, files
from sites import Server, crawl, rows
from small_web import small_web

from minicrawl.archive.check import check
from minicrawl.archive.collection import Collection, index_anew, index_of
from minicrawl.errors import StoreError

HOME = "http://a.test/"
LONG = "<p>" + "the same words " * 100
SITE = {HOME: ["/b", "/c", "/gone", LONG], HOME + "b": [HOME, LONG + "b"], HOME + "c": [HOME, LONG + "b"]}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    crawl(SITE, tmp_path / "crawl.db", [HOME], archive=tmp_path / "kept")
    return tmp_path / "kept"


def known(store: Path) -> list[tuple]:
    tables = "records LEFT JOIN pages ON pages.id = page"
    wanted = "coalesce(records.url, pages.url), kind, records.status"
    return rows(store, f"SELECT {wanted} FROM {tables} ORDER BY records.id")


def test_every_answer_has_its_row_and_the_index_of_the_rows_is_that_of_the_files(kept: Path) -> None:
    store = kept.parent / "crawl.db"
    assert known(store) == [(one.url, one.kind, int(one.status[:3])) for one in answers(kept)]
    assert sorted(kind for _, kind, _ in known(store)) == ["response"] * 5 + ["revisit"]
    sizes = dict(rows(store, "SELECT name, size FROM archive_files"))
    assert sizes == {file.name: file.stat().st_size for file in files(kept)}
    by_rows = index_of(kept).read_bytes()
    index_anew(kept)
    assert index_of(kept).read_bytes() == by_rows
    assert check(Collection(kept), sizes, deep=True).wrong == []


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
    assert check(Collection(kept), dict(rows(store, "SELECT name, size FROM archive_files")), deep=True).wrong == []


def test_a_page_that_is_not_in_the_archive_is_asked_for_without_condition(tmp_path: Path) -> None:
    """A 304 would leave the archive without it."""
    conditions: list[bool] = []

    class Unchanged(Server):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            if request.url.path == "/robots.txt":
                return httpx.Response(404)
            conditions.append("if-none-match" in request.headers)
            if conditions[-1]:
                return httpx.Response(304)
            return httpx.Response(200, html=LONG, headers={"ETag": '"1"'})

    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    server = Unchanged({})
    crawl(server, store, [HOME], recrawl_after=1e-9)
    for _ in range(2):
        crawl(server, store, [HOME], archive=folder, recrawl_after=1e-9, pages=1)
    assert conditions[-2:] == [False, True]
    assert [kind for url, kind, _ in known(store) if url == HOME] == ["response", "not-modified"]


def test_a_full_disk_stops_the_crawl_and_what_was_committed_is_kept(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/archive").write_text("no folder")
    with pytest.raises(StoreError, match=r"the archive at .* cannot be"):
        crawl(SITE, tmp_path / "crawl.db", [HOME], archive=tmp_path / "kept")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 1, 2])
def test_nothing_is_torn_or_unknown_after_kills(workers: int, tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    with small_web() as port:
        words = (
            f"crawl http://a.test/ http://b.test/ --archive {folder} --archive-size 2000 --workers {workers} --delay 0"
        )
        words += f" --connect-to ::127.0.0.1:{port} --allow-private --store {store} --refresh --refresh-min 0.001 -q"
        for number in range(6):
            with subprocess.Popen([sys.executable, "-m", "minicrawl", *words.split()]) as process:
                deadline = time.monotonic() + 60
                while len(list(folder.glob("archive/*"))) <= 3 * number + 2 and time.monotonic() < deadline:
                    time.sleep(0.01)
                os.kill(process.pid, signal.SIGKILL)
            committed = dict(rows(store, "SELECT name, size FROM archive_files"))
            assert all((folder / "archive" / name).stat().st_size >= size for name, size in committed.items())
        crawl({}, store, [], pages=1, workers=0)  # which cuts
    assert known(store)
    assert sorted(known(store)) == sorted((one.url, one.kind, int(one.status[:3])) for one in answers(folder))
