"""Content codings undone, in whatever pieces a body comes. What comes of them in a request: see test_fetch."""

import gzip
import zlib

import pytest

from minicrawl.crawler.http.codings import decoder
from minicrawl.errors import FetchError


def undone(coding: str | None, *pieces: bytes) -> tuple[bytes, bool]:
    undoes = decoder(coding)
    return b"".join(out for piece in pieces for out in undoes.pieces(piece)), undoes.is_complete


@pytest.mark.parametrize("coding", [None, "", "identity", "utf-8", "gzip, klingon"])
def test_coding_that_nobody_knows_is_none(coding: str | None) -> None:
    assert undone(coding, b"hel", b"lo") == (b"hello", True)


def test_several_codings_at_a_time_are_undecodable() -> None:
    with pytest.raises(FetchError) as failed:
        decoder("gzip, br")
    assert failed.value.reason == "undecodable"
    assert undone("identity, x-gzip", gzip.compress(b"hello")) == (b"hello", True)


def test_members_of_gzip_are_one_body_and_junk_behind_them_is_ignored() -> None:
    members = gzip.compress(b"hel") + gzip.compress(b"lo")
    assert undone("gzip", *(members[place : place + 1] for place in range(len(members)))) == (b"hello", True)
    assert undone("gzip", members + b"junk") == (b"hello", True)


def test_deflate_may_be_bare() -> None:
    assert undone("deflate", zlib.compress(b"hello")) == (b"hello", True)
    assert undone("deflate", zlib.compress(b"hello", wbits=-15)) == (b"hello", True)


def test_wrong_checksum_damages_nothing_but_completeness() -> None:
    coded = bytearray(gzip.compress(b"hello"))
    coded[-6] ^= 1
    assert undone("gzip", bytes(coded)) == (b"hello", False)


@pytest.mark.parametrize("coding", ["gzip", "zstd", "br"])
def test_what_is_not_so_coded_is_undecodable(coding: str) -> None:
    with pytest.raises(FetchError):
        undone(coding, b"<!doctype html><p>hello" * 10)


def test_head_without_end_is_not_kept() -> None:
    with pytest.raises(FetchError, match="head without end"):
        undone("gzip", b"\x1f\x8b\x08\x08" + b"n" * 300_000)
