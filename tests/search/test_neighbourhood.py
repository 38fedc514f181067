"""HITS near the pages that agree."""

from searching import found, indexed, page

from minicrawl.search.neighbourhood import authorities_near
from minicrawl.search.searched_store import open_store

A, B = "http://a.test/", "http://b.test/"


def test_page_that_others_of_the_topic_link_to_is_the_authority(tmp_path):
    hubs = {f"http://h{i}.test/": page(f"Zebra list {i}", f"zebra{i} zebra", (B, "see")) for i in range(4)}
    store = indexed({A: page("Zebra", "zebra alone"), B: page("Zebra", "zebra of all"), **hubs}, tmp_path / "crawl.db")
    with open_store(store) as reader:
        pages = reader.page_table.find([A, B, *hubs])
        near = authorities_near(reader, dict.fromkeys(pages.values(), 1.0))
        assert near[pages[B]] == 1.0
        assert near.get(pages[A], 0.0) == 0.0
        assert authorities_near(reader, {}) == {}
    best = found(store, "zebra", rank="hits", weight=0.5).pages[0]
    assert (best.url, best.place) == (B, 1.0)
