"""Exchanges: what went out and what came back, byte for byte, as an archive would keep them."""

import asyncio
import gzip
import time
from collections.abc import Sequence
from typing import Any

import pytest
from support import skipping
from support.misbehaving import answer, chunk
from support.raw_server import Server, all_names_at, says

from minicrawl.crawler.sources.local import LocalSource, SourceSpec, fetch_options
from minicrawl.model import Exchange, Fetched, PageRequest, ParsedPage
from minicrawl.web.http.fetch import Fetcher, FetchOptions
from minicrawl.web.http.response_fields import Field
from minicrawl.web.http.transport import DISCONNECT, LENGTH, TIME, UNSPECIFIED, Answer, Capture, Sign

URL = "http://h.test/a?b"
HEAD = (
    b"HTTP/1.1 200 All  right\r\nserver:  x \r\nX-Twice: 1\r\nContent-Type: text/html\r\nx-twice: \xff2\r\n"
    b'ETag: W/"\xe9\'"\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\nX-Folded: a\r\n b\r\n\r\n'
)
LARGE = 10**6
PACKED = gzip.compress(b"<p>hello", mtime=0)
PAGE = b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n" + HEAD + chunk(PACKED[:7]) + chunk(PACKED[7:]) + b"0\r\nX: y\r\n\r\n"


