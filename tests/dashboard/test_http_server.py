"""Requests, answers and connections of HTTP/1.1."""

import asyncio
import contextlib
import json
import math
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import skipping
from support.patience import PATIENCE

from minicrawl.dashboard.http_server import (
    LARGEST_BODY,
    Answer,
    BadRequestError,
    Connections,
    Guard,
    Request,
    bytes_of,
    json_answer,
    request_of,
)


def test_a_request_is_read() -> None:
    head = b"POST /api/why?url=http%3A%2F%2Fa%2F%3Fx%3D1%262&a=1&a=2&empty= HTTP/1.1\r\n"
    head += b"Host: x:1\r\ncontent-LENGTH: 12\r\nA: b:c \r\n\r\n"
    request, length = request_of(head)
    assert request == Request(
        "POST",
        "/api/why",
        {"url": "http://a/?x=1&2", "a": "1", "empty": ""},
        {"host": "x:1", "content-length": "12", "a": "b:c"},
    )
    assert length == 12


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET http://evil.test/ HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nContent-Length: \xb2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LARGEST_BODY + 1), 413),
        (b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 413),
        (b"GET /?" + b"a=1&" * 60 + b" HTTP/1.1\r\n\r\n", 400),
        (b"GET //[ HTTP/1.1\r\n\r\n", 400),
    ],
)
def test_what_is_no_request_is_refused(head: bytes, status: int) -> None:
    with pytest.raises(BadRequestError) as refusal:
        request_of(head)
    assert refusal.value.status == status


@given(st.binary(max_size=300))
def test_any_bytes_are_a_request_or_refused(head: bytes) -> None:
    with contextlib.suppress(BadRequestError):
        request, length = request_of(head)
        assert request.path.startswith("/") or request.path == ""
        assert 0 <= length <= LARGEST_BODY


