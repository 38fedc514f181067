"""Requests over our own connections: which proxy they go through, and which connection they are sent on.

Connections are kept between requests (RFC 9112 9). HTTP/2, and proxies other than plain HTTP ones, are httpx's: see
httpx_transport.py.
"""

import asyncio
import re
import ssl
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from aiohappyeyeballs import addr_to_addr_infos, start_connection

from minicrawl import log
from minicrawl.errors import FetchError
from minicrawl.timing import Timing
from minicrawl.web.http.connection import Connection, Endpoint, Proxy
from minicrawl.web.http.credentials import Proxies
from minicrawl.web.http.response_fields import Field
from minicrawl.web.http.transport import (
    Answer,
    BrokenOffError,
    NoHttp1Error,
    ProxyError,
    Sign,
    chain_of,
    head,
    reason_of,
    target_of,
)
from minicrawl.web.net.addresses import Resolver, endpoint
from minicrawl.web.net.open_files import OWN_TROUBLE
from minicrawl.web.net.tls import HTTP_1, HTTP_2, TlsClient
from minicrawl.web.urls.keys import origin_of

if TYPE_CHECKING:
    from minicrawl.web.http.httpx_transport import OddTransports

_HAPPY_EYEBALLS_DELAY = 0.25  # RFC 8305 5
PROXY_LOGIN = 407
"""The status by which a proxy requires a login."""
_UPGRADE_REQUIRED, _NOT_SUPPORTED = 426, 505  # RFC 9110 15.5.22, 15.6.6
_HTTP_2 = re.compile(rb"\b(?:h2c?|http/2(?:\.0)?)(?![\w./])", re.IGNORECASE)
_MOST_REFUSALS = 10_000


class ConnectionPool:
    """Sends requests on connections that are kept open between them. Raises OSError if no connection can be made
    (TimeoutError: not in time), else FetchError."""

    def __init__(self, resolver: Resolver, tls: TlsClient, timing: Timing, most_idle: int) -> None:
        """most_idle: connections that are kept open while unused."""
        self.resolver, self.tls, self.timing, self.most_idle = resolver, tls, timing, most_idle
        # Both in the order of the ends of their last requests.
        self._idle: dict[Connection, tuple[float, Endpoint]] = {}
        self._idle_of: dict[Endpoint, list[Connection]] = {}

    async def ask(self, endpoint: Endpoint, request: Callable[[], bytes]) -> Connection:
        """Send a request, made again each time it is sent. Returns its connection once the response's head was
        received, which comes back when the response ends."""
        connection = self._kept(endpoint)
        while True:
            is_kept = connection is not None
            try:
                connection = connection or await self._opened(endpoint)
            except OSError as error:
                if error.errno in OWN_TROUBLE:
                    self._close_idle()
                raise
            try:
                await connection.ask(request())
            except FetchError as error:
                # RFC 9112 9.3.1: the server may have closed a kept connection at the same time.
                is_left = isinstance(error, BrokenOffError) and error.reason == "reset" and connection.is_silent
                if not (is_kept and is_left):
                    raise
            else:
                connection.on_end = partial(self.release, endpoint, connection)
                return connection
            connection = None

    def release(self, endpoint: Endpoint, connection: Connection) -> None:
        """Give a connection back after its response. It is kept, or closed if it cannot be reused."""
        now = asyncio.get_running_loop().time()
        if connection.is_reusable:
            self._idle[connection] = (now, endpoint)
            self._idle_of.setdefault(endpoint, []).append(connection)
        else:
            connection.close()
        while self._idle:
            oldest, (since, of) = next(iter(self._idle.items()))
            if oldest.is_reusable and len(self._idle) <= self.most_idle and now - since < self.timing.keep_alive:
                break
            self._forget(oldest, of)
            oldest.close()

    async def aclose(self) -> None:
        self._close_idle()
        await self.resolver.close()
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
            if connection.is_reusable and now - since < self.timing.keep_alive:
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
        self.resolver.check_host(endpoint.host)  # the proxy resolves names
        try:
            connection = await self._connected(proxy.endpoint, is_proxy=True)
        except OSError as error:
            if error.errno in OWN_TROUBLE:
                raise
            raise ProxyError(reason_of(error, otherwise="connect")) from error
        if endpoint.is_tls:
            async with asyncio.timeout(self.timing.connect):
                await self._tunnel(connection, endpoint, proxy)
                await connection.start_tls(self.tls, endpoint)
        return connection

    async def _connected(self, endpoint: Endpoint, *, is_proxy: bool = False) -> Connection:
        found = await self.resolver.resolve(endpoint.host, endpoint.port, is_proxy=is_proxy)
        async with asyncio.timeout(self.timing.connect):
            connected = await start_connection(
                [info for place in found for info in addr_to_addr_infos(place) or ()],
                happy_eyeballs_delay=_HAPPY_EYEBALLS_DELAY,
                interleave=1,
            )
            loop = asyncio.get_running_loop()
            _, connection = await loop.create_connection(lambda: Connection(self.timing.read), sock=connected)
            if endpoint.is_tls:
                await connection.start_tls(self.tls, endpoint)
            return connection

    async def _tunnel(self, connection: Connection, endpoint: Endpoint, proxy: Proxy) -> None:
        """Open a tunnel through the proxy by CONNECT (RFC 9110 9.3.6)."""
        fields = [(b"Host", str(endpoint).encode())]
        if proxy.authorization is not None:
            fields.append((b"Proxy-Authorization", proxy.authorization))
        await connection.ask(head(b"CONNECT", str(endpoint).encode(), fields))
        status = connection.answer.status
        if not 200 <= status < 300:
            connection.close()
            login = ProxyError("it wants a name and password, or others")
            raise login if status == PROXY_LOGIN else FetchError("proxy-refused", f"the proxy says {status}")


