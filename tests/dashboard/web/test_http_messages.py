"""Requests are read as RFC 9112 says, or refused; answers carry what keeps the browser safe."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.dashboard.web.http_messages import (
    LARGEST_BODY,
    Answer,
    BadRequestError,
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
        (b"GET  / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET http://evil.test/ HTTP/1.1\r\n\r\n", 400),
        (b"CONNECT a:1 HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n folded: a\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
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
