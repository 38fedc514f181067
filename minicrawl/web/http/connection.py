"""An HTTP/1.1 connection: one request and its response at a time, with read timeout and flow control (RFC 9112).

Responses are parsed by answer_reader.py; connections are chosen in connection_pool.py.
"""

import asyncio
import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from minicrawl.errors import FetchError
from minicrawl.web.http.answer_reader import AnswerReader
from minicrawl.web.http.response_fields import Field
from minicrawl.web.http.transport import PARSER_FAILED, BrokenOffError, NoHttp1Error
from minicrawl.web.net.tls import HTTP_1, TlsClient, TlsLayer

_READ_AHEAD = 64 * 1024  # bytes of a body that are passed on at once
_MOST_AHEAD = 256 * 1024


class Endpoint(NamedTuple):
    """The target of a connection. `host`: ASCII, an IPv6 address without brackets. `via`: the proxy, if any."""

    is_tls: bool
    host: str
    port: int
    via: "Proxy | None" = None

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Proxy(NamedTuple):
    """A proxy. `scheme`: http, https, socks5 or socks5h. `authorization`: the value of Proxy-Authorization, or None;
    `login`: the name and password in it."""

    scheme: str
    endpoint: Endpoint
    authorization: bytes | None = None
    login: tuple[bytes, bytes] | None = None

    def __str__(self) -> str:
        """Its URL without name and password."""
        return f"{self.scheme}://{self.endpoint}"


class Connection(asyncio.Protocol):
    """A connection to a server, with one request at a time: it is the `Answer` once `ask` returns. `answer`: the parser
    of that; `on_end`: called at its end."""

    protocol = HTTP_1

    def __init__(self, read_timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self.peer: str | None = None
        self.on_end: Callable[[], None] | None = None
        self.fields: Sequence[Field] = ()
        self._transport: asyncio.Transport | TlsLayer | None = None
        self._read_timeout = read_timeout
        self._timer: asyncio.TimerHandle | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._error: FetchError | None = None
        self._is_spoiled = False
        self._may_speak = True  # HTTP/1.1: False if TLS has agreed on no protocol
        self._begin()

    def _begin(self) -> None:
        """Forget the last response."""
        self.asked_at = 0.0
        self.is_silent = True  # no byte of the response was received
        self._ahead = 0
        self._body: list[bytes] = []
        self.answer = AnswerReader()

    @property
    def is_reusable(self) -> bool:
        """True if the response is complete, nothing followed it, and the server accepts another request."""
        answer = self.answer
        is_sound = answer.is_whole and not answer.is_followed and not self._is_spoiled and self._error is None
        return is_sound and answer.keeps_alive and self._ahead < _MOST_AHEAD  # else reading is paused

    @property
    def is_read(self) -> bool:
        """True if the body is complete, and all of it was read."""
        return self.answer.is_whole and not self._body

    @property
    def ahead(self) -> bytes:
        """The bytes of the body that have come, and were not read."""
        return b"".join(self._body)

    async def ask(self, request: bytes) -> None:
        """Send a request and wait for the head of the response. The connection is closed if there is none."""
        assert self._transport is not None
        self._begin()
        self.request = request
        self.asked_at = self._loop.time()
        try:
            self._transport.write(request)
            while not self.answer.has_head:
                await self._more()
            self.head, self.status, self.fields = self.answer.head, self.answer.status, self.answer.fields
        except BaseException:
            self.close()
            raise

    async def read(self) -> bytes:
        """The next bytes of the body; empty once it is complete."""
        while not self.answer.is_whole and self._ahead < _READ_AHEAD and self._error is None:
            await self._more()
        if self._body:
            piece = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            self._body.clear()
            if self._ahead >= _MOST_AHEAD and self._transport is not None:
                self._transport.resume_reading()
            self._ahead = 0
            return piece
        if self._error is not None and not self.answer.is_whole:
            raise copy.copy(self._error) from self._error.__cause__
        return b""

    async def aclose(self) -> None:
        """End the response."""
        on_end, self.on_end = self.on_end, None  # which references the connection
        if on_end is not None:
            on_end()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.abort()

    async def start_tls(self, client: TlsClient, endpoint: Endpoint) -> None:
        """Secure the connection, which is closed if that fails."""
        layer = TlsLayer(client, endpoint.host, endpoint.port, self)
        try:
            self._may_speak = await layer.secure(cast("asyncio.Transport", self._transport))
        except BaseException:
            self.close()
            raise

    async def _more(self) -> None:
        if self._error is not None:
            # A copy, as a raised exception references all frames it passes, and so this connection.
            raise copy.copy(self._error) from self._error.__cause__
        self._heard = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_at(self._heard + self._read_timeout, self._check_silence)
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _check_silence(self) -> None:
        """Fail after a silent read timeout. One timer serves all reads, and is renewed when it fires too early."""
        self._timer = None
        if self._waiter is None:
            return
        due = self._heard + self._read_timeout
        if self._loop.time() >= due:
            self._fail(BrokenOffError("timeout-read", f"nothing came for {self._read_timeout:g} s"))
        else:
            self._timer = self._loop.call_at(due, self._check_silence)

    def _fail(self, error: FetchError) -> None:
        self._error = self._error or error
        self._wake()
        self.close()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if self._transport is None:  # the socket; TLS begins later
            address = transport.get_extra_info("peername")
            self.peer = str(Endpoint(False, *address[:2])) if address else None
        self._transport = cast("asyncio.Transport | TlsLayer", transport)

    def data_received(self, data: bytes) -> None:
        answer = self.answer
        if answer.is_whole or self._error is not None:
            self._is_spoiled = True  # unexpected data must not be taken for the next response
            self.close()
            return
        had_head = answer.has_head
        self._heard = self._loop.time()
        self.is_silent = False
        try:
            pieces = answer.feed(data)
        except FetchError as error:
            self._fail(error.with_traceback(None))  # which would reference this frame, and so the connection
            return
        except Exception as error:
            answer.is_whole = False
            self._fail(_of_ours(error))
            return
        self._body += pieces
        self._ahead += sum(map(len, pieces))
        if self._ahead >= _MOST_AHEAD and self._transport is not None:
            self._transport.pause_reading()
        if answer.is_whole or self._ahead >= _READ_AHEAD or answer.has_head is not had_head:
            self._wake()

    def eof_received(self) -> None:
        if self._error is None and self.answer.end():
            self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._error is None:
            has_head = self.answer.has_head
            place = "in the body" if has_head else "before the answer" if self.is_silent else "in the head"
            reason = "bad-response" if has_head else "reset"
            kind = BrokenOffError if self._may_speak or not self.is_silent else NoHttp1Error
            is_ours = isinstance(error, MemoryError)
            self._error = _of_ours(error) if is_ours else kind(reason, f"the connection ends {place}")
        self._wake()


def _of_ours(error: Exception | None) -> FetchError:
    """The failure of a response over a bug of ours."""
    failure = FetchError(PARSER_FAILED)
    failure.__cause__ = error
    return failure
