"""httpx: HTTP/2 and odd proxies, and any of its transports in place of our own.

The only module that imports httpx and httpcore, its engine. They take a tenth of a second: import it only where it is
needed.
"""

import asyncio
import re
import ssl
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from typing import Any  # Any: callables

import httpcore
import httpx
import socksio
from h2.exceptions import H2Error

from minicrawl.errors import FetchError
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.answer_reader import LONGEST_HEAD
from minicrawl.web.http.connection import Endpoint, Proxy
from minicrawl.web.http.response_fields import Field
from minicrawl.web.http.transport import (
    OF_THE_SYSTEM,
    Answer,
    BrokenOffError,
    ProxyError,
    Reasons,
    Sign,
    head,
    reason_of,
    target_of,
)
from minicrawl.web.net.addresses import Resolver
from minicrawl.web.net.open_files import OPEN_FILES
from minicrawl.web.net.tls import HTTP_1, HTTP_2, TlsClient

_REASONS: Reasons = (
    ((httpx.ConnectTimeout, httpcore.ConnectTimeout), "timeout-connect"),
    ((httpx.TimeoutException, httpcore.TimeoutException), "timeout-read"),
    ((H2Error,), "bad-response"),
    ((httpx.RemoteProtocolError, httpcore.RemoteProtocolError), "reset"),
    ((httpx.InvalidURL, httpx.UnsupportedProtocol), "bad-url"),
    ((httpx.ProtocolError, httpcore.ProtocolError), "bad-response"),
    *OF_THE_SYSTEM,
    ((httpx.ConnectError, httpcore.ConnectError), "connect"),
)
_FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError)
_OF_THE_ENGINE = (httpcore.ProtocolError, httpcore.TimeoutException, httpcore.NetworkError)
_NO_BODY = httpx.ByteStream(b"")
_NO_TEXT = re.compile(rb"[\r\n\0]")
_MOST_OVERHEAD = 2 * LONGEST_HEAD  # bytes in a row without body
_UNREACHED = "Proxy Server could not connect: "  # what httpcore says for a SOCKS proxy that answers for the host


_DIALLED: ContextVar["_Stream | None"] = ContextVar("_DIALLED")
"""The connection that the current request has made, if any."""


class HttpxTransport:
    """Requests by an httpx transport, such as MockTransport."""

    def __init__(self, transport: httpx.AsyncBaseTransport, timing: Timing = STANDARD) -> None:
        self._transport = transport
        self._timeout = _timeout(timing)

    async def ask(self, url: str, fields: Sequence[Field], sign: Sign | None = None) -> "_HttpxAnswer":
        target = target_of(url)
        fields = fields if sign is None else sign(fields)
        asked_at = asyncio.get_running_loop().time()
        try:
            # Extensions of httpx's own transports. "target" is the path as it is spelt in the URL: httpx respells it,
            # as with %7E, %zz or a lone "?".
            extensions = {"timeout": self._timeout, "target": target}
            request = httpx.Request("GET", url, headers=list(fields), stream=_NO_BODY, extensions=extensions)
            response = await self._transport.handle_async_request(request)
        except _FAILURES as error:
            raise FetchError(reason_of(error, _REASONS), str(error)) from error
        found = response.status_code, response.headers.raw, response.extensions, response.stream
        return _HttpxAnswer(head(b"GET", target, fields), asked_at, *found)

    async def aclose(self) -> None:
        await self._transport.aclose()


def _timeout(timing: Timing) -> dict[str, float | None]:
    return httpx.Timeout(timing.read, connect=timing.connect, pool=None).as_dict()


