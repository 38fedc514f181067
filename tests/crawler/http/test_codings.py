"""Content codings undone, in whatever pieces a body comes. What comes of them in a request: see test_fetch."""

import gzip
import random
import zlib

import brotli
import pytest

from minicrawl.crawler.http.body import decoder
from minicrawl.errors import FetchError

NOISE = random.Random(1).randbytes(3000)  # cannot be compressed


def undone(coding: str | None, *pieces: bytes) -> tuple[bytes, bool]:
    undoes = decoder(coding)
    return b"".join(out for piece in pieces for out in undoes.pieces(piece)), undoes.is_complete


@pytest.mark.parametrize("coding", [None, "", "identity", "utf-8", "gzip, klingon"])
def test_coding_that_nobody_knows_is_none(coding: str | None) -> None:
    assert undone(coding, b"hel", b"lo") == (b"hello", True)


def test_several_codings_are_undone_the_last_one_first() -> None:
    coded = gzip.compress(brotli.compress(b"hello"))
    assert undone("br, gzip", coded) == (b"hello", True)
    assert undone("br, gzip", *(coded[at : at + 1] for at in range(len(coded)))) == (b"hello", True)
    assert undone("br, gzip", gzip.compress(brotli.compress(NOISE)[:-50]))[1] is False
    assert undone("br, gzip", coded[:-3]) == (b"hello", False)
    assert undone("identity, x-gzip", gzip.compress(b"hello")) == (b"hello", True)
    with pytest.raises(FetchError) as failed:
        decoder("gzip," * 6)
    assert failed.value.reason == "undecodable"


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
