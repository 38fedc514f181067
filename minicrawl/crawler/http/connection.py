"""HTTP/1.1 on the wire: a request, its answer, and the connection kept for the next request (RFC 9112).

What an answer says is told by answer.py; here stands how long to wait for it, how much of it is read ahead,
and on which connection a request may travel.
"""

import asyncio
import copy
import socket
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple, Self, cast

from aiohappyeyeballs import start_connection

from minicrawl.crawler.http.answer import AnswerReader
from minicrawl.crawler.http.unread import PARSER_FAILED
from minicrawl.crawler.net.addresses import Resolver
from minicrawl.crawler.net.open_files import MOST_IDLE, OWN_TROUBLE
from minicrawl.crawler.net.tls import TlsClient, TlsLayer
from minicrawl.errors import FetchError
from minicrawl.timing import STANDARD, Timing

_READ_AHEAD = 64 * 1024  # bytes of a body that are worth a wake-up
_MOST_AHEAD = 256 * 1024
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

    `asked_at`: when the request left, by the loop's clock. `status`, `fields`: of the answer, once `ask` returns.
    """

    def __init__(self, read_timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | TlsLayer | None = None
        self._read_timeout = read_timeout
        self._timer: asyncio.TimerHandle | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._error: FetchError | None = None
        self._is_spoiled = False
        self._begin()

    def _begin(self) -> None:
        """Forget the last answer."""
        self.asked_at = 0.0
        self.is_silent = True  # not a byte of the answer has come
        self._ahead = 0
        self._body: list[bytes] = []
        self._answer = AnswerReader()

    # For who asks.

    @property
    def status(self) -> int:
        return self._answer.status

    @property
    def fields(self) -> list[tuple[bytes, bytes]]:
        return self._answer.fields

    @property
    def is_reusable(self) -> bool:
        """Whether the answer is whole, nothing came behind it, and the server will take another request."""
        answer = self._answer
        is_sound = answer.is_whole and not answer.is_followed and not self._is_spoiled and self._error is None
        return is_sound and answer.keeps_alive and self._ahead < _MOST_AHEAD  # beyond, reading is paused

    async def ask(self, request: bytes) -> Self:
        """Send a request; until the head of the answer has come, without which the connection is closed."""
        assert self._transport is not None
        self._begin()
        self.asked_at = self._loop.time()
        try:
            self._transport.write(request)
            while not self._answer.has_head:
                await self._more()
        except BaseException:
            self.close()
            raise
        return self

    async def read(self) -> bytes:
        """What has come of the body since the last call; nothing once it is whole."""
        while not self._answer.is_whole and self._ahead < _READ_AHEAD and self._error is None:
            await self._more()
        if self._body:
            piece = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            self._body.clear()
            if self._ahead >= _MOST_AHEAD and self._transport is not None:
                self._transport.resume_reading()
            self._ahead = 0
            return piece
        if self._error is not None and not self._answer.is_whole:
            raise copy.copy(self._error) from self._error.__cause__
        return b""

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.abort()

    async def start_tls(self, client: TlsClient, site: Site) -> None:
        assert self._transport is not None
        await TlsLayer(client, site.host, site.port, self).secure(self._transport)

    async def _more(self) -> None:
        if self._error is not None:
            # A copy: what is raised holds on to all frames it comes through, and so to this connection.
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
        self._transport = cast("asyncio.Transport | TlsLayer", transport)

    def data_received(self, data: bytes) -> None:
        answer = self._answer
        if answer.is_whole or self._error is not None:
            self._spoil()
            return
        had_head = answer.has_head
        self._heard = self._loop.time()
        self.is_silent = False
        try:
            pieces = answer.feed(data)
        except FetchError as error:
            self._fail(error.with_traceback(None))  # which would hold on to this frame, and so to us
            return
        except Exception as error:
            answer.is_whole = False  # whatever it has got to
            self._fail(_of_ours(error))
            return
        self._body += pieces
        self._ahead += sum(map(len, pieces))
        if self._ahead >= _MOST_AHEAD and self._transport is not None:
            self._transport.pause_reading()
        if answer.is_whole or self._ahead >= _READ_AHEAD or answer.has_head is not had_head:
            self._wake()

    def eof_received(self) -> None:
        if self._error is None and self._answer.end():
            self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._error is None:
            has_head = self._answer.has_head
            said = "in the body" if has_head else "before the answer" if self.is_silent else "in the head"
            reason = "bad-response" if has_head else "reset"
            is_ours = isinstance(error, MemoryError)
            self._error = _of_ours(error) if is_ours else BrokenOffError(reason, f"the connection ends {said}")
        self._wake()

    def _spoil(self) -> None:
        """Nobody asked for what the server says now, so it is no answer to what will be asked next."""
        self._is_spoiled = True
        self.close()


def _of_ours(error: Exception | None) -> FetchError:
    """A part of ours has failed over the answer: that is not the server's fault."""
    failure = FetchError(PARSER_FAILED)
    failure.__cause__ = error
    return failure


