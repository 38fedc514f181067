"""A user's question in SQL: one statement that reads, with an end; and the pages that an expression is true of.

Two checks guard a user's expression. It must be one expression: balanced parentheses, and neither quotes for names,
comments, semicolons nor SELECT, so that it cannot end the condition that it is put into. And SQLite's authorizer allows
only reading the columns of pages, and a list of functions.
"""

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, NamedTuple  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError, hint
from minicrawl.store.tables import Subject

COLUMNS = (
    *("rank", "url", "host", "site", "importance", "title", "state", "reason", "status", "depth", "inlinks"),
    *("outlinks", "content_type", "bytes", "seconds", "fetched_at", "read_at", "found_on", "history", "cash", "id"),
    *("language", "author", "site_name", "licence", "published", "modified"),
)
"""Columns that an expression may use: those of the view `page`, and the rank."""
_RANKED = "(SELECT *, row_number() OVER (ORDER BY importance DESC, id) AS rank FROM page) AS page"
_LONGEST = 5_000
_FUNCTIONS = frozenset(
    {"abs", "coalesce", "date", "datetime", "glob", "ifnull", "iif", "instr", "julianday", "length", "like", "lower"}
    | {"ltrim", "max", "min", "nullif", "round", "rtrim", "strftime", "substr", "substring", "time", "trim", "typeof"}
    | {"unixepoch", "upper"}
)
_VIEWS = frozenset({"page", "weighed", "born", "book", "aliases"})
"""Views that are read, and what they read; `aliases` is a part of `weighed`."""
_ROWS = frozenset({"pages", "hosts", "fetches", "sites", "doors", "texts"})
"""Tables whose rows are read as such, their columns by the views alone."""
_TEXT = re.compile("'(?:[^']|'')*'")
_NOT_ALONE = re.compile(r"""[;"'`\[\]?:@$\0]|--|/\*|\b(?:select|values|with|pragma|raise)\b""", re.IGNORECASE)
"""What an expression has only in texts."""


def checked(text: str) -> str:
    """The text, if it is one expression. Raises SettingError."""
    if len(text) > _LONGEST:
        raise _refused(text[:40] + "...", f"it has more than {_LONGEST:,} characters")
    bare = _TEXT.sub(" 0 ", text)
    if found := _NOT_ALONE.search(bare):
        raise _refused(text.replace("\0", "\\0"), f"it has {found[0]!r} in it")
    depths = list(accumulate(((char == "(") - (char == ")") for char in bare), initial=0))
    if min(depths) < 0 or depths[-1]:
        raise _refused(text, "its parentheses do not close")
    return text


def pages_for(text: str) -> str:
    """Every page with COLUMNS. They are ranked only for an expression that asks for it: that takes a sort of all."""
    return _RANKED if re.search(r"\brank\b", text, re.IGNORECASE) else "page"


@contextmanager
def only_reading_pages(db: sqlite3.Connection, text: str) -> Iterator[None]:
    """Restrict queries inside the block to `pages_for` and allowed expressions. Raises SettingError."""
    db.set_authorizer(_verdict)
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:
        raise _refused(text, str(error)) from error
    except sqlite3.DatabaseError as error:
        if "prohibited" in str(error) or "not authorized" in str(error):
            raise _refused(text, "it may not use that table or function") from error
        raise
    finally:
        db.set_authorizer(None)


def _verdict(action: int, first: str | None, second: str | None, _: str | None, view: str | None) -> int:
    """Allow or deny a step of a query. first, second: table and column, or the name of a function."""
    if action == sqlite3.SQLITE_SELECT:
        return sqlite3.SQLITE_OK
    if view in _VIEWS and action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ:
        may = first in _VIEWS or (first in _ROWS and not second)
    else:
        # SQLite refuses row_number in a condition, so only `pages_for` can use it.
        may = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS | {"row_number"}
    return sqlite3.SQLITE_OK if may else sqlite3.SQLITE_DENY


def _refused(text: str, why: str) -> SettingError:
    named = why.removeprefix("no such column: ")
    meant = hint(named, COLUMNS, "") if named != why else ""
    why += f", {meant}" if meant else ""
    return SettingError(
        f"--where {text!r} cannot be used: {why}; it takes an SQL expression on {', '.join(COLUMNS)}, such as "
        "\"importance > 1e-4 AND title LIKE '%draft%'\""
    )


_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_STEPS = 100_000
"""Steps of SQLite's machine between two looks at the clock."""
_LONGEST_VALUE = 2**24
"""Bytes of a text or blob that an answer may have, or need on its way."""


class Answer(NamedTuple):
    """The names of the columns, and the rows, which are read lazily."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


class Questions(Subject):
    """Answers questions about a store."""

    def where(self, expression: str) -> npt.NDArray[np.bool_]:
        """True for each page that satisfies a user's expression, by number, shape (size,). Raises SettingError."""
        query = f"SELECT id FROM {pages_for(expression)} WHERE (\n{checked(expression)}\n)"
        with self._tables.errors, only_reading_pages(self._tables.db, expression):
            found = self._tables.db.execute(query).fetchall()
        marked = np.zeros(self._tables.size(), dtype=np.bool_)
        marked[np.fromiter((page for (page,) in found), dtype=np.int64)] = True
        return marked

    @contextmanager
    def asked(self, query: str, seconds: float) -> Iterator[Answer]:
        """The answer to a query, inside the block.

        Raises SettingError for one that cannot be run, changes something, needs too much memory, or takes more than
        `seconds`; StoreError. SQLite checks the clock between its steps only, so a single slow function call, such as
        the search for a long text in another, runs to its end.
        """
        db, until = self._tables.db, time.monotonic() + seconds
        with self._tables.errors:  # of a store that is closed, or another thread's
            db.execute("SELECT 1 FROM json_each('[]')").fetchone()  # which is like making a table for the authorizer
            db.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY)
        longest = db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            cursor = db.execute(query)
            if cursor.description is None:
                raise sqlite3.ProgrammingError("it asks for nothing")
            yield Answer([name for name, *_ in cursor.description], cursor)
        except MemoryError as error:
            raise SettingError(f"{query[:200]!r} needs more memory than it may use; query less at once") from error
        except (sqlite3.Error, sqlite3.Warning) as error:
            why = str(error)
            if "interrupted" in why:
                raise SettingError(f"the query takes more than {seconds:g} seconds; --time allows more") from error
            if "not authorized" in why:
                why = "it does more than read"
            raise SettingError(f"{query[:200]!r} failed: {why}; docs/store.md has the views") from error
        finally:
            db.set_progress_handler(None, 0)
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
            db.set_authorizer(None)
