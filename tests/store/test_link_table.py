"""Outlinks as they were written, against the plain lists that they were written from."""

import random
from pathlib import Path

import numpy as np
import pytest
from support.sites import rows
from support.stored_pages import add_pages

from minicrawl.sizes import Sizes
from minicrawl.store.link_table import Links
from minicrawl.store.links import LinkGraph, to_bytes
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

SIZE = 40


def packed(targets: list[int]) -> bytes:
    return to_bytes(np.array(targets, dtype=np.int32))


def web() -> dict[int, list[int]]:
    rng = random.Random(3)
    return {page: rng.sample(range(SIZE), rng.randint(0, 9)) for page in range(0, SIZE, 2)}


def written(writer: Writer, outlinks: dict[int, list[int]]) -> None:
    add_pages(writer, [f"http://a.test/{page}" for page in range(SIZE)])
    with writer.transaction():
        writer.save_links(Links(page, packed(targets), 0, 0) for page, targets in outlinks.items())


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
        assert (table.row(1), table.row(2)) == (None, Links(2, packed(outlinks[2]), 0, 0))
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
            writer.save_links([Links(4, packed([5]), 0, 0, packed([7, 6]))])
    found: dict[int, list[int]] = {}
    for source, target in rows(tmp_path / "crawl.db", "SELECT source, target FROM link_pairs"):
        found.setdefault(source, []).append(target)
    assert found == {0: [0, 1, 39], 2: [38], 3: [3, 0], 4: [7, 6], 5: large}
    with open_store(tmp_path / "crawl.db", Sizes(link_rows=2)) as store:
        on_pages = {page: targets for block in store.link_table.on_pages() for page, targets in lists(block).items()}
    assert {page: targets for page, targets in on_pages.items() if targets} == found
