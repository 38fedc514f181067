"""Data of the order by anticipated cash."""

from typing import NamedTuple

from minicrawl.store.read.tables import Tables


class AnticipatedPage(NamedTuple):
    """A row of `anticipated`."""

    page: int
    brought: int


class AnticipatedHost(NamedTuple):
    """A row of `anticipated_hosts`."""

    host: int
    waiting: int
    spent: int
    brought: int
    visited: int


class Anticipated:
    """Reads the tables `anticipated` and `anticipated_hosts`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def pages(self) -> list[AnticipatedPage]:
        return self._tables.records(AnticipatedPage, "anticipated ORDER BY page")

    def hosts(self) -> list[AnticipatedHost]:
        return self._tables.records(AnticipatedHost, "anticipated_hosts ORDER BY host")

    def brought(self, page: int) -> int:
        """Cash that links from other sites have brought a page."""
        row = self._tables.record(AnticipatedPage, "anticipated WHERE page = ?", page)
        return 0 if row is None else row.brought

    def host(self, host: int) -> AnticipatedHost:
        row = self._tables.record(AnticipatedHost, "anticipated_hosts WHERE host = ?", host)
        return AnticipatedHost(host, 0, 0, 0, 0) if row is None else row