class Connections:
    """Sends requests on connections that are kept open between them.

    Raises OSError where no connection can be made (TimeoutError: in time), else FetchError.
    """

    def __init__(
        self,
        resolver: Resolver,
        tls: TlsClient,
        proxy: Proxy | None = None,
        timing: Timing = STANDARD,
        *,
        most_idle: int = MOST_IDLE,
    ) -> None:
        """most_idle: connections that are kept though nobody uses them."""
        self._resolver = resolver
        self._tls = tls
        self._proxy = proxy
        self._timing = timing
        self._most_idle = most_idle
        # Both in the order in which their requests ended.
        self._idle: dict[Connection, tuple[float, Site]] = {}
        self._idle_of: dict[Site, list[Connection]] = {}
        # Sites to which a connection is being made, and who waits for it or for another one that gets free.
        self._waiting: dict[Site, deque[asyncio.Future[None]]] = {}

    async def ask(self, site: Site, request: bytes) -> Connection:
        """The connection on which the head of the answer has come. To be given back by `release`."""
        connection = await self._free(site)
        if connection is not None:
            try:
                return await connection.ask(request)
            except BrokenOffError as error:
                # RFC 9112 9.3.1: the server may have closed it while the request was on its way.
                if error.reason != "reset" or not connection.is_silent:
                    raise
        return await (await self._made(site)).ask(request)

    async def _free(self, site: Site) -> Connection | None:
        """A kept connection, or None if one is to be made: of a site, one at a time.

        Many are asked for at once, but the first to be made often serves them all, and the next go on with its session.
        """
        while (connection := self._kept(site)) is None and site in self._waiting:
            turn = asyncio.get_running_loop().create_future()
            self._waiting[site].append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake(site)  # it may have been this one's turn
                raise
        return connection

    async def _made(self, site: Site) -> Connection:
        """A new connection. If none can be made, that is the answer for all who wait for it."""
        if site in self._waiting:  # for a request that is repeated
            return await self._opened(site)
        self._waiting[site] = deque()
        try:
            return await self._opened(site)
        except (OSError, FetchError) as error:
            if isinstance(error, OSError) and error.errno in OWN_TROUBLE:
                self._close_idle()
            for turn in self._waiting[site]:
                if not turn.done():
                    turn.set_exception(copy.copy(error))
            raise
        finally:
            for turn in self._waiting.pop(site):
                if not turn.done():
                    turn.set_result(None)

    def _wake(self, site: Site) -> None:
        """Let the first who waits look again."""
        waiting = self._waiting.get(site)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def release(self, site: Site, connection: Connection) -> None:
        """The answer is read as far as anybody wants to."""
        now = asyncio.get_running_loop().time()
        if connection.is_reusable:
            self._idle[connection] = (now, site)
            self._idle_of.setdefault(site, []).append(connection)
            self._wake(site)
        else:
            connection.close()
        while self._idle:
            oldest, (since, of) = next(iter(self._idle.items()))
            if oldest.is_reusable and len(self._idle) <= self._most_idle and now - since < self._timing.keep_alive:
                break
            self._forget(oldest, of)
            oldest.close()

    async def aclose(self) -> None:
        self._close_idle()
        await self._resolver.close()
        await asyncio.sleep(0)  # the loop closes the sockets

    def _close_idle(self) -> None:
        for connection in self._idle:
            connection.close()
        self._idle.clear()
        self._idle_of.clear()

    def _kept(self, site: Site) -> Connection | None:
        """An idle connection that is as good as new: the one used last, as its server is least likely to have gone."""
        now = asyncio.get_running_loop().time()
        while connections := self._idle_of.get(site):
            connection = connections[-1]
            since, _ = self._idle[connection]
            self._forget(connection, site)
            if connection.is_reusable and now - since < self._timing.keep_alive:
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
            return await self._connected(site)
        self._resolver.check_host(site.host)  # other names are the proxy's business
        connection = await self._connected(self._proxy.site)
        if site.is_tls:
            try:
                async with asyncio.timeout(self._timing.connect):
                    await self._tunnel(connection, site)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _connected(self, site: Site) -> Connection:
        loop = asyncio.get_running_loop()
        found = await self._resolver.resolve(site.host, site.port)
        async with asyncio.timeout(self._timing.connect):
            connected = await start_connection(
                [_info(address, port) for address, port in found],
                happy_eyeballs_delay=_HAPPY_EYEBALLS_DELAY,
                interleave=1,
            )
            _, connection = await loop.create_connection(lambda: Connection(self._timing.read), sock=connected)
            if site.is_tls:
                try:
                    await connection.start_tls(self._tls, site)
                except BaseException:
                    connection.close()
                    raise
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
        await connection.start_tls(self._tls, site)


def head(method: bytes, target: bytes, fields: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A request without body."""
    lines = b"".join([b"%b: %b\r\n" % field for field in fields])
    return b"%b %b HTTP/1.1\r\n%b\r\n" % (method, target, lines)


def _info(address: str, port: int) -> tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]:
    """An IP address as socket.getaddrinfo() has it."""
    if ":" in address:
        return socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port, 0, 0)
    return socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port)