class OddTransports:
    """Requests by HTTP/2, and through proxies other than plain HTTP ones.

    All connections are dialled by `_Network`. One by HTTP/2 serves the requests that are made at once: httpcore would
    read on in a body that nobody wants, so it is closed then.
    """

    def __init__(self, resolver: Resolver, tls: TlsClient, timing: Timing, most_idle: int) -> None:
        self._resolver, self._tls, self._timing, self._most_idle = resolver, tls, timing, most_idle
        self._pools: list[httpcore.AsyncConnectionPool] = []
        self._of = lru_cache(maxsize=None)(self._made)

    async def ask(  # noqa: PLR0913 - what a request has
        self,
        to: Endpoint,
        protocol: str,
        url: str,
        fields: Sequence[Field],
        sign: Sign | None = None,
        form: bytes | None = None,
    ) -> "_HttpxAnswer":
        """Send a request; POST with a form. Raises FetchError; ProxyError if it is the proxy's fault."""
        if to.via is not None:
            self._resolver.check_host(to.host)  # it resolves names
        pool, target = self._of(to.via, protocol, self._tls.shows(to.host, to.port)), target_of(url)
        fields = fields if sign is None else sign(fields)
        asked_at = asyncio.get_running_loop().time()
        scheme = b"https" if to.is_tls else b"http"
        place = httpcore.URL(scheme=scheme, host=to.host.encode(), port=to.port, target=target)
        extensions = {"timeout": _timeout(self._timing)}
        method = "GET" if form is None else "POST"
        asked = httpcore.Request(method, place, headers=list(fields), content=form or b"", extensions=extensions)
        _DIALLED.set(None)
        try:
            answer = await pool.handle_async_request(asked)
        except (httpcore.ProxyError, AssertionError, socksio.SOCKSError) as error:
            if (dialled := _DIALLED.get()) is not None:  # which httpcore leaves open
                await dialled.aclose()
            raise _through_proxy(str(error) if isinstance(error, httpcore.ProxyError) else None) from error
        except (*_OF_THE_ENGINE, OSError) as error:
            raise FetchError(reason_of(error, _REASONS), str(error)) from error
        if any(_NO_TEXT.search(part) for field in answer.headers for part in field):
            await answer.aclose()
            raise FetchError("bad-response", "a line break in a field")  # RFC 9113 8.2.1
        found = answer.status, answer.headers, answer.extensions, answer.stream
        return _HttpxAnswer(head(method.encode(), target, fields), asked_at, *found)

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()

    def _made(self, proxy: Proxy | None, protocol: str, shows: bool) -> httpcore.AsyncConnectionPool:
        by: httpcore.Proxy | None = None
        if proxy is not None:
            to = proxy.endpoint
            url = httpcore.URL(scheme=proxy.scheme.encode(), host=to.host.encode(), port=to.port, target=b"/")
            by = httpcore.Proxy(url, auth=proxy.login, ssl_context=self._tls.context(HTTP_1) if to.is_tls else None)
        pool = httpcore.AsyncConnectionPool(
            ssl_context=self._tls.context(protocol, shows=shows),
            proxy=by,
            max_connections=None,
            max_keepalive_connections=self._most_idle if protocol == HTTP_1 else 0,
            keepalive_expiry=self._timing.keep_alive,
            http1=protocol == HTTP_1,
            http2=protocol == HTTP_2,
            network_backend=_Network(self._resolver, self._timing.read, proxy, protocol),
        )
        self._pools.append(pool)
        return pool


def _through_proxy(why: str | None) -> FetchError:
    """The failure of a request through a proxy, by what httpcore says: of the host behind it, or ProxyError."""
    if why is None:
        return ProxyError("it speaks no SOCKS 5")
    if why.startswith(_UNREACHED):
        return FetchError("refused" if "refused" in why else "connect", why)
    if why.partition(" ")[0].isdigit() and not why.startswith("407"):
        return FetchError("proxy-refused", f"the proxy says {why}")
    return ProxyError(f"it wants a name and password, or others ({why})")


