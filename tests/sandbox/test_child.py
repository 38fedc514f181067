"""A child at the other end of its pipes."""

import io
import sys
from typing import Any

from msgspec.msgpack import decode

from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.child import LENGTH, line_of, packed, serve, trace_of


def answers(sent: bytes) -> list[Any]:
    """Pass these bytes to a child in this process, and return its answer."""
    written = io.BytesIO()
    serve(io.BytesIO(sent), written)
    written.seek(0)
    found = list[Any]()
    while head := written.read(LENGTH.size):
        found.append(decode(written.read(LENGTH.unpack(head)[0])))
    return found


OPENING = packed(("operator:floordiv", sys.path, Cage(1 << 62, network=True)))


def test_each_call_has_its_answer() -> None:
    ready, seven, failed = answers(OPENING + packed((15, 2)) + packed((1, 0)))
    assert (ready, seven) == ([True, None], [7, None])
    assert failed[1][0].startswith("ZeroDivisionError: ")
    assert "Traceback" in failed[1][1]


def test_it_ends_quietly_when_the_crawl_is_killed_as_it_sends_something() -> None:
    sent = packed((15, 2))
    for length in range(len(sent)):
        assert answers(OPENING + sent[:length]) == [[True, None]]
    for length in range(0, len(OPENING), 10):
        assert answers(OPENING[:length]) == []


class SilentError(Exception):
    def __str__(self) -> str:
        raise MemoryError

    def __getattribute__(self, name: str) -> object:
        raise ValueError


def test_an_error_is_told_whatever_it_does_and_however_long_it_is() -> None:
    assert line_of(SilentError()) == "SilentError"
    assert trace_of(SilentError()) == ""
    assert line_of(ValueError("x" * 10**6)) == f"ValueError: {'x' * 988}..."
