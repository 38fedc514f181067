"""SQLite's write-ahead log as a file: its frames up to the last commit, see https://sqlite.org/walformat.html

A header of 32 bytes, then frames: 24 bytes and a page each. A frame counts if it has the salts of the header, and its
checksum goes on from the frame before; the rest is left over from an earlier log, or was rolled back. A log that begins
anew has other salts.

    checksum    of 32-bit words x in pairs, modulo 2^32:  s0 += x0 + s1,  s1 += x1 + s0
    so          of n pairs:  A^n s + the sum of A^(n-1-i) B x_i,  A = (1 1; 1 2),  B = (1 0; 1 1)
"""

import struct
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_HEAD = struct.Struct(">8I")
"""Of the log: magic number, version, page size, number of the checkpoint, two salts, two checksums."""
_MAGIC = 0x377F0682
"""Its last bit: the words of checksums are big-endian."""
_FRAME, _SUMS = 24, struct.Struct(">2I")
"""Bytes of the head of a frame, and the checksums at its end."""
_WORD = 2**32 - 1
_Two = tuple[int, int]


class Mark(NamedTuple):
    """A place in a log, behind a commit. sums: the checksum there."""

    salts: _Two
    end: int
    sums: _Two


def committed(log: Path, since: Mark | None, most_bytes: int) -> Iterator[tuple[int, bytes, Mark | None]]:
    """The committed bytes behind a mark, in parts: the offset of each, its bytes, and the mark behind its last commit.

    since: None, or of another log: from the beginning, with the header. most_bytes: of a part, unless a frame has more.
    A transaction may be longer than a part: a reader of the log sees it once its last frame is there.
    """
    if not log.exists():
        return
    with log.open("rb") as file:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        magic, _, page_bytes, _, *marked = _HEAD.unpack(head)
        salts, sums = (marked[0], marked[1]), (marked[2], marked[3])
        mark = since if since is not None and since.salts == salts else Mark(salts, 0, sums)
        frames = _Frames(page_bytes, is_big_endian=bool(magic & 1))
        size = _FRAME + page_bytes
        begins = mark.end == 0
        at, state = (_HEAD.size, sums) if begins else (mark.end, mark.sums)
        while True:
            file.seek(at)
            some = file.read(max(most_bytes // size, 1) * size)
            valid, ends, state = frames.valid(some, salts, state)
            if ends is not None:
                mark = Mark(salts, at + ends[0] * size, ends[1])
            is_last = valid * size < len(some) or not some
            count = (mark.end - at) // size if is_last else valid
            if count > 0:
                start = 0 if begins else at
                yield start, (head if begins else b"") + some[: count * size], mark if mark.end else None
                begins = False
            if is_last:
                return
            at += valid * size


def has(log: Path, mark: Mark) -> bool:
    """True if a log goes on from a mark."""
    if not log.exists():
        return False
    with log.open("rb") as file:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size or _HEAD.unpack(head)[4:6] != mark.salts:
            return False
        file.seek(mark.end - _HEAD.unpack(head)[2] - _SUMS.size)
        return file.read(_SUMS.size) == _SUMS.pack(*mark.sums)


class _Frames:
    """Checks frames of a page size in bytes."""

    def __init__(self, page_bytes: int, *, is_big_endian: bool) -> None:
        word = np.dtype(">u4" if is_big_endian else "<u4")
        self._form = np.dtype(
            [("head", word, 2), ("salts", ">u4", 2), ("sums", ">u4", 2), ("page", word, page_bytes // 4)]
        )
        self._weights, self._power = _weights(2 + page_bytes // 4)

    def valid(self, some: bytes, salts: _Two, state: _Two) -> tuple[int, tuple[int, _Two] | None, _Two]:
        """How many frames count; the number of those up to the last commit, and the checksum there; the last checksum.

        state: the checksum before the first frame.
        """
        frames = np.frombuffer(some, self._form, len(some) // self._form.itemsize)
        head, page = (frames[name].astype(np.uint32, copy=False) for name in ("head", "page"))
        own = (head @ self._weights[:2] + page @ self._weights[2:]).tolist()
        marked = np.hstack([frames["salts"], frames["sums"]]).tolist()
        sizes = head[:, 1].tolist()  # of the store in pages, in the last frame of a transaction; else 0
        (a, b), (c, d) = self._power
        count, ends = 0, None
        for (x, y), found, size in zip(own, marked, sizes, strict=True):
            s0, s1 = state
            state = (a * s0 + b * s1 + x) & _WORD, (c * s0 + d * s1 + y) & _WORD
            if found != [*salts, *state]:
                return count, ends, (s0, s1)
            count += 1
            if size:
                ends = count, state
        return count, ends, state


@lru_cache(maxsize=2)
def _weights(words: int) -> tuple[npt.NDArray[np.uint32], tuple[_Two, _Two]]:
    """The weights of words in the checksum behind them, as rows (of s0, of s1); and A^n."""
    rows: list[tuple[int, int]] = []
    a, b, c, d = 1, 0, 0, 1  # a power of A
    for _ in range(words // 2):
        rows += [(b, d), (a + b, c + d)]
        a, b, c, d = (a + b) & _WORD, (a + 2 * b) & _WORD, (c + d) & _WORD, (c + 2 * d) & _WORD
    return np.array(rows[::-1], dtype=np.uint64).astype(np.uint32), ((a, b), (c, d))
