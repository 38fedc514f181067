"""What PageRank in little memory moves, against sums by hand."""

import numpy as np
import pytest
from support.shelves import MemoryShelf
from support.sites import crawl, random_site

from minicrawl.analysis.folded_aliases import folded_pages
from minicrawl.analysis.rankings.on_disk import CountedShelf, Table, pagerank_on_disk
from minicrawl.analysis.rankings.options import Options
from minicrawl.opic.surfer import parse_surfer
from minicrawl.rank.blocks import LinkRows
from minicrawl.store.reader import open_store


def test_shelf_counts_what_goes_through_it():
    shelf = CountedShelf(MemoryShelf())
    shelf.append(0, (np.zeros(3), np.zeros(2, dtype=np.int32)))
    shelf.append(0, (np.zeros(1),))
    assert (shelf.table, shelf.read_bytes, shelf.written_bytes) == (40, 0, 0)
    assert [len(arrays) for arrays in shelf.read(0)] == [2, 1]
    shelf.put(1, np.ones(5))
    assert shelf.get(1).tolist() == [1.0] * 5
    assert (shelf.table, shelf.read_bytes, shelf.written_bytes) == (40, 80, 40)


@pytest.mark.parametrize(("weights", "expected"), [(None, 2 * 20 + 3 * 4), (np.ones(3), 2 * 20 + 3 * 12)])
def test_table_in_one_piece_has_a_row_a_page_with_links(weights, expected):
    table = Table()
    rows = LinkRows(np.arange(4), np.array([2, 0, 1, 0]), np.array([1, 2, 3]), weights)
    assert len(list(table.counted([rows]))) == 1
    assert table.bytes == expected


@pytest.mark.parametrize("memory", ["800", "1MB"])
def test_count_is_near_what_was_measured(tmp_path, memory):
    """Measured is without the blocks of ranks that no link comes from, and with those of the round before."""
    site, seeds = random_site(4)
    crawl(site, tmp_path / "crawl.db", seeds)
    with open_store(tmp_path / "crawl.db") as store:
        pages = folded_pages(store)
        found = pagerank_on_disk(memory, Options(), store, pages, parse_surfer("uniform"), pages.jump)
    ranks = 8 * found.plan.size
    a_round = found.moved / found.rounds
    assert found.split_table + 2 * ranks <= a_round <= found.count + ranks
    assert found.table <= found.split_table
    assert (found.plan.blocks > 1) == (memory == "800")
    assert f"{found.plan.blocks} blocks; a round by B|S| + |D| + |L|(1 + e) = {found.plan.blocks} x" in found.cost()
