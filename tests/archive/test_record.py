"""WARC records byte for byte."""

import gzip
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.archive import record

ID, FILE = "urn:uuid:1", "urn:uuid:0"
BOTH = record.sides("http://h.test/a", 1000000000.000001, "127.0.0.1", FILE)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
DIGEST = hashlib.sha1(b"hi").digest()


def test_a_response_is_these_bytes() -> None:
    packed = record.response(ID, BOTH, HEAD, b"hi", DIGEST, truncated=None, is_packed=False)
    block = record.sha1(hashlib.sha1(HEAD + b"hi").digest())
    assert gzip.decompress(packed).decode() == (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2001-09-09T01:46:40.000001Z\r\n"
        "WARC-Target-URI: http://h.test/a\r\nWARC-IP-Address: 127.0.0.1\r\nWARC-Warcinfo-ID: <urn:uuid:0>\r\n"
        f"WARC-Payload-Digest: {record.sha1(DIGEST)}\r\nWARC-Block-Digest: {block}\r\n"
        "Content-Type: application/http;msgtype=response\r\nContent-Length: 40\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"
    )


def test_a_revisit_has_the_head_and_says_whose_body_it_would_have() -> None:
    packed = record.revisit(ID, BOTH, HEAD, DIGEST, record.SAME_PAYLOAD, ("http://h.test/b", 1.0))
    text = gzip.decompress(packed).decode()
    assert "WARC-Type: revisit\r\n" in text
    assert f"WARC-Profile: {record.SAME_PAYLOAD}\r\n" in text
    assert "WARC-Refers-To-Target-URI: http://h.test/b\r\nWARC-Refers-To-Date: 1970-01-01T00:00:01.000000Z\r\n" in text
    assert text.endswith(f"Content-Length: {len(HEAD)}\r\n\r\n{HEAD.decode()}\r\n\r\n")


@given(st.binary(max_size=300), st.sampled_from([0, 1, 65535, 65536, 200_000]), st.booleans())
def test_a_member_is_what_went_in(head: bytes, size: int, is_packed: bool) -> None:
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    assert gzip.decompress(record.member(head, body, is_packed=is_packed)) == head + body


def test_a_body_in_a_coding_takes_hardly_more_than_itself() -> None:
    body = hashlib.shake_256(b"").digest(200_000)
    assert len(record.member(b"", body, is_packed=True)) < len(body) + 60


# Heads as they come, and what is kept of them for a body of 5 bytes. For others see crawler/archiving/test_capture.py.
HEADS = {
    "said twice": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-length:5\r\n\r\n", None),
    "chunked": (
        b"HTTP/1.1 200 OK\r\nTRANSFER-encoding: chunked\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Orig-TRANSFER-encoding: chunked\r\nA: b\r\nContent-Length: 5\r\n\r\n",
    ),
    "chunked, with a length": (
        b"HTTP/1.1 200 OK\r\nContent-Length : 9\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Orig-Content-Length : 9\r\nX-Orig-Transfer-Encoding: chunked\r\n"
        b"Content-Length: 5\r\n\r\n",
    ),
    "cut": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Orig-Content-Length: 500\r\nContent-Length: 5\r\n\r\n",
    ),
    "line feeds alone, chunked": (
        b"HTTP/1.1 200 OK\nTransfer-Encoding:\n chunked\n\n",
        b"HTTP/1.1 200 OK\nX-Orig-Transfer-Encoding:\n chunked\nContent-Length: 5\r\n\n",
    ),
    "folded, not ASCII": (b"HTTP/1.0 200 \xe9\r\nX-A: b\r\n Content-Length: 9\r\nX-\xff: \x80\r\n\r\n", None),
}


@pytest.mark.parametrize("case", HEADS)
def test_a_head_is_kept_as_it_came_but_for_its_framing(case: str) -> None:
    head, kept = HEADS[case]
    assert record.honest(head, 200, 5) == (head if kept is None else kept)


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_a_body_may_give_the_length_of_another(status: int) -> None:
    head = b"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n"
    assert record.honest(head, status, 0) == head


def test_fields_that_may_be_secret_are_left_out_with_their_folds() -> None:
    head = b"GET /a:b HTTP/1.1\r\nHost: h\r\nCOOKIE : a=b\r\n\tc=d\r\nX: cookie: y\r\nAuthorization: z\r\n\r\n"
    left = record.without(head, frozenset({b"cookie", b"authorization"}))
    assert left == b"GET /a:b HTTP/1.1\r\nHost: h\r\nX: cookie: y\r\n\r\n"
