"""HTTP/1.1 on the wire: a request, its answer, and the connection kept for the next request (RFC 9112).

llhttp tells the parts of an answer (httptools); here stands what it leaves open: how long a head may be, what the end
of a connection means, and on which connection a request may travel.
"""

import asyncio
import socket
import ssl
from collections.abc import Sequence
from typing import NamedTuple, Self, cast

from aiohappyeyeballs import start_connection
from httptools import HttpParserCallbackError, HttpParserError, HttpParserUpgrade, HttpResponseParser

from minicrawl.crawl.connect import Resolver, is_literal
from minicrawl.crawl.unread import PARSER_FAILED
from minicrawl.errors import FetchError

_LONGEST_HEAD = 64 * 1024  # some sites' Content-Security-Policy has more than 8 kB
_MOST_FIELDS = 1000
_MOST_OVERHEAD = 256 * 1024  # bytes in a row that bring no body: interim answers, chunk extensions, lines without end
_READ_AHEAD = 64 * 1024  # bytes of a body that are worth a wake-up
_MOST_AHEAD = 256 * 1024
_MOST_IDLE = 500  # connections nobody uses at the moment
_HAPPY_EYEBALLS_DELAY = 0.25  # RFC 8305 5


class BrokenOffError(FetchError):
    """The connection ended, or nothing more came, before the answer was whole."""


class Site(NamedTuple):
    """Whom a connection leads to. `host` is ASCII, an IPv6 address without brackets."""

    is_tls: bool
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Proxy(NamedTuple):
    """`authorization`: the value of the field Proxy-Authorization, or None."""

    site: Site
    authorization: bytes | None


