"""Read WARC files of any origin: plain, or a gzip member per record (ISO 28500 annex D)."""

import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

MOST_KEPT = 64 * 1024 * 1024
"""Maximum bytes kept of a record's block: a file of a few megabytes may hold one of many gigabytes."""
_PIECE = 256 * 1024
_LONGEST_HEAD = 1024 * 1024
_GZIP = b"\x1f\x8b"
_FIELD = re.compile(rb"^([^\s:]+)[\t ]*:[\t ]*([^\r\n]*(?:\r?\n[\t ][^\r\n]*)*)", re.MULTILINE)
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[\t ]+(\d{3})")
_TYPE = re.compile(rb"^content-type[\t ]*:[\t ]*([^\s;]*)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEAD = re.compile(rb"\n\r?\n")
_BLANK = re.compile(rb"[\r\n]+")
_LATEST = 253_402_300_800.0  # the year 10,000
_DIGITS = 18


class DamagedError(Exception):
    """A position of a file without a record, or with a truncated one."""


@dataclass(frozen=True)
class Record:
    """A record. start, length: of its gzip member, or of itself in a plain file. fields: names in lower case. is_cut:
    the block is longer than the bytes kept."""

    start: int
    length: int
    fields: dict[str, str]
    block: bytes
    is_cut: bool = False

    @property
    def kind(self) -> str:
        return self.fields.get("warc-type", "")

    @property
    def url(self) -> str:
        return self.fields.get("warc-target-uri", "").strip("<>")  # some writers enclose it in these

    @property
    def is_answer(self) -> bool:
        """True if the record is an HTTP response."""
        content = self.fields.get("content-type", "").replace(" ", "").lower()
        is_http = content.startswith("application/http")
        return (
            is_http
            and self.kind in ("response", "revisit")
            and self.url[:8].lower().startswith(("http://", "https://"))
        )

    @property
    def at(self) -> float:
        """The date of the record in Unix seconds."""
        try:
            when = datetime.fromisoformat(self.fields.get("warc-date", "").replace("Z", "+00:00"))
        except ValueError:
            return 0.0
        at = when.replace(tzinfo=when.tzinfo or UTC).timestamp()
        return at if 0.0 <= at < _LATEST else 0.0

    @property
    def head(self) -> bytes:
        """The head of an HTTP message, with the empty line."""
        return self.block[: self._end_of_head]

    @property
    def payload(self) -> bytes:
        """The body of an HTTP message."""
        return self.block[self._end_of_head :]

    @property
    def status(self) -> int:
        """The status of an answer; 0 if missing."""
        found = _STATUS.match(self.block)
        return int(found[1]) if found else 0

    @property
    def media_type(self) -> str:
        """The declared media type of an answer; "" if missing."""
        return declared_type(self.head)

    @property
    def _end_of_head(self) -> int:
        found = _END_OF_HEAD.search(self.block)
        return found.end() if found else len(self.block)


def declared_type(head: bytes) -> str:
    """The media type in the head of an answer, unchecked, in lower case; "" if missing."""
    found = _TYPE.search(head)
    return found[1].decode("latin-1").lower() if found else ""


def records(path: Path, end: int | None = None) -> Iterator[Record]:
    """Records of a file, or those that begin before `end`. Raises OSError, and DamagedError at a truncated one."""
    at = 0
    with path.open("rb") as file:
        source = _source(file, at)
        while (end is None or at < end) and (record := source.next()) is not None:
            yield record
            at = record.start + record.length


def record_at(path: Path, start: int, length: int = 0) -> Record:
    """The record at a position of a file; length: in bytes, if known. Raises DamagedError and OSError."""
    with path.open("rb") as file:
        if start < 0 or os.fstat(file.fileno()).st_size < start + length:
            raise DamagedError(f"{path} ends before {start + length}")
        record = _source(file, start, min(max(length, 1), _PIECE) if length else _PIECE).next()
    if record is None:
        raise DamagedError(f"{path} ends before {start}")
    return record


def _source(file: BinaryIO, start: int, piece: int = _PIECE) -> "_Unpacked | _Plain":
    """The records of a file from a position on, read in pieces of `piece` bytes."""
    file.seek(start)
    is_packed = file.read(2) == _GZIP
    file.seek(start)
    return _Unpacked(file, start, piece) if is_packed else _Plain(file, start)


class _Unpacked:
    """Records in gzip members; a member may hold several records, as from tools that compress a whole file."""

    def __init__(self, file: BinaryIO, start: int, piece: int) -> None:
        self._file = file
        self._at = start
        self._piece = piece
        self._rest = b""

    def next(self) -> Record | None:
        begun, unpacker, taken = self._at, zlib.decompressobj(31), 0
        out, size = bytearray(), 0
        while not unpacker.eof:
            data = self._rest or self._file.read(self._piece)
            if not data:
                if taken:
                    raise DamagedError(f"the record at {begun} is torn: the file ends {taken} bytes behind")
                return None
            taken += len(data)
            try:
                for unpacked in _pieces(unpacker, data):
                    size += len(unpacked)
                    out += unpacked[: _LONGEST_HEAD + MOST_KEPT - len(out)]
            except zlib.error as error:
                raise DamagedError(f"there is no record at {begun}: {error}") from error
            self._rest = unpacker.unused_data
        taken -= len(self._rest)
        self._at = begun + taken
        return _parsed(out, size, begun, taken)


def _pieces(unpacker: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    """Decompress some bytes completely, in pieces."""
    piece = b""
    while (data or piece) and not unpacker.eof:
        piece = unpacker.decompress(data, _PIECE)
        data = unpacker.unconsumed_tail
        yield piece


class _Plain:
    """Uncompressed records."""

    def __init__(self, file: BinaryIO, start: int) -> None:
        self._file = file
        self._at = start

    def next(self) -> Record | None:
        begun, lines, size = self._at, list[bytes](), 0
        while (line := self._file.readline(_LONGEST_HEAD)).strip() or not lines:
            if not line:
                return None
            if not line.strip():
                begun += len(line)
                continue
            lines.append(line)
            size += len(line)
            if size > _LONGEST_HEAD:
                raise DamagedError(f"there is no record at {begun}")
        if not line:
            raise DamagedError(f"the record at {begun} is torn")
        fields = _fields(b"".join(lines), begun)
        length = _length(fields, begun)
        end = self._file.tell() + length
        if os.fstat(self._file.fileno()).st_size < end:
            raise DamagedError(f"the record at {begun} is torn")
        block = self._file.read(min(length, MOST_KEPT))
        self._at = self._file.seek(end)
        return Record(begun, end - begun, fields, block, is_cut=len(block) < length)


def _parsed(data: bytearray, size: int, start: int, length: int) -> Record:
    """The first record of a member. size: bytes of the member; data: its first bytes."""
    blank = _BLANK.match(data)
    begin = blank.end() if blank else 0
    end = _END_OF_HEAD.search(data, begin, begin + _LONGEST_HEAD)
    if end is None:
        raise DamagedError(f"there is no record at {start}")
    head = end.end()
    fields = _fields(bytes(data[begin:head]), start)
    expected = _length(fields, start)
    if size - head < expected:
        raise DamagedError(f"the record at {start} is torn: it has {size - head} bytes instead of {expected}")
    del data[:head]
    del data[min(expected, MOST_KEPT) :]
    return Record(start, length, fields, bytes(data), is_cut=len(data) < expected)


def _fields(head: bytes, start: int) -> dict[str, str]:
    if not head.startswith(b"WARC/"):
        raise DamagedError(f"there is no record at {start}, but {head[:20]!r}")
    return {
        name.decode("latin-1").lower(): value.decode("utf-8", "replace").strip() for name, value in _FIELD.findall(head)
    }


def _length(fields: dict[str, str], start: int) -> int:
    length = fields.get("content-length", "")
    if not (length.isascii() and length.isdecimal()) or len(length) > _DIGITS:
        raise DamagedError(f"the record at {start} has no length")
    return int(length)
