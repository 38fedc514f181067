"""An archive as a folder."""

import gzip
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

import pytest
from support.archives import NOTHING_BEFORE, an_answer, an_http_record, files

from minicrawl.archive.cdxj import Captured
from minicrawl.archive.check import check
from minicrawl.archive.collection import Collection, captures, check_there, index_anew, index_of, indexed
from minicrawl.archive.writer import ArchiveWriter, Rules
from minicrawl.errors import SettingError, StoreError

LONG = b"long " * 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = ArchiveWriter(tmp_path, "me", Rules(10**9, dedups=True), NOTHING_BEFORE)
    for at, url, body in ((1000, "a", b"first"), (2000, "a", LONG), (3000, "b", LONG)):
        writer.write(an_answer(f"http://h.test/{url}", body, asked_at=at))
    writer.close()
    assert index_anew(tmp_path) == 3
    return tmp_path


def test_answers_are_found_and_read(folder: Path) -> None:
    collection = Collection(folder)
    first, second = collection.of("http://h.test/a")
    assert collection.answer(first)[1] == b"first"
    assert collection.answer(second)[1] == LONG
    assert collection.of_first(["http://h.test/nowhere", "http://h.test/b"]) == collection.of("http://h.test/b")
    collection.close()


def test_a_revisit_has_the_body_it_refers_to(folder: Path) -> None:
    collection = Collection(folder)
    (revisit,) = collection.of("http://h.test/b")
    record, body = collection.answer(revisit)
    assert (revisit.is_revisit, record.kind, body) == (True, "revisit", LONG)


def test_a_revisit_whose_original_is_not_there_is_told(folder: Path) -> None:
    index = index_of(folder)
    index.write_text("".join(line for line in index.read_text().splitlines(keepends=True) if "h.test/b" in line))
    collection = Collection(folder)
    with pytest.raises(StoreError, match=r"was the same as http://h\.test/a, which is not in"):
        collection.answer(*collection.of("http://h.test/b"))


def test_what_is_not_indexed_yet_is_found_too(folder: Path) -> None:
    (kept,) = (one for one in captures(files(folder)[0]) if one.url.endswith("b"))
    shutil.rmtree(folder / "indexes")
    collection = Collection(folder, [kept])
    assert collection.of("http://h.test/b") == [kept]
    assert list(collection) == [kept]


def test_files_that_are_missing_or_damaged_are_told(folder: Path) -> None:
    collection = Collection(folder)
    one = collection.of("http://h.test/a")[0]
    files(folder)[0].write_bytes(b"x" * 5000)
    with pytest.raises(StoreError, match="is damaged"):
        collection.record(one)
    told: list[str] = []
    assert (index_anew(folder, told.append), len(told)) == (0, 1)
    files(folder)[0].unlink()
    with pytest.raises(StoreError, match="restore it"):
        collection.record(one)


NAMES = ["../x.warc.gz", "sub/../../x.warc.gz", "{}/x.warc.gz", "link.warc.gz", "link-of-link.warc.gz"]
NAMES += ["a\0.warc.gz", "..", "", "x", "../indexes/index.cdxj"]


@pytest.mark.parametrize("name", NAMES)
def test_an_index_leads_to_nothing_outside_its_archive(
    folder: Path, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (inside,) = files(folder)
    outside = tmp_path_factory.mktemp("outside") / "x.warc.gz"
    outside.write_bytes(inside.read_bytes())
    inside.with_name("link.warc.gz").symlink_to(outside)
    inside.with_name("link-of-link.warc.gz").symlink_to("link.warc.gz")
    (one,) = Collection(folder).of("http://h.test/b")
    with pytest.raises(StoreError, match=r"not a file of this archive|is a link out of the archive"):
        Collection(folder).record(one._replace(file=name.format(outside.parent)))


def test_files_that_lead_out_of_an_archive_are_none_of_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (inside,) = files(folder)
    outside = tmp_path_factory.mktemp("outside")
    shutil.copy(inside, outside / "x.warc.gz")
    inside.with_name("link.warc.gz").symlink_to(outside / "x.warc.gz")
    os.mkfifo(inside.with_name("pipe.warc.gz"))
    assert Collection(folder).files() == [inside]
    (wrong,) = check(Collection(folder)).wrong
    assert wrong.endswith(" is a link out of the archive")
    (one,) = Collection(folder).of("http://h.test/b")
    shutil.move(folder / "archive", outside / "archive")
    (folder / "archive").symlink_to(outside / "archive")
    assert Collection(folder).files() == []
    with pytest.raises(StoreError, match="is a link out of the archive"):
        Collection(folder).record(one)


def test_an_index_is_not_written_through_links(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    for name in ("index.cdxj.new", "index.cdxj.0"):
        (outside / name).write_text("mine")
        (folder / "indexes" / name).symlink_to(outside / name)
    assert index_anew(folder) == 3
    assert {path.read_text() for path in outside.iterdir()} == {"mine"}
    shutil.move(folder / "indexes", outside / "indexes")
    (folder / "indexes").symlink_to(outside / "indexes")
    with pytest.raises(StoreError, match="is a link out of the archive"):
        index_anew(folder)


def test_a_folder_without_an_archive_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no archive at"):
        Collection(tmp_path)


def test_an_answer_of_a_file_is_as_the_index_has_it(folder: Path) -> None:
    in_files = [one for file in files(folder) for one in captures(file)]
    assert all(isinstance(one, Captured) for one in in_files)
    assert sorted(in_files) == sorted(Collection(folder))


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
    assert "some.warc, 242 bytes at 262 are not a record: the record at 262 is torn" in caplog.text


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