class Connection(asyncio.Protocol):
    """A connection to a server: one request at a time, and the answer to it.

    `asked_at`: when the request left, by the loop's clock. `status`, `fields` (names and values as they came, trailers
    left out): of the answer, once `ask` returns.
    """

    def __init__(self, read_timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._read_timeout = read_timeout
        self._timer: asyncio.TimerHandle | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._error: FetchError | None = None
        self._is_spoiled = False
        self._begin()

    def _begin(self) -> None:
        """Forget the last answer."""
        self.status, self.asked_at = 0, 0.0
        self.fields: list[tuple[bytes, bytes]] = []
        self.is_silent = True  # not a byte of the answer has come
        self._has_head = self._is_whole = self._keeps_alive = False
        self._head_size = self._overhead = self._ahead = 0
        self._body: list[bytes] = []
        self._parser = HttpResponseParser(self)
        # What browsers read, too: white space in odd places, bare line feeds.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
            lenient_version=True,
        )

    # For who asks.

    @property
    def is_reusable(self) -> bool:
        """Whether the answer is whole, nothing came behind it, and the server will take another request."""
        is_sound = self._is_whole and not self._is_spoiled and self._error is None
        return is_sound and self._keeps_alive and self._ahead < _MOST_AHEAD  # beyond, reading is paused

    async def ask(self, request: bytes) -> Self:
        """Send a request; until the head of the answer has come, without which the connection is closed."""
        assert self._transport is not None
        self._begin()
        self.asked_at = self._loop.time()
        try:
            self._transport.write(request)
            while not self._has_head:
                await self._more()
        except BaseException:
            self.close()
            raise
        return self

    async def read(self) -> bytes:
        """What has come of the body since the last call; nothing once it is whole."""
        while not self._is_whole and self._ahead < _READ_AHEAD and self._error is None:
            await self._more()
        if self._body:
            piece = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            self._body.clear()
            if self._ahead >= _MOST_AHEAD and self._transport is not None:
                self._transport.resume_reading()
            self._ahead = 0
            return piece
        if self._error is not None and not self._is_whole:
            raise self._error
        return b""

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.abort()

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        assert self._transport is not None
        self._transport = await self._loop.start_tls(self._transport, self, context, server_hostname=host)

    async def _more(self) -> None:
        if self._error is not None:
            raise self._error
        self._heard = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_at(self._heard + self._read_timeout, self._check_silence)
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _check_silence(self) -> None:
        """One timer for all answers: when it fires it mostly finds that something has come since."""
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

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._is_whole or self._error is not None:
            self._spoil()
            return
        # llhttp reads RTSP and ICE, too, and does not tell.
        if self.is_silent and not b"HTTP/".startswith(data.lstrip(b"\r\n")[:5]):
            self._fail(FetchError("bad-response", f"{data[:20]!r} is no HTTP"))
            return
        had_head = self._has_head
        self._heard = self._loop.time()
        self.is_silent = False
        self._overhead += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._fail(FetchError("bad-response", "a change of protocol that nobody asked for"))
        except (HttpParserCallbackError, MemoryError) as error:
            failure = FetchError(PARSER_FAILED)
            failure.__cause__ = error
            self._fail(failure)
        except HttpParserError as error:
            if not self._is_whole:  # else it is about what comes behind
                self._fail(FetchError("bad-response", str(error)))
        if self._overhead > _MOST_OVERHEAD:
            self._fail(FetchError("bad-response", f"more than {_MOST_OVERHEAD} bytes without any of a body"))
        if self._ahead >= _MOST_AHEAD and self._transport is not None:
            self._transport.pause_reading()
        if self._is_whole or self._ahead >= _READ_AHEAD or self._has_head is not had_head:
            self._wake()

    def eof_received(self) -> None:
        if self._has_head and not self._is_whole and self._error is None and self._ends_with_connection():
            self._is_whole = True
            self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._error is None:
            said = "in the body" if self._has_head else "before the answer" if self.is_silent else "in the head"
            reason = "bad-response" if self._has_head else "reset"
            self._error = BrokenOffError(reason, f"the connection ends {said}")
        self._wake()

    def _ends_with_connection(self) -> bool:
        """RFC 9112 6.3, 8: whether a body is what comes until the connection is closed."""
        names = {name.lower() for name, _ in self.fields}
        if b"transfer-encoding" in names:
            codings = b",".join(value for name, value in self.fields if name.lower() == b"transfer-encoding")
            return codings.rpartition(b",")[2].strip().lower() != b"chunked"
        return b"content-length" not in names

    def _spoil(self) -> None:
        """Nobody asked for what the server says now, so it is no answer to what will be asked next."""
        self._is_spoiled = True
        self.close()

    # What the parser tells.

    def on_message_begin(self) -> None:
        if self._is_whole:
            self._is_spoiled = True

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head_size += len(name) + len(value) + 4
        if self._has_head:
            if self._head_size > _LONGEST_HEAD and not self._is_whole:
                self._fail(FetchError("bad-response", "endless trailers"))
            return
        if b"\0" in value:
            self._fail(FetchError("bad-response", "NUL in a field"))
        self.fields.append((name, value.strip(b"\t ")))

    def on_headers_complete(self) -> None:
        if self._is_whole:
            return
        status, version = self._parser.get_status_code(), self._parser.get_http_version()
        if not version.startswith("1."):
            self._fail(FetchError("bad-response", f"HTTP/{version}"))
        elif self._head_size > _LONGEST_HEAD or len(self.fields) > _MOST_FIELDS:
            self._fail(FetchError("bad-response", f"a head of {self._head_size} bytes in {len(self.fields)} fields"))
        elif 100 <= status < 200:
            self.fields.clear()  # RFC 9110 15.2: any number of these may come first
            self._head_size = 0
        elif self._error is None:
            self.status, self._has_head = status, True

    def on_body(self, piece: bytes) -> None:
        if not self._is_whole:
            self._body.append(piece)
            self._ahead += len(piece)
            self._overhead = 0

    def on_message_complete(self) -> None:
        if self._has_head and self._error is None and not self._is_whole:
            self._is_whole = True
            self._keeps_alive = self._parser.should_keep_alive()


