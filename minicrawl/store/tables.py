"""Queries of a store, and rows as named tuples whose fields are columns."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl.sizes import Sizes
from minicrawl.store.database import damaged, is_held, store_errors
from minicrawl.store.declaration import MetaValue, columns, table

Row = TypeVar("Row", bound=NamedTuple)
Number = TypeVar("Number", np.int64, np.float64)
Columns = dict[str, npt.NDArray[Any]]
"""Arrays of the same length, by the names of columns."""
_AT_ONCE = 1_000
"""Rows of `each` that are in memory at a time."""
_LEAST_ROW = 16
"""Minimum bytes of a page."""

COMMIT = "commit"
"""Key of meta: how many commits the store has. Before that for each of the last times that it was opened to be written
to how many it had, and random digits: so a copy that was put back, and has gone another way, is told from the original.
"""

table("meta", "single values, by name", keys="key", key=str, value=MetaValue)


class Tables:
    """Queries one SQLite connection. Every query sees the last commit, or that of its snapshot."""

    def __init__(self, path: Path, db: sqlite3.Connection, sizes: Sizes) -> None:
        self.path = path
        self.db = db
        self.sizes = sizes
        self.errors = store_errors(path)
        self.hash_key = b""
        """Key of the URL hashes, unique to the store."""

    def close(self) -> None:
        with self.errors:
            self.db.close()

    def is_in_use(self) -> bool:
        """True if a crawl writes to the store right now."""
        return is_held(self.path)

    def make(self, kind: str, name: str, definition: str, rows: Iterable[Any] = (), *, index: str = "") -> None:
        """Make a temporary table or view (`kind`), or make it again; the file is unchanged. definition: "AS " and a
        query, or "(names of columns)" of a table, and `rows`. index: a column."""
        with self.errors:
            self.db.execute("PRAGMA query_only = OFF")
            try:
                self.db.execute(f"DROP {kind} IF EXISTS temp.{name}")
                self.db.execute(f"CREATE TEMP {kind} {name} {definition}")
                if definition.startswith("("):
                    marks = ", ".join("?" * (definition.count(",") + 1))
                    self.db.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
                if index:
                    self.db.execute(f"CREATE INDEX temp.{name}_{index} ON {name} ({index})")
            finally:
                self.db.execute("PRAGMA query_only = ON")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one commit inside the block, also while a crawl writes.

        A nested block reads from the outer block's commit.
        """
        with self.errors:
            is_nested = self.db.in_transaction
        if is_nested:
            yield
            return
        self.pin()
        try:
            yield
        finally:
            with self.errors:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    def pin(self) -> None:
        """Read from one commit from now on: the last one."""
        with self.errors:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            self.db.execute("BEGIN")
            self.db.execute("SELECT value FROM meta LIMIT 1")  # a transaction is as of its first query

    def define(self, name: str, function: Callable[[Any], MetaValue | bytes]) -> None:
        """Define an SQL function of one argument."""
        with self.errors:
            self.db.create_function(name, 1, function, deterministic=True)

    def rows(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        with self.errors:
            return self.db.execute(query, values).fetchall()

    def row(self, query: str, *values: Any) -> Any:
        """The first row of a result; None if it is empty."""
        with self.errors:
            return self.db.execute(query, values).fetchone()

    def value(self, query: str, *values: Any) -> Any:
        """The first value of a result; None if it is empty."""
        row = self.row(query, *values)
        return row[0] if row else None

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        """The rows of a result, read lazily."""
        return chain.from_iterable(self.blocks(query, _AT_ONCE, *values))

    def array(self, query: str, kind: type[Number]) -> npt.NDArray[Number]:
        """The numbers of all rows of a result, one after another."""
        return np.fromiter(chain.from_iterable(self.each(query)), kind)

    def blocks(self, query: str, size: int, *values: Any) -> Iterator[list[Any]]:
        """The rows of a result, `size` at a time."""
        with self.errors:
            cursor = self.db.execute(query, values)
            while rows := cursor.fetchmany(size):
                yield rows

    def columns(self, query: str, *values: Any) -> Iterator[Columns]:
        """The rows of a result as an array per column, by its name, a thousand rows at a time: so few stay in the
        processor's cache until they are turned into columns."""
        with self.errors:
            cursor = self.db.execute(query, values)
            names = [name for name, *_ in cursor.description]
            while rows := cursor.fetchmany(self.sizes.rows):
                yield dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))

    def records(self, kind: type[Row], source: str, *values: Any) -> list[Row]:
        """The rows of `source` (a table, with further clauses) as named tuples."""
        return list(map(kind._make, self.rows(f"SELECT {columns(kind)} FROM {source}", values)))

    def record(self, kind: type[Row], source: str, *values: Any) -> Row | None:
        """The first row of `source` as a named tuple; None when there is none."""
        row = self.row(f"SELECT {columns(kind)} FROM {source}", *values)
        return kind._make(row) if row else None

    def meta(self, key: str) -> MetaValue:
        value: MetaValue = self.value("SELECT value FROM meta WHERE key = ?", key)
        return value

    @property
    def is_exhausted(self) -> bool:
        """True if the last run stopped because nothing was left to fetch."""
        return self.meta("stopped") == "nothing-left"

    def size(self) -> int:
        """Number of known pages."""
        size = self.value("SELECT coalesce(max(id) + 1, 0) FROM pages")
        octets = self.value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        if not 0 <= size <= octets // _LEAST_ROW:  # arrays of this size would be allocated
            raise damaged(self.path, f"it has a page with the number {size - 1}")
        return int(size)


class Subject:
    """Questions on some tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables


def quoted(name: str) -> str:
    """An identifier, for SQL. Raises ValueError for anything else."""
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no name of a table or a column")
    return f'"{name}"'
