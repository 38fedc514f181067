"""Read the body of a response as far as it is wanted: decoded for the crawl, as sent for a capture.

Decode content codings (RFC 9110 8.4): gzip, deflate, br and zstd, from pieces of any size.

The output comes in pieces as well, none much longer than `PIECE`, and the caller may stop at any of them: a small body
can decompress to a huge one. Unknown codings are ignored, as in browsers (`Content-Encoding: utf-8` is common). Of
several codings the last is decoded first.
"""

import asyncio
import contextlib
import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Set
from typing import NamedTuple, Protocol, cast

from zlib_ng import zlib_ng

from minicrawl.errors import FetchError
from minicrawl.web.http.response_fields import SNIFFED, type_sniffed
from minicrawl.web.http.transport import DISCONNECT, LENGTH, TIME, UNSPECIFIED, Answer, BrokenOffError

Take = Callable[[bytes], Awaitable[bool]]


class Body:
    """`size`: bytes received. `unread`: the reason why the rest was not, None once the body is complete."""

    def __init__(self, answer: Answer, kept: int, is_late: Callable[[], bool] = lambda: False) -> None:
        """kept: bytes to keep as sent; the last piece is kept whole. is_late: the time of the request is over."""
        self.size = 0
        self.unread: str | None = UNSPECIFIED
        self._answer, self._is_late = answer, is_late
        self._most_kept, self._kept_size = kept, 0
        self._kept: list[bytes] = []

    def as_sent(self) -> tuple[bytes, str | None]:
        """The bytes that were kept, and the reason if they are not the whole body."""
        is_less = self._kept_size < self.size
        return b"".join(self._kept), LENGTH if is_less else self.unread

    async def decoded(self, coding: str | None, most: int, *, only: Set[str] | None) -> tuple[bytes, bool]:
        """The decoded body, and True if it is truncated or damaged. only: of a body of unknown type, the media types
        that are wanted: stop as soon as it is clear to be of no other."""
        undoes = decoder(coding)
        decoded: list[bytes] = []
        room = most
        while chunk := await self._more():
            for piece in undoes.pieces(chunk):
                decoded.append(piece[:room])
                room -= len(piece)
                if room < 0:
                    self._stop()
                    return b"".join(decoded), True
            if only is not None and most - room >= SNIFFED:
                if type_sniffed(b"".join(decoded)) not in only:
                    return b"".join(decoded), False
                only = None
            if self.size > most:
                self._stop()
                break
        return b"".join(decoded), self.unread is not None or not undoes.is_complete

    async def pass_on(self, coding: str | None, take: Take) -> bool:
        """Pass the decoded body to `take` in pieces until it returns False. Returns True for a damaged body."""
        undoes = decoder(coding)
        while chunk := await self._more():
            for piece in undoes.pieces(chunk):
                if not await take(piece):
                    self._stop()
                    return False
        return self.unread is not None or not undoes.is_complete

    async def rest(self, most: int) -> None:
        """Read on for a capture, up to `most` bytes; errors end it silently."""
        with contextlib.suppress(FetchError):
            while self.unread is UNSPECIFIED and await self._more():
                if self.size > most:
                    self._stop()

    async def _more(self) -> bytes:
        """The next piece as sent; empty at the end, where the connection breaks, or the time is over."""
        if self.unread is TIME:
            return b""
        try:
            chunk = await self._answer.read()
        except BrokenOffError:
            self.unread = DISCONNECT
            if not self.size:
                raise
            return b""  # the bytes received before the connection broke still count
        except asyncio.CancelledError:
            chunk = self._answer.ahead
            if not (self.size or chunk) or not self._is_late():
                raise
            self.unread = TIME
        else:
            if not chunk:
                self.unread = None
        self.size += len(chunk)
        if self._kept_size < self._most_kept:
            self._kept.append(chunk)
            self._kept_size += len(chunk)
        return chunk

    def _stop(self) -> None:
        """Stop reading: the body is truncated, unless the last piece is known to be the end."""
        self.unread = None if self._answer.is_read else LENGTH


ACCEPTED = "gzip, deflate, br, zstd"
PIECE = 256 * 1024

_MOST_CODINGS = 5
_MOST_BETWEEN = 64 * 2**20
_DEFLATED = 8
_LONGEST_HEAD = 256 * 1024  # bytes of gzip's input without output
_LARGEST_WINDOW = 23  # log2 of bytes (RFC 9659)


class _Stream(Protocol):
    """A compressed stream. `has_more`: it has more output for the same input. `unused`: the input behind its end, once
    `is_over`. `broken`: the error that its library raises for bad input."""

    broken: type[Exception]
    has_more: bool = False
    is_over: bool = False
    unused: bytes = b""

    def undo(self, data: bytes) -> bytes: ...