class _Network(httpcore.AsyncNetworkBackend):
    """Dials the very addresses that the resolver allows, of which no DNS answer can make others."""

    def __init__(self, resolver: Resolver, read: float, proxy: Proxy | None, protocol: str) -> None:
        self._resolver, self._read, self._proxy, self._protocol = resolver, read, proxy, protocol
        self._dials = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> "_Stream":
        try:
            found = await self._resolver.resolve(host.strip("[]"), port, is_proxy=self._proxy is not None)
            for address, to_port in found[:-1]:
                with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                    return self._stream(await self._dials.connect_tcp(address, to_port, timeout))
            return self._stream(await self._dials.connect_tcp(*found[-1], timeout))
        except (OSError, httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            reason = reason_of(error, _REASONS, otherwise="connect")
            if self._proxy is not None and reason != OPEN_FILES:
                raise ProxyError(reason) from error
            raise FetchError(reason, str(error)) from error

    def _stream(self, stream: httpcore.AsyncNetworkStream) -> "_Stream":
        leads_to_proxy = self._proxy is not None and self._proxy.endpoint.is_tls
        dialled = _Stream(stream, self._read, self._protocol, leads_to_proxy)
        _DIALLED.set(dialled)
        return dialled


class _Stream(httpcore.AsyncNetworkStream):
    """A connection whose reads are bounded in time, and in bytes without any of a body. leads_to_proxy: TLS begins with
    the proxy."""

    def __init__(
        self, stream: httpcore.AsyncNetworkStream, timeout: float, protocol: str, leads_to_proxy: bool
    ) -> None:
        self._stream, self._timeout = stream, timeout
        self._protocol, self._leads_to_proxy = protocol, leads_to_proxy
        self.overhead = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._stream.read(max_bytes, self._timeout if timeout is None else timeout)
        self.overhead += len(data)
        if self.overhead > _MOST_OVERHEAD:
            raise httpcore.LocalProtocolError(f"more than {_MOST_OVERHEAD} bytes without any of a body")
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, self._timeout if timeout is None else timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Stream":
        if not self._leads_to_proxy:
            ssl_context.set_alpn_protocols([self._protocol])  # httpcore offers HTTP/1.1 beside HTTP/2
        try:
            stream = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except (OSError, httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            if self._leads_to_proxy:
                raise ProxyError(reason_of(error, _REASONS, otherwise="connect")) from error
            raise
        return _Stream(stream, self._timeout, self._protocol, leads_to_proxy=False)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _HttpxAnswer(Answer):
    """A response of httpx or of its engine, which tells only by an empty read that all was read."""

    is_read, ahead = False, b""

    def __init__(  # noqa: PLR0913 - what both kinds of response have
        self,
        request: bytes,
        asked_at: float,
        status: int,
        fields: Sequence[Field],
        extensions: Mapping[str, Any],
        stream: Any,
    ) -> None:
        self.request, self.asked_at, self.status, self.fields = request, asked_at, status, fields
        version, phrase = extensions.get("http_version", b"HTTP/1.1"), extensions.get("reason_phrase")
        self.protocol = HTTP_2 if version == b"HTTP/2" else HTTP_1
        self._network = extensions.get("network_stream")
        address = self._network and self._network.get_extra_info("server_addr")
        self.peer = f"{address[0]}:{address[1]}" if address else None
        # Rebuilt, as httpx does not keep the bytes.
        version = b"HTTP/1.1" if self.protocol == HTTP_2 else version
        line = b"%b %d %b" % (version, status, phrase or httpx.codes.get_reason_phrase(status).encode())
        self.head = b"\r\n".join([line.rstrip(), *(b"%b: %b" % field for field in fields), b"", b""])
        self._stream, self._pieces = stream, aiter(stream)

    async def read(self) -> bytes:
        try:
            while not (piece := await anext(self._pieces)):
                pass
        except StopAsyncIteration:
            return b""
        except (*_FAILURES, *_OF_THE_ENGINE) as error:
            reason = reason_of(error, _REASONS)
            raise BrokenOffError("bad-response" if reason == "reset" else reason, str(error)) from error
        if self._network is not None:
            self._network.overhead = 0  # see _Stream
        return bytes(piece)

    async def aclose(self) -> None:
        await self._stream.aclose()
