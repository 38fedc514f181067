"""A store that can be searched, as a program opens it."""

from pathlib import Path

import pytest
from support.searching import indexed, page

import minicrawl

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
