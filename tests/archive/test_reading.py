"""Reading WARC files, of warcio's making too."""

import gzip
import io
import itertools
import os
import random
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from support.archives import NOTHING_BEFORE, a_record, an_answer, an_http_record
from support.effort import growth
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from minicrawl.archive.collection import Collection, index_anew
from minicrawl.archive.reading import Damage, DamagedError, record_at, records, told
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
    record = writer.write(an_answer(asked_at=1_700_000_000.25))
    writer.close()
    return tmp_path / "archive" / record.file


def test_our_own_are_read_as_they_were_written(tmp_path: Path) -> None:
    info, response, request = records(ours(tmp_path))
    assert [info.kind, response.kind, request.kind] == ["warcinfo", "response", "request"]
    assert (response.at, response.payload) == (1_700_000_000.25, b"<p>hello")
    assert not request.is_answer


def read(path: Path) -> tuple[list[bytes], list[Damage]]:
    """Payloads of all records of a file, and its damage; each record is also found by its place."""
    damages: list[Damage] = []
    found = list(records(path, on_damage=damages.append))
    for one in found:
        assert record_at(path, one.start, one.length, one.within).block == one.block
    return [one.payload for one in found], damages


def test_a_file_that_ends_anywhere_gives_its_whole_records_and_says_which_is_torn(tmp_path: Path) -> None:
    path = ours(tmp_path)
    whole, ends = path.read_bytes(), [record.start + record.length for record in records(path)]
    for size in range(1, len(whole)):
        path.write_bytes(whole[:size])
        seen, damages = read(path)
        known = max((end for end in ends if end <= size), default=0)
        assert len(seen) == sum(end <= size for end in ends)
        assert [one[:2] for one in damages] == ([(known, size)] if known < size else [])


A, B, C = (an_http_record(b"HTTP/1.1 200 OK\r\n\r\n" + body, "http://h.test/") for body in (b"aa", b"bb", b"cc"))
LONGER = (b"Content-Length: 21", b"Content-Length: 28")
FAR = (b"Content-Length: 21", b"Content-Length: 999999")


def flipped(member: bytes) -> bytes:
    return member[:40] + bytes([member[40] ^ 0xFF]) + member[41:]


# Bytes of a file, the bodies that are read, and how many parts of it are damaged.
PLAIN: dict[str, tuple[bytes, list[bytes], int]] = {
    "zeros-behind": (A + B + bytes(512), [b"aa", b"bb"], 0),
    "no-final-line": (A + B[:-4], [b"aa", b"bb"], 0),
    "lines-between": (A + b"\r\n" * 9 + B, [b"aa", b"bb"], 0),
    "no-line-between": (A[:-4] + B, [b"aa", b"bb"], 0),
    "garbage-first": (b"garbage\r\n" + A, [b"aa"], 1),
    "garbage-between": (A + b"garbage\r\n" * 9 + B + C, [b"aa", b"bb", b"cc"], 1),
    "twice-garbage": (A + b"garbage" + B + b"garbage" + C, [b"aa", b"bb", b"cc"], 2),
    "torn-first": (A[:-30] + B + C, [b"bb", b"cc"], 1),
    "torn-in-the-head": (A[:90] + B + C, [b"bb", b"cc"], 1),
    "torn-last": (A + B[:-30], [b"aa"], 1),
    "length-too-large": (A + B.replace(*LONGER) + C, [b"aa", b"cc"], 1),
    "length-behind-the-end": (A + B.replace(*FAR) + C, [b"aa", b"cc"], 1),
    "length-too-small": (A + B.replace(b"Length: 21", b"Length: 20") + C, [b"aa", b"b", b"cc"], 1),
    "no-length": (A + B.replace(b"Content-Length: 21", b"Content-Length: xx") + C, [b"aa", b"cc"], 1),
    "no-date": (A + B.replace(b"2026-01-01T", b"2026-99-99T") + C, [b"aa", b"bb", b"cc"], 0),
    "line-feeds": (A.replace(b"\r\n", b"\n").replace(b": 21", b": 19") + B, [b"aa", b"bb"], 0),
    "two-returns": (A[:-27].replace(b"\r\n", b"\r\r\n") + A[-27:] + B, [b"aa", b"bb"], 0),
    "folded": (A.replace(b"WARC-Type:", b"WARC-Type:\r\n\t"), [b"aa"], 0),
    "url-in-brackets": (A.replace(b"http://h.test/", b"<http://h.test/>"), [b"aa"], 0),
    "a-warc-in-a-record": (an_http_record(b"HTTP/1.1 200 OK\r\n\r\n" + A) + B, [A, b"bb"], 0),
    "nonsense": (b"nonsense\r\n\r\n", [], 1),
    "no-length-at-all": (b"WARC/1.0\r\nA: b\r\n\r\n", [], 1),
    "empty": (b"", [], 0),
}  # fmt: skip
Z = gzip.compress
PACKED: dict[str, tuple[bytes, list[bytes], int]] = {
    "a-member-per-record": (Z(A) + Z(B), [b"aa", b"bb"], 0),
    "several-in-a-member": (Z(A + B) + Z(C), [b"aa", b"bb", b"cc"], 0),
    "a-record-in-several-members": (Z(A[:99]) + Z(A[99:] + B), [b"aa", b"bb"], 0),
    "ends-in-a-member-of-their-own": (Z(A[:-4]) + Z(b"\r\n\r\n") + Z(B), [b"aa", b"bb"], 0),
    "lines-between": (Z(A) + b"\r\n\r\n" + Z(B), [b"aa", b"bb"], 0),
    "zeros-between-and-behind": (Z(A) + bytes(700_000) + Z(B) + bytes(512), [b"aa", b"bb"], 0),
    "garbage-between": (Z(A) + b"garbage\r\n" * 9 + Z(B), [b"aa", b"bb"], 1),
    "a-byte": (Z(A) + flipped(Z(B)) + Z(C), [b"aa", b"cc"], 1),
    "first-bytes": (bytes(8) + Z(A)[8:] + Z(B), [b"bb"], 1),
    "torn-in-the-middle": (Z(A) + Z(B)[:-30] + Z(C), [b"aa", b"cc"], 1),
    "torn-last": (Z(A) + Z(B)[:-1], [b"aa"], 1),
    "length-too-large": (Z(A) + Z(B.replace(*LONGER)) + Z(C), [b"aa", b"cc"], 1),
    "length-too-large-in-a-member": (Z(A + B.replace(*FAR) + C), [b"aa", b"cc"], 1),
    "nonsense": (Z(b"nonsense\r\n\r\n"), [], 1),
    "no-gzip": (b"\x1f\x8bnonsense", [], 1),
}


