"""Cookies in the store. They are unencrypted, so only its user may read a store that has any."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.database import logs, real_path
from minicrawl.store.read.tables import Tables, columns

_PRIVATE = 0o600


class CookieRow(NamedTuple):
    """A row of `cookies`."""

    domain: str
    path: str
    name: str
    value: str
    host_only: int
    secure: int
    http_only: int
    expires: float | None
    created: float
    changed: float


class CookieRows:
    """Reads and writes the rows of `cookies`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def all(self) -> list[CookieRow]:
        """Every cookie, the one that changed last at the end."""
        return self._tables.records(CookieRow, "cookies ORDER BY changed")

    def keep_private(self) -> None:
        """Make the store and its log, and so their copies, readable by the user only. Raises StoreError."""
        store = real_path(self._tables.path)
        for file in (store, *logs(store)):
            if file.exists():
                _take_from_others(file)

    def save(self, rows: Iterable[CookieRow]) -> None:
        """Write cookies, replacing those with the same keys. Call inside a transaction."""
        marks = ", ".join("?" * len(CookieRow._fields))
        self._tables.db.executemany(f"INSERT OR REPLACE INTO cookies ({columns(CookieRow)}) VALUES ({marks})", rows)

    def forget(self, keys: Iterable[tuple[str, str, str]]) -> None:
        """Delete cookies by domain, path and name. Call inside a transaction."""
        self._tables.db.executemany("DELETE FROM cookies WHERE domain = ? AND path = ? AND name = ?", keys)


def _take_from_others(file: Path) -> None:
    mode = file.stat().st_mode & 0o777
    if mode & ~_PRIVATE == 0:
        return
    try:
        os.chmod(file, mode & _PRIVATE)
    except OSError as error:
        raise StoreError(
            f"{file} is to have cookies in it, which others must not read, and cannot be made private: "
            f"{error.strerror}; use another --store"
        ) from error
