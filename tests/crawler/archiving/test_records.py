"""The archive and the store know the same, whatever happens between two commits."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from support.archives import an_answer, answers, files
from support.dying import killed_at
from support.sites import Server, crawl, rows
from support.small_web import WebServer, small_web

import minicrawl
from minicrawl.analysis.archives import opened
from minicrawl.archive.check import check
from minicrawl.archive.collection import index_anew, index_of
from minicrawl.archive.record import Original
from minicrawl.archive.writer import ArchiveWriter, Originals, Rules
from minicrawl.cli import main
from minicrawl.crawler.archiving.records import kept_crawl
from minicrawl.crawler.parts.archive import Archive
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.writer import Writer

HOME = "http://a.test/"
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


def faults_in(store: Path) -> list[str]:
    """What a check finds wrong with the archive of a store, or has to note."""
    with opened(store, None) as archive:
        found = check(archive.collection, archive.committed, deep=True)
    return found.wrong + found.notes


def test_every_answer_has_its_row_and_the_index_of_the_rows_is_that_of_the_files(kept: Path) -> None:
    store = kept.parent / "crawl.db"
    assert known(store) == [(one.url, one.kind, int(one.status[:3])) for one in answers(kept)]
    assert sorted(kind for _, kind, _ in known(store)) == ["response"] * 5 + ["revisit"]
    assert dict(rows(store, "SELECT name, size FROM archive_files")) == {
        file.name: file.stat().st_size for file in files(kept)
    }
    by_rows = index_of(kept).read_bytes()
    index_anew(kept)
    assert index_of(kept).read_bytes() == by_rows
    assert faults_in(store) == []


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
    assert faults_in(store) == []


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
    crawl(server, store, [HOME], recrawl_after=1e-9, refresh_min=1e-9)
    for _ in range(2):
        crawl(server, store, [HOME], archive=folder, recrawl_after=1e-9, refresh_min=1e-9, pages=1)
    assert conditions[-2:] == [False, True]
    assert [kind for url, kind, _ in known(store) if url == HOME] == ["response", "not-modified"]


def test_a_full_disk_stops_the_crawl_and_what_was_committed_is_kept(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/archive").write_text("no folder")
    with pytest.raises(StoreError, match=r"the archive at .* cannot be"):
        crawl(SITE, tmp_path / "crawl.db", [HOME], archive=tmp_path / "kept")


def test_a_disk_that_fails_midway_stops_the_crawl_and_the_next_run_lacks_nothing(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"

    class Failing(Server):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            if request.url.path == "/c" and (folder / "archive").is_dir():  # every answer begins a file
                (folder / "archive").rename(folder / "away")
                (folder / "archive").write_text("no folder")
            return super()._answer(request)

    with pytest.raises(StoreError, match=r"the archive at .* (fails|cannot be written)"):
        crawl(Failing(SITE), store, [HOME], archive=folder, archive_size=1)
    (folder / "archive").unlink()
    (folder / "away").rename(folder / "archive")
    crawl(SITE, store, [HOME])
    assert {url for url, _, _ in known(store)} >= {*SITE, HOME + "gone"}
    assert sorted(known(store)) == sorted((one.url, one.kind, int(one.status[:3])) for one in answers(folder))
    assert faults_in(store) == []


def rounds(store: Path, folder: Path, begun: int) -> None:
    """Two commits of two answers each, the second of every commit a revisit; files are full after some of them."""
    writer = Writer(store)
    archived = Archive(writer, CrawlSettings(archive=folder))

    def of_digest(digest: bytes) -> tuple[Original, str] | None:
        found = writer.archived.with_body(digest)
        return None if found is None else (Original(found[0], found[1]), found[3])

    archive = ArchiveWriter(folder, archived.prefix, Rules(1200, dedups=True), Originals(of_digest, lambda url: None))
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
        sizes = writer.archived.files()
        torn += any(file.stat().st_size > sizes.get(file.name, 0) for file in grown)
        Archive(writer, CrawlSettings(archive=folder))  # which cuts
        committed = int(writer.meta("committed") or 0)
        writer.close()
        assert {file.name: file.stat().st_size for file in files(folder)} == sizes
        if step % 7 == 0:
            found = [(one.url, one.kind, int(one.status[:3])) for one in answers(folder)]
            assert sorted(known(store)) == sorted(found)
            assert len(found) == 2 * committed
    assert torn > 8
    assert committed > 10


class Killing(BaseHTTPRequestHandler):
    """A page for every path, with links to three more, until the crawl has asked for so many: then it is killed."""

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, KillingServer)
        server.asked += 1
        if server.asked == server.deadly:
            server.is_begun.wait()
            os.kill(server.victim, signal.SIGKILL)
        at = int(self.path.removeprefix("/p") or 0) if self.path.startswith(("/p", "/?")) else 0
        body = "".join(f"<a href=/p{3 * at + more}>x</a>" for more in (1, 2, 3)).encode() + LONG.encode()
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class KillingServer(WebServer):
    def __init__(self, deadly: int) -> None:
        super().__init__(("127.0.0.1", 0), Killing)
        self.asked, self.deadly, self.victim, self.is_begun = 0, deadly, 0, threading.Event()


def test_what_a_killed_crawl_has_left_is_noted_and_nothing_wrong(tmp_path: Path) -> None:
    """Killed by the server in the middle of an answer, for real, at three moments of one crawl."""
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    noted = 0
    for deadly in (12, 40, 77):
        server = KillingServer(deadly)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        words = f"crawl http://a.test/ --archive {folder} --delay 0 --store {store} --no-probe --allow-private -q"
        words += f" --connect-to ::127.0.0.1:{server.server_port} --no-traps --archive-size 20000"
        with subprocess.Popen([sys.executable, "-m", "minicrawl", *words.split()]) as process:
            server.victim = process.pid
            server.is_begun.set()
        server.shutdown()
        thread.join()
        server.server_close()
        assert process.returncode == -signal.SIGKILL
        result = CliRunner().invoke(main, ["archive", "check", "--deep", "--store", str(store), "--json"])
        found = json.loads(result.output)
        assert (result.exit_code, found["problems"]) == (0, [])
        noted += len(found["notes"])
    assert noted
    crawl({}, store, [], pages=1)  # which cuts
    assert faults_in(store) == []


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


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({}, "there are no minicrawl-ID.json"),
        ({"minicrawl-a.json": "{}", "minicrawl-b.json": "{}"}, "several crawls, minicrawl-a.json, minicrawl-b.json"),
        ({"minicrawl-a.json": "{}"}, "cannot be read"),
        ({"minicrawl-a.json": "[" * 100_000}, "cannot be read"),
        ({"minicrawl-a.json": "\xff"}, "cannot be read"),
    ],
    ids=["none", "two", "without seeds", "nested", "no UTF-8"],
)
def test_an_archive_without_one_crawl_says_so(texts: dict[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it has no folder archive"):
        kept_crawl(tmp_path)
    (tmp_path / "archive").mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "latin-1")
    with pytest.raises(StoreError, match=said):
        kept_crawl(tmp_path)


def test_settings_and_seeds_are_kept_beside_an_archive_without_secrets(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    for name in ("crawl.db", "crawl.db", "other.db"):
        settings = {"header": "X-Key: hush", "auth": "a.test=me:hush", "max_depth": 3}
        crawl(SITE, tmp_path / name, [HOME], archive=folder, pages=1, **settings)
        ours, *_ = sorted(folder.glob("minicrawl-*.json"), key=lambda file: file.stat().st_mtime)
        if name == "crawl.db":
            archive = kept_crawl(folder)
            assert (archive.seeds, archive.settings["max_depth"]) == ([HOME], 3)
            assert {file.name.partition(f"-{archive.archive_id}-")[0] for file in files(folder)} == {"minicrawl"}
        assert "hush" not in ours.read_text()
    assert len(list(folder.glob("*.json"))) == 2


def test_bodies_of_another_archive_are_referred_to_and_both_together_have_them(tmp_path: Path) -> None:
    one, two, more = tmp_path / "one", tmp_path / "two", [f"<p>{'word ' * 300}"]
    site = {HOME: ["/a", "/b", *more], f"{HOME}a": ["/b", *more], f"{HOME}b": ["<p>short"]}
    crawl(site, tmp_path / "one.db", [HOME], archive=one, probe=False)
    with pytest.raises(SettingError, match="without --no-dedup"):
        crawl(site, tmp_path / "two.db", [HOME], archive=two, dedup_with=one, dedup=False)
    crawl(site, tmp_path / "two.db", [HOME], archive=two, dedup_with=one, probe=False)
    kinds = {one.url: one.kind for one in answers(two) if not str(one.url).endswith("robots.txt")}
    assert kinds == {HOME: "revisit", f"{HOME}a": "revisit", f"{HOME}b": "response"}
    for store in ("one.db", "two.db"):
        got = CliRunner().invoke(main, ["archive", "get", f"{HOME}a", "--store", str(tmp_path / store)])
        assert (got.exit_code, got.stdout.count("word")) == (0, 300)
    got = CliRunner().invoke(main, ["archive", "get", f"{HOME}a", "--archive", str(two)])
    assert (got.exit_code, got.stderr.count("\n")) == (3, 1)
    assert f"was the same as {HOME}a, which is not in {two}" in got.stderr
    shutil.rmtree(two / "parsed")  # or pages come from there
    for places, failures in ([two, one], {}), ([two], {"not-archived": 1}):
        report = minicrawl.crawl([HOME], tmp_path / f"{len(places)}.db", from_archive=places, probe=False)
        assert report.failures == failures
