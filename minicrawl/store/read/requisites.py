"""Requisites: files that pages need to look as they do."""

from typing import NamedTuple

from minicrawl.store.read.tables import Tables, columns
from minicrawl.store.rows import RequisiteRow


class RequisiteCount(NamedTuple):
    """The number of requisites with a state and a reason, and the bytes of their bodies."""

    state: str
    reason: str
    number: int
    bytes: int


class Requisites:
    """Reads the table `requisites`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def of(self, url: str) -> RequisiteRow | None:
        """The requisite with a URL."""
        return self._tables.record(RequisiteRow, "requisites WHERE url = ?", url)

    def waiting(self, after: int, n: int) -> list[tuple[int, RequisiteRow]]:
        """The next n waiting requisites behind number `after`, with their numbers."""
        query = f"""
            SELECT id, {columns(RequisiteRow)} FROM requisites
            WHERE state = 'waiting' AND id > ? ORDER BY id LIMIT ?"""
        return [(number, RequisiteRow._make(row)) for number, *row in self._tables.rows(query, (after, n))]

    def number_of(self, page: int) -> int:
        """The number of requisites that a page was the first to need."""
        (number,) = self._tables.row("SELECT count(*) FROM requisites WHERE page = ?", page)
        return int(number)

    def counts(self, page: int | None = None) -> list[RequisiteCount]:
        """The requisites by state and reason. page: only those that this page was the first to need."""
        where = "" if page is None else "WHERE page = ?"
        query = f"""
            SELECT state, reason, count(*), sum(bytes) FROM requisites {where}
            GROUP BY state, reason ORDER BY state, reason"""
        return list(map(RequisiteCount._make, self._tables.rows(query, () if page is None else (page,))))
