"""Connections: which are opened, kept, used again and given up, in the clear, in TLS and through proxies."""

import asyncio
from typing import Any

import pytest
from support.loopback import PEM
from support.misbehaving import answer, chunk, chunked
from support.raw_server import HELLO, Server, all_names_at, fetched_from, says

from minicrawl.crawler.sources.local import fetch_options
from minicrawl.errors import FetchError
from minicrawl.model import PageRequest
from minicrawl.timing import Timing
from minicrawl.web.http.connection import Connection, Endpoint
from minicrawl.web.http.credentials import proxy_of
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.net.open_files import Room

# Keeping connections.


def test_a_new_connection_that_is_closed_at_once_is_not_tried_again() -> None:
    async def closes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.head(reader)

    server = Server(closes)
    (fetched,) = fetched_from(server, "http://h.test/")
    assert (fetched.reason, server.connections) == ("reset", 1)


async def test_a_request_is_repeated_once_however_many_connections_were_kept() -> None:
    """All were closed by the server when it was asked again."""

    async def answers_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.head(reader)
        if server.connections > 3:
            return
        if server.connections == 3:
            everyone_has_come.set()
        await everyone_has_come.wait()
        writer.write(HELLO)
        await server.head(reader)

    everyone_has_come = asyncio.Event()
    server = Server(answers_once)
    async with server, Fetcher(fetch_options(all_names_at(server.port))) as fetcher:
        first = await asyncio.gather(*(fetcher.fetch(PageRequest("http://h.test/")) for _ in range(3)))
        last = await fetcher.fetch(PageRequest("http://h.test/"))
    assert [fetched.body for fetched in first] == [b"hello"] * 3
    assert (last.reason, len(server.heads)) == ("reset", 5)


def test_a_request_is_not_repeated_once_an_answer_has_begun() -> None:
    server = says(HELLO, b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000 + b"\r\n\r\n")
    fetched = fetched_from(server, "http://h.test/", "http://h.test/")
    assert [each.reason for each in fetched] == [None, "bad-response"]
    assert server.connections == 1


@pytest.mark.parametrize(
    ("reply", "connections"),
    [
        (HELLO, 1),
        (chunked(chunk(b"hello")), 1),
        (answer(b"", status="204 No", length=""), 1),
        (answer(b"gone", status="404 Not Found"), 1),
        (answer(b"hello", "Connection: close"), 2),
        (HELLO.replace(b"1.1", b"1.0"), 2),
        (chunked(chunk(b"hello")).replace(b"\r\n", b"\r\nContent-Length: 5\r\n", 1), 2),
        (chunked(chunk(b"hello")).replace(b"1.1", b"1.0"), 2),
        (HELLO + b"junk", 2),
        (HELLO + HELLO, 2),
        (answer(b"hello", "Content-Type: application/pdf", length=10), 2),
    ],
    ids=[
        *("length", "chunked", "204", "404", "close", "http-1.0", "chunks-and-length", "chunks-in-1.0"),
        *("junk-behind", "answer-behind", "left-unread"),
    ],
)
def test_a_connection_is_used_again_if_its_answer_has_ended(reply: bytes, connections: int) -> None:
    server = says(reply)
    fetched_from(server, "http://h.test/a", "http://h.test/b")
    assert (len(server.heads), server.connections) == (2, connections)


def test_sites_share_no_connection() -> None:
    server = says(HELLO)
    fetched_from(server, "http://a.test/", "http://b.test/", "http://a.test:81/", "http://a.test/")
    assert server.connections == 3


def test_a_connection_is_not_kept_longer_than_we_want() -> None:
    server = says(HELLO)
    fetched_from(server, *["http://h.test/"] * 3, timing=Timing(keep_alive=0.0))
    assert server.connections == 3


def test_the_oldest_of_too_many_idle_connections_is_closed() -> None:
    server, files = says(HELLO), Room(requests=1, attempts=1, idle=2)
    urls = ["http://a.test/", "http://b.test/", "http://c.test/", "http://c.test/", "http://b.test/"]
    fetched_from(server, *urls, files=files)
    assert server.connections == 3
    fetched_from(server, "http://a.test/", "http://b.test/", "http://c.test/", "http://a.test/", files=files)
    assert server.connections == 3 + 4


