"""One request, one `Fetched`: against a server on loopback that writes the bytes it is told to."""

import asyncio
import gzip
import sys
import zlib
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import brotli
import httpx
import pytest
import respx
from hypothesis import assume, given
from hypothesis import strategies as st
from support.misbehaving import answer
from support.raw_server import HELLO, Server, fetched_from, says
from support.replies import undone

from minicrawl.crawler.sources.local import fetch_options
from minicrawl.errors import SettingError
from minicrawl.model import Fetched, PageRequest
from minicrawl.settings import CrawlSettings
from minicrawl.timing import Timing
from minicrawl.web.http.body import PIECE, decoder
from minicrawl.web.http.fetch import Fetcher, FetchOptions
from minicrawl.web.http.httpx_transport import HttpxTransport
from minicrawl.web.urls.normalise import normalise

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

URL = "http://h.test/"


def fetched_from_reply(reply: bytes, **settings: Any) -> Fetched:
    (fetched,) = fetched_from(says(reply), URL, **settings)
    return fetched


def fetched_with(transport: httpx.AsyncBaseTransport, url: str, *, any_type: bool = False, **settings: Any) -> Fetched:
    async def run() -> Fetched:
        async with Fetcher(fetch_options(CrawlSettings(**settings)), HttpxTransport(transport)) as fetcher:
            return await fetcher.fetch(PageRequest(url), any_type=any_type)

    return asyncio.run(run())


class Chunk(httpx.AsyncByteStream):
    """A body that arrives in one piece."""

    def __init__(self, chunk: bytes) -> None:
        self._chunk, self.is_closed = chunk, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._chunk

    async def aclose(self) -> None:
        self.is_closed = True


class Canned(httpx.AsyncBaseTransport):
    """Answers with one response, or raises."""

    def __init__(self, answer: httpx.Response | BaseException) -> None:
        self._answer = answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer


# Bodies.


COMPRESS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress}


@pytest.mark.parametrize(("length", "truncated"), [(999, False), (1000, False), (1001, True), (50_000, True)])
@pytest.mark.parametrize("coding", ["identity", *COMPRESS])
def test_a_body_is_cut_at_the_byte_cap(length: int, truncated: bool, coding: str) -> None:
    encode = COMPRESS.get(coding, bytes)
    fetched = fetched_from_reply(answer(encode(b"x" * length), f"Content-Encoding: {coding}"), max_size=1000)
    assert fetched.body == b"x" * min(length, 1000)
    assert fetched.truncated is truncated


@pytest.mark.parametrize("coding", COMPRESS)
def test_a_bomb_is_cut_without_being_blown_up(coding: str) -> None:
    """Output of few bytes comes in pieces: memory is measured in test_misbehaving.py."""
    bomb = COMPRESS[coding](bytes(20 * 10**6))
    pieces = decoder(coding).pieces(bomb)
    assert max(len(piece) for piece in pieces) <= 2 * PIECE
    fetched = fetched_from_reply(answer(bomb, f"Content-Encoding: {coding}"), max_size=10**4)
    assert (fetched.body, fetched.truncated, fetched.size) == (bytes(10**4), True, len(bomb))


@given(
    coding=st.sampled_from(["gzip", "deflate", "br", "zstd"]),
    body=st.binary(max_size=600),
    cuts=st.lists(st.integers(0, 700), max_size=4),
    lost=st.integers(0, 3),
)
def test_pieces_of_a_coded_body_say_what_the_whole_says(coding: str, body: bytes, cuts: list[int], lost: int) -> None:
    coded = COMPRESS[coding](body)
    coded = coded[: len(coded) - lost]
    places = [0, *sorted(cuts), len(coded)]
    said, is_complete = undone(coding, *(coded[a:b] for a, b in pairwise(places)))
    assert (said, is_complete) == undone(coding, coded)
    assert body.startswith(said)
    assert is_complete is (not lost or not coded)


def test_pieces_of_a_piece_s_length_are_not_the_last() -> None:
    """Where what came out ends with the room for it, there may be more to come."""
    for length in range(PIECE - 2, PIECE + 3):
        for coding, compress in COMPRESS.items():
            assert undone(coding, compress(bytes(length))) == (bytes(length), True)


