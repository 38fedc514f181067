"""Notes beside the WARC files of a collection: parsed/NAME.parsed has some bytes for each of many records.

The first line has a version; an entry has the position of its record, its length, a check sum and its packed bytes.
Nothing needs the notes: torn or damaged ones count as missing, and so does a file of another version.
"""

import contextlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from zlib_ng import zlib_ng

FOLDER = "parsed"
_MAGIC = b"minicrawl-parsed-1 "
_LONGEST_LINE = 200
_ENTRY = struct.Struct("<QII")
_BUFFER = 256 * 1024
_MOST = 64 * 1024 * 1024
"""Bytes of an entry, packed or not."""
_BROKEN = cast("type[Exception]", zlib_ng.error)


def beside(warc: Path) -> Path:
    """The path of the notes on a WARC file of a collection."""
    real = warc.resolve()
    return real.parent.parent / FOLDER / _name(real.name)


def _name(warc: str) -> str:
    """The name of the notes on a WARC file: one by which no program takes them for records."""
    return f"{warc.removesuffix('.gz').removesuffix('.warc')}.parsed"


class SidecarWriter:
    """Writes notes on the records of this process. A failure, such as a full disk, ends them, and nothing else."""

    def __init__(self, folder: Path, version: str) -> None:
        self._folder = folder / FOLDER
        self._version = version
        self._name: str | None = None
        self._file: BinaryIO | None = None

    def add(self, file: str, start: int, data: bytes) -> None:
        """Note something on the record at a position of a WARC file."""
        if file != self._name:
            self._begin(file)
        if self._file is None or len(data) > _MOST:
            return
        packed = zlib_ng.compress(data, 1)
        try:
            self._file.write(_ENTRY.pack(start, len(packed), _check(start, packed)) + packed)
        except OSError:
            self.close()

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()

    def _begin(self, name: str) -> None:
        self.close()
        self._name = name
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = (self._folder / _name(name)).open("xb", _BUFFER)
            self._file.write(_MAGIC + self._version.encode() + b"\n")


class Sidecar:
    """The notes on the records of a WARC file, empty if they are missing or of another version."""

    def __init__(self, warc: Path, version: str) -> None:
        self._file: BinaryIO | None = None
        self._starts = self._places = np.empty(0, dtype=np.int64)
        path = beside(warc)
        with contextlib.suppress(OSError):
            if not path.is_file():
                return
            self._file = path.open("rb", 0)
            if _first_line(self._file) == _MAGIC + version.encode() + b"\n":
                found = np.fromiter(((start, at) for start, at, _ in _entries(path)), dtype=np.dtype((np.int64, 2)))
                self._starts, self._places = found[np.argsort(found[:, 0], kind="stable")].T.copy()

    def of(self, start: int) -> bytes | None:
        """The note on the record at a position; None if there is none."""
        at = int(self._starts.searchsorted(start))
        if self._file is None or at == len(self._starts) or self._starts[at] != start:
            return None
        self._file.seek(int(self._places[at]))
        head = self._file.read(_ENTRY.size)
        if len(head) < _ENTRY.size:
            return None
        _, length, check = _ENTRY.unpack(head)
        packed = self._file.read(min(length, _MOST))
        if _check(start, packed) != check:
            return None
        try:
            return zlib_ng.decompressobj().decompress(packed, _MOST)
        except _BROKEN:
            return None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def cut(warc: Path, size: int) -> None:
    """Remove the notes on records behind the first `size` bytes of a WARC file."""
    path = beside(warc)
    if not path.is_file():
        return
    end = next((at for start, at, _ in _entries(path) if start >= size), None)
    if not size:
        path.unlink()
    elif end is not None:
        os.truncate(path, end)


def damage(warc: Path) -> str | None:
    """A sentence on damage in the notes on a WARC file; None if they are whole or missing."""
    path = beside(warc)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        good = len(_first_line(file))
        for start, at, end in _entries(path):
            file.seek(at)
            _, _, check = _ENTRY.unpack(file.read(_ENTRY.size))
            if _check(start, file.read(end - at - _ENTRY.size)) != check:
                break
            good = end
    if good == path.stat().st_size:
        return None
    return f"{path} is damaged at {good}, so crawls that read the archive parse some pages again"


def _check(start: int, packed: bytes) -> int:
    """The CRC-32 of an entry."""
    return zlib_ng.crc32(packed, zlib_ng.crc32(b"%d" % start))


def _first_line(file: BinaryIO) -> bytes:
    """The version with what stands before it and its end, at the start of a file; b"" if there is none."""
    file.seek(0)
    line = file.readline(_LONGEST_LINE)
    return line if line.startswith(_MAGIC) and line.endswith(b"\n") else b""


def _entries(path: Path) -> Iterator[tuple[int, int, int]]:
    """Position of the record, beginning and end of its entry, up to a torn one."""
    size = path.stat().st_size
    with path.open("rb") as file:
        at = file.seek(len(_first_line(file)))
        while at and len(head := file.read(_ENTRY.size)) == _ENTRY.size:
            start, length, _ = _ENTRY.unpack(head)
            end = at + _ENTRY.size + length
            if end > size or length > _MOST or start >= 1 << 63:
                return
            yield start, at, end
            at = file.seek(end)
