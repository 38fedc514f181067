"""Salvage of a damaged store: every row that can still be read."""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple  # Any: rows

from msgspec import ValidationError, convert

from minicrawl.errors import StoreError
from minicrawl.model import State
from minicrawl.store.database import closed_if_it_fails, logs, real_path
from minicrawl.store.pages import Fetch
from minicrawl.system import check_replaceable

_STATES = frozenset(State)
_AT_ONCE = 4_096
_LEAST_ROW = 4
"""Minimum bytes of a row: bounds the number of rows by the file's size."""


class SalvagedPage(NamedTuple):
    """A valid row of `pages`."""

    id: int
    url: str
    found_on: int | None
    state: str
    reason: str
    visited: int
    depth: int
    fetch: int | None


class DamagedStore:
    """Reads the tables of a damaged file. Unreadable rows are left out; only a file without tables is an error."""

    def __init__(self, path: Path) -> None:
        """Raises StoreError when `path` is not an SQLite file, or none of its tables can be found."""
        self.path = path
        try:
            real = real_path(path)
            check_replaceable(real)  # opening a pipe would wait for ever
            has_log = logs(real)[0].exists()
            mode = "rw" if has_log else "ro&immutable=1"
            opened = sqlite3.connect(f"{real.as_uri()}?mode={mode}", uri=True, isolation_level=None)
            with closed_if_it_fails(opened) as self._db:
                self._db.execute("PRAGMA query_only = ON")
                self._db.text_factory = lambda octets: octets.decode("utf-8", "replace")
                self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                self._most = real.stat().st_size // _LEAST_ROW
        except (sqlite3.DatabaseError, OSError, UnicodeDecodeError) as error:  # from a message about damaged text
            raise StoreError(
                f"nothing of {path} can be read ({error}); use a backup, or start again with another --store"
            ) from error

    def close(self) -> None:
        self._db.close()

    def rows(self, table: str, key: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """The readable rows of a table by its integer `key`, which starts at 0; none where there is none."""
        if self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is None:
            return
        query = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} BETWEEN ? AND ? ORDER BY {key}"
        for first in range(0, self._most, _AT_ONCE):
            yield from self._between(query, first, first + _AT_ONCE - 1)

    def rows_by_key(self, table: str, keys: Sequence[str], columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """The readable rows of a table with any key: those before its first damage, and those behind its last."""
        place, seen = [columns.index(key) for key in keys], set[tuple[Any, ...]]()
        for order in ("", " DESC"):
            query = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(key + order for key in keys)}"
            try:
                for row in self._db.execute(query):
                    if (key := tuple(row[at] for at in place)) not in seen:
                        seen.add(key)
                        yield row
            except sqlite3.DatabaseError:
                continue
            return

    def pages(self) -> list[SalvagedPage]:
        """All valid pages, none of them twice."""
        found: dict[str, SalvagedPage] = {}
        for row in self.rows("pages", "id", SalvagedPage._fields):
            with suppress(ValidationError):
                page = convert(row, SalvagedPage)
                if page.reason and page.state in _STATES:
                    found.setdefault(page.url, page)
        return list(found.values())

    def answers(self) -> Iterator[tuple[int, Fetch]]:
        """All valid answers, with their numbers."""
        for row in self.rows("fetches", "id", ("id", *Fetch._fields)):
            with suppress(ValidationError):
                answer = convert(row[1:], Fetch)
                if math.isfinite(answer.fetched_at + answer.seconds):
                    yield row[0], answer

    def meta(self, key: str) -> object:
        """A value of `meta`; None if it cannot be read."""
        with suppress(sqlite3.DatabaseError):
            return next(iter(self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone() or ()), None)
        return None

    def _between(self, query: str, first: int, last: int) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, (first, last)).fetchall()
        except sqlite3.DatabaseError:
            if first == last:
                return []
            middle = (first + last) // 2
            return self._between(query, first, middle) + self._between(query, middle + 1, last)
