"""Reading WARC files, ours or anybody's: plain, or a gzip member per record (ISO 28500 annex D)."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from minicrawl.system import read_at

_PIECE = 256 * 1024
_LONGEST_HEAD = 1024 * 1024
_GZIP = b"\x1f\x8b"
_FIELD = re.compile(rb"^([^\s:]+)[\t ]*:[\t ]*([^\r\n]*(?:\r?\n[\t ][^\r\n]*)*)", re.MULTILINE)
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[\t ]+(\d{3})")
_TYPE = re.compile(rb"^content-type[\t ]*:[\t ]*([^\s;]*)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEAD = re.compile(rb"\n\r?\n")


class DamagedError(Exception):
    """What is at a place of a file is no record, or not all of one."""


@dataclass(frozen=True)
class Record:
    """A record. start, length: of its gzip member, or of itself in a plain file. fields: names in lower case."""

    start: int
    length: int
    fields: dict[str, str]
    block: bytes

    @property
    def kind(self) -> str:
        return self.fields.get("warc-type", "")

    @property
    def url(self) -> str:
        return self.fields.get("warc-target-uri", "").strip("<>")  # some writers put it between them

    @property
    def is_answer(self) -> bool:
        """Whether it is of an HTTP answer."""
        content = self.fields.get("content-type", "").replace(" ", "").lower()
        is_http = content.startswith("application/http")
        return (
            is_http
            and self.kind in ("response", "revisit")
            and self.url[:8].lower().startswith(("http://", "https://"))
        )

    @property
    def at(self) -> float:
        """Unix seconds."""
        try:
            when = datetime.fromisoformat(self.fields.get("warc-date", "").replace("Z", "+00:00"))
        except ValueError:
            return 0.0
        return when.replace(tzinfo=when.tzinfo or UTC).timestamp()

    @property
    def head(self) -> bytes:
        """The head of an HTTP message, with the empty line."""
        return self.block[: self._end_of_head]

    @property
    def payload(self) -> bytes:
        """What is behind the head of an HTTP message."""
        return self.block[self._end_of_head :]

    @property
    def status(self) -> int:
        """Of an answer; 0 where there is none."""
        found = _STATUS.match(self.block)
        return int(found[1]) if found else 0

    @property
    def media_type(self) -> str:
        """Of an answer, as it says itself; "" where it does not."""
        return declared_type(self.head)

    @property
    def _end_of_head(self) -> int:
        found = _END_OF_HEAD.search(self.block)
        return found.end() if found else len(self.block)


def declared_type(head: bytes) -> str:
    """The media type that the head of an answer gives, as it is there, in lower case; "" for none."""
    found = _TYPE.search(head)
    return found[1].decode("latin-1").lower() if found else ""


def records(path: Path, start: int = 0) -> Iterator[Record]:
    """All records of a file, from a place on. Raises DamagedError where one is torn, and OSError."""
    with path.open("rb") as file:
        file.seek(start)
        is_packed = file.read(2) == _GZIP
        file.seek(start)
        source = _Unpacked(file, start) if is_packed else _Plain(file, start)
        while (record := source.next()) is not None:
            yield record


def record_at(path: Path, start: int, length: int = 0) -> Record:
    """The record at a place of a file; with its length, all of it is read at once. Raises DamagedError and OSError."""
    if not length:
        for record in records(path, start):
            return record
        raise DamagedError(f"{path} ends before {start}")
    with path.open("rb") as file:
        data = read_at(file.fileno(), length, start)
    if len(data) < length:
        raise DamagedError(f"{path} ends before {start + length}")
    if data.startswith(_GZIP):
        unpacker = zlib.decompressobj(31)
        try:
            data = unpacker.decompress(data)
        except zlib.error as error:
            raise DamagedError(f"{path} has no whole record at {start}: {error}") from error
        if not unpacker.eof:
            raise DamagedError(f"{path} has no whole record at {start}")
    return _parsed(data, start, length)


class _Unpacked:
    """Records that are gzip members, one after the other; a member may hold several, as of tools that pack a file."""

    def __init__(self, file: BinaryIO, start: int) -> None:
        self._file = file
        self._at = start
        self._rest = b""

    def next(self) -> Record | None:
        begun, unpacker, taken, out = self._at, zlib.decompressobj(31), 0, []
        while not unpacker.eof:
            data = self._rest or self._file.read(_PIECE)
            self._rest = b""
            if not data:
                if taken:
                    raise DamagedError(f"the record at {begun} is torn: the file ends {taken} bytes behind")
                return None
            try:
                out.append(unpacker.decompress(data))
            except zlib.error as error:
                raise DamagedError(f"there is no record at {begun}: {error}") from error
            taken += len(data) - len(unpacker.unused_data)
            self._rest = unpacker.unused_data
        self._at = begun + taken
        return _parsed(b"".join(out), begun, taken)


class _Plain:
    """Records that stand in the file as they are."""

    def __init__(self, file: BinaryIO, start: int) -> None:
        self._file = file
        self._at = start

    def next(self) -> Record | None:
        begun = self._at
        head = b""
        while (line := self._file.readline(_LONGEST_HEAD)) not in (b"\r\n", b"\n") or not head.strip():
            if not line:
                if head.strip():
                    raise DamagedError(f"the record at {begun} is torn")
                return None
            head = head + line if line.strip() or head else b""
            if not head:
                begun += len(line)
            if len(head) > _LONGEST_HEAD:
                raise DamagedError(f"there is no record at {begun}")
        length = _length(_fields(head, begun), begun)
        block = self._file.read(length)
        if len(block) < length:
            raise DamagedError(f"the record at {begun} is torn")
        self._at = self._file.tell()
        return Record(begun, self._at - begun, _fields(head, begun), block)


def _parsed(data: bytes, start: int, length: int) -> Record:
    data = data.lstrip(b"\r\n")
    end = _END_OF_HEAD.search(data, 0, _LONGEST_HEAD)
    if end is None:
        raise DamagedError(f"there is no record at {start}")
    fields = _fields(data[: end.end()], start)
    size = _length(fields, start)
    block = data[end.end() : end.end() + size]
    if len(block) < size:
        raise DamagedError(f"the record at {start} is torn: it has {len(block)} bytes instead of {size}")
    return Record(start, length, fields, block)


def _fields(head: bytes, start: int) -> dict[str, str]:
    if not head.startswith(b"WARC/"):
        raise DamagedError(f"there is no record at {start}, but {head[:20]!r}")
    return {
        name.decode("latin-1").lower(): value.decode("utf-8", "replace").strip() for name, value in _FIELD.findall(head)
    }


def _length(fields: dict[str, str], start: int) -> int:
    length = fields.get("content-length", "")
    if not length.isdecimal():
        raise DamagedError(f"the record at {start} has no length")
    return int(length)
