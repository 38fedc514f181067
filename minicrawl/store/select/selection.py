"""Pages that satisfy conditions, by number."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.store.read.tables import Tables
from minicrawl.store.select.expression import checked, only_reading_pages, pages_for


class Condition(NamedTuple):
    """SQL on pages (`pages`), their hosts (`hosts`) and answers (`fetches`), with a value for each of its marks."""

    sql: str
    values: Sequence[str | int]


class Selection:
    """Selects pages of a store."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def by(self, conditions: Sequence[Condition]) -> npt.NDArray[np.bool_]:
        """True for each page that satisfies all conditions, by number, shape (size,)."""
        where = " AND ".join(f"({condition.sql})" for condition in conditions) or "1"
        query = f"SELECT pages.id FROM pages LEFT JOIN fetches ON fetches.id = fetch WHERE {where}"
        return self._marked(self._tables.rows(query, [value for each in conditions for value in each.values]))

    def where(self, expression: str) -> npt.NDArray[np.bool_]:
        """True for each page that satisfies a user's expression, by number, shape (size,). Raises SettingError."""
        query = f"SELECT id FROM ({pages_for(expression)}) WHERE (\n{checked(expression)}\n)"
        with only_reading_pages(self._tables.db, expression):
            found = self._tables.db.execute(query).fetchall()
        return self._marked(found)

    def _marked(self, rows: Sequence[tuple[int]]) -> npt.NDArray[np.bool_]:
        marked = np.zeros(self._tables.size(), dtype=np.bool_)
        marked[np.fromiter((page for (page,) in rows), dtype=np.int64)] = True
        return marked
