"""A search over partitions: see tests/cli/test_one_reader.py for what it finds of a crawl."""

from pathlib import Path

import pytest
from support.partition_twins import THREE, twins
from support.sites import Site, crawl

from minicrawl.errors import SettingError
from minicrawl.search.index.following import following
from minicrawl.search.partitions import behind, search
from minicrawl.store.reader import open_store


def test_a_crawl_without_texts_is_one_sentence(tmp_path: Path) -> None:
    for path in twins(tmp_path, THREE):
        with open_store(path) as store, pytest.raises(SettingError, match="has no texts to search in"):
            search(store, "words")


def test_lag_of_the_index_is_told_once_there_is_one(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {"http://a.test/": ["/b", "words of this page"], "http://a.test/b": ["more words"]}
    crawl(site, store, ["http://a.test/"], text=True, pages=1)
    with open_store(store) as reader:
        assert behind(reader) is None
    with following(store) as follower:
        follower.catch_up()
    with open_store(store) as reader:
        assert behind(reader) == 0
    crawl(site, store, [], text=True)
    with open_store(store) as reader:
        assert behind(reader) == 1
