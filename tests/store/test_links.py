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
from minicrawl.store.links import LinkGraph, Links, from_bytes, linked, packed, placed, renumbered, to_bytes, to_graph
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def as_bytes(*pages: int) -> bytes:
    return to_bytes(np.array(pages, dtype=np.int32))


def test_links_are_four_bytes_each_little_endian_in_their_order() -> None:
    assert as_bytes(1, 258) == b"\1\0\0\0\2\1\0\0"
    assert from_bytes(as_bytes(7, 3, 2**30 - 1)).tolist() == [7, 3, 2**30 - 1]
    assert from_bytes(b"").tolist() == []
    assert packed(linked([1, 258], bytes([0, 2]))) == b"\1\0\0\0\2\1\0\x80"


PLACES = st.lists(st.integers(0, 2), max_size=21)


@given(places=PLACES)
def test_places_come_back_unless_all_are_alike(places: list[int]) -> None:
    blob = packed(linked(range(len(places)), bytes(places)))
    links = placed(blob)
    assert links.targets.tolist() == from_bytes(blob).tolist() == list(range(len(places)))
    assert (None if links.places is None else links.places.tolist()) == (places if len(set(places)) > 1 else None)
    others = placed(renumbered(blob, 100 - np.arange(30, dtype=np.int32)))
    assert others.targets.tolist() == [100 - page for page in range(len(places))]
    assert (others.places is None) == (links.places is None)


@given(pages=st.lists(PLACES, max_size=8))
def test_graph_has_the_places_of_every_page(pages: list[list[int]]) -> None:
    stored = [packed(linked(range(len(some)), bytes(some))) for some in pages]
    graph = to_graph(list(enumerate(stored)), 30)
    of_page = [some if len(set(some)) > 1 else [0] * len(some) for some in pages]
    for expected, known in [(of_page, graph), (of_page[::2], graph.rows(np.arange(0, len(pages), 2)))]:
        found = np.zeros(len(known.targets)) if known.places is None else known.places
        assert found.tolist() == [place for row in expected for place in row]


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
    large = [0x3F00FF80, 0x01020304, 255, 256, 65535, 65536, 16777216]
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
        on_pages = {
            page: targets for block in store.link_table.blocks(on_pages=True) for page, targets in lists(block).items()
        }
    assert {page: targets for page, targets in on_pages.items() if targets} == found
