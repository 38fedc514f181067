"""The network: one request, one `Fetched`. The only module that imports httpx.

Redirects are not followed and nothing is tried twice: every hop is a page of its own, and what to do about
a failure is decided elsewhere. Requests go through httpx's transport interface, whose default here is our own
(see minicrawl.crawler.http.connection), at a fraction of the CPU of httpx's own connection pool.
"""

import asyncio
import base64
import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Set
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from minicrawl.crawler.http.codings import ACCEPTED, decoder
from minicrawl.crawler.http.connection import BrokenOffError, Connection, Endpoint, head
from minicrawl.crawler.http.content_type import (
    HTML_TYPES,
    SNIFFED,
    is_not_to_be_sniffed,
    media_type,
    type_said,
    type_sniffed,
)
from minicrawl.crawler.http.headers import Headers
from minicrawl.crawler.http.pool import ConnectionPool, Proxy
from minicrawl.crawler.http.unread import PARSER_FAILED, parser_failed
from minicrawl.crawler.net.addresses import PrivateAddressError, Resolver
from minicrawl.crawler.net.deadlines import Deadlines
from minicrawl.crawler.net.dns import NameServerError
from minicrawl.crawler.net.open_files import OPEN_FILES, OWN_TROUBLE, Room, room
from minicrawl.crawler.net.tls import TlsClient, tls_reason
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.errors import FetchError, SettingError
from minicrawl.model import Fetched, Located
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing

_PORTS = {"http": 80, "https": 443}
_NO_BODY = httpx.ByteStream(b"")

Take = Callable[[bytes], Awaitable[bool]]


