"""Hosts that refuse HTTP/1.1, and hosts that seem to: which of them are asked by HTTP/2."""

import asyncio

import pytest
from support.http2_server import Http2Server, fetched_from, hello
from support.misbehaving import answer
from support.raw_server import Server
from support.raw_server import fetched_from as fetched_in_the_clear

A, B, C = (f"https://h.test/{path}" for path in "abc")
EMPTY = "\r\nContent-Length: 0\r\n\r\n"
REFUSALS = {
    "TLS alert": (True, "alert"),
    "end without a byte, TLS": (True, "silence"),
    "frames, TLS": (True, "frames"),
    "frames, no TLS": (False, "frames"),
    "426, TLS": (True, f"HTTP/1.1 426 Upgrade Required\r\nUpgrade: h2{EMPTY}"),
    "426, no TLS": (False, f"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket, HTTP/2.0{EMPTY}"),
    "505": (True, f"HTTP/1.1 505 HTTP Version Not Supported{EMPTY}"),
}


@pytest.mark.parametrize(("tls", "refusal"), REFUSALS.values(), ids=REFUSALS)
def test_a_host_that_refuses_http_1_is_asked_by_http_2_from_then_on(tls: bool, refusal: str) -> None:
    server = Http2Server(hello, tls=tls, refusal=refusal)
    urls = [A, B, C] if tls else [url.replace("https", "http") for url in (A, B, C)]
    found = fetched_from(server, *urls)
    assert [(each.status, each.body) for each in found] == [(200, f"hello /{path}".encode()) for path in "abc"]
    assert server.protocols == ["", "h2", "h2", "h2"]  # once refused


NO_REFUSALS = {
    "426 for another protocol": (False, f"HTTP/1.1 426 No\r\nUpgrade: websocket, h2o, TLS/1.2{EMPTY}", 426),
    "426 for nothing": (True, f"HTTP/1.1 426 No{EMPTY}", 426),
    "505 without TLS": (False, f"HTTP/1.1 505 No{EMPTY}", 505),
    "403": (True, f"HTTP/1.1 403 No{EMPTY}", 403),
    "end without a byte and TLS": (False, "silence", None),
}


@pytest.mark.parametrize(("tls", "refusal", "status"), NO_REFUSALS.values(), ids=NO_REFUSALS)
def test_any_other_answer_is_the_answer(tls: bool, refusal: str, status: int | None) -> None:
    server = Http2Server(hello, tls=tls, refusal=refusal)
    found = fetched_from(server, *[A if tls else A.replace("https", "http")] * 2)
    assert [each.status for each in found] == [status] * 2
    assert set(server.protocols) == {""}


NEITHER = {
    "alert": (True, "alert", "tls"),
    "silence": (True, "silence", "reset"),
    "505": (*REFUSALS["505"], None),
    "426": (*REFUSALS["426, no TLS"], None),
}


@pytest.mark.parametrize(("tls", "refusal", "reason"), NEITHER.values(), ids=NEITHER)
def test_a_host_that_refuses_both_is_found_out_once(tls: bool, refusal: str, reason: str | None) -> None:
    """By HTTP/1.1 and HTTP/2, then by HTTP/1.1 alone: two connections for the first page, one for the next."""
    server = Http2Server(hello, tls=tls, refusal=refusal, speaks=False)
    found = fetched_from(server, *(url if tls else url.replace("https", "http") for url in (A, B)))
    assert [each.reason for each in found] == [reason] * 2
    assert server.protocols == [""] * 3


UPGRADE = answer(b"", "Upgrade: h2c", status="426 Upgrade Required")
NUL = b"\0" * 20


@pytest.mark.parametrize("odd", [UPGRADE, NUL], ids=["426", "NUL"])
@pytest.mark.parametrize("to_http2", [answer(b"", status="400 Bad Request"), b""], ids=["400", "silence"])
def test_one_odd_answer_does_not_take_the_other_pages_of_a_host(odd: bytes, to_http2: bytes) -> None:
    """As of a server that speaks HTTP/1.1 alone, and ends each connection."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await server.head(reader)
        writer.write(to_http2 if asked.startswith(b"PRI") else odd if b"/b" in asked else answer(b"hello"))
        writer.close()

    server = Server(talk)
    found = fetched_in_the_clear(server, *(url.replace("https", "http") for url in (A, B, C)))
    expected = (426, None) if odd == UPGRADE else (None, "bad-response")
    assert [(each.status, each.reason) for each in found] == [(200, None), expected, (200, None)]
    assert sum(head.startswith(b"PRI") for head in server.heads) == 1
