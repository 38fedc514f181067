"""A user's question in SQL: one statement that reads, with an end."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple  # Any: rows

from minicrawl.errors import SettingError
from minicrawl.store.tables import Subject

_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_STEPS = 100_000
"""Steps of SQLite's machine between two looks at the clock."""


class Answer(NamedTuple):
    """The names of the columns, and the rows, which are read lazily."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


class Questions(Subject):
    """Answers questions about a store."""

    @contextmanager
    def asked(self, query: str, seconds: float) -> Iterator[Answer]:
        """The answer to a query, inside the block.

        Raises SettingError for one that cannot be run, changes something, or takes more than `seconds`; StoreError.
        """
        db, until = self._tables.db, time.monotonic() + seconds
        db.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY)
        db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            cursor = db.execute(query)
            if cursor.description is None:
                raise sqlite3.ProgrammingError("it asks for nothing")
            yield Answer([name for name, *_ in cursor.description], cursor)
        except (sqlite3.Error, sqlite3.Warning) as error:
            why = str(error)
            if "interrupted" in why:
                raise SettingError(f"the answer takes more than {seconds:g} seconds; --time gives it more") from error
            if "not authorized" in why:
                why = "it does more than read"
            raise SettingError(f"{query[:200]!r} cannot be answered: {why}; docs/store.md has the views") from error
        finally:
            db.set_progress_handler(None, 0)
            db.set_authorizer(None)
