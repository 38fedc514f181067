"""Stores on other machines: queries go to them, and rows come back, never a store.

A machine has `Databases`; a `RemoteDatabase` is used here as the connection to one of them. A result comes in blocks of
rows, so that neither side holds more than one for each that is being read.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple  # Any: rows

from minicrawl.errors import StoreError
from minicrawl.sizes import Sizes
from minicrawl.store.database import is_held, open_to_read
from minicrawl.store.tables import Tables
from minicrawl.store.texts.text_file import OpenTexts, TextFile, text_path

ROWS = 8_192
"""Rows of a block, when a result is read one after the other."""
Call = Callable[..., Any]
"""Calls a method of a machine's `Databases` by name, and returns its result. Raises MinicrawlError."""
_Verdict = Callable[[int, str | None, str | None, str | None, str | None], int]


class _Result(NamedTuple):
    """The first rows of a result. cursor: its number if there may be more; None: there are none."""

    rows: Sequence[Any]
    cursor: int | None
    description: Sequence[Any] | None
    in_transaction: bool


class Databases:
    """Reads databases of this machine for others. Errors of SQLite are answers, as they are to be raised there."""

    def __init__(self) -> None:
        self._numbers = count()
        self._open: dict[int, sqlite3.Connection] = {}
        self._cursors: dict[int, dict[int, sqlite3.Cursor]] = {}
        """Results that are being read, by the number of their database and their own."""
        self._texts: dict[int, TextFile] = {}

    def open(self, path: Path) -> int:
        """Open a database. Returns its number; raises StoreError."""
        number = next(self._numbers)
        self._open[number], self._cursors[number] = open_to_read(path), {}
        return number

    def close(self, number: int) -> None:
        del self._cursors[number]
        self._open.pop(number).close()

    def execute(self, number: int, query: str, values: Any, rows: int) -> _Result | sqlite3.Error:
        """Execute a query. Returns as many rows at most."""
        db = self._open[number]
        try:
            cursor = db.execute(query, values)
            found = cursor.fetchmany(rows)
        except sqlite3.Error as error:
            return error
        at = None
        if len(found) == rows:
            at = next(self._numbers)
            self._cursors[number][at] = cursor
        return _Result(found, at, cursor.description, db.in_transaction)

    def fetch(self, number: int, cursor: int, rows: int) -> Sequence[Any] | sqlite3.Error:
        """The next rows of a result; if they are fewer, it has no more."""
        try:
            found = self._cursors[number][cursor].fetchmany(rows)
        except sqlite3.Error as error:
            return error
        if len(found) < rows:
            del self._cursors[number][cursor]
        return found

    def authorize(self, number: int, verdict: _Verdict | None) -> None:
        """See sqlite3.Connection.set_authorizer."""
        self._open[number].set_authorizer(verdict)

    def is_held(self, path: Path) -> bool:
        """True if a crawl writes to a store."""
        return is_held(path)

    def open_texts(self, store: Path, line: bytes) -> int:
        """Open the texts of a store, see TextFile. Returns their number; raises StoreError."""
        number = next(self._numbers)
        self._texts[number] = TextFile(text_path(store), line)
        return number

    def read_text(self, number: int, start: int, size: int) -> bytes:
        return self._texts[number].read(start, size)

    def close_texts(self, number: int) -> None:
        self._texts.pop(number).close()


class RemoteDatabase:
    """The connection to a database on another machine, used as a sqlite3.Connection."""

    def __init__(self, call: Call, path: Path) -> None:
        """path: of the database there. Raises StoreError."""
        self._call = call
        self._number: int = call("open", path)
        self.in_transaction = False

    def execute(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> "_Cursor":
        given = dict(values) if isinstance(values, Mapping) else tuple(values)
        result: _Result = _raised(self._call("execute", self._number, query, given, ROWS))
        self.in_transaction = result.in_transaction
        return _Cursor(partial(self._call, "fetch", self._number), result)

    def set_authorizer(self, verdict: _Verdict | None) -> None:
        self._call("authorize", self._number, verdict)

    def close(self) -> None:
        self._call("close", self._number)


class RemoteTables(Tables):
    """Queries a store on another machine."""

    def __init__(self, name: Path, sizes: Sizes, there: Path, call: Call) -> None:
        """name: in errors; there: its path on that machine. Raises StoreError."""
        self._there, self._call = there, call
        try:
            db: Any = RemoteDatabase(call, there)
        except StoreError as error:
            raise StoreError(f"{name}: {error}") from error
        super().__init__(name, db, sizes)

    @property
    def is_held(self) -> bool:
        return bool(self._call("is_held", self._there))

    def open_texts(self, line: bytes) -> OpenTexts:
        return RemoteTexts(self._call, self._there, line)


class _Cursor:
    """The rows of a result, used as a sqlite3.Cursor."""

    def __init__(self, fetch: Callable[[int, int], Any], result: _Result) -> None:
        self.description = result.description
        self._fetch = fetch
        self._rows, self._at = result.rows, 0
        self._cursor = result.cursor

    def fetchone(self) -> Any:
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int) -> list[Any]:
        found: list[Any] = []
        while len(found) < size and self._has_more():
            taken = self._rows[self._at : self._at + size - len(found)]
            self._at += len(taken)
            found += taken
        return found

    def fetchall(self) -> list[Any]:
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        while (row := self.fetchone()) is not None:
            yield row

    def _has_more(self) -> bool:
        """Fetch the next block once this one is read. Returns False behind the last one."""
        if self._at == len(self._rows) and self._cursor is not None:
            self._rows, self._at = _raised(self._fetch(self._cursor, ROWS)), 0
            if len(self._rows) < ROWS:
                self._cursor = None
        return self._at < len(self._rows)


class RemoteTexts:
    """The texts of a store on another machine, used as a TextFile."""

    def __init__(self, call: Call, store: Path, line: bytes) -> None:
        self._call = call
        self._number: int = call("open_texts", store, line)

    def read(self, start: int, size: int) -> bytes:
        found: bytes = self._call("read_text", self._number, start, size)
        return found

    def close(self) -> None:
        self._call("close_texts", self._number)


def _raised(answer: Any) -> Any:
    """An answer that is no error. Raises sqlite3.Error."""
    if isinstance(answer, sqlite3.Error):
        raise answer
    return answer