class Fetcher:
    """Fetches URLs one at a time, any number of them side by side.

    transport: any httpx transport; None = real connections, as the settings say. seed_origins: scheme://host[:port] of
    the seeds, who alone are sent secret headers.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        transport: httpx.AsyncBaseTransport | None = None,
        timing: Timing = STANDARD,
        files: Room | None = None,
        seed_origins: Set[str] = frozenset(),
    ) -> None:
        proxy = _proxy(settings.proxy) if settings.proxy else None
        proxy_host = proxy.endpoint.host if proxy else None
        self._resolver = Resolver(settings.connect_to, settings.allow_private, proxy_host, timing)
        idle = (files or room(None, settings.concurrency)).idle
        self._transport = transport or _real_transport(settings, self._resolver, proxy, timing, idle)
        # All that our own transport wants to know of a URL is its site, which is the same again and again.
        self._asks_by_site = transport is None
        self._prepared = lru_cache(maxsize=1000)(self._prepare)
        self._max_size = settings.max_size
        self._deadlines = Deadlines(settings.timeout)
        self._headers = httpx.Headers(
            {
                "User-Agent": settings.agent,
                **({"From": settings.sender} if settings.sender else {}),
                "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
                "Accept-Encoding": ACCEPTED,
            }
        )
        self._given = Headers(settings.headers, seed_origins)
        phases = httpx.Timeout(timing.read, connect=timing.connect, pool=None)
        self._extensions = {"timeout": phases.as_dict()}

    async def fetch(self, url: str, *, any_type: bool = False, at_least: int = 0, take: Take | None = None) -> Fetched:
        """GET a normalised URL. Bodies that are not HTML are left unread, unless `any_type`.

        at_least: bytes of the body that are read even where the settings allow for fewer. take: is given the body of a
        200, decoded, in pieces as they come, until it says False; then there is no other limit to it.

        Never raises for what the web does: a failure is a `Fetched` with a reason.
        """
        started = _now()
        try:
            with self._deadlines:
                return await self._get(url, started, any_type, max(self._max_size, at_least), take)
        except TimeoutError:
            reason = "timeout"
        except FetchError as error:
            reason = parser_failed(url, error) if error.reason == PARSER_FAILED else error.reason
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            reason = _reason(error)
        except Exception as error:
            reason = parser_failed(url, error)
        return Fetched(url, reason=reason, seconds=_now() - started)

    async def locate(self, url: str) -> Located:
        """Where a request for a normalised URL would go. A failure is the one that fetching it would lead to."""
        try:
            return Located(await self._resolver.address(url))
        except (OSError, ValueError) as error:
            return Located(reason=_reason(error))
        except Exception as error:
            return Located(reason=parser_failed(url, error))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()
        await self._resolver.close()

    async def _get(self, url: str, started: float, any_type: bool, most: int, take: Take | None) -> Fetched:
        response = await self._transport.handle_async_request(self._request(url))
        try:
            fields = _fields(response.headers)
            if response.status_code < 200:
                raise FetchError("bad-response", f"status {response.status_code}, and that is all")
            content_type = type_said(_joined(fields, b"content-type"))
            if content_type is None and is_not_to_be_sniffed(_joined(fields, b"x-content-type-options")):
                content_type = "text/plain"
            coding = _joined(fields, b"content-encoding")
            body, size, truncated = b"", 0, False
            if take is not None:
                if response.status_code == 200:
                    size, truncated = await self._pass_on(response, coding, take)
            elif any_type or (response.status_code == 200 and media_type(content_type) in HTML_TYPES):
                is_open = content_type is None and not any_type
                try:
                    body, size, truncated = await self._read(response, coding, most, of_unknown_type=is_open)
                except (FetchError, httpx.TransportError, OSError):
                    if response.is_success:
                        raise  # of any other answer the status says enough
                if is_open:
                    content_type = type_sniffed(body)
                    body = body if content_type in HTML_TYPES else b""
            return Fetched(
                url,
                status=response.status_code,
                body=body,
                content_type=content_type,
                location=_location(fields),
                robots_tag=_joined(fields, b"x-robots-tag", "\n") or None,
                link=_joined(fields, b"link"),
                retry_after=_joined(fields, b"retry-after"),
                size=size,
                seconds=_now() - started,
                waited=_now() - response.extensions.get("asked_at", started),
                truncated=truncated,
            )
        except ValueError as error:  # before there was an answer it may be about the URL; this is about what came
            raise FetchError(PARSER_FAILED) from error
        finally:
            await response.stream.aclose()  # type: ignore[union-attr]

    def _request(self, url: str) -> httpx.Request:
        site, headers = self._prepared(origin_of(url))
        return httpx.Request(
            "GET",
            site if self._asks_by_site else url,
            headers=headers,
            stream=_NO_BODY,
            extensions=self._extensions | {"target": f"/{url.split('/', 3)[3]}".encode()},
        )

    def _prepare(self, site: str) -> tuple[httpx.URL, httpx.Headers]:
        """The URL of a site, and the headers of requests to it: httpx takes longer to make them than we to read
        an answer."""
        url, headers = httpx.URL(site), self._headers.copy()
        headers.update(self._given.going_to(site))
        host = [] if "Host" in headers else [(b"Host", url.netloc)]
        return url, httpx.Headers(host + headers.raw)

    async def _read(
        self, response: httpx.Response, coding: str | None, most: int, *, of_unknown_type: bool
    ) -> tuple[bytes, int, bool]:
        """Body after content decoding, bytes read from the network, and whether it is cut or damaged.

        of_unknown_type: it is read no further than necessary to see that it is no HTML.
        """
        undoes = decoder(coding)
        decoded: list[bytes] = []
        size, room = 0, most
        try:
            async for chunk in response.stream:  # type: ignore[union-attr]
                size += len(chunk)
                for piece in undoes.pieces(chunk):
                    decoded.append(piece[:room])
                    room -= len(piece)
                    if room < 0:
                        return b"".join(decoded), size, True
                if of_unknown_type and most - room >= SNIFFED:
                    of_unknown_type = False
                    if type_sniffed(b"".join(decoded)) not in HTML_TYPES:
                        return b"".join(decoded), size, False
                if size > most:
                    return b"".join(decoded), size, True
        except (BrokenOffError, httpx.TransportError, OSError):
            if not size:
                raise
            return b"".join(decoded), size, True  # what came before the connection broke still counts
        return b"".join(decoded), size, not undoes.is_complete

    async def _pass_on(self, response: httpx.Response, coding: str | None, take: Take) -> tuple[int, bool]:
        """Bytes read from the network, and whether the body is cut or damaged; never holds more than some MB of it."""
        undoes = decoder(coding)
        size = 0
        try:
            async for chunk in response.stream:  # type: ignore[union-attr]
                size += len(chunk)
                for piece in undoes.pieces(chunk):
                    if not await take(piece):
                        return size, False
        except (BrokenOffError, httpx.TransportError, OSError):
            if not size:
                raise
            return size, True
        return size, not undoes.is_complete


def _real_transport(
    settings: CrawlSettings, resolver: Resolver, proxy: Proxy | None, timing: Timing, idle: int
) -> "_Transport":
    tls = TlsClient(_trust(settings.ca_file))
    return _Transport(ConnectionPool(resolver, tls, proxy, timing, most_idle=idle), proxy)


def _trust(ca_file: Path | None) -> ssl.SSLContext:
    """Whom TLS connections trust, which takes 40 ms to read; the same for all who trust the same files as they are."""
    if ca_file is None:
        return _trust_read(ssl.get_default_verify_paths(), None, 0)
    try:
        return _trust_read(ssl.get_default_verify_paths(), ca_file, os.stat(ca_file).st_mtime_ns)
    except (ssl.SSLError, OSError) as error:
        raise SettingError(f"--ca-file {ca_file} holds no certificate in PEM form") from error


@lru_cache(maxsize=8)
def _trust_read(default: ssl.DefaultVerifyPaths, ca_file: Path | None, changed_at: int) -> ssl.SSLContext:
    tls = ssl.create_default_context()
    tls.set_alpn_protocols(["http/1.1"])
    if ca_file is not None:
        tls.load_verify_locations(ca_file)
    return tls


class _Transport(httpx.AsyncBaseTransport):
    """Our own connections behind httpx's interface.

    Asks for what the request's extension "target" says, as httpx's own transport does: a path as it is spelt. A URL
    that is parsed again comes out respelt: httpx has ideas of its own on %7E, %zz or a lone "?".
    """

    def __init__(self, connections: ConnectionPool, proxy: Proxy | None) -> None:
        self._connections, self._proxy = connections, proxy

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url, fields = request.url, request.headers.raw
        target: bytes = request.extensions["target"]
        site = _endpoint(url)
        if self._proxy is not None and not site.is_tls:
            target = b"http://%b%b" % (url.netloc, target)
            if self._proxy.authorization is not None:
                fields = [*fields, (b"Proxy-Authorization", self._proxy.authorization)]
        try:
            connection = await self._connections.ask(site, head(request.method.encode(), target, fields))
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        return httpx.Response(
            connection.status,
            headers=connection.fields,
            stream=_Body(self._connections, site, connection),
            extensions={"asked_at": connection.asked_at},
        )

    async def aclose(self) -> None:
        await self._connections.aclose()


class _Body(httpx.AsyncByteStream):
    """The body that is on its way on a connection."""

    def __init__(self, connections: ConnectionPool, endpoint: Endpoint, connection: Connection) -> None:
        self._connections, self._site, self._connection = connections, endpoint, connection

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        piece = await self._connection.read()
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        self._connections.release(self._site, self._connection)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _endpoint(url: httpx.URL) -> Endpoint:
    return Endpoint(url.scheme == "https", url.raw_host.decode(), url.port or _PORTS[url.scheme])


def _proxy(url: str) -> Proxy:
    given = httpx.Proxy(url)
    authorization = None
    if given.raw_auth is not None:
        authorization = b"Basic " + base64.b64encode(b"%b:%b" % given.raw_auth)
    return Proxy(_endpoint(given.url), authorization)


def _fields(headers: httpx.Headers) -> dict[bytes, list[bytes]]:
    """Values by name in lower case."""
    fields: dict[bytes, list[bytes]] = {}
    for name, value in headers.raw:
        fields.setdefault(name.lower(), []).append(value)
    return fields


def _joined(fields: dict[bytes, list[bytes]], name: bytes, divider: str = ", ") -> str | None:
    return divider.join(map(_text, fields[name])) if name in fields else None


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _location(fields: dict[bytes, list[bytes]]) -> str | None:
    """Where an answer points to; None also where it says so twice and differently.

    A URL that is no UTF-8 is its bytes as they are, percent-encoded.
    """
    values = set(fields.get(b"location", ()))
    if len(values) != 1:
        return None
    value = values.pop()
    try:
        return value.decode()
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in value)


def _reason(error: BaseException) -> str:
    """The reason code of an exception, by the most telling one in its chain of causes."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 8:
        chain.append(cause)
    if any(isinstance(link, OSError) and link.errno in OWN_TROUBLE for link in chain):
        return OPEN_FILES
    handshake = next((link for link in chain if isinstance(link, ssl.SSLError)), None)
    if handshake is not None:
        return tls_reason(handshake)
    for kinds, reason in _REASONS:
        if any(isinstance(link, kinds) for link in chain):
            return reason
    return "connection"


_REASONS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((PrivateAddressError,), "private-address"),
    ((NameServerError,), "dns-unanswered"),
    ((socket.gaierror, UnicodeError), "dns"),
    ((httpx.ConnectTimeout,), "timeout-connect"),
    ((httpx.TimeoutException, TimeoutError), "timeout-read"),
    ((ConnectionRefusedError,), "refused"),
    ((ConnectionResetError, httpx.RemoteProtocolError), "reset"),
    ((httpx.InvalidURL, httpx.UnsupportedProtocol), "bad-url"),
    ((httpx.ProtocolError,), "bad-response"),
    ((httpx.ConnectError,), "connect"),
)