@pytest.mark.parametrize(("data", "bodies", "damages"), PLAIN.values(), ids=PLAIN)
def test_plain_files_of_every_shape_are_read(data: bytes, bodies: list[bytes], damages: int, tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(data)
    seen, told = read(path)
    assert (seen, len(told)) == (bodies, damages), told
    path.with_suffix(".gz").write_bytes(gzip.compress(data))
    seen, told = read(path.with_suffix(".gz"))
    assert (seen, len(told)) == (bodies, damages), told


@pytest.mark.parametrize(("data", "bodies", "damages"), PACKED.values(), ids=PACKED)
def test_packed_files_of_every_shape_are_read(data: bytes, bodies: list[bytes], damages: int, tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(data)
    seen, told = read(path)
    assert (seen, len(told)) == (bodies, damages), told


def test_damage_is_told_by_position_and_cause(tmp_path: Path) -> None:
    first, torn = gzip.compress(A), flipped(gzip.compress(B))
    (tmp_path / "x.warc.gz").write_bytes(first + torn + gzip.compress(C))
    _, (damage,) = read(tmp_path / "x.warc.gz")
    assert damage[:2] == (len(first), len(first) + len(torn))
    assert told(damage).startswith(f"{len(torn)} bytes at {len(first)} are not a record: Error -3")


def test_a_position_without_a_record_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(A) + gzip.compress(B))
    (first, second) = records(path)
    assert record_at(path, second.start).payload == b"bb"
    for start, length, within in ((1, 0, 0), (-1, 0, 0), (second.start, 9, 0), (0, first.length, 9), (0, 0, 10**9)):
        with pytest.raises(DamagedError):
            record_at(path, start, length, within)
    with pytest.raises(DamagedError, match="ends before"):
        record_at(path, 0, 10_000)


def test_the_records_of_a_wacz_are_read_in_place(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.wacz", "w") as wacz:
        wacz.writestr("archive/a.warc.gz", gzip.compress(A) + gzip.compress(B))
        wacz.writestr("indexes/index.cdxj", "not read\n" * 99)
        wacz.writestr("archive/b.warc", C)
    assert read(tmp_path / "x.wacz") == ([b"aa", b"bb", b"cc"], [])
    whole = (tmp_path / "x.wacz").read_bytes()
    (tmp_path / "x.wacz").write_bytes(whole[: whole.index(b"indexes/")])
    seen, damages = read(tmp_path / "x.wacz")
    assert (seen, len(damages)) == ([b"aa", b"bb"], 2), "one without its directory is searched"
    with zipfile.ZipFile(tmp_path / "x.wacz", "w", zipfile.ZIP_DEFLATED) as wacz:
        wacz.writestr("archive/a.warc.gz", gzip.compress(A) * 9)
    assert [len(some) for some in read(tmp_path / "x.wacz")] == [0, 1]


def test_a_resource_is_read_as_an_answer(tmp_path: Path) -> None:
    fields = {"WARC-Target-URI": "http://h.test/x", "Content-Type": "image/png"}
    (tmp_path / "x.warc").write_bytes(a_record("resource", fields, b"\n\nbits") + a_record("metadata", fields, b"m"))
    resource, metadata = records(tmp_path / "x.warc")
    assert (resource.is_answer, resource.status, resource.media_type, resource.payload) == (
        True,
        200,
        "image/png",
        b"\n\nbits",
    )
    assert not metadata.is_answer


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
from minicrawl.archive.reading import record_at, records
from minicrawl.archive.reading import MOST_KEPT
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
    def head(size: int) -> bytes:
        return line * (size // len(line)) + b"Content-Length: 2\r\n\r\nhi\r\n\r\n"

    def read_both(size: int) -> None:
        for data in (b"WARC/1.0\r\n" + head(size), gzip.compress(b"WARC/1.0\r\n" + head(size), 1)):
            (tmp_path / "x.warc").write_bytes(data)
            (record,) = records(tmp_path / "x.warc")
            assert record.block == b"hi"

    assert growth(read_both, 100_000) < 1.5
    lines = head(1_000_000)
    (tmp_path / "x.warc").write_bytes(b"WARC/1.0\r\n" + lines[:-40] + lines)
    assert read(tmp_path / "x.warc")[0] == []


@pytest.mark.parametrize("packs", [bytes, gzip.compress])
@pytest.mark.parametrize(
    "unit",
    [
        b"WARC/1.0\r\n",
        b"WARC/1.0\r\nContent-Length: 9000000\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: 500000\r\n\r\n.",
        gzip.compress(b"a", 0),
        gzip.compress(b"a") + b"?",
        gzip.compress(b"a")[:-1] + b"?",
        gzip.compress(gzip.compress(b"a" * 999, 0), 0)[:-9],
    ],
    # gzip notes the time of packing: a name made of its bytes differs from process to process
    ids=("line", "length", "body", "member", "garbage-behind", "garbage-for-the-end", "member-in-a-member"),
)
def test_damage_again_and_again_takes_no_longer_than_the_file_is(
    unit: bytes, packs: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "x.warc"

    def read_damaged(size: int) -> None:
        path.write_bytes(packs(unit * (size // len(unit))))
        assert len(read(path)[0]) <= 2

    assert growth(read_damaged, 20_000) < 1.5


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
    assert (len(list(Collection(tmp_path))), len(told)) == ((0, 1) if name == "Content-Length" else (1, 0))


def test_mutated_files_cost_no_other_records(tmp_path: Path) -> None:
    """Bits flipped, bytes cut, put in or doubled, other lengths: records that were not touched are read as before."""
    rng = random.Random(35)
    some = [an_http_record(b"HTTP/1.1 200 OK\r\n\r\n" + rng.randbytes(99).hex().encode()) for _ in range(9)]
    for name, packs in (("x.warc", bytes), ("x.warc.gz", gzip.compress)):
        path, members = tmp_path / name, [packs(one) for one in some]
        whole, ends = b"".join(members), list(itertools.accumulate(map(len, members)))
        for number in range(150):
            at, size = rng.randrange(len(whole)), rng.choice((1, 9, 400))
            filling = rng.choice((bytes(size), rng.randbytes(size), whole[size : size * 2]))
            mutated, end = (
                (whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :], at + 1),
                (whole[:at] + whole[at + size :], at + size),
                (whole[:at] + filling + whole[at:], at),
            )[number % 3]
            path.write_bytes(mutated)
            seen = {one.payload for one in records(path)}
            for one, begun, ended in zip(some, [0, *ends], ends, strict=False):
                if ended <= at or end <= begun:
                    assert one.partition(b"OK\r\n\r\n")[2].removesuffix(b"\r\n\r\n") in seen, (name, number)
