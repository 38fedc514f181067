"""Faults found by a check."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.archives import NOTHING_BEFORE, an_answer, files

from minicrawl.archive.check import check, faults
from minicrawl.archive.collection import Collection, index_anew, index_of
from minicrawl.archive.reading import Record, records
from minicrawl.archive.writer import ArchiveWriter, Committed, Rules, cut


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = ArchiveWriter(tmp_path, "me", Rules(10**9, dedups=True), NOTHING_BEFORE)
    for number in range(3):
        writer.write(an_answer(f"http://h.test/{number}", b"%d" % number))
    writer.close()
    index_anew(tmp_path)
    return tmp_path


def wrong(folder: Path, committed: Committed | None = None, *, deep: bool = True) -> list[str]:
    return check(Collection(folder), committed, deep=deep).wrong


def committed(folder: Path) -> Committed:
    """All that is there, as of a commit that comes after it."""
    return Committed("me-", {file.name: file.stat().st_size for file in files(folder)}, time.time())


def test_nothing_is_wrong_with_what_was_written(folder: Path) -> None:
    found = check(Collection(folder), committed(folder), deep=True)
    assert (found.files, found.records, found.answers, found.wrong, found.notes) == (1, 7, 3, [], [])


def grown(file: Path, more: bytes) -> None:
    file.write_bytes(file.read_bytes() + more)


def grown_later(file: Path) -> None:
    grown(file, b"x")
    os.utime(file, (2**33, 2**33))


# What is done to a file of an archive, and whether a kill may have done it, so that the next run mends it.
DAMAGES: dict[str, tuple[Callable[[Path], object], bool]] = {
    "torn-record-behind": (lambda file: grown(file, file.read_bytes()[:99]), True),
    "whole-records-behind": (lambda file: grown(file, file.read_bytes()), True),
    "nonsense-behind": (lambda file: grown(file, b"nonsense"), True),
    "new-file": (lambda file: file.with_name("me-9.warc.gz").write_bytes(file.read_bytes()[:99]), True),
    "empty-new-file": (lambda file: file.with_name("me-9.warc.gz").write_bytes(b""), True),
    "record-behind-in-an-older-store": (grown_later, False),
    "file-of-another": (lambda file: file.with_name("you-9.warc.gz").write_bytes(file.read_bytes()[:99]), False),
    "shorter": (lambda file: file.write_bytes(file.read_bytes()[:-1]), False),
    "empty": (lambda file: file.write_bytes(b""), False),
    "missing": (lambda file: file.unlink(), False),
    "a-byte": (lambda file: file.write_bytes(file.read_bytes()[:-9] + b"?" + file.read_bytes()[-8:]), False),
    "first-bytes": (lambda file: file.write_bytes(bytes(99) + file.read_bytes()[99:]), False),
}


@pytest.mark.parametrize(("does", "is_of_a_kill"), DAMAGES.values(), ids=DAMAGES)
def test_what_a_kill_leaves_is_noted_and_any_other_damage_is_wrong(
    folder: Path, does: Callable[[Path], object], is_of_a_kill: bool
) -> None:
    known = committed(folder)
    does(files(folder)[0])
    found = check(Collection(folder), known, deep=True)
    assert (not found.wrong, bool(found.notes)) == (is_of_a_kill, is_of_a_kill), found
    if is_of_a_kill:
        cut(folder, known)
        assert check(Collection(folder), known, deep=True).notes == []


def test_files_that_are_not_as_committed_are_found_without_reading_them(folder: Path) -> None:
    known = committed(folder)
    shorter = known._replace(sizes={name: size + 1 for name, size in known.sizes.items()})
    assert len(wrong(folder, shorter, deep=False)) == 1
    assert len(wrong(folder, known._replace(sizes={**known.sizes, "gone.warc.gz": 5}), deep=False)) == 1


def test_any_byte_that_is_not_as_it_was_is_found(folder: Path) -> None:
    (file,) = files(folder)
    whole = file.read_bytes()
    for at in range(0, len(whole), 97):
        damaged = whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :]
        file.write_bytes(damaged)
        assert wrong(folder) or _is_header_byte(whole, at)
    file.write_bytes(whole[:-1])
    assert any("torn" in sentence for sentence in wrong(folder))


def _is_header_byte(whole: bytes, at: int) -> bool:
    """True for a byte of a gzip header, such as its time, that does not affect the contents."""
    start = whole.rfind(b"\x1f\x8b\x08", 0, at + 1)
    return start <= at < start + 10


def test_an_index_that_lacks_an_answer_or_has_another_is_found(folder: Path) -> None:
    index = index_of(folder)
    lines = index.read_text().splitlines(keepends=True)
    index.write_text("".join(lines[:2]))
    assert wrong(folder) == ["http://h.test/2 of 19700101001640 is not in the index"]
    index.write_text("".join([*lines, lines[2].replace("h.test/2", "h.test/3")]))
    assert wrong(folder) == ["the index has http://h.test/3 of 19700101001640, but no file does"]


def test_digests_that_are_not_of_what_is_there_are_found(folder: Path) -> None:
    _, response, *_ = records(files(folder)[0])
    other = Record(response.start, response.length, response.fields, response.block + b"!")
    assert list(faults(response)) == []
    assert list(faults(other)) == ["its block does not match its digest", "its body does not match its digest"]
    foreign = Record(0, 0, response.fields | {"warc-block-digest": "sha256:abc", "warc-payload-digest": ""}, b"?")
    assert list(faults(foreign)) == []
    hexadecimal = {"warc-block-digest": "sha1:" + "00" * 20, "warc-date": ""}
    assert list(faults(Record(0, 0, response.fields | hexadecimal, response.block))) == [
        "it has no warc-date",
        "its block does not match its digest",
    ]
