"""Requests over connections of our own: where they go, and what a proxy is told."""

import base64
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote_to_bytes, urlsplit

from minicrawl.crawler.http.failures import reason_of
from minicrawl.crawler.http.transport import Field, head, target_of
from minicrawl.crawler.http.wire.connection import Connection, Endpoint
from minicrawl.crawler.http.wire.pool import ConnectionPool, Proxy
from minicrawl.crawler.net.addresses import PORTS, endpoint
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.errors import FetchError


class WireTransport:
    """Our own connections."""

    def __init__(self, pool: ConnectionPool, proxy: Proxy | None) -> None:
        self._pool, self._proxy = pool, proxy
        self._endpoint_of = lru_cache(maxsize=1000)(_endpoint_of)

    async def ask(self, url: str, fields: Sequence[Field]) -> "_WireAnswer":
        to = self._endpoint_of(origin_of(url))
        target = target_of(url)
        if self._proxy is not None and not to.is_tls:
            target = url.encode()  # RFC 9112 3.2.2
            if self._proxy.authorization is not None:
                fields = [*fields, (b"Proxy-Authorization", self._proxy.authorization)]
        request = head(b"GET", target, fields)
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

    async def aclose(self) -> None:
        self._pool.release(self._endpoint, self._connection)


def proxy_of(url: str) -> Proxy:
    """The proxy at a URL, which may hold a name and a password."""
    parts = urlsplit(url)
    authorization = None
    if parts.username is not None:
        word = b"%b:%b" % (unquote_to_bytes(parts.username), unquote_to_bytes(parts.password or ""))
        authorization = b"Basic " + base64.b64encode(word)
    return Proxy(
        Endpoint(parts.scheme == "https", parts.hostname or "", parts.port or PORTS[parts.scheme]), authorization
    )


def _endpoint_of(origin: str) -> Endpoint:
    return Endpoint(origin.startswith("https:"), *endpoint(f"{origin}/"))
