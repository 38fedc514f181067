"""The network: one request, one `Fetched`. The only module that imports httpx.

Redirects are not followed and nothing is tried twice: every hop is a page of its own, and what to do about
a failure is decided elsewhere. Requests go through httpx's transport interface, whose default here is our own
(see minicrawl.crawl.connection), at a fraction of the CPU of httpx's own connection pool.
"""

import base64
import socket
import ssl
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from types import TracebackType
from typing import Self

import httpx
from zlib_ng import zlib_ng

from minicrawl.crawl.connect import PrivateAddressError, Resolver
from minicrawl.crawl.connection import BrokenOffError, Connection, Connections, Proxy, Site, head
from minicrawl.crawl.deadlines import Deadlines
from minicrawl.crawl.names import NameServerError
from minicrawl.crawl.parse import HTML_TYPES, media_type
from minicrawl.crawl.unread import PARSER_FAILED, parser_failed
from minicrawl.crawl.urls import origin
from minicrawl.errors import FetchError, SettingError
from minicrawl.model import Fetched, Located
from minicrawl.settings import CrawlSettings

_CONNECT_TIMEOUT = 10.0
_READ_TIMEOUT = 20.0
_KEEP_ALIVE = 30.0
_FRAMINGS = frozenset({"chunked", "identity"})  # RFC 9112 6.1: we ask for no other transfer coding
_SIP = 4096  # bytes that are inflated at a time where a body is passed on in pieces
_MOST_INFLATED = 1100  # times: DEFLATE makes no more than 1,032 of them
_GZIP = 16 + zlib_ng.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_PORTS = {"http": 80, "https": 443}
_NO_BODY = httpx.ByteStream(b"")

Take = Callable[[bytes], Awaitable[bool]]


class Fetcher:
    """Fetches URLs one at a time, any number of them side by side.

    transport: any httpx transport; None = real connections, as the settings say.
    """

    def __init__(self, settings: CrawlSettings, transport: httpx.AsyncBaseTransport | None = None) -> None:
        proxy = _proxy(settings.proxy) if settings.proxy else None
        self._resolver = Resolver(settings.connect_to, settings.allow_private, proxy.site.host if proxy else None)
        self._transport = transport or _real_transport(settings, self._resolver, proxy)
        # All that our own transport wants to know of a URL is its site, which is the same again and again.
        self._asks_by_site = transport is None
        self._prepared = lru_cache(maxsize=1000)(self._prepare)
        self._max_size = settings.max_size
        self._deadlines = Deadlines(settings.timeout)
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
        return Fetched(url, reason=reason, seconds=time.monotonic() - started)

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
            framing = _joined(fields, b"transfer-encoding")
            if framing is not None and framing.strip().lower() not in _FRAMINGS:
                raise FetchError("bad-response", f"transfer-encoding {framing}")
            # RFC 9110 8.3: of several, the last is the one that is usually meant.
            content_type = _text(fields[b"content-type"][-1]) if b"content-type" in fields else None
            coding = _joined(fields, b"content-encoding")
            body, size, truncated = b"", 0, False
            if take is not None:
                if response.status_code == 200:
                    size, truncated = await self._pass_on(response, coding, take)
            elif any_type or (response.status_code == 200 and media_type(content_type) in HTML_TYPES):
                try:
                    body, size, truncated = await self._read(response, coding, most)
                except (FetchError, httpx.TransportError, OSError):
                    if response.is_success:
                        raise  # of any other answer the status says enough
            return Fetched(
                url,
                status=response.status_code,
                body=body,
                content_type=content_type,
                location=_location(fields),
                robots_tag=_joined(fields, b"x-robots-tag", "\n") or None,
                retry_after=_joined(fields, b"retry-after"),
                size=size,
                seconds=time.monotonic() - started,
                waited=time.monotonic() - response.extensions.get("asked_at", started),
                truncated=truncated,
            )
        except ValueError as error:  # before there was an answer it may be about the URL; this is about what came
            raise FetchError(PARSER_FAILED) from error
        finally:
            await response.stream.aclose()  # type: ignore[union-attr]

    def _request(self, url: str) -> httpx.Request:
        site, headers = self._prepared(origin(url))
        return httpx.Request(
            "GET",
            site if self._asks_by_site else url,
            headers=headers,
            stream=_NO_BODY,
            extensions=self._extensions | {"target": f"/{url.split('/', 3)[3]}".encode()},
        )

    def _prepare(self, site: str) -> tuple[httpx.URL, httpx.Headers]:
        """The URL of a site, and the headers of requests to it: httpx takes longer to make them than llhttp to parse
        an answer."""
        url = httpx.URL(site)
        host = [] if "Host" in self._headers else [(b"Host", url.netloc)]
        return url, httpx.Headers(host + self._headers.raw)

    async def _read(self, response: httpx.Response, coding: str | None, most: int) -> tuple[bytes, int, bool]:
        """Body after content decoding, bytes read from the network, and whether it was cut at the byte cap."""
        decoder = _decoder(coding)
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
        except (BrokenOffError, httpx.TransportError, OSError):
            if not size:
                raise
            return b"".join(decoded), size, True  # what came before the connection broke still counts
        return b"".join(decoded), size, not decoder.is_complete

    async def _pass_on(self, response: httpx.Response, coding: str | None, take: Take) -> tuple[int, bool]:
        """Bytes read from the network, and whether the body broke off; never holds more than some MB of it."""
        decoder = _decoder(coding)
        size = 0
        try:
            async for chunk in response.stream:  # type: ignore[union-attr]
                size += len(chunk)
                for start in range(0, len(chunk), _SIP):
                    piece = decoder.decode(chunk[start : start + _SIP], _SIP * _MOST_INFLATED)
                    if not await take(piece):
                        return size, False
        except (BrokenOffError, httpx.TransportError, OSError):
            if not size:
                raise
            return size, True
        return size, not decoder.is_complete