# Bodies.


def test_a_body_that_comes_faster_than_it_is_read_waits() -> None:
    """The server is held up, not our memory filled."""
    body = bytes(range(256)) * 20_000
    (fetched,) = fetched_from(says(answer(body)), "http://h.test/")
    assert (fetched.body == body, fetched.truncated) == (True, False)


@pytest.mark.parametrize(
    "reply",
    [b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 20_000, chunked(b"5;" + b"x" * 10**6), b"\r\n" * 10**6],
    ids=["interim-answers", "chunk-extension", "empty-lines"],
)
def test_what_brings_no_body_has_an_end(reply: bytes) -> None:
    (fetched,) = fetched_from(says(reply), "http://h.test/")
    assert fetched.reason == "bad-response"


# TLS.


def test_tls_with_a_certificate_we_are_told_to_trust() -> None:
    server = says(HELLO, tls=True)
    fetched = fetched_from(server, "https://h.test/a", "https://h.test/b", ca_file=PEM)
    assert [each.body for each in fetched] == [b"hello"] * 2
    assert server.connections == 1
    assert b"\r\nhost: h.test\r\n" in server.heads[0].lower()


@pytest.mark.parametrize(
    ("url", "settings", "reason"),
    [("https://h.test/", {}, "tls-authority"), ("https://other.test/", {"ca_file": PEM}, "tls-name")],
    ids=["unknown-authority", "other-name"],
)
def test_a_certificate_that_proves_nothing_is_refused(url: str, settings: dict[str, Any], reason: str) -> None:
    server = says(HELLO, tls=True)
    (fetched,) = fetched_from(server, url, **settings)
    assert (fetched.reason, server.heads) == (reason, [])


def test_a_silent_server_times_out_while_connecting() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    (fetched,) = fetched_from(Server(silent), "https://h.test/", timing=Timing(connect=0.05))
    assert fetched.reason == "timeout-connect"


async def test_memory_that_runs_out_while_an_answer_is_read_is_not_the_server_s_fault() -> None:
    """Taken for a reset, it would be asked for again and again, and its host be spared ever longer."""
    async with says(b"") as server:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: Connection(5.0), "127.0.0.1", server.port)
        loop.call_soon(connection.connection_lost, MemoryError())
        with pytest.raises(FetchError) as found:
            await connection.ask(b"GET / HTTP/1.1\r\n\r\n")
        error = found.value
    assert (error.reason, type(error.__cause__)) == ("parser-failed", MemoryError)


# Where requests go, and what a proxy is told.


def test_proxy_of_a_url() -> None:
    assert proxy_of("http://p.test").endpoint == Endpoint(False, "p.test", 80)
    assert proxy_of("https://p.test").endpoint == Endpoint(True, "p.test", 443)
    assert proxy_of("http://p.test:8080").authorization is None


A, B = "http://a.test/", "http://b.test/"


async def test_alternative_service_is_not_used() -> None:
    """Alt-Svc (RFC 7838) may be ignored: nothing else is connected to, and the next request is as the first."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told = f'Alt-Svc: h2="127.0.0.1:{elsewhere.port}"; ma=86400, h3=":443", h2c=":{elsewhere.port}"\r\n'
        while True:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(HELLO.replace(b"\r\n", f"\r\n{told}".encode(), 1))
            await writer.drain()

    elsewhere, heads = says(HELLO), list[bytes]()
    async with elsewhere, Server(talk) as server, Fetcher(fetch_options(all_names_at(server.port))) as fetcher:
        found = [await fetcher.fetch(PageRequest(url)) for url in (A, A, B)]
        assert [each.body for each in found] == [b"hello"] * 3
    assert (server.connections, elsewhere.connections) == (2, 0)
    assert heads[0] == heads[1]
    assert b"Alt-Used" not in heads[1]


def test_tunnel_that_the_proxy_refuses_is_the_proxys_fault() -> None:
    server = says(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
    (found,) = fetched_from(server, "https://a.test/", proxied="http://127.0.0.1:{port}")
    assert found.reason == "proxy-refused"
    assert server.heads[0].startswith(b"CONNECT a.test:443 HTTP/1.1\r\n")
