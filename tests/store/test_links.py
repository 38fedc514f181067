"""Outlinks as bytes and back, and graphs of them; and as they were written, against plain lists."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import rows
from support.stored_pages import add_pages

from minicrawl.sizes import Sizes
from minicrawl.store.link_table import Links
from minicrawl.store.links import LinkGraph, are_places, from_bytes, placed, places_to_bytes, to_bytes, to_graph
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def as_bytes(*pages: int) -> bytes:
    return to_bytes(np.array(pages, dtype=np.int32))


def test_links_are_four_bytes_each_little_endian_in_their_order() -> None:
    assert as_bytes(1, 258) == b"\1\0\0\0\2\1\0\0"
    assert from_bytes(as_bytes(7, 3, 2**31 - 1)).tolist() == [7, 3, 2**31 - 1]
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
    links = placed(as_bytes(*range(len(places))), blob)
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
    graph = to_graph([(page, as_bytes(*range(len(some))), packed(some)) for page, some in enumerate(pages)], 30)
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


SIZE = 40


def web() -> dict[int, list[int]]:
    rng = random.Random(3)
    return {page: rng.sample(range(SIZE), rng.randint(0, 9)) for page in range(0, SIZE, 2)}


def written(writer: Writer, outlinks: dict[int, list[int]]) -> None:
    add_pages(writer, [f"http://a.test/{page}" for page in range(SIZE)])
    with writer.transaction():
        writer.save_links(Links(page, as_bytes(*targets), 0, 0) for page, targets in outlinks.items())


def lists(graph: LinkGraph) -> dict[int, list[int]]:
    ends = graph.indptr.tolist()
    return {
        source: graph.targets[start:end].tolist()
        for source, start, end in zip(graph.sources.tolist(), ends, ends[1:], strict=False)
    }


@pytest.mark.parametrize("sizes", [Sizes(), Sizes(link_rows=3, links=10)], ids=["in memory", "on disk"])
def test_the_graph_is_what_was_written_in_one_or_in_blocks(tmp_path: Path, sizes: Sizes) -> None:
    outlinks = web()
    with Writer(tmp_path / "crawl.db", sizes) as writer:
        written(writer, outlinks)
        table = writer.link_table
        assert lists(table.graph()) == outlinks
        assert table.graph().size == SIZE
        assert table.count() == sum(map(len, outlinks.values()))
        assert all(table.outlinks(page).tolist() == outlinks.get(page, []) for page in range(SIZE))
        assert (table.row(1), table.row(2)) == (None, Links(2, as_bytes(*outlinks[2]), 0, 0))
        with table.kept_blocks() as blocks:
            for _ in range(2):  # as often as it is called
                assert {page: targets for block in blocks() for page, targets in lists(block).items()} == outlinks


def test_view_has_the_links_as_they_stand_on_pages(tmp_path: Path) -> None:
    """Whatever bytes a number is made of; of an alias that is a page, its own links."""
    large = [0x7F00FF80, 0x01020304, 255, 256, 65535, 65536, 16777216]
    numbers = {0: [0, 1, 39], 1: [], 2: [38], 3: [3, 0], 5: large}
    with Writer(tmp_path / "crawl.db") as writer:
        written(writer, numbers)
        with writer.transaction():
            writer.save_links([Links(4, as_bytes(5), 0, 0, as_bytes(7, 6))])
    found: dict[int, list[int]] = {}
    for source, target in rows(tmp_path / "crawl.db", "SELECT source, target FROM link_pairs"):
        found.setdefault(source, []).append(target)
    assert found == {0: [0, 1, 39], 2: [38], 3: [3, 0], 4: [7, 6], 5: large}
    with open_store(tmp_path / "crawl.db", Sizes(link_rows=2)) as store:
        on_pages = {page: targets for block in store.link_table.on_pages() for page, targets in lists(block).items()}
    assert {page: targets for page, targets in on_pages.items() if targets} == found
