"""Files without their coding, and what is done about damage in it."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from minicrawl.archive.reading import MOST_KEPT, PIECE, Unpacked

LONG = bytes(range(256)) * (3 * PIECE // 256)


def stretches(path: Path) -> Iterator[bytes]:
    """The unpacked bytes of a file, in stretches."""
    with path.open("rb") as file:
        source = Unpacked(file, path.name, 0, path.stat().st_size)
        is_over = False
        while not is_over:
            source.has(MOST_KEPT)
            yield bytes(source.window)
            source.drop(len(source.window))
            is_over = source.fault is None
            source.resume()


def test_members_follow_each_other_up_to_the_next_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    torn = gzip.compress(LONG[::-1] + b"?")[:-9]
    path.write_bytes(gzip.compress(b"a") + b"\r\n" + gzip.compress(LONG) + torn + gzip.compress(b"b"))
    first, second, *rest = stretches(path)
    assert first.startswith(b"a" + LONG)
    assert (second, rest) == (b"b", [])


@pytest.mark.parametrize("packs", [bytes, gzip.compress])
def test_bytes_are_dropped_before_they_are_read(packs: type[bytes], tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(packs(LONG + b"end"))
    with path.open("rb") as file:
        source = Unpacked(file, path.name, 0, path.stat().st_size)
        assert source.has(5)
        assert source.drop(len(LONG))
        assert (source.has(4), bytes(source.window)) == (False, b"end")
        assert not source.drop(4)


def test_a_place_is_found_again_behind_any_number_of_members(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    member, size = gzip.compress(b"tiny "), 5
    path.write_bytes(member * 30_000)
    with path.open("rb") as file:
        source = Unpacked(file, path.name, 0, path.stat().st_size)
        for number in (9, 20_000):
            source.has(number * size + 1)
            source.drop(number * size - source.gone)
            start, within = source.place
            assert start + within // size * len(member) == number * len(member)
