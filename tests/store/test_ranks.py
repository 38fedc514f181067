"""Rankings kept in a store: what is kept comes back."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, random_site, rows

from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

HOME = "http://a.test/"


def test_kept_ranking_comes_back_best_first(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/b", "/c"], HOME + "b": [HOME], HOME + "c": ["/b"]}, store, [HOME])
    with Writer(store) as writer, writer.transaction():
        writer.save_ranking("mine", np.array([0.25, 0.5, 0.25]))
        writer.save_ranking("other", np.array([1.0, 2.0, 3.0]))
    with open_store(store) as reader:
        assert reader.ranks.kept() == ["mine", "other"]
        ranked = [(page.url, value) for _, page, value in reader.ranks.best_first("mine")]
        others = [HOME, HOME + "c"] if reader.ranks.page(0).rank < reader.ranks.page(2).rank else [HOME + "c", HOME]
        assert ranked == [(HOME + "b", 0.5), *((url, 0.25) for url in others)]
        assert [page.url for _, page, _ in reader.ranks.best_first("other")] == [HOME + "c", HOME + "b", HOME]


def test_pages_in_many_rows_of_places_keep_their_order(tmp_path: Path) -> None:
    """However many are read at a time, and in whatever order they stand in the file."""
    path = tmp_path / "crawl.db"
    site, seeds = random_site(5)
    crawl(site, path, seeds)
    with open_store(path) as reader:
        assert reader.meta("is_ranked")
        ranked = [(page, row) for page, row, _ in reader.ranks.best_first("importance")]
        order = np.concatenate([pages for _, pages in reader.ranks.places()])
        assert [row for _, row in ranked] == list(reader.pages())
    rows(path, "DELETE FROM places")
    for first in range(0, len(order), 3):
        rows(path, "INSERT INTO places VALUES (?, ?)", first, order[first : first + 3].tobytes())
    with open_store(path) as reader:
        assert [(page, row) for page, row, _ in reader.ranks.best_first("importance")] == ranked
    rows(path, "UPDATE places SET pages = ? WHERE first = 0", np.array([0, 1, 10**6], dtype=np.int32).tobytes())
    with open_store(path) as reader, pytest.raises(StoreError, match="a page that has a rank is missing"):
        list(reader.ranks.best_first("importance"))
