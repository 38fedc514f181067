"""The network: one request, one `Fetched`. The only module that imports httpx.

Redirects are not followed and nothing is tried twice: every hop is a page of its own, and what to do about
a failure is decided elsewhere. Requests go through httpx's transport interface, whose default here rides on
aiohttp: a tenth of the CPU of httpx's own connection pool.
"""

import asyncio
import socket
import ssl
import time
import zlib
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import aiohttp
import httpx
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.connector import Connection
from httpx_aiohttp import AiohttpTransport
from httpx_aiohttp.transport import AiohttpResponseStream, map_aiohttp_exceptions
from yarl import URL

from minicrawl.crawl.connect import PrivateAddressError, Resolver, is_literal
from minicrawl.crawl.parse import HTML_TYPES, media_type
from minicrawl.errors import FetchError, SettingError
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings

_CONNECT_TIMEOUT = 10.0
_READ_TIMEOUT = 20.0
_KEEP_ALIVE = 30.0
_LONGEST_HEADER = 64 * 1024  # some sites' Content-Security-Policy has more than aiohttp's 8 kB
_FRAMINGS = frozenset({"chunked", "identity"})  # RFC 9112 6.1: we ask for no other transfer coding
_SIP = 4096  # bytes that are inflated at a time where a body is passed on in pieces
_MOST_INFLATED = 1100  # times: DEFLATE makes no more than 1,032 of them
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_PORTS = {"http": 80, "https": 443}

Take = Callable[[bytes], Awaitable[bool]]


