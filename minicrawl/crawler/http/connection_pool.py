"""Requests over our own connections: which proxy they go through, and which connection they are sent on.

Connections are kept between requests (RFC 9112 9). New ones to an endpoint are made one at a time, by HTTP/1.1 unless
the endpoint refuses it; then by HTTP/2, if it speaks that.
"""

import asyncio
import copy
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial

from aiohappyeyeballs import start_connection

from minicrawl.crawler.http.connection import Connection, Endpoint, Proxy
from minicrawl.crawler.http.failures import reason_of
from minicrawl.crawler.http.protocols import Protocols, is_left
from minicrawl.crawler.http.proxies import Proxies, enter, reach
from minicrawl.crawler.http.transport import Field, ProxyError, Sign, head, target_of
from minicrawl.crawler.net.addresses import Resolver, endpoint
from minicrawl.crawler.net.open_files import MOST_IDLE, OWN_TROUBLE
from minicrawl.crawler.net.tls import HTTP_2, TlsClient
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.errors import FetchError
from minicrawl.timing import STANDARD, Timing

_HAPPY_EYEBALLS_DELAY = 0.25  # RFC 8305 5
PROXY_LOGIN = 407
"""The status by which a proxy requires a login."""


class ConnectionPool:
    """Sends requests on connections that are kept open between them.

    Raises OSError if no connection can be made (TimeoutError: not in time), else FetchError.
    """

    def __init__(
        self,
        resolver: Resolver,
        tls: TlsClient,
        timing: Timing = STANDARD,
        *,
        most_idle: int = MOST_IDLE,
    ) -> None:
        """most_idle: connections that are kept open while unused."""
        self._resolver = resolver
        self._tls = tls
        self._timing = timing
        self._most_idle = most_idle
        # Both in the order of the ends of their last requests.
        self._idle: dict[Connection, tuple[float, Endpoint]] = {}
        self._idle_of: dict[Endpoint, list[Connection]] = {}
        self._protocols = Protocols()
        # Endpoints to which a connection is being made, and the requests that wait for it or for another one.
        self._waiting: dict[Endpoint, deque[asyncio.Future[None]]] = {}

    async def ask(self, endpoint: Endpoint, request: Callable[[], bytes]) -> Connection:
        """Send a request, made anew each time it is sent. Returns its connection once the response's head was received;
        give it back by `release`."""
        connection = self._kept(endpoint) or await self._free(endpoint)
        while True:
            is_kept = connection is not None
            connection = connection or await self._made(endpoint)
            try:
                await connection.ask(request())
            except FetchError as error:
                # RFC 9112 9.3.1: the server may have closed a kept connection at the same time.
                was_closed = is_kept and is_left(connection, error)
                if not (was_closed or self._protocols.changed_by_failure(endpoint, connection, error)):
                    raise
            else:
                if not self._protocols.changed_by_answer(endpoint, connection):
                    return connection
                connection.close()
            connection = None

    async def _free(self, endpoint: Endpoint) -> Connection | None:
        """A kept connection, or None if a new one is to be made, one at a time for an endpoint.

        The first connection often serves many concurrent requests, and others resume its TLS session.
        """
        while (connection := self._kept(endpoint)) is None and endpoint in self._waiting:
            turn = asyncio.get_running_loop().create_future()
            self._waiting[endpoint].append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake(endpoint)  # pass the turn on
                raise
        return connection

    async def _made(self, endpoint: Endpoint) -> Connection:
        """A new connection. If it fails, it fails for all requests that wait for it."""
        if endpoint in self._waiting:  # a repeated request
            return await self._opened(endpoint)
        self._waiting[endpoint] = deque()
        try:
            return await self._opened(endpoint)
        except (OSError, FetchError) as error:
            if isinstance(error, OSError) and error.errno in OWN_TROUBLE:
                self._close_idle()
            for turn in self._waiting[endpoint]:
                if not turn.done():
                    turn.set_exception(copy.copy(error))
            raise
        finally:
            for turn in self._waiting.pop(endpoint):
                if not turn.done():
                    turn.set_result(None)

    def _wake(self, endpoint: Endpoint) -> None:
        """Let the first waiting request look again."""
        waiting = self._waiting.get(endpoint)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def release(self, endpoint: Endpoint, connection: Connection) -> None:
        """Give a connection back after its response. It is kept, or closed if it cannot be reused."""
        now = asyncio.get_running_loop().time()
        if connection.is_reusable:
            self._idle[connection] = (now, endpoint)
            self._idle_of.setdefault(endpoint, []).append(connection)
            self._wake(endpoint)
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

    def _kept(self, endpoint: Endpoint) -> Connection | None:
        """The most recently used idle connection that is still usable."""
        now = asyncio.get_running_loop().time()
        while connections := self._idle_of.get(endpoint):
            connection = connections[-1]
            since, _ = self._idle[connection]
            self._forget(connection, endpoint)
            if connection.is_reusable and now - since < self._timing.keep_alive:
                return connection
            connection.close()
        return None

    def _forget(self, connection: Connection, endpoint: Endpoint) -> None:
        del self._idle[connection]
        connections = self._idle_of[endpoint]
        connections.remove(connection)
        if not connections:
            del self._idle_of[endpoint]

    async def _opened(self, endpoint: Endpoint) -> Connection:
        """A new connection by HTTP/1.1, or by HTTP/2 where that is refused."""
        protocol = self._protocols.of(endpoint)
        try:
            return await self._reached(endpoint, _http2_connection() if protocol == HTTP_2 else Connection)
        except ssl.SSLError as error:
            if not self._protocols.changed_by_handshake(endpoint, protocol, error):
                raise
        return await self._opened(endpoint)

    async def _reached(self, endpoint: Endpoint, kind: type[Connection]) -> Connection:
        proxy = endpoint.via
        if proxy is None:
            return await self._connected(endpoint, kind)
        self._resolver.check_host(endpoint.host)  # the proxy resolves names, except for socks5
        if proxy.is_socks:
            return await self._through_socks(endpoint, proxy, kind)
        connection = await self._to_proxy(proxy)
        if endpoint.is_tls:
            try:
                async with asyncio.timeout(self._timing.connect):
                    await self._tunnel(connection, endpoint, proxy)
                    connection = kind(self._timing.read).over(connection)
                    await connection.start_tls(self._tls, endpoint)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _to_proxy(self, proxy: Proxy) -> Connection:
        with _proxy_errors():
            return await self._connected(proxy.endpoint, Connection, is_proxy=True)

    async def _through_socks(self, endpoint: Endpoint, proxy: Proxy, kind: type[Connection]) -> Connection:
        host, port = endpoint.host, endpoint.port
        connected = await self._socket(proxy.endpoint)
        try:
            await self._let_in(connected, proxy)
            if proxy.scheme == "socks5":  # no sooner, so that a dead proxy is not blamed on the name
                host, port = (await self._resolver.resolve(host, port))[0]
            async with asyncio.timeout(self._timing.connect):
                await reach(connected, host, port)
        except BaseException:
            connected.close()
            raise
        async with asyncio.timeout(self._timing.connect):
            return await self._spoken(connected, endpoint, kind)

    async def _socket(self, endpoint: Endpoint) -> socket.socket:
        with _proxy_errors():
            async with asyncio.timeout(self._timing.connect):
                return await self._dialled(await self._resolver.resolve(endpoint.host, endpoint.port, is_proxy=True))

    async def _let_in(self, connected: socket.socket, proxy: Proxy) -> None:
        with _proxy_errors():
            async with asyncio.timeout(self._timing.connect):
                await enter(connected, proxy.login)

    async def _connected(self, endpoint: Endpoint, kind: type[Connection], *, is_proxy: bool = False) -> Connection:
        found = await self._resolver.resolve(endpoint.host, endpoint.port, is_proxy=is_proxy)
        async with asyncio.timeout(self._timing.connect):
            return await self._spoken(await self._dialled(found), endpoint, kind)

    async def _dialled(self, found: list[tuple[str, int]]) -> socket.socket:
        return await start_connection(
            [_info(address, port) for address, port in found],
            happy_eyeballs_delay=_HAPPY_EYEBALLS_DELAY,
            interleave=1,
        )

    async def _spoken(self, connected: socket.socket, endpoint: Endpoint, kind: type[Connection]) -> Connection:
        """Wrap a socket that is connected to an endpoint."""
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: kind(self._timing.read), sock=connected)
        if endpoint.is_tls:
            try:
                await connection.start_tls(self._tls, endpoint)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _tunnel(self, connection: Connection, endpoint: Endpoint, proxy: Proxy) -> None:
        """Open a tunnel through the proxy by CONNECT (RFC 9110 9.3.6)."""
        fields = [(b"Host", str(endpoint).encode())]
        if proxy.authorization is not None:
            fields.append((b"Proxy-Authorization", proxy.authorization))
        await connection.ask(head(b"CONNECT", str(endpoint).encode(), fields))
        if connection.status == PROXY_LOGIN:
            raise ProxyError("it wants a name and password, or others")
        if not 200 <= connection.status < 300:
            raise FetchError("bad-response", f"the proxy says {connection.status}")


