"""Where requests go, and what a proxy is told."""

from support.raw_server import HELLO, fetched_from, says

from minicrawl.crawler.http.wire.connection import Endpoint
from minicrawl.crawler.http.wire.proxies import proxy_of


def test_proxy_of_a_url() -> None:
    assert proxy_of("http://p.test").endpoint == Endpoint(False, "p.test", 80)
    assert proxy_of("https://p.test").endpoint == Endpoint(True, "p.test", 443)
    assert proxy_of("http://p.test:8080").authorization is None


def test_name_and_password_are_sent_as_they_were_before_they_were_encoded() -> None:
    assert proxy_of("http://a%40b:c%3Ad@p.test:8080").authorization == b"Basic YUBiOmM6ZA=="  # a@b:c:d


def test_proxy_is_asked_for_whole_urls() -> None:
    server = says(HELLO)
    (found,) = fetched_from(server, "http://a.test/x?y", proxied="http://u:p@127.0.0.1:{port}")
    assert found.body == b"hello"
    assert server.heads[0].startswith(b"GET http://a.test/x?y HTTP/1.1\r\n")
    assert b"\r\nProxy-Authorization: Basic dTpw\r\n" in server.heads[0]


def test_server_itself_is_asked_for_the_path() -> None:
    server = says(HELLO)
    fetched_from(server, "http://a.test/x?y")
    assert server.heads[0].startswith(b"GET /x?y HTTP/1.1\r\n")
    assert b"Proxy-Authorization" not in server.heads[0]
