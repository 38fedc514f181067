"""Facts of pages as columns."""

import random
from pathlib import Path

import pytest
from support.sites import crawl

from minicrawl.store.facts import FactColumns, FactsRow
from minicrawl.store.reader import Store, open_store
from minicrawl.store.writer import Writer

HOME = "http://a.test/"


def row(page: int) -> FactsRow:
    text = f"text {page}" if page % 4 else None
    return FactsRow(page, text, text, page % 3, page % 5, text)


def test_an_empty_table_has_empty_columns(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        assert not store.facts.is_there()
        assert [len(column) for column in store.facts.columns()] == [0] * len(FactColumns._fields)


@pytest.mark.parametrize("seed", range(3))
def test_columns_are_those_of_the_rows(seed: int, tmp_path: Path) -> None:
    rng, path = random.Random(seed), tmp_path / "crawl.db"
    crawl({HOME: []}, path, [HOME])
    rows = [row(page) for page in rng.sample(range(5_000), 3_000)]
    with Writer(path) as writer, writer.transaction():
        writer.put(FactsRow, rows)
    with open_store(path) as store:
        check(store, sorted(rows))


def check(store: Store, rows: list[FactsRow]) -> None:
    assert store.facts.is_there()
    columns = store.facts.columns()
    assert columns.has_description.tolist() == [one.description is not None for one in rows]
    assert columns.has_language.tolist() == [one.language is not None for one in rows]
    for name in set(FactColumns._fields) - {"has_description", "has_language"}:
        assert getattr(columns, name).tolist() == [getattr(one, name) for one in rows], name
    for name in ("description", "language", "mixed"):
        texts = [(one.page, getattr(one, name)) for one in rows if getattr(one, name) is not None]
        assert list(store.facts.texts(name)) == texts
