"""HITS near the pages that agree."""

import numpy as np
import pytest
from support.searching import found, indexed, page

from minicrawl.search.neighbourhood import authorities_near
from minicrawl.search.searched_store import open_store

A, B = "http://a.test/", "http://b.test/"


def test_page_that_others_of_the_topic_link_to_is_the_authority(tmp_path):
    hubs = {f"http://h{i}.test/": page(f"Zebra list {i}", f"zebra{i} zebra", (B, "see")) for i in range(4)}
    store = indexed({A: page("Zebra", "zebra alone"), B: page("Zebra", "zebra of all"), **hubs}, tmp_path / "crawl.db")
    with open_store(store) as reader:
        pages = reader.page_table.find([A, B, *hubs])
        near = authorities_near(reader, dict.fromkeys(pages.values(), 1.0), "zebra")
        assert near[pages[B]] == 1.0
        assert near.get(pages[A], 0.0) == 0.0
        assert authorities_near(reader, {}, "zebra") == {}
    best = found(store, "zebra", rank="hits", weight=0.5).pages[0]
    assert (best.url, best.place) == (B, 1.0)


def test_links_weigh_by_the_words_of_the_query_around_them(tmp_path):
    hubs = {
        f"http://h{i}.test/": page(f"Zebra list {i}", f"zebra{i}", (A, "some animal"), (B, f"{word} of {i}"))
        for i, word in enumerate(["zebra", "lion", "a zebra", "Zebra, zebra"])
    }
    store = indexed({A: page("A", "a"), B: page("B", "b"), **hubs}, tmp_path / "crawl.db")
    with open_store(store) as reader:
        pages = reader.page_table.find([A, B, *hubs])
        similarity = dict.fromkeys(pages.values(), 1.0)
        # Links to B weigh 2, 1, 2 and 3, those to A 1 each, whatever the words beside them are.
        w = np.array([[1, 2], [1, 1], [1, 2], [1, 3]])
        a = np.linalg.eigh(w.T @ w)[1][:, -1]
        near = authorities_near(reader, similarity, "zebra")
        assert near[pages[B]] == 1.0
        assert near[pages[A]] == pytest.approx(a[0] / a[1])
        assert authorities_near(reader, similarity, "nothing")[pages[A]] == pytest.approx(1.0)