class Fetcher:
    """Fetches URLs one at a time, any number of them side by side.

    transport: any httpx transport; None = real connections, as the settings say.
    """

    def __init__(self, settings: CrawlSettings, transport: httpx.AsyncBaseTransport | None = None) -> None:
        proxy_host = httpx.URL(settings.proxy).host if settings.proxy else None
        self._resolver = Resolver(settings.connect_to, settings.allow_private, proxy_host)
        self._checks_addresses = transport is None
        self._transport = transport or self._real_transport(settings)
        self._max_size = settings.max_size
        self._timeout = settings.timeout
        self._headers = httpx.Headers(
            {
                "User-Agent": settings.user_agent,
                "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
                "Accept-Encoding": "gzip, deflate",
            }
        )
        self._headers.update(settings.headers)
        phases = httpx.Timeout(_READ_TIMEOUT, connect=_CONNECT_TIMEOUT, pool=None)
        self._extensions = {"timeout": phases.as_dict()}

    async def fetch(self, url: str, *, any_type: bool = False, at_least: int = 0, take: Take | None = None) -> Fetched:
        """GET a normalised URL. Bodies that are not HTML are left unread, unless `any_type`.

        at_least: bytes of the body that are read even where the settings allow for fewer. take: is given the body of a
        200, decoded, in pieces as they come, until it says False; then there is no other limit to it.

        Never raises for what the web does: a failure is a `Fetched` with a reason.
        """
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout):
                return await self._get(url, started, any_type, max(self._max_size, at_least), take)
        except TimeoutError:
            reason = "timeout"
        except FetchError as error:
            reason = error.reason
        except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError, ValueError) as error:
            reason = _reason(error)
        return Fetched(url, reason=reason, seconds=time.monotonic() - started)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()

    async def _get(self, url: str, started: float, any_type: bool, most: int, take: Take | None) -> Fetched:
        target = f"/{url.split('/', 3)[3]}".encode()
        request = httpx.Request("GET", url, headers=self._headers, extensions=self._extensions | {"target": target})
        if self._checks_addresses and is_literal(request.url.host):
            self._direct(request)
        response = await self._transport.handle_async_request(request)
        try:
            headers = response.headers
            if response.status_code < 200:
                raise FetchError("bad-response", f"status {response.status_code}, and that is all")
            if headers.get("transfer-encoding", "chunked").strip().lower() not in _FRAMINGS:
                raise FetchError("bad-response", f"transfer-encoding {headers['transfer-encoding']}")
            # RFC 9110 8.3: of several, the last is the one that is usually meant.
            content_type = next(reversed(headers.get_list("content-type")), None)
            body, size, truncated = b"", 0, False
            if take is not None:
                if response.status_code == 200:
                    size, truncated = await self._pass_on(response, take)
            elif any_type or (response.status_code == 200 and media_type(content_type) in HTML_TYPES):
                try:
                    body, size, truncated = await self._read(response, most)
                except (FetchError, httpx.TransportError, aiohttp.ClientError, OSError):
                    if response.is_success:
                        raise  # of any other answer the status says enough
            return Fetched(
                url,
                status=response.status_code,
                body=body,
                content_type=content_type,
                location=_location(headers),
                robots_tag="\n".join(headers.get_list("x-robots-tag")) or None,
                retry_after=headers.get("retry-after"),
                size=size,
                seconds=time.monotonic() - started,
                truncated=truncated,
            )
        finally:
            await response.stream.aclose()  # type: ignore[union-attr]

    def _direct(self, request: httpx.Request) -> None:
        """Apply --connect-to and the refusal of private addresses to an IP address: the client asks the resolver
        about names only."""
        asked = request.url
        address, port = self._resolver.target(asked.host, asked.port or _PORTS[asked.scheme])
        if is_literal(address):
            self._resolver.check(address)
        request.url = asked.copy_with(host=address, port=port)  # the Host header keeps what was asked for

    async def _read(self, response: httpx.Response, most: int) -> tuple[bytes, int, bool]:
        """Body after content decoding, bytes read from the network, and whether it was cut at the byte cap."""
        decoder = _decoder(response.headers.get("content-encoding"))
        decoded: list[bytes] = []
        size, room = 0, most
        try:
            async for chunk in response.stream:  # type: ignore[union-attr]
                size += len(chunk)
                piece = decoder.decode(chunk, room + 1)
                decoded.append(piece[:room])
                room -= len(piece)
                if room < 0 or size > most:
                    return b"".join(decoded), size, True
        except (httpx.TransportError, aiohttp.ClientError, OSError):
            if not size:
                raise
            return b"".join(decoded), size, True  # what came before the connection broke still counts
        return b"".join(decoded), size, not decoder.is_complete

    async def _pass_on(self, response: httpx.Response, take: Take) -> tuple[int, bool]:
        """Bytes read from the network, and whether the body broke off; never holds more than some MB of it."""
        decoder = _decoder(response.headers.get("content-encoding"))
        size = 0
        try:
            async for chunk in response.stream:  # type: ignore[union-attr]
                size += len(chunk)
                for start in range(0, len(chunk), _SIP):
                    piece = decoder.decode(chunk[start : start + _SIP], _SIP * _MOST_INFLATED)
                    if not await take(piece):
                        return size, False
        except (httpx.TransportError, aiohttp.ClientError, OSError):
            if not size:
                raise
            return size, True
        return size, not decoder.is_complete

    def _real_transport(self, settings: CrawlSettings) -> "_VerbatimTransport":
        tls = ssl.create_default_context()
        if settings.ca_file is not None:
            try:
                tls.load_verify_locations(settings.ca_file)
            except (ssl.SSLError, OSError) as error:
                raise SettingError(f"--ca-file {settings.ca_file} holds no certificate in PEM form") from error

        def session() -> aiohttp.ClientSession:
            connector = _Connector(
                limit=0, resolver=self._resolver, ssl=tls, keepalive_timeout=_KEEP_ALIVE, ttl_dns_cache=600
            )
            return aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), max_field_size=_LONGEST_HEADER
            )

        proxy = httpx.Proxy(settings.proxy) if settings.proxy else None
        return _VerbatimTransport(verify=tls, client=session, proxy=proxy)


class _VerbatimTransport(AiohttpTransport):
    """Asks for what the request's extension "target" says, as httpx's own transport does: a path as it is spelt.

    A URL that is parsed again comes out respelt: httpx and yarl have ideas of their own on %7E, %zz or a lone "?".
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not isinstance(self.client, aiohttp.ClientSession):
            self.client = self.get_client()
        asked, proxy = request.url, self.proxy
        timeout = request.extensions["timeout"]
        # yarl would drop the "?" of an empty query, but leaves alone what it is told to be an encoded path.
        path = request.extensions["target"].decode()
        with map_aiohttp_exceptions():
            response = await self.client.request(
                request.method,
                URL.build(scheme=asked.scheme, authority=asked.netloc.decode(), path=path, encoded=True),
                headers=request.headers,
                allow_redirects=False,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(sock_connect=timeout["connect"], sock_read=timeout["read"]),
                proxy=str(proxy.url) if proxy else None,
                proxy_auth=aiohttp.BasicAuth(*proxy.auth) if proxy and proxy.auth else None,
                proxy_headers=proxy.headers if proxy else None,
            )
        return httpx.Response(response.status, headers=response.raw_headers, stream=AiohttpResponseStream(response))


class _Connector(aiohttp.TCPConnector):
    """Hands out no connection on which the server has spoken since its last answer was read.

    aiohttp itself would take such bytes for the answer to the next request (RFC 9112 6.3: they must not be).
    """

    async def _get(self, key: ConnectionKey, traces: list[aiohttp.tracing.Trace]) -> Connection | None:
        while (connection := await super()._get(key, traces)) is not None:
            if connection.protocol is not None and not connection.protocol.should_close:
                break
            connection.close()
        return connection


def _text(value: bytes) -> str:
    """A header's value that is a URL: UTF-8, else its bytes as they are, percent-encoded."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in value)


