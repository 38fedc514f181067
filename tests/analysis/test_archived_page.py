"""Archived answers of a page, read again."""

from pathlib import Path

from support.sites import crawl

from minicrawl.analysis.archived_page import home_of, page_things
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
ANVIL = '<script type="application/ld+json">{"@type": "Product", "name": "Anvil", "offers": {"price": 9.5}}</script>'


def test_page_has_the_things_of_its_last_archived_answer(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: [ANVIL, "<p>" * 9_000, "/x"], HOME + "x": ["text"]}, store, [HOME], archive=tmp_path / "archive")
    with open_store(store) as reader:
        assert page_things(reader, HOME) == [{"kind": "product", "name": "Anvil", "price": 9.5}]
        assert page_things(reader, HOME + "x") == []
        assert page_things(reader, HOME + "unknown") is None
        assert home_of(reader, HOME + "unknown") is None


def test_page_of_no_archive_or_a_lost_one_has_none(tmp_path: Path) -> None:
    crawl({HOME: [ANVIL]}, tmp_path / "plain.db", [HOME])
    crawl({HOME: [ANVIL]}, tmp_path / "archived.db", [HOME], archive=tmp_path / "archive")
    (tmp_path / "archive").rename(tmp_path / "elsewhere")
    for name in ("plain.db", "archived.db"):
        with open_store(tmp_path / name) as reader:
            assert page_things(reader, HOME) is None
