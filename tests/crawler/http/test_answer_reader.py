"""Answers as bytes: the pieces in which they come must not matter. What is read of each is in replies.py."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.effort import growth
from support.replies import TABLE

from minicrawl.crawler.http.answer_reader import AnswerReader
from minicrawl.errors import FetchError

Read = tuple[int, list[tuple[bytes, bytes]], bytes, bool, bool, bool] | str


def read(*pieces: bytes) -> Read:
    """The result of an answer, and of the connection's end behind it."""
    reader = AnswerReader()
    body = []
    try:
        for piece in pieces:
            body += reader.feed(piece)
    except FetchError as error:
        return error.reason
    followed = reader.is_followed
    whole = reader.end()
    return reader.status, reader.fields, b"".join(body), whole, followed, reader.keeps_alive


REPLIES = [reply for reply, _ in TABLE.values() if len(reply) < 5_000]


@given(reply=st.sampled_from(REPLIES), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_pieces_say_what_the_whole_says(reply: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(reply)]
    assert read(*(reply[a:b] for a, b in pairwise(places))) == read(reply)


@pytest.mark.parametrize("reply", REPLIES)
def test_bytes_one_by_one_say_what_the_whole_says(reply: bytes) -> None:
    assert read(*(reply[place : place + 1] for place in range(len(reply)))) == read(reply)


def framed(body: bytes, sizes: list[int], line_break: bytes) -> bytes:
    """The body in chunks of these sizes by turns."""
    chunks: list[bytes] = []
    at = 0
    while at < len(body):
        size = sizes[len(chunks) % len(sizes)]
        piece = body[at : at + size]
        chunks.append(b"%X%b%b%b" % (len(piece), line_break, piece, line_break))
        at += size
    return b"".join(chunks) + b"0" + 2 * line_break


@given(
    body=st.binary(max_size=300) | st.text("\r\n0;1", max_size=60).map(str.encode),
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5),
    line_break=st.sampled_from([b"\r\n", b"\n"]),
    cut=st.integers(0, 400),
)
@example(body=b"", sizes=[1], line_break=b"\n", cut=0)
def test_chunks_of_any_size_hold_the_body(body: bytes, sizes: list[int], line_break: bytes, cut: int) -> None:
    reply = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framed(body, sizes, line_break)
    assert read(reply[:cut], reply[cut:]) == (200, [(b"Transfer-Encoding", b"chunked")], body, True, False, True)


@given(junk=st.binary(max_size=200))
def test_whatever_comes_is_an_answer_or_none(junk: bytes) -> None:
    for reply in (junk, b"HTTP/1.1 200 OK\r\n" + junk, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + junk):
        assert read(reply) == read(*(reply[place : place + 1] for place in range(len(reply))))


@pytest.mark.parametrize(
    "line",
    [b"x" * 260_000, b"x " * 130_000, b" :" * 130_000, b"x:\n" * 86_000, b"\n " * 130_000, b"\r" * 260_000],
    ids=["token", "words", "colons", "fields", "folds", "carriage-returns"],
)
def test_a_long_head_takes_time_linear_in_its_length(line: bytes) -> None:
    assert growth(lambda size: read(b"HTTP/1.1 200 OK\r\n" + line[:size] + b"\r\n\r\n"), 26_000) < 1.5
