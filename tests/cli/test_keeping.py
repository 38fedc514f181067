"""Rankings kept in a store."""

from pathlib import Path

import click
import numpy as np
import pytest
from support.sites import rows

from minicrawl.cli.keeping import check_free, keep
from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def test_all_are_kept_and_named(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with click.Context(click.Command("rank")):
        keep(store, {"one": np.array([0.5]), "two": np.array([0.25, 1.0])})
    kept = rows(store, "SELECT name, page, value FROM rankings ORDER BY name, page")
    assert kept == [("one", 0, 0.5), ("two", 0, 0.25), ("two", 1, 1.0)]
    assert capsys.readouterr().err == f"Kept as one, two; see 'minicrawl top --by one --store {store}'.\n"


def test_store_that_a_crawl_writes_to_is_not_free(store: Path) -> None:
    with open_store(store) as reader:
        check_free(reader, store)
        with Writer(store), pytest.raises(StoreError, match="wait for it, or leave --save out"):
            check_free(reader, store)
