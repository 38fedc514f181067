"""A partition shows its own pages alone, with their importance among all."""

from pathlib import Path

import pytest
from support.partition_twins import THREE, twins
from support.sites import rows

from minicrawl.cluster.folder import found
from minicrawl.store.partitions.numbers import Numbers


def test_importance_is_that_of_all_sums(tmp_path: Path) -> None:
    """X = R + V' B / sum(B), added up here as the book does."""
    folder = found(twins(tmp_path, THREE)[1])
    sums: dict[str, float] = {}
    for store in folder.stores:
        names = "'virtual', 'never_visited', 'births'"
        for name, value in rows(store, f"SELECT * FROM meta WHERE key IN ({names})"):
            sums[name] = sums.get(name, 0) + int(value)
    held = (sums["virtual"] + sums["never_visited"]) / sums["births"]
    x = {
        url: 0.0 if state == "alias" else received + held * birth
        for store in folder.stores
        for url, state, received, birth in rows(store, "SELECT url, state, cash + forwarded, birth FROM born")
        if state != "elsewhere"
    }
    with folder.opened() as stores:
        Numbers(stores)
        pages = [page for store in stores for page in store.pages("importance")]
        assert {page.url for page in pages} == x.keys() == set(THREE)
        for page in pages:
            assert page.importance == pytest.approx(x[page.url] / sum(x.values()), rel=1e-9, abs=1e-15)
        assert sum(store.united.collected() for store in stores) == pytest.approx(1.0)


def test_the_files_are_left_as_they_are(tmp_path: Path) -> None:
    folder = found(twins(tmp_path, THREE)[1])
    before = [rows(store, "SELECT * FROM sqlite_schema") for store in folder.stores]
    with folder.opened() as stores:
        mirrors = [len(store.united.mirrors().page) for store in stores]
        Numbers(stores)
    assert [rows(store, "SELECT * FROM sqlite_schema") for store in folder.stores] == before
    assert sum(mirrors) == sum(rows(store, "SELECT count(*) FROM mirrors")[0][0] for store in folder.stores) > 0
