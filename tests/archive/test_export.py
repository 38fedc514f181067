"""An archive as one file: what is in a WACZ, and that its records stand where its index says."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest
from support.archives import NOTHING_BEFORE, an_answer, files

from minicrawl.archive.cdxj import read
from minicrawl.archive.collection import Collection, captures, index_anew, index_of
from minicrawl.archive.export import export
from minicrawl.archive.reading import record_at
from minicrawl.archive.writer import ArchiveWriter, Rules
from minicrawl.errors import SettingError, StoreError

NOW = 1_700_000_000.0


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    writer = ArchiveWriter(tmp_path / "kept", "test", Rules(10**9, dedups=True), NOTHING_BEFORE)
    for number in range(3):
        writer.write(an_answer(f"http://h.test/{number}", b"<p>hello" * (200 + number)))
    gone = b"HTTP/1.1 404 Not Found\r\n\r\n"
    writer.write(an_answer("http://h.test/gone", status=404, head=gone))
    writer.close()
    index_anew(tmp_path / "kept")
    return Collection(tmp_path / "kept")


def test_a_wacz_has_files_index_pages_and_their_digests(collection: Collection, tmp_path: Path) -> None:
    assert export(collection, tmp_path / "x.wacz", {}, "minicrawl/0", NOW) == 4
    with zipfile.ZipFile(tmp_path / "x.wacz") as wacz:
        assert wacz.testzip() is None
        package = json.loads(wacz.read("datapackage.json"))
        (warc,) = files(collection.folder)
        assert [part["path"] for part in package["resources"]] == [
            f"archive/{warc.name}",
            "indexes/index.cdxj",
            "pages/pages.jsonl",
        ]
        for part in package["resources"]:
            data = wacz.read(part["path"])
            assert (part["bytes"], part["hash"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
        assert wacz.getinfo(f"archive/{warc.name}").compress_type == zipfile.ZIP_STORED
        assert package["created"] == "2023-11-14T22:13:20Z"
        whole = json.loads(wacz.read("datapackage-digest.json"))["hash"]
        assert whole == f"sha256:{hashlib.sha256(wacz.read('datapackage.json')).hexdigest()}"
        _, *pages = map(json.loads, wacz.read("pages/pages.jsonl").splitlines())
        assert [page["url"] for page in pages] == [f"http://h.test/{number}" for number in range(3)]
        wacz.extractall(tmp_path / "again")
    for line in (tmp_path / "again/indexes/index.cdxj").read_text().splitlines():
        one = read(line)
        assert one is not None
        assert record_at(tmp_path / "again/archive" / one.file, one.start, one.length).url == one.url


def test_no_more_of_a_file_is_exported_than_counts(collection: Collection, tmp_path: Path) -> None:
    (warc,) = files(collection.folder)
    size = warc.stat().st_size
    with warc.open("ab") as file:
        file.write(b"torn")
    export(collection, tmp_path / "x.wacz", {warc.name: size}, "minicrawl/0", NOW)
    with zipfile.ZipFile(tmp_path / "x.wacz") as wacz:
        assert wacz.read(f"archive/{warc.name}") == warc.read_bytes()[:size]


def test_an_index_is_exported_with_what_is_not_in_it_yet(collection: Collection, tmp_path: Path) -> None:
    whole = index_of(collection.folder).read_text()
    index_of(collection.folder).write_text("".join(whole.splitlines(keepends=True)[::2]))
    (warc,) = files(collection.folder)
    behind = Collection(collection.folder, captures(warc))
    assert export(behind, tmp_path / "x.cdxj", {}, "minicrawl/0", NOW) == 4
    assert (tmp_path / "x.cdxj").read_text() == whole


@pytest.mark.parametrize(("file", "error"), [("x.zip", SettingError), ("none/x.wacz", StoreError)])
def test_a_file_that_cannot_be_written_is_named(
    file: str, error: type[Exception], collection: Collection, tmp_path: Path
) -> None:
    with pytest.raises(error, match=file):
        export(collection, tmp_path / file, {}, "minicrawl/0", NOW)
    assert list(tmp_path.glob("x*")) == []


def test_pages_are_listed_in_the_order_of_their_importance(collection: Collection, tmp_path: Path) -> None:
    """Ids rise, as viewers list pages by id; what is not a page of the crawl is not listed."""
    pages = [("http://h.test/2", 0.7, "Two", "two\nlines"), ("http://h.test/0", 0.2, None, None)]
    export(collection, tmp_path / "x.wacz", {}, "minicrawl/0", NOW, [*pages, ("http://h.test/gone", 0.1, None, None)])
    with zipfile.ZipFile(tmp_path / "x.wacz") as wacz:
        header, *lines = map(json.loads, wacz.read("pages/pages.jsonl").splitlines())
    assert header["hasText"] is True
    assert [(line["id"], line["url"], line["importance"]) for line in lines] == [
        ("000000000", "http://h.test/2", 0.7),
        ("000000001", "http://h.test/0", 0.2),
    ]
    assert (lines[0]["title"], lines[0]["text"]) == ("Two", "two\nlines")
    assert lines[1].keys() == {"id", "url", "ts", "importance"}