def _real_transport(settings: CrawlSettings, resolver: Resolver, proxy: Proxy | None) -> "_Transport":
    tls = ssl.create_default_context()
    if settings.ca_file is not None:
        try:
            tls.load_verify_locations(settings.ca_file)
        except (ssl.SSLError, OSError) as error:
            raise SettingError(f"--ca-file {settings.ca_file} holds no certificate in PEM form") from error
    connections = Connections(
        resolver, tls, proxy, connect_timeout=_CONNECT_TIMEOUT, read_timeout=_READ_TIMEOUT, keep_alive=_KEEP_ALIVE
    )
    return _Transport(connections, proxy)


class _Transport(httpx.AsyncBaseTransport):
    """Our own connections behind httpx's interface.

    Asks for what the request's extension "target" says, as httpx's own transport does: a path as it is spelt. A URL
    that is parsed again comes out respelt: httpx has ideas of its own on %7E, %zz or a lone "?".
    """

    def __init__(self, connections: Connections, proxy: Proxy | None) -> None:
        self._connections, self._proxy = connections, proxy

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url, fields = request.url, request.headers.raw
        target: bytes = request.extensions["target"]
        site = _site(url)
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

    def __init__(self, connections: Connections, site: Site, connection: Connection) -> None:
        self._connections, self._site, self._connection = connections, site, connection

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        piece = await self._connection.read()
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        self._connections.release(self._site, self._connection)


def _site(url: httpx.URL) -> Site:
    return Site(url.scheme == "https", url.raw_host.decode(), url.port or _PORTS[url.scheme])


def _proxy(url: str) -> Proxy:
    given = httpx.Proxy(url)
    authorization = None
    if given.raw_auth is not None:
        authorization = b"Basic " + base64.b64encode(b"%b:%b" % given.raw_auth)
    return Proxy(_site(given.url), authorization)


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


class _Plain:
    is_complete = True

    def decode(self, chunk: bytes, room: int) -> bytes:
        return chunk


class _Inflate:
    """gzip and deflate, never producing much more than asked for: a small body can hide a huge one."""

    def __init__(self, *, is_gzip: bool) -> None:
        self._is_gzip = is_gzip
        self._member: zlib_ng._Decompress | None = None
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
            except zlib_ng.error as error:  # type: ignore[misc]
                raise FetchError("undecodable", str(error)) from error
            pieces.append(piece)
            room -= len(piece)
            self._member = None if member.eof else member
            chunk = member.unused_data
        return b"".join(pieces)

    def _begun(self, head: bytes) -> "zlib_ng._Decompress | None":
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
            return zlib_ng.decompressobj(_GZIP)
        # "deflate" means zlib (RFC 9110 8.4.1.2), but some servers send it bare. RFC 1950 2.2: how zlib begins.
        is_zlib = head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
        return zlib_ng.decompressobj(zlib_ng.MAX_WBITS if is_zlib else -zlib_ng.MAX_WBITS)


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
    """The reason code of an exception, by the most telling one in its chain of causes."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 8:
        chain.append(cause)
    for kinds, reason in _REASONS:
        if any(isinstance(link, kinds) for link in chain):
            return reason
    return "connection"


_REASONS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((PrivateAddressError,), "private-address"),
    ((NameServerError,), "dns-unanswered"),
    ((socket.gaierror, UnicodeError), "dns"),
    ((ssl.SSLError, ssl.CertificateError), "tls"),
    ((httpx.ConnectTimeout,), "timeout-connect"),
    ((httpx.TimeoutException, TimeoutError), "timeout-read"),
    ((ConnectionRefusedError,), "refused"),
    ((ConnectionResetError, httpx.RemoteProtocolError), "reset"),
    ((httpx.InvalidURL, httpx.UnsupportedProtocol), "bad-url"),
    ((httpx.ProtocolError,), "bad-response"),
    ((httpx.ConnectError,), "connect"),
)