def _location(headers: httpx.Headers) -> str | None:
    """Where an answer points to; None also where it says so twice and differently."""
    values = {value for name, value in headers.raw if name.lower() == b"location"}
    return _text(values.pop()) if len(values) == 1 else None


class _Plain:
    is_complete = True

    def decode(self, chunk: bytes, room: int) -> bytes:
        return chunk


class _Inflate:
    """gzip and deflate, never producing much more than asked for: a small body can hide a huge one."""

    def __init__(self, *, is_gzip: bool) -> None:
        self._is_gzip = is_gzip
        self._member: zlib._Decompress | None = None
        self._members = 0
        self._head = b""  # bytes too few to tell what begins with them
        self._is_over = False

    @property
    def is_complete(self) -> bool:
        return self._member is None and (self._members > 0 or not self._head)

    def decode(self, chunk: bytes, room: int) -> bytes:
        pieces: list[bytes] = []
        chunk, self._head = self._head + chunk, b""
        while chunk and room > 0 and not self._is_over:
            member = self._member or self._begun(chunk)
            if member is None:
                break
            try:
                piece = member.decompress(chunk, room)
            except zlib.error as error:
                raise FetchError("undecodable", str(error)) from error
            pieces.append(piece)
            room -= len(piece)
            self._member = None if member.eof else member
            chunk = member.unused_data
        return b"".join(pieces)

    def _begun(self, head: bytes) -> "zlib._Decompress | None":
        """What reads the body, or its next part, that begins like this; None if that cannot be told yet."""
        if len(head) < 2:
            self._head = head
            return None
        if self._members and not (self._is_gzip and head.startswith(_GZIP_MAGIC)):
            # A gzip body may have several members (RFC 1952 2.2); what else follows is ignored.
            self._is_over = True
            return None
        self._members += 1
        if self._is_gzip:
            return zlib.decompressobj(_GZIP)
        # "deflate" means zlib (RFC 9110 8.4.1.2), but some servers send it bare. RFC 1950 2.2: how zlib begins.
        is_zlib = head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
        return zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)


def _decoder(content_encoding: str | None) -> _Plain | _Inflate:
    named = (coding.strip().lower() for coding in (content_encoding or "").split(","))
    codings = [coding for coding in named if coding not in ("", "identity")]
    if not codings:
        return _Plain()
    if codings in (["gzip"], ["x-gzip"]):
        return _Inflate(is_gzip=True)
    if codings == ["deflate"]:
        return _Inflate(is_gzip=False)
    raise FetchError("undecodable", f"content-encoding {content_encoding}")


def _reason(error: BaseException) -> str:
    """The reason code of an exception, by the most telling one in its chain of causes.

    The transport reports several of aiohttp's failures as time-outs, so aiohttp's own word goes first.
    """
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 8:
        chain.append(cause)
    if any(isinstance(link, aiohttp.ClientError) for link in chain):
        chain = [link for link in chain if not isinstance(link, httpx.HTTPError)]
    for kinds, reason in _REASONS:
        if any(isinstance(link, kinds) for link in chain):
            return reason
    return "connection"


_REASONS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((PrivateAddressError,), "private-address"),
    ((aiohttp.ClientConnectorDNSError, socket.gaierror, UnicodeError), "dns"),
    ((aiohttp.ClientSSLError, ssl.SSLError, ssl.CertificateError), "tls"),
    ((aiohttp.ConnectionTimeoutError, httpx.ConnectTimeout), "timeout-connect"),
    ((aiohttp.SocketTimeoutError, httpx.TimeoutException, TimeoutError), "timeout-read"),
    ((ConnectionRefusedError,), "refused"),
    ((ConnectionResetError, aiohttp.ServerDisconnectedError, httpx.RemoteProtocolError), "reset"),
    ((aiohttp.InvalidURL, httpx.InvalidURL, httpx.UnsupportedProtocol), "bad-url"),
    ((aiohttp.ClientResponseError, aiohttp.ClientPayloadError, httpx.ProtocolError), "bad-response"),
    ((aiohttp.ClientConnectorError, httpx.ConnectError), "connect"),
)
