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
from types import TracebackType
from typing import Self

import aiohttp
import httpx
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
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_PORTS = {"http": 80, "https": 443}


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

    async def fetch(self, url: str, *, any_type: bool = False, at_least: int = 0) -> Fetched:
        """GET a normalised URL. Bodies that are not HTML are left unread, unless `any_type`.

        at_least: bytes of the body that are read even where the settings allow for fewer.

        Never raises for what the web does: a failure is a `Fetched` with a reason.
        """
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout):
                return await self._get(url, started, any_type, max(self._max_size, at_least))
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

    async def _get(self, url: str, started: float, any_type: bool, most: int) -> Fetched:
        target = f"/{url.split('/', 3)[3]}".encode()
        request = httpx.Request("GET", url, headers=self._headers, extensions=self._extensions | {"target": target})
        if self._checks_addresses and is_literal(request.url.host):
            self._direct(request)
        response = await self._transport.handle_async_request(request)
        try:
            headers = response.headers
            content_type = headers.get("content-type")
            body, size, truncated = b"", 0, False
            if any_type or (response.status_code == 200 and media_type(content_type) in HTML_TYPES):
                body, size, truncated = await self._read(response, most)
            return Fetched(
                url,
                status=response.status_code,
                body=body,
                content_type=content_type,
                location=headers.get("location"),
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

    def _real_transport(self, settings: CrawlSettings) -> "_VerbatimTransport":
        tls = ssl.create_default_context()
        if settings.ca_file is not None:
            try:
                tls.load_verify_locations(settings.ca_file)
            except (ssl.SSLError, OSError) as error:
                raise SettingError(f"--ca-file {settings.ca_file} holds no certificate in PEM form") from error

        def session() -> aiohttp.ClientSession:
            connector = aiohttp.TCPConnector(
                limit=0, resolver=self._resolver, ssl=tls, keepalive_timeout=_KEEP_ALIVE, ttl_dns_cache=600
            )
            return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())

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


class _Plain:
    is_complete = True

    def decode(self, chunk: bytes, room: int) -> bytes:
        return chunk


class _Inflate:
    """gzip and deflate, never producing much more than asked for: a small body can hide a huge one."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._decompressor = zlib.decompressobj(wbits)
        self._head: bytes | None = b""  # what was read so far, while nothing has come out yet

    @property
    def is_complete(self) -> bool:
        return self._decompressor.eof or self._head == b""

    def decode(self, chunk: bytes, room: int) -> bytes:
        if self._head is not None:
            self._head += chunk
        try:
            piece = self._decompressor.decompress(chunk, room)
        except zlib.error as error:
            if self._head is None or self._wbits != zlib.MAX_WBITS:
                raise FetchError("undecodable", str(error)) from error
            # "deflate" means zlib (RFC 9110 8.4.1.2), but some servers send it bare.
            self._wbits = -zlib.MAX_WBITS
            self._decompressor = zlib.decompressobj(self._wbits)
            return self.decode(self._rewound(), room)
        if piece:
            self._head = None
        rest = self._decompressor.unused_data
        if self._wbits == _GZIP and rest.startswith(_GZIP_MAGIC) and len(piece) < room:
            # A gzip body may have several members (RFC 1952 2.2); what else follows is ignored.
            self._decompressor = zlib.decompressobj(self._wbits)
            return piece + self.decode(rest, room - len(piece))
        return piece

    def _rewound(self) -> bytes:
        head, self._head = self._head or b"", b""
        return head


def _decoder(content_encoding: str | None) -> _Plain | _Inflate:
    coding = (content_encoding or "identity").strip().lower()
    if coding in ("", "identity"):
        return _Plain()
    if coding in ("gzip", "x-gzip"):
        return _Inflate(_GZIP)
    if coding == "deflate":
        return _Inflate(zlib.MAX_WBITS)
    raise FetchError("undecodable", f"content-encoding {coding}")


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
