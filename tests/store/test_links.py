"""Outlinks as bytes and back, and graphs of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.store.links import are_places, from_bytes, placed, places_to_bytes, to_bytes, to_graph


def targets(*pages: int) -> bytes:
    return to_bytes(np.array(pages, dtype=np.int32))


def test_links_are_four_bytes_each_little_endian_in_their_order() -> None:
    assert targets(1, 258) == b"\1\0\0\0\2\1\0\0"
    assert from_bytes(targets(7, 3, 2**31 - 1)).tolist() == [7, 3, 2**31 - 1]
    assert from_bytes(b"").tolist() == []


PLACES = st.lists(st.integers(0, 2), max_size=21)


def packed(places: list[int]) -> bytes | None:
    return places_to_bytes(np.array(places, dtype=np.uint8))


def test_places_are_two_bits_each_the_first_lowest() -> None:
    assert packed([1, 0, 2, 1, 2]) == bytes([0b01_10_00_01, 0b10])
    assert packed([2, 2, 2]) is packed([0]) is packed([]) is None


@given(places=PLACES)
def test_places_come_back_unless_all_are_alike(places: list[int]) -> None:
    blob = packed(places)
    links = placed(targets(*range(len(places))), blob)
    assert links.targets.tolist() == list(range(len(places)))
    if len(set(places)) < 2:
        assert (blob, links.places) == (None, None)
    else:
        assert links.places is not None
        assert links.places.tolist() == places
        assert blob is not None
        assert len(blob) == -(-len(places) // 4)
        assert are_places(blob, len(places))
        assert not are_places(blob + b"\0", len(places))
        assert not are_places(blob[:-1], len(places))
        assert not are_places(bytes([blob[0] | 3]) + blob[1:], len(places))


@given(pages=st.lists(PLACES, max_size=8))
def test_graph_has_the_places_of_every_page(pages: list[list[int]]) -> None:
    graph = to_graph([(page, targets(*range(len(some))), packed(some)) for page, some in enumerate(pages)], 30)
    expected = [place if len(set(some)) > 1 else 0 for some in pages for place in some]
    if any(expected):
        assert graph.places is not None
        assert graph.places.tolist() == expected
        some_rows = np.arange(0, len(pages), 2)
        kept = graph.rows(some_rows)
        assert kept.places is not None
        assert kept.places.tolist() == [
            place if len(set(pages[row])) > 1 else 0 for row in some_rows for place in pages[row]
        ]
    else:
        assert graph.places is None
