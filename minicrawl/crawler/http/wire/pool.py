"""Which connection a request travels on: those that are kept between requests, and how new ones are made (RFC 9112 9).

At one endpoint connections are made one at a time; through a proxy, where the endpoint names one.
"""

import asyncio
import copy
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from aiohappyeyeballs import start_connection

from minicrawl.crawler.http.failures import reason_of
from minicrawl.crawler.http.transport import BrokenOffError, ProxyError, head
from minicrawl.crawler.http.wire.connection import Connection, Endpoint, Proxy
from minicrawl.crawler.http.wire.socks import enter, reach
from minicrawl.crawler.net.addresses import Resolver
from minicrawl.crawler.net.open_files import MOST_IDLE, OWN_TROUBLE
from minicrawl.crawler.net.tls import TlsClient
from minicrawl.errors import FetchError
from minicrawl.timing import STANDARD, Timing

_HAPPY_EYEBALLS_DELAY = 0.25  # RFC 8305 5
PROXY_LOGIN = 407
"""The status by which a proxy asks who we are."""


class ConnectionPool:
    """Sends requests on connections that are kept open between them.

    Raises OSError where no connection can be made (TimeoutError: in time), else FetchError.
    """

    def __init__(
        self,
        resolver: Resolver,
        tls: TlsClient,
        timing: Timing = STANDARD,
        *,
        most_idle: int = MOST_IDLE,
    ) -> None:
        """most_idle: connections that are kept though nobody uses them."""
        self._resolver = resolver
        self._tls = tls
        self._timing = timing
        self._most_idle = most_idle
        # Both in the order in which their requests ended.
        self._idle: dict[Connection, tuple[float, Endpoint]] = {}
        self._idle_of: dict[Endpoint, list[Connection]] = {}
        # Endpoints to which a connection is being made, and who waits for it or for another one that gets free.
        self._waiting: dict[Endpoint, deque[asyncio.Future[None]]] = {}

    async def ask(self, endpoint: Endpoint, request: bytes) -> Connection:
        """The connection on which the head of the answer has come. To be given back by `release`."""
        connection = await self._free(endpoint)
        if connection is not None:
            try:
                return await connection.ask(request)
            except BrokenOffError as error:
                # RFC 9112 9.3.1: the server may have closed it while the request was on its way.
                if error.reason != "reset" or not connection.is_silent:
                    raise
        return await (await self._made(endpoint)).ask(request)

    async def _free(self, endpoint: Endpoint) -> Connection | None:
        """A kept connection, or None if one is to be made: of a endpoint, one at a time.

        Many are asked for at once, but the first to be made often serves them all, and the next go on with its session.
        """
        while (connection := self._kept(endpoint)) is None and endpoint in self._waiting:
            turn = asyncio.get_running_loop().create_future()
            self._waiting[endpoint].append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake(endpoint)  # it may have been this one's turn
                raise
        return connection

    async def _made(self, endpoint: Endpoint) -> Connection:
        """A new connection. If none can be made, that is the answer for all who wait for it."""
        if endpoint in self._waiting:  # for a request that is repeated
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
        """Let the first who waits look again."""
        waiting = self._waiting.get(endpoint)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def release(self, endpoint: Endpoint, connection: Connection) -> None:
        """The answer is read as far as anybody wants to."""
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
        """An idle connection that is as good as new: the one used last, as its server is least likely to have gone."""
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
        proxy = endpoint.via
        if proxy is None:
            return await self._connected(endpoint)
        self._resolver.check_host(endpoint.host)  # other names are the proxy's business, but for socks5
        if proxy.is_socks:
            return await self._through_socks(endpoint, proxy)
        connection = await self._to_proxy(proxy)
        if endpoint.is_tls:
            try:
                async with asyncio.timeout(self._timing.connect):
                    await self._tunnel(connection, endpoint, proxy)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _to_proxy(self, proxy: Proxy) -> Connection:
        with _proxy_errors():
            return await self._connected(proxy.endpoint, is_proxy=True)

    async def _through_socks(self, endpoint: Endpoint, proxy: Proxy) -> Connection:
        host, port = endpoint.host, endpoint.port
        connected = await self._socket(proxy.endpoint)
        try:
            await self._let_in(connected, proxy)
            if proxy.scheme == "socks5":  # no sooner: a proxy that is dead says nothing of the name
                host, port = (await self._resolver.resolve(host, port))[0]
            async with asyncio.timeout(self._timing.connect):
                await reach(connected, host, port)
        except BaseException:
            connected.close()
            raise
        async with asyncio.timeout(self._timing.connect):
            return await self._spoken(connected, endpoint)

    async def _socket(self, endpoint: Endpoint) -> socket.socket:
        with _proxy_errors():
            async with asyncio.timeout(self._timing.connect):
                return await self._dialled(await self._resolver.resolve(endpoint.host, endpoint.port, is_proxy=True))

    async def _let_in(self, connected: socket.socket, proxy: Proxy) -> None:
        with _proxy_errors():
            async with asyncio.timeout(self._timing.connect):
                await enter(connected, proxy.login)

    async def _connected(self, endpoint: Endpoint, *, is_proxy: bool = False) -> Connection:
        found = await self._resolver.resolve(endpoint.host, endpoint.port, is_proxy=is_proxy)
        async with asyncio.timeout(self._timing.connect):
            return await self._spoken(await self._dialled(found), endpoint)

    async def _dialled(self, found: list[tuple[str, int]]) -> socket.socket:
        return await start_connection(
            [_info(address, port) for address, port in found],
            happy_eyeballs_delay=_HAPPY_EYEBALLS_DELAY,
            interleave=1,
        )

    async def _spoken(self, connected: socket.socket, endpoint: Endpoint) -> Connection:
        """A connection over a socket that leads to an endpoint."""
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: Connection(self._timing.read), sock=connected)
        if endpoint.is_tls:
            try:
                await connection.start_tls(self._tls, endpoint)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _tunnel(self, connection: Connection, endpoint: Endpoint, proxy: Proxy) -> None:
        """Through the proxy to the endpoint itself (RFC 9110 9.3.6)."""
        fields = [(b"Host", str(endpoint).encode())]
        if proxy.authorization is not None:
            fields.append((b"Proxy-Authorization", proxy.authorization))
        await connection.ask(head(b"CONNECT", str(endpoint).encode(), fields))
        if connection.status == PROXY_LOGIN:
            raise ProxyError("it wants a name and password, or others")
        if not 200 <= connection.status < 300:
            raise FetchError("bad-response", f"the proxy says {connection.status}")
        await connection.start_tls(self._tls, endpoint)


@contextmanager
def _proxy_errors() -> Iterator[None]:
    """What goes wrong on the way to a proxy is its trouble, if it is not ours."""
    try:
        yield
    except OSError as error:
        if error.errno in OWN_TROUBLE:
            raise
        raise ProxyError(reason_of(error, otherwise="connect")) from error


def _info(address: str, port: int) -> tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]:
    """An IP address as socket.getaddrinfo() has it."""
    if ":" in address:
        return socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port, 0, 0)
    return socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port)