class _Wanted(NamedTuple):
    """A request, as `Transport.ask` has it; with a form, POST."""

    url: str
    fields: Sequence[Field]
    sign: Sign | None
    form: bytes | None


class WireTransport:
    """Sends requests on pooled connections, and by httpx where those will not do. proxies: None if there are none."""

    def __init__(self, pool: ConnectionPool, proxies: Proxies | None) -> None:
        self._pool, self._proxies = pool, proxies
        self._odd: OddTransports | None = None
        self._endpoint_of = lru_cache(maxsize=1000)(
            lambda origin: Endpoint(origin.startswith("https:"), *endpoint(f"{origin}/"))
        )
        self._speaks_http2: dict[Endpoint, bool] = {}  # of those that have refused HTTP/1.1

    async def ask(
        self, url: str, fields: Sequence[Field], sign: Sign | None = None, form: bytes | None = None
    ) -> Answer:
        """GET a URL, or POST a form to it; see `Transport.ask`."""
        origin, wanted = origin_of(url), _Wanted(url, fields, sign, form)
        to = self._endpoint_of(origin)
        if self._proxies is not None and (proxies := self._proxies.in_turn(origin)):
            return await self._through(proxies, to, wanted)
        return await self._sent(to, wanted)

    async def _through(self, proxies: Sequence[Proxy], to: Endpoint, wanted: _Wanted) -> Answer:
        """Send a request through the first of these proxies that works. Raises ProxyError if none does."""
        assert self._proxies is not None
        for proxy in proxies:
            try:
                answer = await self._sent(to._replace(via=proxy), wanted)
                if answer.status == PROXY_LOGIN and not to.is_tls and not proxy.scheme.startswith("socks"):
                    await answer.aclose()
                    raise ProxyError("it wants a name and password, or others")
            except ProxyError as error:
                failure = error
                self._proxies.failed(proxy, str(error), asyncio.get_running_loop().time())
            else:
                self._proxies.works(proxy)
                return answer
        raise failure

    async def _sent(self, to: Endpoint, wanted: _Wanted) -> Answer:
        """Send a request by HTTP/1.1, and to an endpoint that refuses that by HTTP/2, if it answers by that."""
        speaks_http2 = self._speaks_http2.get(to)
        if speaks_http2:
            return await self._by_httpx(to, HTTP_2, wanted)
        failure, wants_another = None, False
        try:
            answer = await self._by_http1(to, wanted)
        except FetchError as error:
            wants_another = _wants_protocol(error)
            if speaks_http2 is False or not (isinstance(error, NoHttp1Error) or wants_another):
                raise
            failure = FetchError(error.reason, str(error))  # which references no frame
        else:
            if speaks_http2 is False or not _refuses_http1(to, answer):
                return answer
        log.event("http2-tried", host=str(to))
        if len(self._speaks_http2) >= _MOST_REFUSALS:
            self._speaks_http2.clear()
        try:
            found = await self._by_httpx(to, HTTP_2, wanted)
        except FetchError as error:
            if wants_another and not _wants_protocol(error):
                raise  # another protocol than HTTP/1.1 was wanted: this one
            self._speaks_http2.setdefault(to, False)
            if failure is not None:
                raise failure from None
            return answer
        self._speaks_http2[to] = True
        if failure is None:
            await answer.aclose()
        return found

    async def _by_http1(self, to: Endpoint, wanted: _Wanted) -> Answer:
        if to.via is not None and to.via.scheme != "http":
            return await self._by_httpx(to, HTTP_1, wanted)
        url, fields, sign, form = wanted
        target, method = target_of(url), b"GET" if form is None else b"POST"
        if to.via is not None and not to.is_tls:
            target = url.encode()  # RFC 9112 3.2.2
            if to.via.authorization is not None:
                fields = [*fields, (b"Proxy-Authorization", to.via.authorization)]

        def request() -> bytes:
            return head(method, target, fields if sign is None else sign(fields)) + (form or b"")

        try:
            return await self._pool.ask(to, request)
        except TimeoutError as error:
            raise FetchError("timeout-connect", str(error)) from error
        except OSError as error:
            raise FetchError(reason_of(error, otherwise="connect"), str(error)) from error

    async def _by_httpx(self, to: Endpoint, protocol: str, wanted: _Wanted) -> Answer:
        if self._odd is None:
            from minicrawl.web.http.httpx_transport import OddTransports  # noqa: PLC0415 - takes 0.1 s, few need it

            pool = self._pool
            self._odd = OddTransports(pool.resolver, pool.tls, pool.timing, pool.most_idle)
        return await self._odd.ask(to, protocol, *wanted)

    async def aclose(self) -> None:
        if self._odd is not None:
            await self._odd.aclose()
        await self._pool.aclose()


def _wants_protocol(error: FetchError) -> bool:
    """True if a server refuses the protocol in the TLS handshake (RFC 7301 3.2)."""
    words = "no application protocol"  # OpenSSL's; not all versions of Python know its reason
    return any(isinstance(link, ssl.SSLError) and words in str(link) for link in chain_of(error))


def _refuses_http1(to: Endpoint, answer: Answer) -> bool:
    if to.via is not None and not to.is_tls:  # it may be the proxy's
        return False
    if answer.status == _UPGRADE_REQUIRED:
        return any(name.lower() == b"upgrade" and _HTTP_2.search(value) for name, value in answer.fields)
    return answer.status == _NOT_SUPPORTED and to.is_tls
