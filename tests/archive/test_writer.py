"""Files of the archive, as warcio reads them.

Files after a kill.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from support.archives import NOTHING_BEFORE, an_answer, files, seen
from support.dying import largest_file

from minicrawl.archive.writer import ArchiveWriter, Committed, Originals, Rules, cut, may_be_packed, sync
from minicrawl.errors import StoreError
from minicrawl.model import ArchiveRecord

LONG = b"<p>" + b"hello " * 300
DIGEST = hashlib.sha1(LONG).digest()


def written(
    folder: Path, *answers: Any, size: int = 10**9, dedups: bool = True, originals: Originals = NOTHING_BEFORE
) -> list[ArchiveRecord]:
    rules = Rules(size, dedups, {"software": "x/1"}, frozenset({b"user-agent"}))
    writer = ArchiveWriter(folder, "me", rules, originals, clock=lambda: 0.0)
    try:
        return [writer.write(answer) for answer in answers]
    finally:
        writer.close()


def test_a_file_describes_itself_then_has_answers_each_with_its_request(tmp_path: Path) -> None:
    (record,) = written(tmp_path, an_answer())
    (file,) = files(tmp_path)
    assert file.name == f"me-19700101000000-00000-{os.getpid()}.warc.gz" == record.file
    info, response, request = seen(file)
    assert (info.kind, info.headers["WARC-Filename"], info.body) == ("warcinfo", file.name, b"software: x/1\r\n")
    assert (response.kind, response.url, response.body) == ("response", "http://h.test/a", b"<p>hello")
    assert response.headers["WARC-Warcinfo-ID"] == info.headers["WARC-Record-ID"]
    assert request.headers["WARC-Concurrent-To"] == response.headers["WARC-Record-ID"]
    assert request.http == [("Host", "h.test")]
    assert record.until == file.stat().st_size
    assert 0 < record.start < record.start + record.length < record.until


BODIES = {
    "long": (an_answer(body=LONG), "revisit"),
    "of less than 1,000 bytes": (an_answer(body=LONG[:999]), "response"),
    "of 1,000 bytes": (an_answer(body=LONG[:1000]), "revisit"),
    "of a page that is not there": (an_answer(body=LONG, status=404), "response"),
    "of a redirect": (an_answer(body=LONG, status=301), "response"),
    "cut": (an_answer(body=LONG, truncated="length"), "response"),
}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_is_kept_once_if_it_is_whole_and_long_and_of_a_page(case: str, tmp_path: Path) -> None:
    answer, kind = BODIES[case]
    tmp_path /= case
    first, second = written(tmp_path, answer, answer._replace(url="http://h.test/b", asked_at=2000.0))
    assert (first.kind, second.kind) == ("response", kind)
    _, _, _, again, _ = seen(files(tmp_path)[0])
    assert again.kind == kind
    if kind == "revisit":
        assert again.headers["WARC-Refers-To-Target-URI"] == "http://h.test/a"
        assert again.headers["WARC-Refers-To-Date"] == "1970-01-01T00:16:40.500000Z"
        assert first.digest == second.digest


def test_every_body_is_kept_without_dedup(tmp_path: Path) -> None:
    answer = an_answer(body=LONG)
    assert [record.kind for record in written(tmp_path, answer, answer, dedups=False)] == ["response"] * 2


@pytest.mark.parametrize(("file", "kind"), [("there.warc.gz", "revisit"), ("moved.warc.gz", "response")])
def test_a_body_of_an_earlier_run_is_referred_to_if_its_file_is_there(file: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive/there.warc.gz").touch()
    kept = {DIGEST: (("http://h.test/z", 5.0), file)}
    before = kept.get, lambda _: None
    (record,) = written(tmp_path, an_answer(body=LONG), originals=before)
    assert record.kind == kind


def test_a_304_refers_to_the_page_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive/there.warc.gz").touch()
    before = (lambda _: None), lambda url: ((url, 5.0), DIGEST, "there.warc.gz")
    head = b"HTTP/1.1 304 Not Modified\r\nContent-Length: 1800\r\n\r\n"
    (record,) = written(tmp_path, an_answer(status=304, head=head, body=b""), originals=before)
    assert (record.kind, record.digest) == ("not-modified", DIGEST)
    _, revisit, _ = seen(tmp_path / "archive" / record.file)
    assert revisit.headers["WARC-Profile"].endswith("/server-not-modified")
    assert (revisit.status, revisit.http) == ("304 Not Modified", [("Content-Length", "1800")])


def test_a_304_of_a_page_that_is_not_there_is_kept_as_it_is(tmp_path: Path) -> None:
    (record,) = written(tmp_path, an_answer(status=304, body=b""))
    assert record.kind == "response"


def test_a_full_file_is_followed_by_another(tmp_path: Path) -> None:
    records = written(tmp_path, *[an_answer(body=bytes([65 + number]) * 2000) for number in range(5)], size=2000)
    assert all(record.start < 2000 for record in records)
    kinds = [[one.kind for one in seen(file)] for file in files(tmp_path)]
    assert len(kinds) > 1
    assert all(some[0] == "warcinfo" for some in kinds)
    assert sum(some.count("response") for some in kinds) == 5


def test_dates_of_a_file_never_fall(tmp_path: Path) -> None:
    records = written(tmp_path, *[an_answer(asked_at=at, body=b"%d" % at) for at in (5000, 3000, 6000)])
    assert [record.at for record in records] == [5000, 5000, 6000]


@pytest.mark.parametrize("url", ["http://h.test/a%20b", "http://h.test/%C3%BC?" + "q" * 10_000, "http://[::1]:8080/"])
def test_urls_stand_as_they_are(url: str, tmp_path: Path) -> None:
    written(tmp_path, an_answer(url, peer="[::1]:8080"))
    _, response, _ = seen(files(tmp_path)[0])
    assert (response.url, response.headers["WARC-IP-Address"]) == (url, "::1")


@pytest.mark.parametrize(
    ("media_type", "field", "is_packed"),
    [
        ("text/html", b"", False),
        ("text/html", b"Content-Encoding: gzip", True),
        ("text/html", b"content-encoding : br", True),
        ("text/html", b"X-Content-Encoding: gzip", False),
        ("", b"", False),
        ("image/png", b"", True),
        ("image/svg+xml", b"", False),
        ("application/zip", b"", True),
        ("application/x-zipper", b"", False),
        ("application/pdf", b"", True),
        ("font/woff2", b"", True),
    ],
)
def test_a_body_is_not_packed_again(media_type: str, field: bytes, is_packed: bool) -> None:
    head = b"HTTP/1.1 200 OK\r\n%b\r\n\r\n" % field
    assert may_be_packed(media_type, head) is is_packed


def test_a_record_that_does_not_fit_leaves_no_part_of_itself(tmp_path: Path) -> None:
    rules = Rules(10**9, dedups=True)
    writer = ArchiveWriter(tmp_path, "me", rules, NOTHING_BEFORE)
    record = writer.write(an_answer())
    with (
        largest_file(record.until + 500),
        pytest.raises(StoreError, match=r"cannot be written: File too large; check its disk"),
    ):
        writer.write(an_answer(body=os.urandom(10_000)))
    assert files(tmp_path)[0].stat().st_size == record.until
    assert writer.write(an_answer(body=b"next")).start == record.until
    writer.close()
    assert len(seen(files(tmp_path)[0])) == 5


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("a file")
    with pytest.raises(StoreError, match="cannot be written"):
        written(tmp_path, an_answer())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "archive").mkdir()
    for name in ("me-1.warc.gz", "me-2.warc.gz", "me-3.warc.gz", "other-1.warc.gz"):
        file = tmp_path / "archive" / name
        file.write_bytes(b"0123456789")
        os.utime(file, (1000, 1000))
    return tmp_path


def sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in sorted((folder / "archive").iterdir())}


def test_what_was_not_committed_is_cut_off_and_files_of_others_stay(folder: Path) -> None:
    assert cut(folder, Committed("me-", {"me-1.warc.gz": 4, "me-2.warc.gz": 10}, 990.0)) == 16
    assert sizes(folder) == {"me-1.warc.gz": 4, "me-2.warc.gz": 10, "other-1.warc.gz": 10}
    assert cut(folder, Committed("me-", {"me-1.warc.gz": 4, "me-2.warc.gz": 10}, 990.0)) == 0


def test_a_file_that_has_lost_what_was_committed_is_told_and_nothing_is_cut(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"me-2\.warc\.gz has 10 bytes, but the store expects 11"):
        cut(folder, Committed("me-", {"me-1.warc.gz": 4, "me-2.warc.gz": 11}, 990.0))
    assert set(sizes(folder).values()) == {10}


def test_an_old_copy_of_a_store_does_not_cut_what_came_after_it(folder: Path) -> None:
    with pytest.raises(StoreError, match="must be an older copy; name another folder with --archive"):
        cut(folder, Committed("me-", {"me-1.warc.gz": 4}, 100.0))
    assert set(sizes(folder).values()) == {10}


def test_a_folder_that_is_not_there_yet_needs_no_cut(tmp_path: Path) -> None:
    assert cut(tmp_path / "new", Committed("me-", {"me-1.warc.gz": 4}, 0.0)) == 0


def test_files_that_are_not_there_cannot_be_synced(folder: Path) -> None:
    sync(folder, ["me-1.warc.gz"], ["me-1.warc.gz"])
    with pytest.raises(StoreError, match="No such file"):
        sync(folder, ["me-9.warc.gz"], [])
