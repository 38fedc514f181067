"""httpx: any of its transports in place of our own, for tests, and exchanges as its responses, for hooks.

The only module that imports httpx, which takes a tenth of a second: import it only where it is needed.
"""

import asyncio
from collections.abc import Sequence

import httpx

from minicrawl.crawler.http.exchange import Exchange
from minicrawl.crawler.http.failures import OF_THE_SYSTEM, Reasons, reason_of
from minicrawl.crawler.http.transport import BrokenOffError, Field, Sign, head, target_of
from minicrawl.crawler.net.tls import HTTP_1, HTTP_2
from minicrawl.errors import FetchError
from minicrawl.timing import STANDARD, Timing

_REASONS: Reasons = (
    ((httpx.ConnectTimeout,), "timeout-connect"),
    ((httpx.TimeoutException,), "timeout-read"),
    ((httpx.RemoteProtocolError,), "reset"),
    ((httpx.InvalidURL, httpx.UnsupportedProtocol), "bad-url"),
    ((httpx.ProtocolError,), "bad-response"),
    *OF_THE_SYSTEM,
    ((httpx.ConnectError,), "connect"),
)
_FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError)
_VERSIONS = {HTTP_1: b"HTTP/1.1", HTTP_2: b"HTTP/2"}
_NO_BODY = httpx.ByteStream(b"")


class HttpxTransport:
    """Requests by an httpx transport, such as MockTransport."""

    def __init__(self, transport: httpx.AsyncBaseTransport, timing: Timing = STANDARD) -> None:
        self._transport = transport
        self._timeout = httpx.Timeout(timing.read, connect=timing.connect, pool=None).as_dict()

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
        return _HttpxAnswer(head(b"GET", target, fields), response, asked_at)

    async def aclose(self) -> None:
        await self._transport.aclose()


class _HttpxAnswer:
    """A response of an httpx transport."""

    def __init__(self, request: bytes, response: httpx.Response, asked_at: float) -> None:
        self.request, self.asked_at = request, asked_at
        self.status, self.fields = response.status_code, response.headers.raw
        self._response = response
        assert isinstance(response.stream, httpx.AsyncByteStream)
        self._stream = response.stream
        self._pieces = aiter(response.stream)

    @property
    def head(self) -> bytes:
        """Rebuilt, as httpx does not keep the bytes."""
        response = self._response
        version = "HTTP/1.1" if self.protocol == HTTP_2 else response.http_version
        line = f"{version} {response.status_code} {response.reason_phrase}".rstrip().encode()
        return b"\r\n".join([line, *(b"%b: %b" % field for field in self.fields), b"", b""])

    @property
    def protocol(self) -> str:
        return HTTP_2 if self._response.http_version == "HTTP/2" else HTTP_1

    @property
    def peer(self) -> str | None:
        connection = self._response.extensions.get("network_stream")
        found = connection and connection.get_extra_info("server_addr")
        return f"{found[0]}:{found[1]}" if found else None

    @property
    def is_read(self) -> bool:
        return False  # httpx tells only by an empty read

    @property
    def ahead(self) -> bytes:
        return b""

    async def read(self) -> bytes:
        try:
            while not (piece := await anext(self._pieces)):
                pass
        except StopAsyncIteration:
            return b""
        except _FAILURES as error:
            raise BrokenOffError(reason_of(error, _REASONS), str(error)) from error
        return piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def as_response(exchange: Exchange) -> httpx.Response:
    """An exchange as a response of httpx, with `content` decoded and `request` set."""
    line, *lines = exchange.request.removesuffix(b"\r\n\r\n").split(b"\r\n")
    fields = [(name, value) for name, _, value in (line.partition(b": ") for line in lines)]
    return httpx.Response(
        exchange.status,
        headers=list(exchange.fields),
        content=exchange.body,
        request=httpx.Request(line.partition(b" ")[0].decode(), exchange.url, headers=fields),
        extensions={"reason_phrase": exchange.reason_phrase, "http_version": _VERSIONS[exchange.protocol]},
    )
