"""Where requests go, and what a proxy is told.

Which connection a request travels on.
"""

import asyncio

from support.raw_server import HELLO, Server, all_names_at, fetched_from, says

from minicrawl.crawler.http.connection import Endpoint
from minicrawl.crawler.http.credentials import proxy_of
from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.model import PageRequest


def test_proxy_of_a_url() -> None:
    assert proxy_of("http://p.test").endpoint == Endpoint(False, "p.test", 80)
    assert proxy_of("https://p.test").endpoint == Endpoint(True, "p.test", 443)
    assert proxy_of("http://p.test:8080").authorization is None


def test_name_and_password_are_sent_as_they_were_before_they_were_encoded() -> None:
    assert proxy_of("http://a%40b:c%3Ad@p.test:8080").authorization == b"Basic YUBiOmM6ZA=="  # a@b:c:d


A, B = "http://a.test/", "http://b.test/"


def test_alternative_service_is_not_used() -> None:
    """Alt-Svc (RFC 7838) may be ignored: nothing else is connected to, and the next request is as the first."""

    async def run() -> tuple[int, list[bytes]]:
        async with elsewhere, Server(talk) as server, Fetcher(all_names_at(server.port)) as fetcher:
            found = [await fetcher.fetch(PageRequest(url)) for url in (A, A, B)]
            assert [each.body for each in found] == [b"hello"] * 3
            return server.connections, heads

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told = f'Alt-Svc: h2="127.0.0.1:{elsewhere.port}"; ma=86400, h3=":443", h2c=":{elsewhere.port}"\r\n'
        while True:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(HELLO.replace(b"\r\n", f"\r\n{told}".encode(), 1))
            await writer.drain()

    elsewhere, heads = says(HELLO), list[bytes]()
    connections, asked = asyncio.run(run())
    assert (connections, elsewhere.connections) == (2, 0)
    assert asked[0] == asked[1]
    assert b"Alt-Used" not in asked[1]


def test_tunnel_that_the_proxy_refuses_is_a_bad_response() -> None:
    server = says(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
    (found,) = fetched_from(server, "https://a.test/", proxied="http://127.0.0.1:{port}")
    assert found.reason == "bad-response"
    assert server.heads[0].startswith(b"CONNECT a.test:443 HTTP/1.1\r\n")
