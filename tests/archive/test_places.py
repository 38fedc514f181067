"""Places of archives: whose index is used, of which files one is made, and what may be fetched."""

import gzip
import http.server
import os
import re
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.archives import an_http_record

from minicrawl.archive import cdxj
from minicrawl.archive.collection import Collection, captures, index_anew, index_of
from minicrawl.archive.places import check_there, indexed
from minicrawl.errors import SettingError, StoreError

RECORD = an_http_record(b"HTTP/1.1 200 OK\r\n\r\nhello")
URL = "http://h.test/"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / "kept/archive").mkdir(parents=True)
    (tmp_path / "kept/archive/some.warc").write_bytes(RECORD)
    return tmp_path / "kept"


def test_an_index_is_used_as_long_as_it_is_younger_than_the_files(kept: Path) -> None:
    index_anew(kept)
    with indexed([str(kept)]) as folders:
        assert folders == (kept,)
    changed = index_of(kept).stat().st_mtime + 10
    os.utime(kept / "archive/some.warc", (changed, changed))
    with indexed([str(kept)]) as folders:
        assert kept not in folders
        assert len(Collection(folders[0]).of(URL)) == 1
    assert not folders[0].exists()


def test_nothing_is_written_where_every_archive_has_its_index(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index_anew(kept)
    monkeypatch.setattr(tempfile, "tempdir", str(kept / "nowhere"))
    with indexed([]) as none, indexed([str(kept)]) as one:
        assert (none, one) == ((), (kept,))


def test_files_folders_and_collections_without_index_are_read_together(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "loose").mkdir()
    for number in range(2):
        (tmp_path / f"loose/some-{number}.warc").write_bytes(RECORD)
    (tmp_path / "some.warc").write_bytes(RECORD)
    places = [str(kept), str(tmp_path / "loose"), str(tmp_path / "some.warc")]
    with indexed(places) as (folder,):
        collection = Collection(folder, follows_links=True)
        assert len(collection.of(URL)) == 4
        assert {collection.answer(one)[1] for one in collection.of(URL)} == {b"hello"}
        collection.close()


def test_a_torn_file_is_read_as_far_as_it_goes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "some.warc").write_bytes(RECORD + RECORD[:-20])
    with indexed([str(tmp_path / "some.warc")]) as (folder,):
        assert len(Collection(folder).of(URL)) == 1
    assert "some.warc, 242 bytes at 262 are no record: the record at 262 is torn" in caplog.text


@pytest.mark.parametrize("place", ["nothing", "empty"])
def test_a_place_without_an_archive_is_named(place: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingError, match=f"there is no archive at .*{place}: name WARC or WACZ files"):
        check_there([str(tmp_path / place)])


def bodies(*places: str) -> dict[str, bytes]:
    """The body of every answer at some places."""
    with indexed(places) as folders:
        found = dict[str, bytes]()
        for folder in folders:
            collection = Collection(folder, follows_links=str(folder) not in places)
            found |= {one.url: collection.answer(one)[1] for one in collection}
            collection.close()
        return found


OTHER = an_http_record(b"HTTP/1.1 200 OK\r\n\r\nother", "http://h.test/other")
BOTH = {URL: b"hello", "http://h.test/other": b"other"}


def test_files_of_any_kind_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "one.warc.gz").write_bytes(gzip.compress(RECORD))
    assert bodies(str(folder)) == {URL: b"hello"}
    with zipfile.ZipFile(folder / "x.wacz", "w") as wacz:
        wacz.writestr("archive/x.warc.gz", gzip.compress(RECORD + OTHER))
    (folder / "named-otherwise").write_bytes(OTHER)
    assert bodies(str(folder / "x.wacz")) == bodies(str(folder)) == BOTH
    assert bodies(str(folder / "one.warc.gz"), str(folder / "named-otherwise")) == BOTH


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(gzip.compress(RECORD) + gzip.compress(OTHER))
    with (tmp_path / "x").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert bodies("-") == BOTH


