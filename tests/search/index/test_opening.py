"""The index of a store, opened to be brought up to date."""

import pytest
from support.searching import indexed, page, urls
from support.sites import crawl

from minicrawl.errors import SettingError, StoreError
from minicrawl.search.index.index_file import index_path
from minicrawl.search.index.opening import following, need_texts

A = "http://a.test/"


def test_rebuilding_takes_the_place_of_an_index_whatever_is_wrong_with_it(tmp_path):
    store = indexed({A: page("Zebra", "zebra")}, tmp_path / "crawl.db")
    index_path(store).write_bytes(b"broken" * 1_000)
    with pytest.raises(StoreError, match="--rebuild"), following(store):
        pass
    with following(store, rebuild=True) as follower:
        follower.catch_up()
    assert urls(store, "zebra") == [A]


def test_two_do_not_write_at_once(tmp_path):
    store = indexed({A: page("Zebra", "zebra")}, tmp_path / "crawl.db")
    with following(store), pytest.raises(StoreError, match="another process"), following(store):
        pass


def test_store_without_texts_is_told_apart(tmp_path):
    crawl({A: []}, tmp_path / "bare.db", [A])
    with pytest.raises(SettingError, match="has no texts"):
        need_texts(tmp_path / "bare.db")
    need_texts(indexed({A: page("x", "y")}, tmp_path / "crawl.db"))
