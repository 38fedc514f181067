"""Requests by an httpx transport: what it is asked, and what becomes of what it raises."""

import httpx
import pytest

from minicrawl.errors import FetchError
from minicrawl.web.http.httpx_transport import HttpxTransport


async def asked(
    answer: httpx.Response | Exception, url: str = "http://a.test/"
) -> tuple[bytes, int, bytes, list[httpx.Request]]:
    """The head and the status of the answer, its body, and what the transport was asked."""
    requests: list[httpx.Request] = []

    def reply(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    found = await HttpxTransport(httpx.MockTransport(reply)).ask(url, [(b"Host", b"a.test")])
    body = b""
    while piece := await found.read():
        body += piece
    await found.aclose()
    return found.head, found.status, body, requests


async def test_answer_is_passed_on() -> None:
    head, status, body, _ = await asked(httpx.Response(404, headers=[("X", "y")], stream=httpx.ByteStream(b"hello")))
    assert (head, status, body) == (b"HTTP/1.1 404 Not Found\r\nX: y\r\n\r\n", 404, b"hello")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx.ConnectTimeout("x"), "timeout-connect"),
        (httpx.ReadTimeout("x"), "timeout-read"),
        (httpx.RemoteProtocolError("x"), "reset"),
        (httpx.LocalProtocolError("x"), "bad-response"),
        (httpx.ConnectError("x"), "connect"),
        (httpx.UnsupportedProtocol("x"), "bad-url"),
        (ConnectionRefusedError(), "refused"),
    ],
)
async def test_exceptions_become_reasons(error: Exception, reason: str) -> None:
    with pytest.raises(FetchError) as failed:
        await asked(error)
    assert failed.value.reason == reason


@pytest.mark.parametrize(("version", "protocol"), [(b"HTTP/1.1", "http/1.1"), (b"HTTP/2", "h2")])
async def test_http_2_is_told_as_http_1_with_the_same_meaning(version: bytes, protocol: str) -> None:
    response = httpx.Response(200, headers=[("x", "y")], extensions={"http_version": version})
    found = await HttpxTransport(httpx.MockTransport(lambda _: response)).ask("http://a.test/", [(b"Host", b"a")])
    assert (found.protocol, found.head) == (protocol, b"HTTP/1.1 200 OK\r\nx: y\r\n\r\n")
