"""A search over partitions: see tests/cli/test_one_reader.py for what it finds of a crawl."""

from pathlib import Path

import pytest
from support.partition_twins import THREE, twins

from minicrawl.errors import SettingError
from minicrawl.search.searching import search
from minicrawl.store.reader import open_store


def test_a_crawl_without_texts_is_one_sentence(tmp_path: Path) -> None:
    for path in twins(tmp_path, THREE):
        with open_store(path) as store, pytest.raises(SettingError, match="has no texts to search in"):
            search(store, "words")
