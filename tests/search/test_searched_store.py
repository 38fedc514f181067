"""A store that can be searched, as a program opens it."""

from pathlib import Path

import pytest
from support.searching import indexed, page

import minicrawl
from minicrawl.errors import SettingError
from minicrawl.search.index.index_folder import remove_index

A = "http://a.test/"


def test_store_is_searched_again_and_again(tmp_path: Path) -> None:
    store = indexed({A: page("Zebra", "stripes"), f"{A}x": page("Lion", "mane")}, tmp_path / "crawl.db")
    with minicrawl.open_store(store) as reader:
        assert [found.url for found in reader.search("zebra")] == [A]
        assert [found.url for found in reader.search("lion", n=1)] == [f"{A}x"]
        assert reader.search("zebra", sites=["b.test"]) == []
        with pytest.raises(minicrawl.ConfigError, match="at least one word"):
            reader.search("-")
        assert reader.top(1)


def test_store_without_index_can_be_read(tmp_path: Path) -> None:
    store = indexed({A: page("Zebra", "stripes")}, tmp_path / "crawl.db")
    remove_index(tmp_path / "crawl.db.search")
    with minicrawl.open_store(store) as reader:
        assert reader.size() == 1
        with pytest.raises(SettingError, match="minicrawl index"):
            reader.search("zebra")
