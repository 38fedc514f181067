"""Read records from WARC files of any origin (ISO 28500), also from those stored in a WACZ.

A file is read from front to back, plain or in gzip members. After damage the reader continues with the next record and
reports the bytes it skipped: a damaged member ends a stretch, and the next member begins a new one.
"""

import base64
import hashlib
import io
import re
import struct
import sys
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

MOST_KEPT = 64 * 1024 * 1024
"""Maximum bytes kept of a record's block: a file of a few megabytes may hold one of many gigabytes."""
PIECE = 256 * 1024
_READ = 64 * 1024
_TAIL = 1024
_MOST_AGAIN = 256 * 1024 * 1024
"""Bytes of damaged members, beside 16 times the file, that are searched for further ones: damage may hide their end."""
_MOST_MEMBERS = 10_000
_BLANK = b"\r\n\0"
_BLANKS = re.compile(rb"[\r\n\0]*+")
_GZIP = re.compile(rb"\x1f\x8b\x08")


class DamagedError(Exception):
    """A position of a file without a record, or with a truncated one."""


class Unpacked:
    """The unpacked bytes of a file from `start` to `end`.

    window: the next bytes, which `has` extends and `drop` removes. fault: the damage behind this stretch, as position
    and cause. gone: the number of bytes removed. read_to: the position up to which the file was read. is_packed: the
    file is compressed.
    """

    def __init__(self, file: BinaryIO, name: str, start: int, end: int) -> None:
        self._file = file
        self._start = self.read_to = start
        self.end = end
        self.window = bytearray()
        self.fault: tuple[int, str] | None = None
        self.gone = 0  # unpacked bytes before the window
        self._begins = deque([(0, start)])  # of members: unpacked bytes before each, and its position in the file
        self._ends = deque[tuple[int, int]](maxlen=_MOST_MEMBERS)
        self._again = _MOST_AGAIN + 16 * (end - start)
        self._is_over = False
        file.seek(start)
        begin = file.read(4)
        file.seek(start)
        self.is_packed = True
        if _GZIP.match(begin) or (name.endswith(".gz") and begin != b"WARC"):
            self._pieces = self._members()
        else:
            self._pieces = iter(self._read, b"")
            self.is_packed = False

    def has(self, size: int) -> bool:
        """Extend the window to a size. False if the stretch ends before."""
        while len(self.window) < size and not self._is_over:
            piece = next(self._pieces, None)
            self._is_over = piece is None
            self.window += piece or b""
        return len(self.window) >= size

    def behind(self, size: int) -> bytes | None:
        """Some bytes that follow the next `size` ones; None if the stretch ends before. What would have to be unpacked
        beyond MOST_KEPT is taken for granted: b""."""
        if size <= MOST_KEPT:
            return bytes(self.window[size : size + _TAIL]) if self.has(size + _TAIL) or self.has(size) else None
        if self.is_packed:
            return b"" if self.has(MOST_KEPT) else None
        self._file.seek(min(self._start + self.gone + size, self.end))
        tail = self._file.read(_TAIL)
        self._file.seek(self.read_to)
        return tail if self._start + self.gone + size <= self.end else None

    def drop(self, size: int) -> bool:
        """Remove the next bytes, also those behind the window. False if the stretch ends before."""
        while size > len(self.window):
            size -= len(self.window)
            self.gone += len(self.window)
            self.window.clear()
            if not self.is_packed:
                is_there = self.read_to + size <= self.end
                self.read_to = self._file.seek(min(self.read_to + size, self.end))
                self.gone += size
                return is_there
            if not self.has(1):
                return False
        del self.window[:size]
        self.gone += size
        return True

    def drop_blanks(self) -> None:
        """Remove line ends and the zeros that some programs fill blocks with."""
        while self.has(1):
            blank = _BLANKS.match(self.window)
            size, blank = (blank.end() if blank else 0), None  # a match would keep the window from changing
            self.drop(size)
            if not size:
                return

    def resume(self) -> None:
        """Begin the next stretch, behind the damage."""
        self.fault, self._is_over = None, False

    @property
    def place(self) -> tuple[int, int]:
        """The position in the file of the next byte, or of its member, and the position in that."""
        if not self.is_packed:
            return self._start + self.gone, 0
        while len(self._begins) > 1 and self._begins[1][0] <= self.gone:
            self._begins.popleft()
        unpacked, at = self._begins[0]
        return at, self.gone - unpacked

    def place_behind(self, gone: int) -> int:
        """The position in the file after a record that ends `gone` bytes into the stretch, where only blanks have been
        skipped since. Inside a member, the position after that member."""
        if not self.is_packed:
            return self._start + gone
        while self._ends and self._ends[0][0] <= self.gone:
            end, at = self._ends.popleft()
            if end >= gone:
                return at
        return self.read_to

    def _read(self) -> bytes:
        data = self._file.read(min(_READ, self.end - self.read_to))
        self.read_to += len(data)
        return data

    def _members(self) -> Iterator[bytes | None]:
        """The pieces of all stretches; None behind each that ends with a fault."""
        data, unpacked = b"", 0
        while data := data or self._read():
            data = data.lstrip(_BLANK)
            if not data:
                continue
            if len(data) < 4:
                data += self._read()
            start, begun, rest = self.read_to - len(data), unpacked, None
            first, known_to = data, self.read_to
            if not _GZIP.match(data):
                self.fault = start, f"no record begins at {start}"
                data = self._next(data)
                yield None
                continue
            self._begin(unpacked, start)
            try:
                member, piece = zlib.decompressobj(31), b""
                while rest is None:
                    if not data and len(piece) < PIECE and not (data := self._read()):
                        raise DamagedError(f"the record at {start} is torn: the file ends in it")
                    piece = member.decompress(member.unconsumed_tail + data, PIECE)
                    data, rest = b"", member.unused_data if member.eof else None
                    unpacked += len(piece)
                    if piece:
                        yield piece
                data = rest
                self._ends.append((unpacked, self.read_to - len(data)))
            except (DamagedError, zlib.error) as error:
                cost = self.read_to - start + unpacked - begun
                self.fault = start, str(error)
                if cost > self._again:
                    first = b""
                elif self.read_to > known_to:
                    self.read_to, first = self._file.seek(start + 1), b" "
                data = self._next(first[1:])
                self._again -= cost
                yield None

    def _begin(self, unpacked: int, start: int) -> None:
        """Note where a member begins, unless there are too many: then its records are found from an earlier one."""
        if self._begins[-1][0] == unpacked:
            self._begins.pop()
        if len(self._begins) < _MOST_MEMBERS:
            self._begins.append((unpacked, start))

    def _next(self, data: bytes) -> bytes:
        """Move on to the next member in the bytes read last or behind them. Returns its first bytes."""
        while (found := _GZIP.search(data)) is None:
            if not (more := self._read()):
                return b""
            data = data[-3:] + more
        return data[found.start() :]


