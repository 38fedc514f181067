"""Read the body of a response as far as it is wanted: decoded for the crawl, as sent for a capture."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Set

from minicrawl.crawler.http.codings import decoder
from minicrawl.crawler.http.content_type import SNIFFED, type_sniffed
from minicrawl.crawler.http.exchange import Truncated
from minicrawl.crawler.http.transport import Answer, BrokenOffError
from minicrawl.errors import FetchError

Take = Callable[[bytes], Awaitable[bool]]


class Body:
    """`size`: bytes received. `unread`: the reason why the rest was not, None once the body is complete."""

    def __init__(self, answer: Answer, kept: int, is_late: Callable[[], bool] = lambda: False) -> None:
        """kept: bytes to keep as sent; the last piece is kept whole. is_late: the time of the request is over."""
        self.size = 0
        self.unread: Truncated | None = Truncated.UNSPECIFIED
        self._answer, self._is_late = answer, is_late
        self._most_kept, self._kept_size = kept, 0
        self._kept: list[bytes] = []

    def as_sent(self) -> tuple[bytes, Truncated | None]:
        """The bytes that were kept, and the reason if they are not the whole body."""
        is_less = self._kept_size < self.size
        return b"".join(self._kept), Truncated.LENGTH if is_less else self.unread

    async def decoded(self, coding: str | None, most: int, *, only: Set[str] | None) -> tuple[bytes, bool]:
        """The decoded body, and True if it is truncated or damaged.

        only: of a body of unknown type, the media types that are wanted: stop as soon as it is clear to be of no other.
        """
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
            while self.unread is Truncated.UNSPECIFIED and await self._more():
                if self.size > most:
                    self._stop()

    async def _more(self) -> bytes:
        """The next piece as sent; empty at the end, where the connection breaks, or the time is over."""
        if self.unread is Truncated.TIME:
            return b""
        try:
            chunk = await self._answer.read()
        except BrokenOffError:
            self.unread = Truncated.DISCONNECT
            if not self.size:
                raise
            return b""  # the bytes received before the connection broke still count
        except asyncio.CancelledError:
            chunk = self._answer.ahead
            if not (self.size or chunk) or not self._is_late():
                raise
            self.unread = Truncated.TIME
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
        self.unread = None if self._answer.is_read else Truncated.LENGTH
