"""Places of archives: whose index is used."""

import gzip
import os
import tempfile
import zipfile
from pathlib import Path

import pytest
from support.archives import an_http_record

from minicrawl.archive.collection import Collection, index_anew, index_of
from minicrawl.archive.places import check_there, indexed
from minicrawl.errors import SettingError

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


@pytest.mark.parametrize("place", ["nothing", "empty", "index.cdxj", "index.cdxj.gz", "some.warc.zst"])
def test_a_place_without_an_archive_is_named(place: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    if "." in place:
        (tmp_path / place).write_bytes(b"lines of an index")
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