_LONGEST_HEAD = 1024 * 1024
_LONGEST_LINE, _LONGEST_MARK = 64 * 1024, 32
_FIELD = re.compile(rb"^([^\s:]+)[\t ]*:[\t ]*([^\r\n]*(?:\r?\n[\t ][^\r\n]*)*)", re.MULTILINE)
_FOLD = re.compile(r"\r?\n[\t ]+")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[\t ]+(\d{3})")
_TYPE = re.compile(rb"^content-type[\t ]*:[\t ]*([^\s;]*)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEAD = re.compile(rb"\n\r*+\n")
_WARC = re.compile(rb"WARC/\d\.\d++[\t\r ]*+\n")
_END_OR_WARC = re.compile(rb"\n\r*+\n|(?=WARC/\d\.\d++[\t\r ]*+\n)")
_LENGTH = re.compile(r"[0-9]{1,18}")
_ZIP = b"PK\x03\x04"
_LATEST = 253_402_300_800.0  # the year 10,000


Damage = tuple[int, int, str]
"""Start and end of the bytes of a file that belong to no record, and why; of a gzip member with several records, the
bytes read for them."""


def told(damage: Damage) -> str:
    start, end, why = damage
    return f"{end - start:,} bytes at {start} are not a record: {why}"


@dataclass(frozen=True)
class Record:
    """A record. start, length: of its gzip member, or of itself in a plain file. within: its position in the unpacked
    member. fields: names in lower case. is_cut: the block is longer than the bytes kept."""

    start: int
    length: int
    fields: dict[str, str]
    block: bytes
    is_cut: bool = False
    within: int = 0

    @property
    def kind(self) -> str:
        return self.fields.get("warc-type", "")

    @property
    def url(self) -> str:
        """The URL; some writers enclose it in brackets or leave spaces in it."""
        return self.fields.get("warc-target-uri", "").strip("<>").replace(" ", "%20")

    @property
    def is_answer(self) -> bool:
        """True if the record is an HTTP response, or a resource, which is read as one."""
        content = self.fields.get("content-type", "").replace(" ", "").lower()
        is_http = content.startswith("application/http") or (not content and self.block.startswith(b"HTTP/"))
        is_read = self.kind == "resource" or (is_http and self.kind in ("response", "revisit"))
        return is_read and self.url[:8].lower().startswith(("http://", "https://", "urn:"))

    @property
    def at(self) -> float:
        """The date of the record in Unix seconds; 0 if it is missing or wrong."""
        text = self.fields.get("warc-date", "").replace("Z", "+00:00")
        try:
            when = datetime.fromisoformat(text + "0000-01-01"[len(text) :])  # ISO 28500 5.4: a year or month will do
            at = when.replace(tzinfo=when.tzinfo or UTC).timestamp()
        except (ValueError, OverflowError):
            return 0.0
        return at if 0.0 <= at < _LATEST else 0.0

    @property
    def head(self) -> bytes:
        """The head of an HTTP message, with the empty line; a resource gets one."""
        if self.kind == "resource":
            kind = self.fields.get("content-type", "").encode("latin-1", "replace")
            return b"HTTP/1.1 200 OK\r\n%b\r\n" % (kind and b"Content-Type: %b\r\n" % kind)
        return self.block[: self._end_of_head]

    @property
    def payload(self) -> bytes:
        """The body of an HTTP message."""
        return self.block if self.kind == "resource" else self.block[self._end_of_head :]

    @property
    def status(self) -> int:
        """The status of an answer; 0 if missing."""
        found = _STATUS.match(self.head)
        return int(found[1]) if found else 0

    @property
    def media_type(self) -> str:
        """The declared media type of an answer; "" if missing."""
        return declared_type(self.head)

    def wrong_digests(self) -> Iterator[str]:
        """The parts of a whole record that are not those of their digests."""
        if not self.is_cut and not _is_of(self.fields.get("warc-block-digest", ""), self.block):
            yield "block"
        digest = self.fields.get("warc-payload-digest", "")
        if not self.is_cut and self.kind == "response" and self.is_answer and not _is_of(digest, self.payload):
            yield "body"

    @property
    def _end_of_head(self) -> int:
        found = _END_OF_HEAD.search(self.block)
        return found.end() if found else len(self.block)


def _is_of(digest: str, data: bytes) -> bool:
    """True if a digest matches the data, is missing, or is of another algorithm."""
    algorithm, _, value = digest.partition(":")
    if algorithm.lower() != "sha1" or not value:
        return True
    sum_ = hashlib.sha1(data, usedforsecurity=False)
    return value in (base64.b32encode(sum_.digest()).decode(), sum_.hexdigest()) or len(value) not in (32, 40)


def declared_type(head: bytes) -> str:
    """The media type in the head of an answer, unchecked, in lower case; "" if missing."""
    found = _TYPE.search(head)
    return found[1].decode("latin-1").lower() if found else ""


def is_archive(name: str) -> bool:
    """True if the name is that of a file with records."""
    return name.lower().endswith((".warc", ".warc.gz", ".wacz"))


def records(
    path: Path, end: int | None = None, on_damage: Callable[[Damage], object] = lambda damage: None
) -> Iterator[Record]:
    """Records of a file, or of its bytes before `end`. on_damage: called for bytes without a record. Raises OSError."""
    with path.open("rb", buffering=0) as file:
        size = file.seek(0, io.SEEK_END)
        for name, start, stop in _parts(file, path.name, size if end is None else min(end, size)):
            source = Unpacked(file, name, start, stop)
            source.drop_blanks()
            yield from _Reader(source).all(on_damage)


def record_at(path: Path, start: int, length: int = 0, within: int = 0) -> Record:
    """The record at a position of a file; length: in bytes, if known. Raises DamagedError and OSError."""
    with path.open("rb", buffering=0) as file:
        size = file.seek(0, io.SEEK_END)
        if start < 0 or size < start + max(length, 1):
            raise DamagedError(f"{path} ends before {start + length}")
        source = Unpacked(file, path.name, start, start + length if length else size)
        if not source.drop(within):
            raise DamagedError(f"{path} has no byte {within} of the member at {start}")
        source.drop_blanks()
        return _Reader(source).next()


def _parts(file: BinaryIO, name: str, size: int) -> list[tuple[str, int, int]]:
    """Name, start and end of the files with records in a file: those stored in a zip, else itself.

    Of a zip that is damaged, or has packed them once more, all bytes are searched.
    """
    file.seek(0)
    if file.read(4) != _ZIP and not name.endswith(".wacz"):
        return [(name, 0, size)]
    found, known_to = [], 0
    try:
        for one in sorted(zipfile.ZipFile(file).infolist(), key=lambda one: one.header_offset):
            if is_archive(one.filename):
                file.seek(one.header_offset)
                mark, of_name, more = struct.unpack("<4s22xHH", file.read(30))
                begun = one.header_offset + 30 + of_name + more
                if mark != _ZIP or one.compress_type != zipfile.ZIP_STORED:
                    raise zipfile.BadZipFile
                if known_to <= begun <= size:  # none twice
                    known_to = min(begun + one.file_size, size)
                    found.append((one.filename, begun, known_to))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, OSError, struct.error):
        return [(f"{name}.gz", 0, size)]
    return found or [(f"{name}.gz", 0, size)]


