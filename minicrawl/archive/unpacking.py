"""The bytes of a file without their coding: plain, or in gzip members.

A member that is damaged ends a stretch; the next stretch begins with the next member.
"""

import re
import zlib
from collections import deque
from collections.abc import Iterator
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
        if _GZIP.match(begin) or (name.endswith(".gz") and begin not in (b"WARC", b"file")):
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
        """The position in the file behind a record that ends after so many bytes, of which only blanks were removed
        since. In the middle of a member, a later one."""
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