class Shown(Capture):
    """Keeps the exchanges shown."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def observe(self, exchange: Exchange, parsed: ParsedPage) -> None:
        self.exchanges.append(exchange)


def seen(
    server: Server, request: PageRequest, *, captures: bool = True, **settings: Any
) -> tuple[Fetched, list[Exchange]]:
    """Fetch from a server. Returns the result and the exchanges shown."""
    shown = Shown()

    async def run() -> Fetched:
        async with server:
            given = all_names_at(server.port, **settings)
            async with Fetcher(fetch_options(given), capture=shown if captures else None) as fetcher:
                return await fetcher.fetch(request)

    return skipping.run(run()), shown.exchanges


def test_an_exchange_is_what_was_on_the_wire() -> None:
    server, before = says(PAGE), time.time()
    fetched, (exchange,) = seen(server, PageRequest(URL))
    assert [exchange.request] == server.heads
    assert exchange.head == HEAD
    assert exchange.status == 200
    assert exchange.fields[1:4] == ((b"X-Twice", b"1"), (b"Content-Type", b"text/html"), (b"x-twice", b"\xff2"))
    assert (exchange.body, exchange.truncated) == (PACKED, None)
    assert exchange.peer == f"127.0.0.1:{server.port}"
    assert before - 1 < exchange.asked_at <= exchange.asked_at + exchange.seconds < time.time() + 1
    assert (fetched.body, fetched.size) == (b"<p>hello", len(PACKED))


class Replayed(Answer):
    """A transport that answers with an exchange, which is its own answer."""

    ahead = b""

    def __init__(self, exchange: Exchange) -> None:
        self._pieces = [exchange.body, b""]
        self.request, self.head, self.peer = exchange.request, exchange.head, exchange.peer
        self.protocol = exchange.protocol
        self.status, self.fields, self.asked_at = exchange.status, exchange.fields, 0.0

    async def ask(self, url: str, fields: Sequence[Field], sign: Sign | None = None) -> "Replayed":
        return self

    @property
    def is_read(self) -> bool:
        return not self._pieces

    async def read(self) -> bytes:
        return self._pieces.pop(0)

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize(
    "reply",
    [
        PAGE,
        answer(b"gone", "Retry-After: 5", status="404 Not Found"),
        answer(b"", "Location: /\xe9".encode().decode("latin-1"), status="301 Moved"),
        answer(b"<p>plain", "X-Robots-Tag: noindex", "Last-Modified: some day", "Link: <x>; rel=canonical"),
    ],
    ids=["coded", "404", "redirect", "plain"],
)
def test_what_is_fetched_follows_from_the_exchange(reply: bytes) -> None:
    fetched, (exchange,) = seen(says(reply), PageRequest(URL))

    async def again() -> Fetched:
        async with Fetcher(FetchOptions("me"), Replayed(exchange), capture=Shown()) as fetcher:
            return await fetcher.fetch(PageRequest(URL))

    assert asyncio.run(again())._replace(seconds=0, waited=0) == fetched._replace(seconds=0, waited=0)


@pytest.mark.parametrize("captures", [False, True])
def test_bodies_the_crawl_has_no_use_for_are_read_where_somebody_wants_them(captures: bool) -> None:
    body, reply = b"%PDF-" * 9, answer(b"%PDF-" * 9, "Content-Type: application/pdf")
    fetched, shown = seen(says(reply), PageRequest(URL), captures=captures)
    assert [(exchange.body, exchange.truncated) for exchange in shown] == [(body, None)] * captures
    assert (fetched.body, fetched.content_type, fetched.size) == (b"", "application/pdf", len(body) * captures)


@pytest.mark.parametrize(
    ("reply", "truncated"),
    [
        (answer(b"x" * 3000), None),
        (answer(b"x" * 2_000_000), LENGTH),
        (answer(b"hel" * 30_000, length=10**6), TIME),
        (answer(b"hel", "Connection: close", length=10), DISCONNECT),
    ],
    ids=["whole in one piece", "length", "time", "disconnect"],
)
def test_it_is_said_why_a_body_is_not_whole(reply: bytes, truncated: str | None) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.head(reader)
        writer.write(reply)
        await writer.drain()
        if truncated is not DISCONNECT:
            await reader.read()

    server, is_slow = Server(talk), truncated is TIME
    fetched, (exchange,) = seen(
        server, PageRequest(URL), max_size=LARGE if is_slow else 1000, timeout=3.0 if is_slow else 60.0
    )
    assert exchange.truncated is truncated
    assert exchange.body[:3] in (b"xxx", b"hel")
    assert fetched.reason is None


async def test_robots_redirects_and_sitemaps_are_shown_too() -> None:
    shown = Shown()
    moved, urls = answer(b"", "Location: /r", status="302 Found"), answer(b"http://h.test/x\n")
    server = says(moved, answer(b"User-agent: *"), urls)
    async with server:
        settings = all_names_at(server.port)
        async with LocalSource(SourceSpec(settings, capture=lambda: shown)) as source:
            await source.robots("http://h.test/robots.txt")
            await source.robots("http://h.test/r")
            await source.sitemap("http://h.test/map.txt", lambda urls, is_index, lastmods: None)
    assert [(exchange.url[13:], exchange.status, exchange.body) for exchange in shown.exchanges] == [
        ("/robots.txt", 302, b""),
        ("/r", 200, b"User-agent: *"),
        ("/map.txt", 200, b"http://h.test/x\n"),
    ]


def test_no_exchange_without_an_answer() -> None:
    fetched, shown = seen(says(b"nonsense\r\n\r\n"), PageRequest(URL))
    assert (fetched.reason, shown) == ("bad-response", [])


def test_validators_go_back_as_they_came_and_headers_go_to_their_host() -> None:
    server = says(PAGE)
    fetched, _ = seen(server, PageRequest(URL))
    again = PageRequest(URL, fetched.etag, "some day", (("cookie", "a=b"), ("Accept", "text/plain")))
    server = says(answer(b"", status="304 Not Modified", length=""))
    unchanged, _ = seen(server, again)
    (head,) = server.heads
    assert b'\r\nIf-None-Match: W/"\xe9\'"\r\nIf-Modified-Since: some day\r\n' in head
    assert (head.count(b"ccept: "), b"\r\nAccept: text/plain\r\n" in head, b"cookie: a=b" in head) == (1, True, True)
    assert (unchanged.status, unchanged.not_modified, fetched.not_modified) == (304, True, False)
    unasked, _ = seen(says(answer(b"", status="304 Not Modified", length="")), PageRequest(URL))
    assert not unasked.not_modified


def test_a_body_that_only_the_capture_wants_changes_nothing_where_it_breaks() -> None:
    reply = answer(b"", "Content-Type: image/png", "Transfer-Encoding: chunked", length="") + b"zz\r\n"
    wanted, (exchange,) = seen(says(reply), PageRequest(URL))
    left, _ = seen(says(reply), PageRequest(URL), captures=False)
    assert wanted._replace(seconds=0, waited=0) == left._replace(seconds=0, waited=0)
    assert exchange.truncated is UNSPECIFIED
