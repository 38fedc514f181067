"""Limits of reading a body, and their reasons."""

import asyncio
import gzip
import random
import zlib
from collections.abc import Sequence, Set

import brotli
import pytest
from support.replies import undone

from minicrawl.errors import FetchError
from minicrawl.web.http.body import Body, decoder
from minicrawl.web.http.response_fields import HTML_TYPES, SNIFFED, Field
from minicrawl.web.http.transport import DISCONNECT, LENGTH, Answer, BrokenOffError


class Pieces(Answer):
    """An answer whose body comes in these pieces; None: the connection breaks."""

    request = head = b""
    status, asked_at, peer, protocol = 200, 0.0, None, "http/1.1"
    fields: Sequence[Field] = ()

    def __init__(self, *pieces: bytes | None, tells_end: bool = False) -> None:
        self.left = list(pieces)
        self.tells_end = tells_end

    @property
    def is_read(self) -> bool:
        return self.tells_end and not self.left

    @property
    def ahead(self) -> bytes:
        return b""

    async def read(self) -> bytes:
        piece = self.left.pop(0) if self.left else b""
        if piece is None:
            raise BrokenOffError("reset")
        return piece

    async def aclose(self) -> None:
        pass


def decoded(
    body: Body, most: int = 100, coding: str | None = None, *, only: Set[str] | None = None
) -> tuple[bytes, bool]:
    return asyncio.run(body.decoded(coding, most, only=only))


def test_no_more_is_read_than_is_wanted() -> None:
    answer = Pieces(b"x" * 60, b"x" * 60, b"x" * 60)
    body = Body(answer, kept=50)
    assert decoded(body) == (b"x" * 100, True)
    assert len(answer.left) == 1
    assert body.as_sent() == (b"x" * 60, LENGTH)


@pytest.mark.parametrize("tells_end", [True, False])
def test_what_came_whole_is_not_marked_as_cut(tells_end: bool) -> None:
    """The last piece exceeds what is wanted, but nothing is missing: if that is known without reading on."""
    missing = None if tells_end else LENGTH
    body = Body(Pieces(b"x" * 60, b"x" * 60, tells_end=tells_end), kept=100)
    assert decoded(body) == (b"x" * 100, True)
    assert body.as_sent() == (b"x" * 120, missing)
    body = Body(Pieces(b"x" * 60, b"x" * 60, tells_end=tells_end), kept=100)
    asyncio.run(body.rest(100))
    assert body.as_sent() == (b"x" * 120, missing)
    stored = gzip.compress(b"y" * 90, compresslevel=0)
    body = Body(Pieces(stored, tells_end=tells_end), kept=len(stored))
    assert decoded(body, most=95, coding="gzip") == (b"y" * 90, not tells_end)
    assert body.as_sent() == (stored, missing)
    more = Body(Pieces(b"x" * 120, b"x", tells_end=True), kept=100)
    assert decoded(more) == (b"x" * 100, True)
    assert more.as_sent() == (b"x" * 120, LENGTH)


def test_body_that_is_no_html_is_read_until_that_is_seen() -> None:
    answer = Pieces(b"x" * SNIFFED, b"more")
    assert decoded(Body(answer, kept=0), most=10**4, only=HTML_TYPES) == (b"x" * SNIFFED, False)
    assert answer.left == [b"more"]


def test_what_came_before_the_connection_broke_counts() -> None:
    body = Body(Pieces(b"hel", None), kept=100)
    assert decoded(body) == (b"hel", True)
    assert body.as_sent() == (b"hel", DISCONNECT)
    with pytest.raises(BrokenOffError):
        decoded(Body(Pieces(None), kept=100))


def test_rest_that_breaks_is_nobodys_trouble() -> None:
    body = Body(Pieces(None), kept=100)
    asyncio.run(body.rest(100))
    assert body.unread is DISCONNECT


def test_pieces_are_passed_on_until_nobody_wants_more() -> None:
    taken: list[bytes] = []

    async def take(piece: bytes) -> bool:
        taken.append(piece)
        return len(taken) < 2

    body = Body(Pieces(b"a", b"b", b"c"), kept=0)
    assert not asyncio.run(body.pass_on(None, take))
    assert (taken, body.unread) == ([b"a", b"b"], LENGTH)


# Content codings undone, in whatever pieces a body comes. What comes of them in a request: see test_replies.


NOISE = random.Random(1).randbytes(3000)  # cannot be compressed


def test_several_codings_are_undone_the_last_one_first() -> None:
    coded = gzip.compress(brotli.compress(b"hello"))
    assert undone("br, gzip", coded) == (b"hello", True)
    assert undone("br, gzip", *(coded[at : at + 1] for at in range(len(coded)))) == (b"hello", True)
    assert undone("br, gzip", gzip.compress(brotli.compress(NOISE)[:-50]))[1] is False
    assert undone("br, gzip", coded[:-3]) == (b"hello", False)


def test_what_is_between_two_codings_is_bounded() -> None:
    """Frames of zstd that hold nothing: nobody who takes what comes out would ever stop."""
    nothing = b"\x50\x2a\x4d\x18" + (2**20).to_bytes(4, "little") + bytes(2**20)
    packer, undoes = zlib.compressobj(9, zlib.DEFLATED, 31), decoder("zstd, gzip")
    with pytest.raises(FetchError, match="between two codings"):
        for _ in range(100):
            assert list(undoes.pieces(packer.compress(nothing))) == []


def test_all_comes_out_of_brotli_in_whatever_pieces_it_came() -> None:
    coded = brotli.compress(bytes(3_000_000))
    for size in (1, 7, len(coded)):
        assert undone("br", *(coded[at : at + size] for at in range(0, len(coded), size))) == (bytes(3_000_000), True)


def test_head_without_end_is_not_kept() -> None:
    with pytest.raises(FetchError, match="head without end"):
        undone("gzip", b"\x1f\x8b\x08\x08" + b"n" * 300_000)