@contextmanager
def served(files: dict[str, bytes]) -> Iterator[tuple[str, list[str]]]:
    """A server of files, in ranges too; its address, and paths and ranges as they were asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            given = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            asked.append(f"{self.path} {given[0] if given else ''}".strip())
            data = files.get(self.path)
            self.send_response(404 if data is None else 206 if given else 200)
            self.end_headers()
            if data is not None:
                self.wfile.write(data[int(given[1]) : int(given[2]) + 1] if given else data)

        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def lines_of(path: Path, name: str) -> str:
    """The index of a file, which it calls by a name."""
    return "".join(f"{cdxj.line(one._replace(file=name))}\n" for one in captures(path))


def test_an_index_names_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub/x.warc.gz"
    path.write_bytes(gzip.compress(RECORD) + gzip.compress(OTHER))
    first, second = lines_of(path, "sub/x.warc.gz").splitlines()
    (tmp_path / "some.cdxj").write_text(f"{first}\n!meta\nnonsense\n")
    assert bodies(str(tmp_path / "some.cdxj")) == {URL: b"hello"}
    (tmp_path / "some.cdxj.gz").write_bytes(gzip.compress(second.encode()))
    assert bodies(str(tmp_path / "some.cdxj.gz")) == {"http://h.test/other": b"other"}
    one, two = captures(path)
    columns = f"test,h)/ {one.stamp} {URL} text/html 200 - - - {one.length} {one.start} sub/x.warc.gz\n"
    columns += f"test,h)/other {two.stamp} {two.url} text/html 200 - - {two.start} sub/x.warc.gz\n"
    (tmp_path / "some.cdx").write_text(" CDX N b a m s k r M S V g\n" + columns)
    assert bodies(str(tmp_path / "some.cdx")) == BOTH


@pytest.mark.parametrize("name", ["../x.warc", "{}/x.warc", "link.warc", "pipe.warc", "a\0b", "", "."])
def test_an_index_leads_to_nothing_outside_its_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "x.warc").write_bytes(RECORD)
    (tmp_path / "in/link.warc").symlink_to(tmp_path / "x.warc")
    os.mkfifo(tmp_path / "in/pipe.warc")
    (tmp_path / "in/some.cdxj").write_text(lines_of(tmp_path / "x.warc", name.format(tmp_path)))
    assert bodies(str(tmp_path / "in/some.cdxj")) == {}


def test_of_files_on_the_web_only_the_ranges_in_an_index_are_fetched(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(RECORD) + gzip.compress(OTHER))
    line = lines_of(path, "crawl-data/x.warc.gz").splitlines()[1]
    (tmp_path / "cc.cdxj").write_text(line + "\n" + line.replace("crawl-data/", "crawl-data/../") + "\n")
    two = list(captures(path))[1]
    files = {"/base/crawl-data/x.warc.gz": path.read_bytes(), "/base/cc.cdxj": line.encode()}
    with served(files) as (address, asked):
        expected = {"http://h.test/other": b"other"}
        assert bodies(f"{tmp_path}/cc.cdxj@{address}/base/") == expected
        assert asked == [f"/base/crawl-data/x.warc.gz bytes={two.start}-{two.start + two.length - 1}"]
        assert bodies(f"{address}/base/cc.cdxj") == expected
        assert bodies(f"{address}/base/crawl-data/x.warc.gz") == BOTH
        with pytest.raises(StoreError, match=r"/nowhere\.warc cannot be read: HTTP Error 404"):
            bodies(f"{address}/nowhere.warc")
    with pytest.raises(StoreError, match="cannot be read"):
        bodies(f"{address}/base/cc.cdxj")


def test_a_server_without_ranges_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "x.warc").write_bytes(RECORD)
    (tmp_path / "cc.cdxj").write_text(lines_of(tmp_path / "x.warc", "y.warc"))
    with served({}) as (address, _):
        assert bodies(f"{tmp_path}/cc.cdxj@{address}") == {}
    assert "cc.cdxj names 'y.warc', of which nothing is there" in caplog.text
