"""Frames of HTTP/2: the library h2 as a server, odd answers, and attacks, each of which ends after few bytes."""

import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived
from hpack import Encoder, NeverIndexedHeaderTuple
from hypothesis import given
from hypothesis import strategies as st
from support.http2_server import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PADDED,
    PING,
    PRIORITY,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    frame,
    goaway,
)

from minicrawl.crawler.http.http2_session import Http2Session

ASKED = b"GET /a?b HTTP/1.1\r\nHost: h.test\r\nUser-Agent: me\r\nAuthorization: hush\r\nConnection: close\r\n\r\n"


def asked(head: bytes = ASKED) -> Http2Session:
    """A session with a request, whose server has begun."""
    session = Http2Session()
    session.request(head, b"https")
    session.feed(frame(SETTINGS))
    session.unsent()
    return session


def head(*fields: tuple[bytes, bytes], status: bytes = b"200", flags: int = 0, stream: int = 1) -> bytes:
    return frame(HEADERS, Encoder().encode([(b":status", status), *fields]), flags=END_HEADERS | flags, stream=stream)


def data(body: bytes, flags: int = 0) -> bytes:
    return frame(DATA, body, flags=flags, stream=1)


def test_request_is_that_of_http_1() -> None:
    server = H2Connection(H2Configuration(client_side=False))
    (received,) = (
        event
        for event in server.receive_data(Http2Session().request(ASKED, b"https"))
        if isinstance(event, RequestReceived)
    )
    assert received.headers == [
        (b":method", b"GET"),
        (b":scheme", b"https"),
        (b":authority", b"h.test"),
        (b":path", b"/a?b"),
        (b"user-agent", b"me"),
        (b"authorization", b"hush"),
    ]
    assert isinstance(received.headers[-1], NeverIndexedHeaderTuple)  # RFC 7541 7.1.3


ANSWER = b"".join(
    [
        frame(SETTINGS, b"\0\x03\0\0\0\x64"),
        head(status=b"103"),
        head(status=b"100"),
        frame(PING, b"12345678"),
        head((b"content-type", b"text/html"), (b"x", b"\xe9 ")),
        data(b"hel"),
        frame(0xFA, b"unknown"),
        frame(0xA, b'\0\x0ehttps://h.testh2=":444"'),  # ALTSVC (RFC 7838 4)
        frame(DATA, b"\x04lo" + bytes(4), flags=PADDED, stream=1 << 31 | 1),  # RFC 9113 4.1: the bit means nothing
        frame(WINDOW_UPDATE, b"\0\0\0\1"),
        data(b""),
        frame(HEADERS, Encoder().encode([(b"trailer", b"y")]), flags=END_HEADERS | END_STREAM, stream=1),
        frame(PING, b"87654321"),
    ]
)


@given(st.lists(st.integers(0, len(ANSWER)), max_size=20))
def test_answer_is_the_same_however_its_bytes_are_split(cuts: list[int]) -> None:
    session, pieces = asked(), list[bytes]()
    for start, end in pairwise([0, *sorted(cuts), len(ANSWER)]):
        pieces += session.feed(ANSWER[start:end])
    assert (session.status, b"".join(pieces), session.is_whole, session.failure) == (200, b"hello", True, None)
    assert b"" not in pieces
    assert session.fields == [(b"content-type", b"text/html"), (b"x", b"\xe9")]
    assert session.head == b"HTTP/1.1 200 \r\ncontent-type: text/html\r\nx: \xe9 \r\n\r\n"
    unsent = session.unsent()
    assert [unsent.count(frame(PING, sent, flags=ACK)) for sent in (b"12345678", b"87654321")] == [1, 1]
    assert unsent.count(frame(SETTINGS, flags=ACK)) == 1


BAD = {
    "line break in a value": head((b"x", b"a\r\nset-cookie: b")),
    "line break in a name": head((b"x\n", b"a")),
    "NUL in a value": head((b"x", b"\0")),
    "no status": frame(HEADERS, Encoder().encode([(b"x", b"y")]), flags=END_HEADERS, stream=1),
    "status of four digits": head(status=b"2000"),
    "status of words": head(status=b"OK"),
    "no head": data(b"hello"),
    "two lengths": head((b"content-length", b"5"), (b"content-length", b"6")),
    "too short a body": head((b"content-length", b"6")) + data(b"hello", END_STREAM),
    "too long a body": head((b"content-length", b"4")) + data(b"hello"),
    "pushed": frame(PUSH_PROMISE, b"\0\0\0\2", flags=END_HEADERS, stream=1),
    "stream of the server": head(stream=2),
    "stream of the future": head(stream=3),
    "frame of 16 MB": b"\xff\xff\xff\0\0\0\0\0\1",
    "frame of 16 kB and a byte": b"\0\x40\x01\0\0\0\0\0\1",
    "bad padding": frame(DATA, b"\xff", flags=PADDED, stream=1),
    "end of settings": frame(SETTINGS, b"\0"),
    "compression of nothing": frame(HEADERS, b"\xff\xff\xff", flags=END_HEADERS, stream=1),
    "not HTTP/2": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "not HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
}