class Connections:
    """Sends requests on connections that are kept open between them.

    Raises OSError where no connection can be made (TimeoutError: in time), else FetchError.
    """

    def __init__(
        self,
        resolver: Resolver,
        context: ssl.SSLContext,
        proxy: Proxy | None = None,
        *,
        connect_timeout: float,
        read_timeout: float,
        keep_alive: float,
    ) -> None:
        self._resolver = resolver
        self._context = context
        self._proxy = proxy
        self._connect_timeout, self._read_timeout, self._keep_alive = connect_timeout, read_timeout, keep_alive
        # Both in the order in which their requests ended.
        self._idle: dict[Connection, tuple[float, Site]] = {}
        self._idle_of: dict[Site, list[Connection]] = {}

    async def ask(self, site: Site, request: bytes) -> Connection:
        """The connection on which the head of the answer has come. To be given back by `release`."""
        kept = self._kept(site)
        if kept is not None:
            try:
                return await kept.ask(request)
            except BrokenOffError as error:
                # RFC 9112 9.3.1: the server may have closed it while the request was on its way.
                if error.reason != "reset" or not kept.is_silent:
                    raise
        return await (await self._opened(site)).ask(request)

    def release(self, site: Site, connection: Connection) -> None:
        """The answer is read as far as anybody wants to."""
        now = asyncio.get_running_loop().time()
        if connection.is_reusable:
            self._idle[connection] = (now, site)
            self._idle_of.setdefault(site, []).append(connection)
        else:
            connection.close()
        while self._idle:
            oldest, (since, of) = next(iter(self._idle.items()))
            if oldest.is_reusable and len(self._idle) <= _MOST_IDLE and now - since < self._keep_alive:
                break
            self._forget(oldest, of)
            oldest.close()

    async def aclose(self) -> None:
        for connection in self._idle:
            connection.close()
        self._idle.clear()
        self._idle_of.clear()
        await self._resolver.close()
        await asyncio.sleep(0)  # the loop closes the sockets

    def _kept(self, site: Site) -> Connection | None:
        """An idle connection that is as good as new: the one used last, as its server is least likely to have gone."""
        now = asyncio.get_running_loop().time()
        while connections := self._idle_of.get(site):
            connection = connections[-1]
            since, _ = self._idle[connection]
            self._forget(connection, site)
            if connection.is_reusable and now - since < self._keep_alive:
                return connection
            connection.close()
        return None

    def _forget(self, connection: Connection, site: Site) -> None:
        del self._idle[connection]
        connections = self._idle_of[site]
        connections.remove(connection)
        if not connections:
            del self._idle_of[site]

    async def _opened(self, site: Site) -> Connection:
        if self._proxy is None:
            return await self._connected(site, self._context if site.is_tls else None)
        if is_literal(site.host):  # names are the proxy's business
            self._resolver.check(site.host)
        connection = await self._connected(self._proxy.site, self._context if self._proxy.site.is_tls else None)
        if site.is_tls:
            try:
                async with asyncio.timeout(self._connect_timeout):
                    await self._tunnel(connection, site)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _connected(self, site: Site, context: ssl.SSLContext | None) -> Connection:
        loop = asyncio.get_running_loop()
        found = await self._resolver.resolve(site.host, site.port)
        async with asyncio.timeout(self._connect_timeout):
            connected = await start_connection(
                [_info(address, port) for address, port in found],
                happy_eyeballs_delay=_HAPPY_EYEBALLS_DELAY,
                interleave=1,
            )
            _, connection = await loop.create_connection(
                lambda: Connection(self._read_timeout),
                sock=connected,
                ssl=context,
                server_hostname=site.host if context is not None else None,
            )
        return connection

    async def _tunnel(self, connection: Connection, site: Site) -> None:
        """Through the proxy to the site itself (RFC 9110 9.3.6)."""
        assert self._proxy is not None
        fields = [(b"Host", str(site).encode())]
        if self._proxy.authorization is not None:
            fields.append((b"Proxy-Authorization", self._proxy.authorization))
        await connection.ask(head(b"CONNECT", str(site).encode(), fields))
        if not 200 <= connection.status < 300:
            raise FetchError("bad-response", f"the proxy says {connection.status}")
        await connection.start_tls(self._context, site.host)


def head(method: bytes, target: bytes, fields: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A request without body."""
    lines = b"".join([b"%b: %b\r\n" % field for field in fields])
    return b"%b %b HTTP/1.1\r\n%b\r\n" % (method, target, lines)


def _info(address: str, port: int) -> tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]:
    """An IP address as socket.getaddrinfo() has it."""
    if ":" in address:
        return socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port, 0, 0)
    return socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port)
