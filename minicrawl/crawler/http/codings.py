"""Decode content codings (RFC 9110 8.4): gzip, deflate, br and zstd, from pieces of any size.

The output comes in pieces as well, none much longer than `PIECE`, and the caller may stop at any of them: a small body
can decompress to a huge one. Unknown codings are ignored, as in browsers (`Content-Encoding: utf-8` is common). Of
several codings the last is decoded first.
"""

import struct
import sys
from collections.abc import Callable, Iterator
from typing import Protocol, cast

from zlib_ng import zlib_ng

from minicrawl.errors import FetchError

ACCEPTED = "gzip, deflate, br, zstd"
PIECE = 256 * 1024

_MOST_CODINGS = 5
_MOST_BETWEEN = 64 * 2**20
_GZIP = b"\x1f\x8b"
_DEFLATED = 8
_FLAG_CRC, _FLAG_EXTRA, _FLAG_NAME, _FLAG_COMMENT = 2, 4, 8, 16
_ZSTD = b"\x28\xb5\x2f\xfd"
_LARGEST_WINDOW = 23  # log2 of bytes (RFC 9659)


class _Stream(Protocol):
    """A compressed stream. `has_more`: it has more output for the same input. `unused`: the input behind its end, once
    `is_over`. `is_sound`: no checksum was wrong. `broken`: the error that its library raises for bad input."""

    broken: type[Exception]
    has_more: bool
    is_over: bool
    is_sound: bool
    unused: bytes

    def undo(self, data: bytes) -> bytes: ...


_Opened = Callable[[bytes, bool], _Stream | bool | None]