# What is not read.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    server = says(answer(b"moved", "Location: /b", status=f"{status} Moved"))
    (fetched,) = fetched_from(server, URL)
    assert (fetched.status, fetched.location, fetched.body) == (status, "/b", b"")
    assert len(server.heads) == 1


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "text/plain", "application/octet-stream"])
def test_a_body_that_is_not_html_is_left_unread(content_type: str) -> None:
    """The server does not get rid of 50 MB."""
    sent = 0

    async def much(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await server.head(reader)
        writer.write(answer(b"", f"Content-Type: {content_type}", length=50 * 10**6))
        for _ in range(50):
            writer.write(b"x" * 10**6)
            await writer.drain()
            sent += 10**6

    server = Server(much)
    (fetched,) = fetched_from(server, URL)
    assert (fetched.status, fetched.body, fetched.size, fetched.reason) == (200, b"", 0, None)
    assert fetched.content_type == content_type
    assert sent < 50 * 10**6


@pytest.mark.parametrize("settings", [{}, {"header": "*=range: bytes=0-9"}, {"header": "*=X-Range: bytes=0-9"}])
def test_a_part_is_a_page_unless_it_was_asked_for(settings: dict[str, Any]) -> None:
    fetched = fetched_from_reply(answer(b"hello", status="206 Partial Content"), **settings)
    assert fetched.status == 206
    assert fetched.body == (b"" if settings == {"header": "*=range: bytes=0-9"} else b"hello")


@pytest.mark.parametrize(("status", "content_type"), [(200, "text/plain"), (404, "text/html"), (200, None)])
def test_any_type_reads_every_body(status: int, content_type: str | None) -> None:
    headers = {"content-type": content_type} if content_type else {}
    answer = httpx.Response(status, headers=headers, stream=Chunk(b"User-agent: *"))
    assert fetched_with(Canned(answer), "http://h.test/robots.txt", any_type=True).body == b"User-agent: *"


@pytest.mark.parametrize("content_type", ["text/html", "application/pdf"])
def test_a_stream_is_closed_whether_read_or_not(content_type: str) -> None:
    stream = Chunk(b"hello")
    fetched_with(Canned(httpx.Response(200, headers={"content-type": content_type}, stream=stream)), "http://h.test/")
    assert stream.is_closed


def test_headers_that_matter_are_kept() -> None:
    tags = ("X-Robots-Tag: otherbot: none", "X-Robots-Tag: nofollow")
    fetched = fetched_from_reply(answer(b"", *tags, "Retry-After: 120", status="503 Later"))
    assert (fetched.robots_tag, fetched.retry_after) == ("otherbot: none\nnofollow", "120")


# Failures.


@pytest.mark.parametrize("host", ["a..test", "a" * 64 + ".test"], ids=["empty-label", "label-too-long"])
def test_a_name_that_cannot_exist_does_not_resolve(host: str) -> None:
    assert [each.reason for each in fetched_from(says(b""), f"http://{host}/", connect_to=())] == ["dns"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_loopback_is_refused_unless_allowed(host: str) -> None:
    server = says(answer(b"secret"))

    async with server, Fetcher(FetchOptions("me")) as fetcher:
        fetched = await fetcher.fetch(PageRequest(f"http://{host}:{server.port}/"))
    assert (fetched.status, fetched.reason, fetched.body) == (None, "private-address", b"")
    assert server.connections == 0


def test_a_silent_server_times_out_while_reading() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    (fetched,) = fetched_from(Server(silent), URL, timing=Timing(read=0.05))
    assert fetched.reason == "timeout-read"


@pytest.mark.parametrize("port", [25, 6667])
def test_ports_of_other_protocols_are_not_asked(port: int) -> None:
    server = says(answer(b"mail"))
    assert [fetched.reason for fetched in fetched_from(server, f"http://h.test:{port}/")] == ["bad-port"]
    assert server.connections == 0


@pytest.mark.parametrize("error", [ZeroDivisionError(), MemoryError(), RecursionError()])
def test_programming_errors_are_one_answers_trouble_and_are_logged(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    assert fetched_with(Canned(error), "http://h.test/").reason == "parser-failed"
    assert "http://h.test/" in caplog.text
    assert "Traceback (most recent call last):" in caplog.text
    assert type(error).__name__ in caplog.text


@pytest.mark.parametrize("signal", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_ends_the_crawl_is_no_answer(signal: type[BaseException]) -> None:
    with pytest.raises(signal):
        fetched_with(Canned(signal()), "http://h.test/")


# Requests.


def test_the_whole_request() -> None:
    server = says(answer(b""))
    fetched_from(server, URL + "a?b=c", user_agent="testbot/2", header=("*=X-Who: me: too",))
    method, *headers = server.heads[0].decode("ascii").strip().split("\r\n")
    assert method == "GET /a?b=c HTTP/1.1"
    assert sorted(line.lower() for line in headers) == [
        "accept-encoding: gzip, deflate, br, zstd",
        "accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
        "host: h.test",
        "user-agent: testbot/2",
        "x-who: me: too",
    ]


def test_requests_say_whom_to_ask_about_them() -> None:
    server = says(answer(b""))
    fetched_from(server, URL, user_agent="testbot/2", contact="me@a.test")
    fetched_from(server, URL, user_agent="testbot/2", contact="https://a.test/bot")
    mail, page = (request.decode("ascii").lower().split("\r\n") for request in server.heads)
    assert {"user-agent: testbot/2 (+me@a.test)", "from: me@a.test"} <= set(mail)
    assert "user-agent: testbot/2 (+https://a.test/bot)" in page
    assert not any(line.startswith("from:") for line in page)


@pytest.mark.parametrize("name", ["Accept", "accept"])
def test_a_header_of_the_user_replaces_ours(name: str) -> None:
    server = says(answer(b""))
    fetched_from(server, URL, header=(f"*={name}: text/plain",))
    accepts = [line for line in server.heads[0].decode().lower().split("\r\n") if line.startswith("accept:")]
    assert accepts == ["accept: text/plain"]


TARGETS = [
    "/",
    "/?",
    "/a%2Fb",
    "/a%2fb",
    "/%FF",
    "/a?b=%26&c=+&d=%3D",
    "/a?b=?&c=/../d",
    "//x.test/a",
    "/%7Eu",
    "/a'b",
    "/a[b]",
    "/a?b={c}|d`e^f\\g",
    "/%zz",
    "/?%",
    "/" + "x" * 8000,
]


@pytest.mark.parametrize("target", TARGETS)
def test_the_server_is_asked_for_the_url_as_it_is(target: str) -> None:
    server = says(answer(b""))
    fetched_from(server, URL[:-1] + target)
    assert server.heads[0].split(b" ")[1].decode() == target


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_whatever_is_normalised_is_asked_for_as_it_is(text: str) -> None:
    url = normalise(f"http://h.test/{text}")
    assume(url is not None)
    server = says(answer(b""))
    fetched_from(server, str(url))
    assert server.heads[0].split(b"\r\n")[0].decode() == f"GET {str(url).removeprefix('http://h.test')} HTTP/1.1"


@pytest.mark.parametrize("target", ["/?", "/%7Eu", "/%zz"])
async def test_httpx_own_transport_asks_for_the_url_as_it_is(target: str) -> None:
    server = says(answer(b""))
    async with server, Fetcher(FetchOptions("me"), HttpxTransport(httpx.AsyncHTTPTransport())) as fetcher:
        await fetcher.fetch(PageRequest(f"http://127.0.0.1:{server.port}{target}"))
    assert server.heads[0].split(b" ")[1].decode() == target


def test_connect_to_changes_the_connection_not_the_request() -> None:
    server = says(HELLO)
    rule = "some.invalid:81:127.0.0.1:{port}"
    (fetched,) = fetched_from(server, "http://some.invalid:81/a", connect_to=[rule])
    assert (fetched.status, fetched.body, fetched.url) == (200, b"hello", "http://some.invalid:81/a")
    head = server.heads[0].decode().lower()
    assert head.startswith("get /a http/1.1\r\n")
    assert "host: some.invalid:81\r\n" in head


def test_connect_to_holds_for_addresses_too() -> None:
    server = says(HELLO)
    (fetched,) = fetched_from(server, "http://127.0.0.1:2/", connect_to=["127.0.0.1:2:127.0.0.1:{port}"])
    assert fetched.status == 200


def test_fetches_run_side_by_side() -> None:
    """Ten requests, none of which is answered before all have arrived."""
    waiting = asyncio.Event()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.head(reader)
        if len(server.heads) == 10:
            waiting.set()
        await waiting.wait()
        writer.write(HELLO)
        await writer.drain()

    server = Server(meet)
    found = fetched_from(server, *(f"{URL}{number}" for number in range(10)), at_once=True, timeout=60.0)
    assert [fetched.body for fetched in found] == [b"hello"] * 10


def test_a_ca_file_without_certificates_is_a_setting_error(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("nonsense")
    with pytest.raises(SettingError, match=r"ca\.pem"):
        fetched_from(says(b""), URL, ca_file=path)


# Other transports.


def test_respx_sees_the_requests_of_httpx_own_transport() -> None:
    with respx.mock:
        found = respx.get("http://h.test/a").respond(html="hello")
        respx.get("http://h.test/b").mock(side_effect=httpx.ConnectTimeout)
        page, failed = (fetched_with(httpx.AsyncHTTPTransport(), f"http://h.test/{name}") for name in "ab")
    assert found.called
    assert (page.status, page.body) == (200, b"hello")
    assert failed.reason == "timeout-connect"


@pytest.mark.parametrize("proxy", ["127.0.0.1", "localhost"])
def test_requests_go_through_the_proxy_even_a_private_one(proxy: str) -> None:
    """The proxy is the user's own word; what lies behind it is still not to be a private address."""
    server, urls = says(answer(b"by proxy")), ("http://some.invalid/%7Ea?", "http://127.0.0.1/")
    through, refused = fetched_from(server, *urls, proxied=f"http://{proxy}:{{port}}", allow_private=False)
    assert (through.status, through.body) == (200, b"by proxy")
    assert server.heads[0].startswith(b"GET http://some.invalid/%7Ea? HTTP/1.1\r\n")
    assert (refused.reason, len(server.heads)) == ("private-address", 1)
