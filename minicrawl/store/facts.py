"""Facts of pages for an audit."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.store.declaration import PageId, table
from minicrawl.store.tables import Tables, quoted

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class FactsRow(NamedTuple):
    """Facts of an HTML page for an audit, as of its last answer; see minicrawl.model.PageFacts."""

    page: PageId
    description: Annotated[str | None, "the first 320 characters"]
    language: Annotated[str | None, "of its html element"]
    h1s: Annotated[int, "h1 elements"]
    without_alt: Annotated[int, "images without a text in their place"]
    mixed: Annotated[str | None, "the first http: URLs that this https page loads, with spaces between"]


table("page_facts", "facts of pages for an audit, by --audit", FactsRow, keys="page")


class FactColumns(NamedTuple):
    """Facts of pages as columns, by rising page number; see `minicrawl.model.PageFacts`."""

    page: Numbers
    h1s: Numbers
    without_alt: Numbers
    has_description: Flags
    has_language: Flags


_COLUMNS = """
    SELECT page, h1s, without_alt, description IS NOT NULL, language IS NOT NULL FROM page_facts ORDER BY page"""
_FLAGS = FactColumns._fields.index("has_description")


class Facts:
    """Reads the table `page_facts`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def is_there(self) -> bool:
        """True if facts of a page are kept."""
        return self._tables.row("SELECT 1 FROM page_facts LIMIT 1") is not None

    def columns(self) -> FactColumns:
        """The facts of all pages but texts."""
        rows = np.array(self._tables.rows(_COLUMNS), dtype=np.int32).reshape(-1, len(FactColumns._fields)).T
        return FactColumns._make(column.astype(np.int64 if at < _FLAGS else np.bool_) for at, column in enumerate(rows))

    def texts(self, column: str) -> Iterator[tuple[int, str]]:
        """Pages by number that have a text in this column, and the text."""
        query = f"SELECT page, {quoted(column)} FROM page_facts WHERE {quoted(column)} IS NOT NULL ORDER BY page"
        return self._tables.each(query)
