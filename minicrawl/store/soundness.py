"""Integrity checks of a store's file: structure, tables, and dangling references."""

import math
from collections.abc import Iterator

from minicrawl.store.database import damaged
from minicrawl.store.declaration import references
from minicrawl.store.pages import url_hash
from minicrawl.store.recognised import SKETCH_BYTES
from minicrawl.store.schema import schema_errors
from minicrawl.store.tables import Subject, Tables

_BOOK = ("clock", "window", "virtual", "never_visited", "births", "total")
"""Keys of `meta` that the view `book` reads."""
_FLAWS = {
    "page numbers are missing": "SELECT coalesce(max(id) + 1, 0) - count(*) FROM pages",
    "hosts' numbers are missing": "SELECT coalesce(max(id) + 1, 0) - count(*) FROM hosts",
    "URLs stand twice": "SELECT count(*) - count(DISTINCT url) FROM pages",
    "pages have no reason for their state": "SELECT count(*) FROM pages WHERE reason = ''",
    "answers belong to no page": "SELECT (SELECT count(*) FROM fetches) - (SELECT count(DISTINCT fetch) FROM pages)",
    "aliases have more or fewer targets than one": (
        "SELECT count(*) FROM pages JOIN links ON source = id WHERE state = 'alias' AND length(targets) <> 4"
    ),
    "rows of links are cut": ("SELECT count(*) FROM links WHERE length(targets) % 4 OR coalesce(length(own), 0) % 4"),
    "probes are cut": (
        "SELECT count(*) FROM probes WHERE coalesce(length(words), 0) % 4 OR coalesce(length(matched), 0) % 4 "
        "OR coalesce(length(others), 0) % 4"
    ),
    "words of pages are cut": "SELECT count(*) FROM recent_pages WHERE length(words) % 4",
    "witnesses of hosts are cut": "SELECT count(*) FROM health WHERE length(witnesses) % 4",
    "sketches are cut": f"SELECT count(*) FROM fetches WHERE length(sketch) <> {SKETCH_BYTES}",
}
"""Queries that count flawed rows, by the flaw."""


class Soundness(Subject):
    """Looks for damage in all tables."""

    def structure_errors(self) -> list[str]:
        """The first structural error that SQLite finds, contents unchecked; [] without one."""
        return self._findings("PRAGMA quick_check(1)")

    def integrity_errors(self) -> list[str]:
        """Errors found by SQLite, in the schema and in references, in sentences."""
        errors = [f"SQLite finds: {line}" for line in self._findings("PRAGMA integrity_check")]
        if errors:
            return errors  # values in such rows may be of any type
        with self._tables.errors:
            errors += schema_errors(self._tables.db)
        for what, query in _FLAWS.items():
            if count := self._tables.value(query):
                errors.append(f"{count} {what}")
        for table, column, target in references():
            of = f"{column} > 0 AND {column} NOT IN (SELECT id FROM {target})"  # below stands none
            if count := self._tables.value(f"SELECT count(*) FROM {table} WHERE {of}"):
                errors.append(f"{count} numbers in {table}.{column} are of no row of {target}")
        lost = self._tables.rows("SELECT id, url FROM pages WHERE id NOT IN (SELECT page FROM url_hashes)")
        key = self._tables.hash_key
        hashed = self._tables.each("SELECT id, url, hash FROM url_hashes JOIN pages ON id = page")
        lost += [(page, url) for page, url, kept in hashed if url_hash(url, key) != kept]
        return errors + [f"page {page} cannot be found by its URL {url}" for page, url in lost]

    def texts(self, table: str, column: str) -> Iterator[str]:
        """The values of a column of JSON, without NULL."""
        return (text for (text,) in self._tables.each(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"))

    def _findings(self, pragma: str) -> list[str]:
        lines = (line for (text,) in self._tables.rows(pragma) for line in text.splitlines())
        return [line for line in lines if line not in ("ok", "*** in database main ***")]


def check_books(tables: Tables) -> None:
    """Raise StoreError if importance cannot be computed: SQL reads words as 0, and accepts infinity and NULL."""
    keys = ", ".join("?" * len(_BOOK))
    for key, value in tables.rows(f"SELECT key, value FROM meta WHERE key IN ({keys})", _BOOK):
        is_number = isinstance(value, int | float) and math.isfinite(value)
        if value is not None and not (is_number and (key != "clock" or value >= 0)):
            raise damaged(tables.path, f"meta.{key} is {value!r:.60}, which is not valid")
    book = "SELECT clock + size + virtual + births + total FROM book"
    if tables.value(book) is None and tables.size():
        raise damaged(tables.path, "a number that importance depends on is missing")