class _Reader:
    """Reads records from unpacked bytes."""

    def __init__(self, source: Unpacked) -> None:
        self._source = source
        self._lost: tuple[int, str] | None = None
        self._known_to = 0  # position in the file up to which records were read

    def all(self, on_damage: Callable[[Damage], object]) -> Iterator[Record]:
        source = self._source
        while source.has(1) or source.fault is not None:
            if source.window:
                try:
                    record = self.next()
                except DamagedError as error:
                    self._lost = self._lost or source.fault or (source.place[0], str(error))
                    record = None
                if record is None:
                    self._drop_to_mark()
                    continue
                if self._lost is not None:
                    on_damage(self._damage(record.start))
                self._known_to = record.start + record.length
                yield record
            else:
                self._lost = self._lost or source.fault
                source.resume()
            source.drop_blanks()
        if self._lost is not None:
            on_damage(self._damage(source.end))

    def _damage(self, end: int) -> Damage:
        """The damage before a position."""
        assert self._lost is not None
        (start, why), self._lost = self._lost, None
        if end > self._known_to:
            return max(start, self._known_to), end, why
        return start, max(end, self._source.read_to), why

    def next(self) -> Record:
        """The record that begins here. Raises DamagedError."""
        source, window = self._source, self._source.window
        start, within = source.place
        if not (source.has(5) and window.startswith(b"WARC/")):
            raise DamagedError(f"expected a record at {start}, found {bytes(window[:20])!r}")
        fields, size = self._fields(start)
        expected = fields.get("content-length", "")
        if not _LENGTH.fullmatch(expected):
            raise DamagedError(f"the record at {start} has no length")
        length = int(expected)
        kept = min(length, MOST_KEPT)
        tail = source.behind(size + length)
        is_of_member = not within and tail is not None and not tail.strip(b"\r\n\0")
        if tail is None or (is_of_member and source.fault is not None and source.fault[0] == start):
            raise DamagedError(f"the record at {start} is torn: it has fewer than {length} bytes")
        wrong = DamagedError(f"the record at {start} is not {length} bytes long, as it says")
        is_ended = b"WARC/".startswith(tail.lstrip(b"\r\n\0")[:5]) or tail.startswith((b"\r\n\r\n", b"\n\n"))
        swallowed = None if is_ended else _span(_WARC, window, size, size + kept + _LONGEST_LINE)
        if swallowed is not None and swallowed[0] < size + kept:
            raise wrong
        source.has(size + kept)
        block = bytes(memoryview(window)[size : size + kept])
        if not is_ended and any(Record(start, 0, fields, block, kept < length).wrong_digests()):
            raise wrong
        if not source.drop(size + length):
            raise DamagedError(f"the record at {start} is torn: it has fewer than {length} bytes")
        end = source.gone
        source.drop_blanks()
        return Record(start, source.place_behind(end) - start, fields, block, kept < length, within)

    def _fields(self, start: int) -> tuple[dict[str, str], int]:
        """The fields of a record, and the size of its head."""
        source, searched = self._source, 1
        while (found := _span(_END_OR_WARC, source.window, searched, _LONGEST_HEAD)) is None:
            searched = max(len(source.window) - 32, 1)
            if searched > _LONGEST_HEAD or not source.has(len(source.window) + 1):
                raise DamagedError(f"the record at {start} is torn: its head has no end")
        if found[0] == found[1]:
            raise DamagedError(f"the record at {start} is torn: another begins in its head")
        fields: dict[str, str] = {}
        for name, value in _FIELD.findall(bytes(source.window[: found[1]])):
            text = value.decode("utf-8", "replace").strip()
            fields.setdefault(name.decode("latin-1").lower(), _FOLD.sub(" ", text) if "\n" in text else text)
        return fields, found[1]

    def _drop_to_mark(self) -> None:
        """Move on to the next record of this stretch, or to its end."""
        source, searched = self._source, 1
        while (found := _span(_WARC, source.window, searched)) is None:
            if len(source.window) > _LONGEST_MARK:
                source.drop(len(source.window) - _LONGEST_MARK)
                searched = 0
            if not source.has(len(source.window) + 1):
                source.drop(len(source.window))
                return
            source.has(_LONGEST_MARK + PIECE)
        source.drop(found[0])


def _span(pattern: re.Pattern[bytes], window: bytearray, start: int, end: int = sys.maxsize) -> tuple[int, int] | None:
    """Start and end of a pattern in a window, which a match itself would keep from changing."""
    found = pattern.search(window, start, end)
    return None if found is None else found.span()
