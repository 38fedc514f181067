"""Reading WARC files, of warcio's making too."""

import gzip
import io
from pathlib import Path

import pytest
from archives import NOTHING_BEFORE, an_answer
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from minicrawl.archive.reading import DamagedError, record_at, records
from minicrawl.archive.writer import ArchiveWriter, Rules


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # warcio leaves its own files open
@pytest.mark.parametrize("packed", [True, False])
def test_files_of_warcio_are_read_as_they_were_written(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    bodies = [b"hello", b"x" * 700_000, b""]
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        writer.write_record(writer.create_warcinfo_record("x.warc", {"software": "y"}))
        for number, body in enumerate(bodies):
            head = StatusAndHeaders("200 OK", [("Content-Type", "Text/HTML; a=b")], protocol="HTTP/1.1")
            url = f"http://h.test/{number}"
            writer.write_record(writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=head))
    info, *answers = records(path)
    assert (info.kind, info.is_answer) == ("warcinfo", False)
    assert [(one.url, one.payload, one.status) for one in answers] == [
        (f"http://h.test/{number}", body, 200) for number, body in enumerate(bodies)
    ]
    assert answers[0].head == b"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; a=b\r\n\r\n"
    assert (answers[0].media_type, answers[0].is_answer) == ("text/html", True)
    for one in answers:
        assert record_at(path, one.start, one.length) == record_at(path, one.start) == one


def ours(tmp_path: Path) -> Path:
    writer = ArchiveWriter(tmp_path, "me", Rules(10**9, dedups=True), NOTHING_BEFORE)
    record = writer.write(an_answer(at=1_700_000_000.25))
    writer.close()
    return tmp_path / "archive" / record.file


def test_our_own_are_read_as_they_were_written(tmp_path: Path) -> None:
    info, response, request = records(ours(tmp_path))
    assert [info.kind, response.kind, request.kind] == ["warcinfo", "response", "request"]
    assert (response.at, response.payload) == (1_700_000_000.25, b"<p>hello")
    assert not request.is_answer


def test_a_file_that_ends_anywhere_gives_its_whole_records_and_says_which_is_torn(tmp_path: Path) -> None:
    path = ours(tmp_path)
    whole, ends = path.read_bytes(), [record.start + record.length for record in records(path)]
    for size in range(1, len(whole)):
        path.write_bytes(whole[:size])
        seen, is_torn = 0, False
        try:
            for _ in records(path):
                seen += 1
        except DamagedError:
            is_torn = True
        assert (seen, is_torn) == (sum(end <= size for end in ends), size not in ends)


def test_what_is_no_record_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    for data in (
        b"nonsense\r\n\r\n",
        gzip.compress(b"nonsense\r\n\r\n"),
        b"\x1f\x8bnonsense",
        b"WARC/1.0\r\nA: b\r\n\r\n",
    ):
        path.write_bytes(data)
        with pytest.raises(DamagedError):
            list(records(path))
        with pytest.raises(DamagedError):
            record_at(path, 0, len(data))
    with pytest.raises(DamagedError, match="ends before"):
        record_at(path, 0, 100)


def test_urls_between_brackets_and_a_file_packed_as_a_whole_are_read(tmp_path: Path) -> None:
    """As GNU Wget writes the first, and gzip the second: its records are not found one by one, which is told."""
    block = b"HTTP/1.1 200 OK\r\n\r\nhi"
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://h.test/>\r\nContent-Type: application/http\r\n"
    record = head + b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (len(block), block)
    (tmp_path / "x.warc").write_bytes(record)
    (one,) = records(tmp_path / "x.warc")
    assert (one.url, one.is_answer, one.at, one.payload) == ("http://h.test/", True, 0.0, b"hi")
