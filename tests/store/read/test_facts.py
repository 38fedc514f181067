"""Facts of pages as columns."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.sites import crawl

from minicrawl.crawler.html.facts import name_hash
from minicrawl.store.read.facts import FactColumns
from minicrawl.store.reader import Store, open_store
from minicrawl.store.rows import FactsRow
from minicrawl.store.writer import Writer

HOME = "http://a.test/"


def row(page: int, names: list[str], links: list[tuple[int, str]]) -> FactsRow:
    ids = np.array(sorted(map(name_hash, names)), dtype="<u4").tobytes()
    fragments = np.array([(target, name_hash(name)) for target, name in links], dtype="<u4").tobytes()
    numbers = dict.fromkeys(("h1s", "titles", "skips", "images", "without_alt", "bad_json_ld"), page % 3)
    flags = dict.fromkeys(("viewport", "hsts", "is_cut"), page % 2 == 1)
    texts = {name: f"{name} {page}" if page % 4 else None for name in ("description", "h1", "language", "mixed")}
    columns: dict[str, Any] = numbers | flags | texts
    return FactsRow(page=page, ids=ids, fragments=fragments, names=" ".join(name for _, name in links), **columns)


def test_an_empty_table_has_empty_columns(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        assert not store.facts.is_there()
        assert [len(column) for column in store.facts.columns()] == [0] * len(FactColumns._fields)
        assert list(store.facts.named_parts()) == []
        assert store.facts.links_to_parts(0) == []


@pytest.mark.parametrize("seed", range(3))
def test_columns_and_parts_are_those_of_the_rows(seed: int, tmp_path: Path) -> None:
    rng, path = random.Random(seed), tmp_path / "crawl.db"
    crawl({HOME: []}, path, [HOME])
    rows = [
        row(
            page,
            rng.sample(["a", "b", "c d", "e"], rng.randrange(4)),
            [(rng.randrange(50), rng.choice("abxy")) for _ in range(rng.randrange(4))],
        )
        for page in rng.sample(range(5_000), 3_000)
    ]
    with Writer(path) as writer, writer.transaction():
        writer.save_facts(rows, [])
    with open_store(path) as store:
        check(store, sorted(rows))


def check(store: Store, rows: list[FactsRow]) -> None:
    assert store.facts.is_there()
    columns = store.facts.columns()
    assert columns.has_description.tolist() == [one.description is not None for one in rows]
    assert columns.has_language.tolist() == [one.language is not None for one in rows]
    for name in set(FactColumns._fields) - {"has_description", "has_language"}:
        assert getattr(columns, name).tolist() == [getattr(one, name) for one in rows], name
    for name in ("description", "h1", "language", "mixed"):
        texts = [(one.page, getattr(one, name)) for one in rows if getattr(one, name) is not None]
        assert list(store.facts.texts(name)) == texts
    parts = list(store.facts.named_parts())
    assert len(parts) > 1, "some at a time"
    named = [pair for some in parts for pair in zip(some.page.tolist(), some.name.tolist(), strict=True)]
    assert named == [(one.page, int(name)) for one in rows for name in np.frombuffer(one.ids, "<u4")]
    links = [link for some in parts for link in zip(*(each.tolist() for each in some[2:]), strict=True)]
    expected = []
    for one in rows:
        for target, name in store.facts.links_to_parts(one.page):
            expected.append((one.page, target, name_hash(name)))
        assert len(store.facts.links_to_parts(one.page)) == len(one.names.split())
    assert links == expected