class _Coding(NamedTuple):
    """A content coding. opened: makes a stream for its first bytes, at least `least` of them, which match `begins`.
    has_members: a further stream may follow one."""

    opened: Callable[[bytes], _Stream]
    least: int = 0
    begins: re.Pattern[bytes] = re.compile(b"")
    has_members: bool = False


class Decoder:
    """Decodes one coding, or nothing for None. inner: decodes the output."""

    def __init__(self, coding: _Coding | None, inner: "Decoder | None" = None) -> None:
        self._coding = coding
        self._inner = inner
        self._between = 0
        self._stream: _Stream | None = None
        self._parts = 0
        self._rest = b""  # too few bytes to open a stream
        self._is_over = False

    @property
    def is_complete(self) -> bool:
        """True if the input so far was complete and undamaged."""
        is_whole = self._stream is None and (self._parts > 0 or not self._rest)
        return is_whole and (self._inner is None or self._inner.is_complete)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decode the next bytes. Raises FetchError if they cannot be decoded."""
        for piece in self._undone(data):
            if self._inner is None:
                yield piece
                continue
            self._between += len(piece)
            if self._between > _MOST_BETWEEN:  # the inner one may have no output at which a caller could stop
                raise _undecodable(f"more than {_MOST_BETWEEN} bytes between two codings")
            yield from self._inner.pieces(piece)

    def _undone(self, data: bytes) -> Iterator[bytes]:
        if self._coding is None:
            yield data
            return
        data, self._rest = self._rest + data, b""
        while data and not self._is_over:
            stream = self._stream = self._stream or self._begun(data, self._coding)
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

    def _begun(self, data: bytes, coding: _Coding) -> _Stream | None:
        """A new stream; None if there are too few bytes for one, or others than those of one behind the last."""
        if self._parts and not coding.has_members:
            self._is_over = True
        elif len(data) < coding.least:
            self._rest = data
        elif coding.begins.match(data):
            self._parts += 1
            return coding.opened(data)
        elif not self._parts:
            raise _undecodable(f"it begins with {data[:10]!r}")
        else:
            self._is_over = True
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


class _Deflate(_Stream):
    """DEFLATE (RFC 1951), bare or with the head and tail of gzip or zlib. wbits: see zlib."""

    broken = cast("type[Exception]", zlib_ng.error)

    def __init__(self, wbits: int) -> None:
        self._inflate = zlib_ng.decompressobj(wbits)
        self._silent = 0  # bytes of input without output: of a head without end

    def undo(self, data: bytes) -> bytes:
        piece = self._inflate.decompress(self._inflate.unconsumed_tail + data, PIECE)
        self._silent = 0 if piece else self._silent + len(data)
        if self._silent > _LONGEST_HEAD:
            raise _undecodable("a head without end")
        self.has_more = len(piece) >= PIECE
        self.is_over, self.unused = self._inflate.eof, self._inflate.unused_data
        return piece


class _Zstd(_Stream):
    """A frame of RFC 8878."""

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):  # loaded for the first such body
            from compression import zstd  # noqa: PLC0415
        else:
            from backports import zstd  # noqa: PLC0415
        self.broken = zstd.ZstdError
        self._frame = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW})

    def undo(self, data: bytes) -> bytes:
        piece = self._frame.decompress(data, PIECE)
        self.is_over, self.unused = self._frame.eof, self._frame.unused_data
        self.has_more = not (self.is_over or self._frame.needs_input)
        return piece


class _Brotli(_Stream):
    """RFC 7932."""

    def __init__(self) -> None:
        import brotli  # noqa: PLC0415 - loaded for the first such body

        self.broken = brotli.error
        self._stream = brotli.Decompressor()

    def undo(self, data: bytes) -> bytes:
        piece: bytes = self._stream.process(data, output_buffer_limit=PIECE)
        self.is_over = self._stream.is_finished()
        is_full = len(piece) >= PIECE or not self._stream.can_accept_more_data()
        self.has_more = is_full and not self.is_over
        return piece


def _deflate(data: bytes) -> _Stream:
    """ "deflate" means zlib (RFC 9110 8.4.1.2, RFC 1950 2.2), but some servers send bare DEFLATE."""
    is_zlib = data[0] & 0x0F == _DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
    return _Deflate(zlib_ng.MAX_WBITS if is_zlib else -zlib_ng.MAX_WBITS)


_GZIP = _Coding(lambda data: _Deflate(16 + zlib_ng.MAX_WBITS), 2, re.compile(rb"\x1f\x8b"), has_members=True)
_CODINGS = {
    "gzip": _GZIP,
    "x-gzip": _GZIP,
    "deflate": _Coding(_deflate, 2),
    "br": _Coding(lambda data: _Brotli()),
    # A frame, or one that may be skipped.
    "zstd": _Coding(
        lambda data: _Zstd(), 4, re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), has_members=True
    ),
}


def _undecodable(why: str) -> FetchError:
    return FetchError("undecodable", why)
