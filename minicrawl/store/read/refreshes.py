"""When pages are fetched again, and what has changed of them."""

import numpy as np

from minicrawl.store.read.tables import Tables
from minicrawl.store.rows import RefreshColumns, RefreshHost, RefreshRow


class Refreshes:
    """Reads the tables `refresh`, `refresh_hosts` and `changes`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def row(self, page: int) -> RefreshRow | None:
        return self._tables.record(RefreshRow, "refresh WHERE page = ?", page)

    def hosts(self) -> list[RefreshHost]:
        return self._tables.records(RefreshHost, "refresh_hosts ORDER BY host")

    def columns(self) -> RefreshColumns:
        """Of all pages that are fetched again.

        rate: -1 where nothing is learned, 0 where due does not follow from it.
        """
        query = """
            SELECT page, fetched_at, due,
                CASE WHEN answers GLOB '*[?!]' THEN 0.0 WHEN information = 0.0 THEN -1.0 ELSE rate END
            FROM refresh"""
        columns = tuple(zip(*self._tables.rows(query), strict=True))
        return RefreshColumns(*(np.array(column) for column in columns or ((), (), (), ())))

    def unscheduled(self) -> RefreshColumns:
        """Pages that were read, and have no row of `refresh` yet: when they were fetched."""
        query = """
            SELECT pages.id, fetched_at FROM pages JOIN fetches ON fetches.id = fetch
            WHERE state IN ('fetched', 'alias') AND pages.id NOT IN (SELECT page FROM refresh)"""
        columns = tuple(zip(*self._tables.rows(query), strict=True)) or ((), ())
        pages, fetched_at = (np.array(column) for column in columns)
        return RefreshColumns(pages, fetched_at, fetched_at, np.zeros(len(pages)))