def _http2_connection() -> type[Connection]:
    from minicrawl.crawler.http.http2_connection import Http2Connection  # noqa: PLC0415 - few hosts need it

    return Http2Connection


@contextmanager
def _proxy_errors() -> Iterator[None]:
    """Turn errors on the way to a proxy into ProxyError, except for lack of files on this machine."""
    try:
        yield
    except OSError as error:
        if error.errno in OWN_TROUBLE:
            raise
        raise ProxyError(reason_of(error, otherwise="connect")) from error


def _info(address: str, port: int) -> tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]:
    """An IP address in the format of socket.getaddrinfo()."""
    if ":" in address:
        return socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port, 0, 0)
    return socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port)


class WireTransport:
    """Sends requests on pooled connections. proxies: None if there are none."""

    def __init__(self, pool: ConnectionPool, proxies: Proxies | None = None) -> None:
        self._pool, self._proxies = pool, proxies
        self._endpoint_of = lru_cache(maxsize=1000)(_endpoint_of)

    async def ask(self, url: str, fields: Sequence[Field], sign: Sign | None = None) -> "_WireAnswer":
        origin = origin_of(url)
        to = self._endpoint_of(origin)
        if self._proxies is not None and (proxies := self._proxies.in_turn(origin)):
            return await self._through(proxies, to, url, fields, sign)
        return await self._sent(to, partial(_request, target_of(url), fields, sign))

    async def _through(
        self, proxies: Sequence[Proxy], to: Endpoint, url: str, fields: Sequence[Field], sign: Sign | None
    ) -> "_WireAnswer":
        """Send a request through the first of these proxies that works. Raises ProxyError if none does."""
        assert self._proxies is not None
        for proxy in proxies:
            target, more = target_of(url), list(fields)
            if not to.is_tls and not proxy.is_socks:
                target = url.encode()  # RFC 9112 3.2.2
                if proxy.authorization is not None:
                    more.append((b"Proxy-Authorization", proxy.authorization))
            try:
                answer = await self._sent(to._replace(via=proxy), partial(_request, target, more, sign))
                if answer.status == PROXY_LOGIN and not to.is_tls and not proxy.is_socks:
                    await answer.aclose()
                    raise ProxyError("it wants a name and password, or others")
            except ProxyError as error:
                failure = error
                self._proxies.failed(proxy, str(error), asyncio.get_running_loop().time())
            else:
                self._proxies.works(proxy)
                return answer
        raise failure

    async def _sent(self, to: Endpoint, request: Callable[[], bytes]) -> "_WireAnswer":
        try:
            return _WireAnswer(self._pool, to, await self._pool.ask(to, request))
        except TimeoutError as error:
            raise FetchError("timeout-connect", str(error)) from error
        except OSError as error:
            raise FetchError(reason_of(error, otherwise="connect"), str(error)) from error

    async def aclose(self) -> None:
        await self._pool.aclose()


class _WireAnswer:
    """The response on a connection, until the connection is released."""

    __slots__ = ("_connection", "_endpoint", "_pool", "asked_at", "fields", "head", "peer", "protocol", "read",
                 "request", "status")  # fmt: skip

    def __init__(self, pool: ConnectionPool, to: Endpoint, connection: Connection) -> None:
        self._pool, self._endpoint, self._connection = pool, to, connection
        self.request = connection.request
        self.head, self.status, self.fields = connection.head, connection.status, connection.fields
        self.asked_at, self.peer, self.protocol = connection.asked_at, connection.peer, connection.protocol
        self.read = connection.read

    @property
    def is_read(self) -> bool:
        return self._connection.is_read

    @property
    def ahead(self) -> bytes:
        return self._connection.ahead

    async def aclose(self) -> None:
        self._pool.release(self._endpoint, self._connection)


def _request(target: bytes, fields: Sequence[Field], sign: Sign | None) -> bytes:
    return head(b"GET", target, fields if sign is None else sign(fields))


def _endpoint_of(origin: str) -> Endpoint:
    return Endpoint(origin.startswith("https:"), *endpoint(f"{origin}/"))