def test_every_answer_keeps_the_browser_from_the_rest_of_the_web() -> None:
    head, _, body = bytes_of(Answer(404, b"x", "text/html"), stays_open=False).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 404 Not Found"
    fields = dict(line.split(": ", 1) for line in lines[1:])
    policy = dict(part.strip().split(" ", 1) for part in fields["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy.pop("img-src") == "'self' data:"  # thumbnails, which come in JSON
    assert {source for name, source in policy.items() if name.endswith("-src")} <= {"'none'", "'self'"}
    assert policy["trusted-types"] == "'none'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert fields["X-Content-Type-Options"] == "nosniff"
    assert fields["Referrer-Policy"] == "no-referrer"
    assert (fields["Content-Length"], fields["Connection"], body) == ("1", "close", b"x")
    assert "Access-Control-Allow-Origin" not in fields


def test_json_is_ascii_and_what_is_no_number_is_null() -> None:
    value = {"a": [math.inf, {"b": math.nan}, 1.5], "c": "\ud800é", "d": None}
    body = json_answer(value).body
    assert body.isascii()
    assert json.loads(body) == {"a": [None, {"b": None}, 1.5], "c": "\ud800é", "d": None}


GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
KNOWN = b"GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer right\r\n\r\n"


async def echo(request: Request) -> Answer:
    if request.path == "/fails":
        raise RuntimeError("a bug")
    return Answer(200, f"{request.method} {request.path} ".encode() + request.body, "text/plain")


@asynccontextmanager
async def served(**limits: Any) -> AsyncIterator[int]:
    connections = Connections(echo, lambda request: request.headers.get("authorization") == "Bearer right", **limits)
    server = await asyncio.start_server(connections.serve, "127.0.0.1", 0, limit=1000)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await connections.end()
        await server.wait_closed()


async def came(port: int, *sent: bytes) -> bytes:
    """All that comes until the other side has closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in sent:
            writer.write(part)
            await writer.drain()
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


CLOSE = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


async def test_requests_over_one_connection_are_answered_in_turn() -> None:
    async with served() as port:
        post = b"POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\n"
        found = await came(port, GET + post + b"x", b"yz", CLOSE)
        bodies = [part.split(b"HTTP/1.1")[0] for part in found.split(b"\r\n\r\n")[1:]]
        assert bodies == [b"GET /a ", b"POST /b xyz", b"GET /last "]


async def test_to_head_there_is_no_body() -> None:
    async with served() as port:
        found = await came(port, CLOSE.replace(b"GET", b"HEAD"))
        assert found.endswith(b"\r\n\r\n")
        assert b"Content-Length: 11\r\n" in found


async def test_rubbish_is_answered_and_the_line_is_closed() -> None:
    async with served() as port:
        for sent, status in ((b"\x16\x03\x01\r\n\r\n", b"400"), (b"GET /" + b"a" * 5000, b"431")):
            assert (await came(port, sent)).startswith(b"HTTP/1.1 " + status)
        assert (await came(port, CLOSE)).startswith(b"HTTP/1.1 200")


async def test_a_bug_is_answered_and_others_go_on() -> None:
    async with served() as port:
        found = await came(port, b"GET /fails HTTP/1.1\r\n\r\n", CLOSE)
        assert re.findall(rb"HTTP/1.1 \d+", found) == [b"HTTP/1.1 500", b"HTTP/1.1 200"]
        assert b"a bug" not in found


def test_who_is_silent_is_let_go() -> None:
    async def run() -> None:
        async with served(request=0.2) as port:
            for sent in (b"GET / HT", b"", b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n1", GET, KNOWN + b"GET"):
                assert (await came(port, sent)).count(b"HTTP/1.1") == sent.count(b"/a")
        async with served(request=0.2, silent=0.5) as port:
            assert await came(port, KNOWN) != b""

    skipping.run(run())


async def test_who_is_one_too_many_is_let_go() -> None:
    async with served(most=1) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET)
        await reader.readuntil(b"GET /a ")
        assert await came(port) == b""
        writer.close()
        await writer.wait_closed()


async def test_silent_strangers_shut_nobody_out() -> None:
    """However many there are: who asks is answered at once, and who has shown the token keeps the connection."""

    async with served(request=600.0) as port, asyncio.timeout(PATIENCE):
        own_reader, own = await asyncio.open_connection("127.0.0.1", port)
        own.write(KNOWN)
        await own_reader.readuntil(b"GET /a ")
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(150)]
        assert (await came(port, CLOSE)).startswith(b"HTTP/1.1 200")
        own.write(CLOSE)
        assert (await own_reader.read()).startswith(b"HTTP/1.1 200")
        ended = await asyncio.gather(*(reader.read() for reader, _ in silent[:100]))
        assert not any(ended)
        for _, writer in silent:
            writer.close()
        own.close()


async def test_the_end_waits_for_nobody() -> None:
    async with served() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET)
        await reader.readuntil(b"GET /a ")
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


GUARD = Guard(8000, "the-right-token")
OURS = {"host": "127.0.0.1:8000", "authorization": "Bearer the-right-token"}
POST = {**OURS, "origin": "http://127.0.0.1:8000", "content-type": "application/json"}


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", OURS, None),
        ("POST", POST, None),
        ("GET", {**OURS, "host": "localhost:8000", "origin": "http://localhost:8000"}, None),
        ("GET", {**OURS, "host": "[::1]:8000"}, None),
        ("GET", {**OURS, "host": "LOCALHOST:8000", "sec-fetch-site": "same-origin"}, None),
        ("POST", {**POST, "content-type": "Application/JSON; charset=utf-8"}, None),
        # no token, a wrong one
        ("GET", {"host": "127.0.0.1:8000"}, 401),
        ("GET", {**OURS, "authorization": "Bearer the-wrong-token"}, 401),
        ("GET", {**OURS, "authorization": "Basic the-right-token"}, 401),
        ("GET", {**OURS, "authorization": "Bearer the-right-token\xe9"}, 401),
        # a name that was rebound to loopback
        ("GET", {**OURS, "host": "evil.test"}, 421),
        ("GET", {**OURS, "host": "127.0.0.1:8001"}, 421),
        ("GET", {**OURS, "host": "127.0.0.1"}, 421),
        ("GET", {**OURS, "host": "127.0.0.1:8000.evil.test"}, 421),
        ("GET", {"authorization": "Bearer the-right-token"}, 421),
        # a page from elsewhere
        ("GET", {**OURS, "origin": "http://evil.test"}, 403),
        ("POST", {**POST, "origin": "null"}, 403),
        ("POST", {**POST, "origin": "http://127.0.0.1:8001"}, 403),
        ("POST", {**POST, "origin": "https://127.0.0.1:8000"}, 403),
        ("GET", {**OURS, "sec-fetch-site": "cross-site"}, 403),
        # what a form can send
        ("POST", {**POST, "content-type": "text/plain"}, 415),
        ("POST", {**POST, "content-type": "application/x-www-form-urlencoded"}, 415),
        ("POST", {name: value for name, value in POST.items() if name != "content-type"}, 415),
    ],
)
def test_requests_are_refused_or_not(method: str, headers: dict[str, str], status: int | None) -> None:
    refusal = GUARD.refusal(Request(method, "/api/now", headers=headers), needs_token=True)
    assert (refusal and refusal.status) == status


def test_the_page_itself_needs_no_token_but_all_else() -> None:
    headers = {"host": "127.0.0.1:8000"}
    assert GUARD.refusal(Request("GET", "/", headers=headers), needs_token=False) is None
    refusal = GUARD.refusal(Request("GET", "/", headers={"host": "evil.test"}), needs_token=False)
    assert refusal is not None
    assert refusal.status == 421


def test_on_the_port_of_http_the_name_stands_alone() -> None:
    assert Guard(80, "t").refusal(Request("GET", "/", headers={"host": "localhost"}), needs_token=False) is None
