"""Reading WARC files, of warcio's making too."""

import gzip
import io
import os
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from support.archives import NOTHING_BEFORE, an_answer, an_http_record
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from minicrawl.archive.collection import Collection, index_anew
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


def a_bomb(megabytes: int) -> bytes:
    """A response of so many megabytes, all zeros, as a gzip member of a thousandth of that, and a small one behind."""
    block = b"HTTP/1.1 200 OK\r\n\r\n"
    record = an_http_record(block, "http://h.test/bomb").removesuffix(b"\r\n\r\n")
    size = len(block) + megabytes * 2**20
    head = record.replace(b"Content-Length: %d" % len(block), b"Content-Length: %d" % size)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    zeros = bytes(2**20)
    piece = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)  # which stands for itself, however often
    last = packer.compress(b"\r\n\r\n") + packer.flush()
    check = zlib.crc32(head)
    for _ in range(megabytes):
        check = zlib.crc32(zeros, check)
    tail = struct.pack("<II", zlib.crc32(b"\r\n\r\n", check), (len(head) + megabytes * 2**20 + 4) & 0xFFFFFFFF)
    member = b"\x1f\x8b\x08" + bytes(6) + b"\xff" + first + piece * megabytes + last + tail
    return member + gzip.compress(an_http_record(block + b"hi", "http://h.test/small"))


READS = r"""
import re, sys
from pathlib import Path
from minicrawl.archive.reading import MOST_KEPT, record_at, records
bomb, small = records(Path(sys.argv[1]))
assert (bomb.is_cut, len(bomb.block), small.is_cut, small.payload) == (True, MOST_KEPT, False, b"hi")
assert record_at(Path(sys.argv[1]), bomb.start, bomb.length) == bomb
print(int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.parametrize("packed", [True, False])
def test_of_a_huge_record_the_first_bytes_are_kept_and_the_rest_is_skipped(tmp_path: Path, packed: bool) -> None:
    (tmp_path / "x.warc").write_bytes(a_bomb(256) if packed else b"")
    if not packed:
        head, _, behind = gzip.decompress(a_bomb(0)).partition(b"\r\n\r\n\r\n\r\n")
        size = b"Content-Length: %d" % (256 * 2**20 + 19)
        with (tmp_path / "x.warc").open("wb") as file:
            file.write(head.replace(b"Content-Length: 19", size) + b"\r\n\r\n")
            file.seek(256 * 2**20, os.SEEK_CUR)  # which takes no room on the disk
            file.write(b"\r\n\r\n" + behind)
    read = subprocess.run([sys.executable, "-c", READS, tmp_path / "x.warc"], check=True, capture_output=True)
    assert int(read.stdout) < 280, "megabytes"


@pytest.mark.parametrize("line", [b"a\r\n", b"a:\r\n", b"a:b\r\n c\r\n", b"a" + b"\t" * 60_000 + b"\r\n"])
def test_a_head_of_a_megabyte_takes_no_longer_than_it_is(tmp_path: Path, line: bytes) -> None:
    lines = line * (1_000_000 // len(line)) + b"Content-Length: 2\r\n\r\nhi\r\n\r\n"
    begun = time.process_time()
    for data in (b"WARC/1.0\r\n" + lines, gzip.compress(b"WARC/1.0\r\n" + lines, 1)):
        (tmp_path / "x.warc").write_bytes(data)
        (record,) = records(tmp_path / "x.warc")
        assert record.block == b"hi"
    assert time.process_time() - begun < 10
    (tmp_path / "x.warc").write_bytes(b"WARC/1.0\r\n" + lines[:-40] + lines)
    with pytest.raises(DamagedError):
        list(records(tmp_path / "x.warc"))


FOREIGN = [
    ("Content-Length", "9" * 5000),
    ("Content-Length", "-1"),
    ("Content-Length", "٥"),
    ("WARC-Date", "0001-01-01T00:00:00+23:59"),
    ("WARC-Date", "9999-12-31T23:59:59-23:59"),
    ("WARC-Target-URI", "http://[\r\n x"),
]


@pytest.mark.parametrize(("name", "value"), FOREIGN)
def test_fields_of_a_foreign_record_may_say_anything(tmp_path: Path, name: str, value: str) -> None:
    (tmp_path / "archive").mkdir()
    record = an_http_record(b"HTTP/1.1 200 OK\r\n\r\nhi").replace(b"WARC/1.0", f"WARC/1.0\r\n{name}: {value}".encode())
    (tmp_path / "archive/x.warc").write_bytes(record.replace(b"Content-Length: 21\r\n", b"", name == "Content-Length"))
    told: list[str] = []
    index_anew(tmp_path, told.append)
    assert len(list(Collection(tmp_path))) + len(told) == 1


def test_urls_between_brackets_and_a_file_packed_as_a_whole_are_read(tmp_path: Path) -> None:
    """As GNU Wget writes the first, and gzip the second: its records are not found one by one, which is told."""
    block = b"HTTP/1.1 200 OK\r\n\r\nhi"
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://h.test/>\r\nContent-Type: application/http\r\n"
    record = head + b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (len(block), block)
    (tmp_path / "x.warc").write_bytes(record)
    (one,) = records(tmp_path / "x.warc")
    assert (one.url, one.is_answer, one.at, one.payload) == ("http://h.test/", True, 0.0, b"hi")
