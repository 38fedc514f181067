"""Salvage of a damaged store: every row that can still be read."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any  # Any: rows

from minicrawl.errors import StoreError
from minicrawl.store.database import closed_if_it_fails, logs, real_path
from minicrawl.system import check_replaceable

_AT_ONCE = 4_096
_LEAST_ROW = 4
"""Minimum bytes of a row: bounds the number of rows by the file's size."""


class DamagedStore:
    """Reads the tables of a damaged file. Unreadable rows are left out; only a file without tables is an error."""

    def __init__(self, path: Path) -> None:
        """Raises StoreError when `path` is no SQLite file, or none of its tables can be found."""
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

    def meta(self, key: str) -> object:
        """A value of `meta`; None where it cannot be read."""
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
