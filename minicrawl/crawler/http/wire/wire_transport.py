"""Requests over connections of our own: where they go, and what a proxy is told."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache

from minicrawl.crawler.http.failures import reason_of
from minicrawl.crawler.http.transport import Field, ProxyError, head, target_of
from minicrawl.crawler.http.wire.connection import Connection, Endpoint, Proxy
from minicrawl.crawler.http.wire.pool import PROXY_LOGIN, ConnectionPool
from minicrawl.crawler.http.wire.proxies import Proxies
from minicrawl.crawler.net.addresses import endpoint
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.errors import FetchError


class WireTransport:
    """Our own connections. proxies: None where there are none."""

    def __init__(self, pool: ConnectionPool, proxies: Proxies | None = None) -> None:
        self._pool, self._proxies = pool, proxies
        self._endpoint_of = lru_cache(maxsize=1000)(_endpoint_of)

    async def ask(self, url: str, fields: Sequence[Field]) -> "_WireAnswer":
        origin = origin_of(url)
        to = self._endpoint_of(origin)
        if self._proxies is not None and (proxies := self._proxies.in_turn(origin)):
            return await self._through(self._proxies, proxies, to, url, fields)
        return await self._sent(to, head(b"GET", target_of(url), fields))

    async def _through(
        self, all_proxies: Proxies, proxies: Sequence[Proxy], to: Endpoint, url: str, fields: Sequence[Field]
    ) -> "_WireAnswer":
        """Through the first of these proxies that can be used. Raises ProxyError if none can."""
        for proxy in proxies:
            target, more = target_of(url), list(fields)
            if not to.is_tls and not proxy.is_socks:
                target = url.encode()  # RFC 9112 3.2.2
                if proxy.authorization is not None:
                    more.append((b"Proxy-Authorization", proxy.authorization))
            try:
                answer = await self._sent(to._replace(via=proxy), head(b"GET", target, more))
                if answer.status == PROXY_LOGIN and not to.is_tls and not proxy.is_socks:
                    await answer.aclose()
                    raise ProxyError("it wants a name and password, or others")
            except ProxyError as error:
                failure = error
                all_proxies.failed(proxy, str(error), asyncio.get_running_loop().time())
            else:
                all_proxies.works(proxy)
                return answer
        raise failure

    async def _sent(self, to: Endpoint, request: bytes) -> "_WireAnswer":
        try:
            return _WireAnswer(self._pool, to, request, await self._pool.ask(to, request))
        except TimeoutError as error:
            raise FetchError("timeout-connect", str(error)) from error
        except OSError as error:
            raise FetchError(reason_of(error, otherwise="connect"), str(error)) from error

    async def aclose(self) -> None:
        await self._pool.aclose()


class _WireAnswer:
    """What comes on a connection, until the connection is given back."""

    __slots__ = ("_connection", "_endpoint", "_pool", "asked_at", "fields", "head", "peer", "read", "request", "status")

    def __init__(self, pool: ConnectionPool, to: Endpoint, request: bytes, connection: Connection) -> None:
        self._pool, self._endpoint, self._connection = pool, to, connection
        self.request = request
        self.head, self.status, self.fields = connection.head, connection.status, connection.fields
        self.asked_at, self.peer = connection.asked_at, connection.peer
        self.read = connection.read

    @property
    def is_read(self) -> bool:
        return self._connection.is_read

    async def aclose(self) -> None:
        self._pool.release(self._endpoint, self._connection)


def _endpoint_of(origin: str) -> Endpoint:
    return Endpoint(origin.startswith("https:"), *endpoint(f"{origin}/"))