class Decoder:
    """Decodes one coding, or nothing if `opened` is None.

    opened: opens a stream from the first bytes of a body, or (second argument False) of a further member of it; None
    if it needs more bytes, False if they begin no stream. inner: decodes the output.
    """

    def __init__(self, opened: _Opened | None, inner: "Decoder | None" = None) -> None:
        self._opened = opened
        self._inner = inner
        self._between = 0
        self._stream: _Stream | None = None
        self._parts = 0
        self._rest = b""  # too few bytes to open a stream
        self._is_sound = True
        self._is_over = False

    @property
    def is_complete(self) -> bool:
        """True if the input so far was complete and undamaged."""
        is_whole = self._is_sound and self._stream is None and (self._parts > 0 or not self._rest)
        return is_whole and (self._inner is None or self._inner.is_complete)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decode the next bytes. Raises FetchError if they cannot be decoded."""
        return self._undone(data) if self._inner is None else self._undone_by(self._inner, data)

    def _undone_by(self, inner: "Decoder", data: bytes) -> Iterator[bytes]:
        """Decode one coding, and its output by `inner`."""
        for piece in self._undone(data):
            self._between += len(piece)
            if self._between > _MOST_BETWEEN:  # the inner one may have no output at which a caller could stop
                raise _undecodable(f"more than {_MOST_BETWEEN} bytes between two codings")
            yield from inner.pieces(piece)

    def _undone(self, data: bytes) -> Iterator[bytes]:
        """Decode one coding."""
        if self._opened is None:
            yield data
            return
        data, self._rest = self._rest + data, b""
        while data and not self._is_over:
            stream = self._stream or self._begun(data, self._opened)
            if stream is None:
                return
            has_more = True
            while has_more and not stream.is_over:
                try:
                    piece = stream.undo(data)
                except stream.broken as error:
                    raise _undecodable(str(error)) from error
                data, has_more = b"", stream.has_more
                if piece:
                    yield piece
            if stream.is_over:
                self._stream, data = None, stream.unused
                self._is_sound = self._is_sound and stream.is_sound

    def _begun(self, data: bytes, opened: _Opened) -> _Stream | None:
        stream = opened(data, self._parts == 0)
        if stream is None:
            if len(data) > PIECE:
                raise _undecodable("a head without end")
            self._rest = data
        elif isinstance(stream, bool):
            if not self._parts:
                raise _undecodable(f"it begins with {data[:10]!r}")
            self._is_over = True  # bytes behind the last member are ignored
        else:
            self._parts += 1
            self._stream = stream
            return stream
        return None


def decoder(content_encoding: str | None) -> Decoder:
    """The decoder for a Content-Encoding. Raises FetchError for an absurd number of codings."""
    named = (coding.strip().lower() for coding in (content_encoding or "").split(","))
    codings = [coding for coding in named if coding not in ("", "identity")]
    if not codings or not all(coding in _CODINGS for coding in codings):
        return Decoder(None)
    if len(codings) > _MOST_CODINGS:
        raise _undecodable(f"{len(codings)} codings")
    undoes: Decoder | None = None
    for coding in codings:
        undoes = Decoder(_CODINGS[coding], undoes)
    assert undoes is not None
    return undoes


class _Deflate:
    """DEFLATE (RFC 1951) with its head and tail.

    head: bytes to skip. checksum: of the output, compared with the tail in `tail_format`, where gzip has the length as
    well. zlib itself would refuse a body with a wrong checksum, which browsers accept.
    """

    broken = cast("type[Exception]", zlib_ng.error)

    def __init__(self, head: int, tail_format: str, checksum: Callable[[bytes, int], int] | None, start: int) -> None:
        self._skip = head
        self._tail = struct.Struct(tail_format)
        self._checksum, self._sum = checksum, start
        self._size = 0
        self._inflate = zlib_ng.decompressobj(-zlib_ng.MAX_WBITS)
        self._left = b""
        self.has_more = self.is_over = False
        self.is_sound = True
        self.unused = b""

    def undo(self, data: bytes) -> bytes:
        data = self._left + data if self._left else data
        data, self._skip = data[self._skip :], 0
        piece = b""
        if not self._inflate.eof:
            piece = self._inflate.decompress(data, PIECE)
            data = self._inflate.unconsumed_tail
            self._size += len(piece)
            if self._checksum is not None:
                self._sum = self._checksum(piece, self._sum)
            if self._inflate.eof:
                data = self._inflate.unused_data
        self._left = data
        self.has_more = len(piece) >= PIECE
        if self._inflate.eof and len(data) >= self._tail.size:
            found = self._tail.unpack_from(data)
            self.is_sound = found == (self._sum, self._size & 0xFFFF_FFFF)[: len(found)]
            self.is_over, self.unused = True, data[self._tail.size :]
        return piece


class _Zstd:
    """A frame of RFC 8878."""

    is_sound = True

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):  # loaded for the first such body
            from compression import zstd  # noqa: PLC0415
        else:
            from backports import zstd  # noqa: PLC0415
        self.broken: type[Exception] = zstd.ZstdError
        self._frame = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW})
        self.has_more = self.is_over = False
        self.unused = b""

    def undo(self, data: bytes) -> bytes:
        piece = self._frame.decompress(data, PIECE)
        self.is_over, self.unused = self._frame.eof, self._frame.unused_data
        self.has_more = not (self.is_over or self._frame.needs_input)
        return piece


class _Brotli:
    """RFC 7932."""

    is_sound = True
    unused = b""

    def __init__(self) -> None:
        import brotli  # noqa: PLC0415 - loaded for the first such body

        self.broken: type[Exception] = brotli.error
        self._begun = brotli.Decompressor
        self._stream = self._begun()
        self.has_more = self.is_over = False
        self._before: list[bytes] = []
        self._last, self._out = b"", 0  # the last input, and the number of bytes of its output
        self._careful: Iterator[bytes] | None = None

    def undo(self, data: bytes) -> bytes:
        if data:
            self._before.append(self._last)
            self._last, self._out = data, 0
        if self._careful is None:
            try:
                return self._processed(data)
            except self.broken:
                self._careful = self._up_to_the_end()
        piece = next(self._careful, None)
        self.has_more = piece is not None and not self.is_over
        return piece or b""

    def _processed(self, data: bytes) -> bytes:
        piece: bytes = self._stream.process(data, output_buffer_limit=PIECE)
        self.is_over = self._stream.is_finished()
        is_full = len(piece) >= PIECE or not self._stream.can_accept_more_data()
        self.has_more = is_full and not self.is_over
        self._out += len(piece)
        return piece

    def _up_to_the_end(self) -> Iterator[bytes]:
        """Decode the last input byte by byte, as brotli fails on all of it if bytes follow the end of the stream.
        Raises `broken` if the end is not in it."""
        known, self._out = self._out, 0
        self._stream = self._begun()
        for data in filter(None, self._before):
            self._processed(data)
            while self.has_more:
                self._processed(b"")
        self._out = 0
        for at in range(len(self._last)):
            data, has_more = self._last[at : at + 1], True
            while has_more:
                out = self._out
                piece = self._processed(data)
                data, has_more = b"", self.has_more
                self.unused = self._last[at + 1 :]
                yield piece[max(known - out, 0) :]
            if self.is_over:
                return


def _gzip_opened(data: bytes, is_first: bool) -> _Stream | bool | None:
    if not data.startswith(_GZIP):
        return None if _GZIP.startswith(data) else False
    head = _gzip_head(data)
    return None if head is None else _Deflate(head, "<II", zlib_ng.crc32, 0)


def _gzip_head(data: bytes) -> int | None:
    """The length of the head of a gzip member, None if it is incomplete (RFC 1952 2.3). Unknown flags are ignored, as
    in browsers."""
    if len(data) > 2 and data[2] != _DEFLATED:
        raise _undecodable(f"gzip with the method {data[2]}")
    if len(data) < 12:
        return None
    flags, end = data[3], 10
    if flags & _FLAG_EXTRA:
        end += 2 + int.from_bytes(data[end : end + 2], "little")
    for flag in (_FLAG_NAME, _FLAG_COMMENT):
        if flags & flag:
            end = data.find(b"\0", end) + 1
            if not end:
                return None
    if flags & _FLAG_CRC:
        end += 2
    return end if end <= len(data) else None


def _deflate_opened(data: bytes, is_first: bool) -> _Stream | bool | None:
    """ "deflate" means zlib (RFC 9110 8.4.1.2, RFC 1950 2.2), but some servers send bare DEFLATE."""
    if not is_first:
        return False
    if len(data) < 2:
        return None
    if data[0] & 0x0F == _DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0:
        if data[1] & 0x20:
            raise _undecodable("zlib with a dictionary that nobody has")
        return _Deflate(2, ">I", zlib_ng.adler32, 1)
    return _Deflate(0, "", None, 0)


def _zstd_opened(data: bytes, is_first: bool) -> _Stream | bool | None:
    if len(data) < 4:
        return None
    is_skippable = data[0] & 0xF0 == 0x50 and data[1:4] == b"\x2a\x4d\x18"
    return _Zstd() if is_skippable or data.startswith(_ZSTD) else False


def _brotli_opened(data: bytes, is_first: bool) -> _Stream | bool:
    return _Brotli() if is_first else False


_CODINGS: dict[str, _Opened] = {
    "gzip": _gzip_opened,
    "x-gzip": _gzip_opened,
    "deflate": _deflate_opened,
    "br": _brotli_opened,
    "zstd": _zstd_opened,
}


def _undecodable(why: str) -> FetchError:
    return FetchError("undecodable", why)
