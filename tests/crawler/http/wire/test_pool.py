"""Which connection a request travels on."""

import asyncio

from support.raw_server import HELLO, Server, all_names_at, fetched_from, says

from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.model import PageRequest
from minicrawl.timing import Timing

A, B = "http://a.test/", "http://b.test/"


def fetched_at_once(server: Server, *urls: str) -> list[bytes]:
    async def run() -> list[bytes]:
        async with server, Fetcher(all_names_at(server.port)) as fetcher:
            return [found.body for found in await asyncio.gather(*map(fetcher.fetch, map(PageRequest, urls)))]

    return asyncio.run(run())


def test_connection_is_used_again() -> None:
    server = says(HELLO)
    assert [found.body for found in fetched_from(server, A, A, A)] == [b"hello"] * 3
    assert server.connections == 1


def test_connection_that_is_too_old_is_not_used_again() -> None:
    server = says(HELLO)
    fetched_from(server, A, A, timing=Timing(keep_alive=0.0))
    assert server.connections == 2


def test_connection_whose_server_wants_to_close_it_is_not_used_again() -> None:
    server = says(HELLO.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
    assert [found.body for found in fetched_from(server, A, A)] == [b"hello"] * 2
    assert server.connections == 2


def test_other_endpoints_have_connections_of_their_own() -> None:
    server = says(HELLO)
    fetched_from(server, A, B, A, B)
    assert server.connections == 2


def test_requests_made_at_once_are_all_answered() -> None:
    server = says(HELLO)
    assert fetched_at_once(server, A, A, A) == [b"hello"] * 3
    assert 1 <= server.connections <= 3


def test_tunnel_that_the_proxy_refuses_is_a_bad_response() -> None:
    server = says(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
    (found,) = fetched_from(server, "https://a.test/", proxied="http://127.0.0.1:{port}")
    assert found.reason == "bad-response"
    assert server.heads[0].startswith(b"CONNECT a.test:443 HTTP/1.1\r\n")
