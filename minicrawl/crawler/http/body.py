"""The body of an answer, as far as somebody wants it: content coding undone for the crawl, as sent for who captures."""

import contextlib
from collections.abc import Awaitable, Callable

from minicrawl.crawler.http.codings import decoder
from minicrawl.crawler.http.content_type import HTML_TYPES, SNIFFED, type_sniffed
from minicrawl.crawler.http.exchange import Truncated
from minicrawl.crawler.http.transport import Answer, BrokenOffError
from minicrawl.errors import FetchError

Take = Callable[[bytes], Awaitable[bool]]


class Body:
    """Reads one body. `size`: bytes of it that came. `unread`: why the rest did not, None once there is none."""

    def __init__(self, answer: Answer, kept: int) -> None:
        """kept: bytes that are kept as they come, and those that come together with them."""
        self.size = 0
        self.unread: Truncated | None = Truncated.UNSPECIFIED
        self._answer = answer
        self._most_kept, self._kept_size = kept, 0
        self._kept: list[bytes] = []

    def as_sent(self) -> tuple[bytes, Truncated | None]:
        """What is kept, and why that is not all of the body, if it is not."""
        is_less = self._kept_size < self.size
        return b"".join(self._kept), Truncated.LENGTH if is_less else self.unread

    async def decoded(self, coding: str | None, most: int, *, of_unknown_type: bool) -> tuple[bytes, bool]:
        """The body with its content coding undone, and whether it is cut or damaged.

        of_unknown_type: it is read no further than necessary to see that it is no HTML.
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
            if of_unknown_type and most - room >= SNIFFED:
                of_unknown_type = False
                if type_sniffed(b"".join(decoded)) not in HTML_TYPES:
                    return b"".join(decoded), False
            if self.size > most:
                self._stop()
                break
        return b"".join(decoded), self.unread is not None or not undoes.is_complete

    async def pass_on(self, coding: str | None, take: Take) -> bool:
        """Give the body to `take`, decoded, in pieces, until it wants no more: whether the body is cut or damaged."""
        undoes = decoder(coding)
        while chunk := await self._more():
            for piece in undoes.pieces(chunk):
                if not await take(piece):
                    self._stop()
                    return False
        return self.unread is not None or not undoes.is_complete

    async def rest(self, most: int) -> None:
        """Read on where nobody has, to keep the body as it comes; that it breaks is nobody's trouble."""
        with contextlib.suppress(FetchError):
            while self.unread is Truncated.UNSPECIFIED and await self._more():
                if self.size > most:
                    self._stop()

    async def _more(self) -> bytes:
        """The next piece as it comes; nothing behind the last one that comes, even if others were to come."""
        try:
            chunk = await self._answer.read()
        except BrokenOffError:
            self.unread = Truncated.DISCONNECT
            if not self.size:
                raise
            return b""  # what came before the connection broke still counts
        if not chunk:
            self.unread = None
        self.size += len(chunk)
        if self._kept_size < self._most_kept:
            self._kept.append(chunk)
            self._kept_size += len(chunk)
        return chunk

    def _stop(self) -> None:
        """Read no further: something is missing then, unless the last piece is known to have been the end."""
        self.unread = None if self._answer.is_read else Truncated.LENGTH
