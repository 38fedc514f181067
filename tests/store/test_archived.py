"""Records are found by what is in them, and by their page."""

from pathlib import Path

from support.sites import crawl

from minicrawl.model import ArchiveRecord
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

A, B = bytes(20), bytes(range(20))


def row(page: int | None, digest: bytes, kind: str, status: int, at: float) -> ArchiveRecord:
    url = "http://a.test/robots.txt" if page is None else None
    return ArchiveRecord(url, at, "f", 1, 2, 4, digest, kind, status, "text/html", page)


def test_records_are_found(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    crawl({"http://a.test/": ["/b"]}, path, ["http://a.test/"])
    with Writer(path) as writer, writer.transaction():
        writer.add(
            ArchiveRecord,
            [
                row(None, A, "response", 404, 1.0),
                row(0, B, "response", 200, 2.0),
                row(0, B, "revisit", 200, 3.0),
                row(0, B, "not-modified", 304, 4.0),
            ],
        )
    with open_store(path) as store:
        found = store.archived
        assert found.with_body(B) == ("http://a.test/", 2.0, B, "f")
        assert found.with_body(A) is None
        assert found.last_of(0) == ("http://a.test/", 3.0, B, "f")
        assert found.last_of(1) is None
        assert found.last() == 4
        assert [(number, url) for number, url, _ in found.after(2)] == [(3, "http://a.test/"), (4, "http://a.test/")]
        first = row(None, A, "response", 404, 1.0)
        assert next(found.after(0)) == (1, first.url, first)
