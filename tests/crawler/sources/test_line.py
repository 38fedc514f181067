"""Messages over a line: whole, in order, of any size."""

import socket
import sys
import threading
from collections.abc import Iterator

import pytest

from minicrawl.crawler.sources.workers import Line
from minicrawl.sandbox.child import LENGTH, framed


@pytest.fixture
def ends() -> Iterator[tuple[Line, Line]]:
    one, other = socket.socketpair()
    with one, other:
        yield Line(one), Line(other)


def test_a_message_that_comes_in_pieces_is_received_once_it_is_whole() -> None:
    one, other = socket.socketpair()
    with one, other:
        line = Line(other)
        *most, last = framed(b"first") + framed(b"second")
        for octet in most:
            one.send(bytes([octet]))
            assert line.receive() in ([], [b"first"])
        one.send(bytes([last]))
        assert line.receive() == [b"second"]


def test_a_large_message_arrives_between_others(ends: tuple[Line, Line]) -> None:
    one, other = ends
    sent = [b"before", b"x" * 10_000_000, b"after"]
    sending = threading.Thread(target=lambda: list(map(one.send, sent)))
    sending.start()
    came: list[bytes] = []
    while len(came) < 3:
        came += other.receive()
    sending.join()
    assert came == sent


def test_what_came_before_the_end_is_received(ends: tuple[Line, Line]) -> None:
    one, other = ends
    one.send(b"last")
    one.close()
    assert other.receive() == [b"last"]
    with pytest.raises(EOFError):
        other.receive()


def test_a_message_of_a_length_that_none_has_ends_the_line() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(LENGTH.pack(2**63))
        with pytest.raises(EOFError):
            Line(other).receive()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what was read")
def test_a_message_is_unread_until_the_other_end_has_taken_it(ends: tuple[Line, Line]) -> None:
    one, other = ends
    assert not one.is_unread
    one.send(b"page")
    assert one.is_unread
    other.receive()
    assert not one.is_unread
