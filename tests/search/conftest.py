"""What the tests of searches share."""

import sqlite3
from collections.abc import Iterator

import pytest

from minicrawl.search.index.index_file import SCHEMA


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """An index without anything in it."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(SCHEMA)
    yield db
    db.close()
