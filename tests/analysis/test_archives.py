"""The archive of a crawl, found by its store."""

import gzip
import shutil
from pathlib import Path

import pytest
from support.sites import HOME, crawl, rows

from minicrawl.analysis.archives import decoded, opened
from minicrawl.archive.collection import index_of
from minicrawl.archive.reading import Record
from minicrawl.errors import SettingError


@pytest.fixture
def store(tmp_path: Path) -> Path:
    crawl({HOME: ["/b"]}, tmp_path / "crawl.db", [HOME], archive=tmp_path / "kept")
    return tmp_path / "crawl.db"


def test_it_is_found_by_the_store_or_by_its_folder(store: Path, tmp_path: Path) -> None:
    with opened(store, None) as archive:
        assert len(archive.collection.of(HOME)) == 1
        assert archive.committed is not None
        assert archive.committed.sizes == {
            file.name: file.stat().st_size for file in (tmp_path / "kept" / "archive").iterdir()
        }
    moved = shutil.move(tmp_path / "kept", tmp_path / "moved")
    with opened(store, moved) as archive:
        assert len(archive.collection.of(HOME)) == 1
        assert archive.committed is None


def test_what_is_not_indexed_yet_is_found(store: Path, tmp_path: Path) -> None:
    """As while a crawl goes on, or after it was killed."""
    index_of(tmp_path / "kept").unlink()
    rows(store, "DELETE FROM meta WHERE key = 'archive_indexed'")
    with opened(store, None) as archive:
        assert [one.status for one in archive.collection.of(HOME)] == [200]


def test_a_crawl_without_one_says_how_to_begin_one(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    with (
        pytest.raises(SettingError, match="has no archive; 'minicrawl crawl --archive DIR' makes one"),
        opened(tmp_path / "crawl.db", None),
    ):
        pass


@pytest.mark.parametrize(
    ("field", "payload", "body"),
    [
        (b"Content-Encoding: gzip\r\n", gzip.compress(b"hello", mtime=0), b"hello"),
        (b"Content-Encoding: gzip\r\n", b"no gzip at all", b"no gzip at all"),
        (b"", b"hello", b"hello"),
    ],
)
def test_a_body_is_unpacked_where_it_can_be(field: bytes, payload: bytes, body: bytes) -> None:
    record = Record(0, 0, {}, b"HTTP/1.1 200 OK\r\n%b\r\n%b" % (field, payload))
    assert decoded(record, record.payload) == body
