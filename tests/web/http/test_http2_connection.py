"""HTTP/2, for hosts that refuse HTTP/1.1: all that holds on other connections holds on these."""

import asyncio
import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from support.http2_server import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    HTML,
    PING,
    SETTINGS,
    Http2Server,
    Reply,
    Talk,
    fetched_from,
    frame,
    hello,
)
from support.loopback import PEM
from support.origins import PEM as PROXY_PEM
from support.origins import Web
from support.proxies import ForwardProxy
from support.raw_server import says

from minicrawl.errors import FetchError
from minicrawl.model import Fetched, PageRequest
from minicrawl.settings import ConnectTo
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.connection import Endpoint
from minicrawl.web.http.fetch import Fetcher, FetchOptions
from minicrawl.web.http.httpx_transport import OddTransports
from minicrawl.web.net.addresses import PrivateAddressError, Resolver
from minicrawl.web.net.tls import TlsClient

A, B, C = (f"https://h.test/{path}" for path in "abc")


def page_of(reply: Reply) -> tuple[Fetched, Fetched]:
    """What comes of a reply by HTTP/1.1, and by HTTP/2."""
    status, fields, body = reply
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode("latin-1")
    end = b"" if status in (204, 304) else b"Content-Length: %d\r\n" % len(body)
    plain = says(b"HTTP/1.1 %d x\r\n%b%b\r\n%b" % (status, lines, end, body), tls=True)

    async def run() -> Fetched:
        async with plain:
            rules = (ConnectTo(None, None, "127.0.0.1", plain.port),)
            options = FetchOptions("me", connect_to=rules, allow_private=True, ca_file=PEM, max_size=100_000)
            async with Fetcher(options) as fetcher:
                return await fetcher.fetch(PageRequest(A))

    (found,) = fetched_from(Http2Server(lambda _: reply), A, settings=lambda: {"max_size": 100_000})
    return asyncio.run(run()), found