@pytest.mark.parametrize("sent", BAD.values(), ids=BAD)
def test_what_no_server_may_send_fails_the_answer(sent: bytes) -> None:
    session = asked()
    session.feed(sent)
    assert session.failure is not None
    assert (session.failure.reason, session.is_whole) == ("bad-response", False)


def blocks(first: bytes, *rest: bytes) -> Callable[[], Iterator[bytes]]:
    """Frames of a head whose block goes on for ever."""

    def sent() -> Iterator[bytes]:
        yield frame(HEADERS, first, stream=1)
        while True:
            yield from (frame(CONTINUATION, more, stream=1) for more in rest)

    return sent


def again(*sent: bytes, begin: bytes = b"") -> Callable[[], Iterator[bytes]]:
    def forever() -> Iterator[bytes]:
        yield begin
        while True:
            yield from sent

    return forever


def bomb() -> Iterator[bytes]:
    """4 kB in the table, a byte each time that they are meant."""
    yield head((b"x", b"y" * 4000), status=b"103")
    yield from blocks(b"\x88" + b"\xbe" * 10_000, b"\xbe" * 10_000)()


def with_other_tables() -> Iterator[bytes]:
    for size in range(10**9):
        yield frame(SETTINGS, b"\0\x01" + (size * 4097 % 2**32).to_bytes(4))


ATTACKS: dict[str, Callable[[], Iterator[bytes]]] = {
    "continuation": blocks(b"", b"\0\x01x\x01y" * 3000),
    "empty continuation": blocks(b"", b""),
    "bomb": bomb,
    "table of no size": blocks(b"\x20" * 16_384, b"\x20" * 16_384),
    "interim": again(head(status=b"103")),
    "large interim": again(head(*[(b"x", b"y" * 4000)] * 4, status=b"103")),
    "settings": again(frame(SETTINGS)),
    "settings acknowledged": again(frame(SETTINGS, flags=ACK)),
    "settings of tables": with_other_tables,
    "ping": again(frame(PING, bytes(8))),
    "window": again(frame(WINDOW_UPDATE, b"\0\0\0\1")),
    "window of the stream": again(frame(WINDOW_UPDATE, b"\0\0\0\1", stream=1)),
    "priority": again(frame(PRIORITY, bytes(4) + b"\1", stream=3)),
    "unknown": again(frame(0xFA)),
    "large unknown": again(frame(0xFA, bytes(16_384))),
    "reset of other streams": again(frame(RST_STREAM, bytes(4), stream=3)),
    "goes away": again(goaway(1)),
    "empty data": again(data(b""), begin=head()),
    "padding": again(frame(DATA, b"\xff" + bytes(255), flags=PADDED, stream=1), begin=head()),
    "byte by byte": again(data(b"x"), begin=head()),
    "in one frame": again(bytes(1000), begin=b"\xff\xff\xff\0\0\0\0\0\1"),
}
MOST_BYTES, MOST_FRAMES, MOST_MEMORY = 550_000, 1_100, 8 * 2**20


def attacked(session: Http2Session, sent: Iterator[bytes]) -> None:
    """Send until the session has failed."""
    size = count = 0
    while session.failure is None:
        piece = next(sent)
        size, count = size + len(piece), count + 1
        session.feed(piece)
        session.unsent()
        assert (size <= MOST_BYTES, count <= MOST_FRAMES) == (True, True), (size, count)


@pytest.mark.parametrize("sent", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("is_after_the_answer", [False, True])
def test_an_attack_ends_soon(sent: Callable[[], Iterator[bytes]], is_after_the_answer: bool) -> None:
    """While a page comes, and between two: a frame takes some 20 us, so all of them take a tenth of a second."""
    session = asked()
    if is_after_the_answer:
        session.feed(head(flags=END_STREAM))
    attacked(session, sent())


@pytest.mark.parametrize("name", ["bomb", "continuation", "in one frame"])
def test_an_attack_takes_little_memory(name: str) -> None:
    tracemalloc.start()
    try:
        attacked(asked(), ATTACKS[name]())
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