PACKED = gzip.compress(b"<p>" + b"hello " * 5000)
REPLIES: dict[str, Reply] = {
    "page": (200, HTML | {"etag": '"x"', "last-modified": "some day", "x-robots-tag": "noindex"}, b"<p>hello"),
    "no body": (200, HTML, b""),
    "coded": (200, HTML | {"content-encoding": "gzip"}, PACKED),
    "undecodable": (200, HTML | {"content-encoding": "br"}, b"nonsense"),
    "bomb": (200, HTML | {"content-encoding": "gzip"}, gzip.compress(bytes(10**7))),
    "larger than allowed": (200, HTML, b"x" * 300_000),
    "of no type": (200, {}, b"<html>" + b"x" * 3000),
    "left unread": (200, {"content-type": "image/png"}, bytes(500_000)),
    "redirect": (301, {"location": "/\xc3\xa9"}, b""),
    "not modified": (304, {"etag": '"x"'}, b""),
    "no content": (204, {}, b""),
    "gone": (404, HTML, b"gone"),
    "busy": (503, {"retry-after": "120"}, b"busy"),
    "alternative service": (200, HTML | {"alt-svc": 'h3=":443", h2="other.test:443"; ma=9'}, b"<p>hello"),
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_an_answer_means_the_same_by_both_protocols(reply: Reply) -> None:
    plain, found = page_of(reply)
    alike: dict[str, Any] = {"seconds": 0.0, "waited": 0.0, "size": 0}
    assert found._replace(**alike) == plain._replace(**alike)
    if plain.size < 100_000:
        assert found.size == plain.size


# What holds on every connection.


def test_a_private_address_is_refused() -> None:
    server = Http2Server(hello)
    assert fetched_from(server, A, settings=lambda: {"allow_private": False})[0].reason == "private-address"
    assert server.protocols == []


def test_a_certificate_is_checked() -> None:
    server = Http2Server(hello)
    assert fetched_from(server, A, settings=lambda: {"ca_file": None})[0].reason == "tls-authority"
    assert fetched_from(server, "https://other.test/")[0].reason == "tls-name"
    assert server.requests == []


@pytest.mark.parametrize("proxy", ["http://{}", "https://{}", "socks5://{}", "socks5h://me:word@{}"])
def test_a_proxy_leads_there(proxy: str, tmp_path: Path) -> None:
    (authorities := tmp_path / "ca.pem").write_bytes(PEM.read_bytes() + PROXY_PEM.read_bytes())
    server = Http2Server(hello)
    between = ForwardProxy(cast("Web", server), "me:word" if "word" in proxy else None, tls=proxy.startswith("https"))

    def settings() -> dict[str, Any]:
        # Only the proxy finds the host.
        return {"connect_to": (), "proxy": (proxy.format(f"127.0.0.1:{between.port}"),), "ca_file": authorities}

    found = fetched_from(server, A, B, beside=[between], settings=settings)
    assert [each.body for each in found] == [b"hello /a", b"hello /b"]
    assert server.protocols == ["", "h2", "h2"]


# A server with a mind of its own.


async def request_read(reader: asyncio.StreamReader) -> int:
    """Read up to a request. Returns its stream."""
    while True:
        begun = await reader.readexactly(9)
        await reader.readexactly(int.from_bytes(begun[:3]))
        if begun[3] == HEADERS:
            return int.from_bytes(begun[5:])


def talking(*sent: Callable[[int], bytes], ends: bool = True) -> Talk:
    """Sends one of these for each request, given its stream, in turn; then ends, or is silent."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(frame(SETTINGS))
        for one in sent:
            writer.write(one(await request_read(reader)))
            await writer.drain()
        if not ends:
            await reader.read()

    return talk


def page(stream: int, body: bytes = b"hello", flags: int = END_STREAM) -> bytes:
    head = b"\x88\x5f\x09text/html"  # :status 200, content-type
    return frame(HEADERS, head, flags=END_HEADERS, stream=stream) + frame(DATA, body, flags=flags, stream=stream)


TROUBLE: dict[str, tuple[Callable[[int], bytes], dict[str, Any]]] = {
    "ends in the body": (lambda stream: page(stream, b"hel", 0), {"body": b"hel", "truncated": True, "reason": None}),
    "resets in the body": (
        lambda stream: page(stream, b"hel", 0) + frame(3, bytes(4), stream=stream),
        {"body": b"hel", "truncated": True, "reason": None},
    ),
    "ends before the head": (lambda _: b"", {"reason": "reset"}),
    "no HTTP/2": (lambda _: b"HTTP/1.1 200 OK\r\n\r\nhello", {"reason": "reset"}),
    "a bomb": (
        lambda stream: frame(
            HEADERS, b"\x88\x40\x01x\x7f\x81\x1e" + b"y" * 4000 + b"\xbe" * 9000, flags=4, stream=stream
        ),
        {"reason": "bad-response"},
    ),
}


@pytest.mark.parametrize(("sent", "expected"), TROUBLE.values(), ids=TROUBLE)
def test_an_answer_that_goes_wrong_has_its_reason(sent: Callable[[int], bytes], expected: dict[str, Any]) -> None:
    (found,) = fetched_from(Http2Server(talk=talking(sent)), A)
    assert {name: getattr(found, name) for name in expected} == expected


FLOODS = {
    "continuation": (lambda stream: frame(HEADERS, b"\x88", stream=stream), frame(CONTINUATION, stream=1)),
    "interim": (lambda _: b"", frame(HEADERS, b"\x08\x03103", flags=END_HEADERS, stream=1)),
    "settings": (lambda _: b"", frame(SETTINGS)),
    "ping": (lambda _: b"", frame(PING, bytes(8))),
    "data": (lambda stream: page(stream, b"", 0), frame(DATA, stream=1)),
}


@pytest.mark.parametrize(("begin", "block"), FLOODS.values(), ids=FLOODS)
def test_a_flood_ends_with_the_connection(begin: Callable[[int], bytes], block: bytes) -> None:
    """However fast it comes, long before the page's time is up."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(frame(SETTINGS) + begin(await request_read(reader)))
        while True:
            writer.write(block * 100)
            await writer.drain()

    server = Http2Server(talk=talk)
    (found,) = fetched_from(server, A, timing=replace(STANDARD, read=1000.0), settings=lambda: {"timeout": 1000.0})
    assert found.reason == "bad-response"


def test_a_silent_server_times_out() -> None:
    server = Http2Server(talk=talking(lambda _: b"", ends=False))
    (found,) = fetched_from(server, A, timing=Timing(read=0.05))
    assert found.reason == "timeout-read"
    (found,) = fetched_from(server, A, settings=lambda: {"timeout": 0.2})
    assert found.reason == "timeout"


async def test_an_answer_of_the_name_server_that_changes_leads_nowhere_private() -> None:
    """DNS rebinding: the name leads to another address when the connection is made."""
    server, found = Http2Server(hello), [("127.0.0.1",), ("192.0.2.1",)]
    async with server:
        resolver = Resolver()

        async def addresses(name: str, grace: float = 0.0) -> tuple[str, ...]:
            return found.pop()

        resolver._dns.addresses = addresses  # type: ignore[method-assign]
        with pytest.raises(PrivateAddressError):
            await resolver.address(A)
        odd = OddTransports(resolver, TlsClient(PEM), STANDARD, 1)
        with pytest.raises(FetchError) as refused:
            await odd.ask(Endpoint(True, "h.test", server.port), "h2", f"https://h.test:{server.port}/", [])
        await odd.aclose()
        assert refused.value.reason == "private-address"
    assert server.protocols == []
