"""Facts of pages for an audit."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.store.read.tables import Tables, quoted

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_AT_ONCE = 2_000


class FactColumns(NamedTuple):
    """Facts of pages as columns, by rising page number; see `minicrawl.model.PageFacts`."""

    page: Numbers
    h1s: Numbers
    titles: Numbers
    skips: Numbers
    without_alt: Numbers
    bad_json_ld: Numbers
    viewport: Flags
    hsts: Flags
    is_cut: Flags
    has_description: Flags
    has_language: Flags


_COLUMNS = """
    SELECT page, h1s, titles, skips, without_alt, bad_json_ld, viewport, hsts, is_cut, description IS NOT NULL,
        language IS NOT NULL
    FROM page_facts ORDER BY page"""
_FLAGS = FactColumns._fields.index("viewport")


class NamedParts(NamedTuple):
    """Parts of some pages, and links from these pages to parts of pages.

    page, name: of the parts, name as a CRC-32, one value per part, rising by page and name. source, target, wanted: of
    the links, wanted: the name's CRC-32, one value per link.
    """

    page: Numbers
    name: Numbers
    source: Numbers
    target: Numbers
    wanted: Numbers


class Facts:
    """Reads the table `page_facts`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def is_there(self) -> bool:
        """True if facts of a page are kept."""
        return self._tables.row("SELECT 1 FROM page_facts LIMIT 1") is not None

    def is_cut(self, page: int) -> bool:
        """True if a page has more names or links than are kept."""
        return self._tables.row("SELECT 1 FROM page_facts WHERE page = ? AND is_cut", page) is not None

    def columns(self) -> FactColumns:
        """The facts of all pages but texts and names."""
        rows = np.array(self._tables.rows(_COLUMNS), dtype=np.int32).reshape(-1, len(FactColumns._fields)).T
        return FactColumns._make(column.astype(np.int64 if at < _FLAGS else np.bool_) for at, column in enumerate(rows))

    def texts(self, column: str) -> Iterator[tuple[int, str]]:
        """Pages by number that have a text in this column, and the text."""
        query = f"SELECT page, {quoted(column)} FROM page_facts WHERE {quoted(column)} IS NOT NULL ORDER BY page"
        return self._tables.each(query)

    def named_parts(self) -> Iterator[NamedParts]:
        """The names of all pages' parts and the links to parts, some pages at a time."""
        query = "SELECT page, ids, fragments FROM page_facts WHERE ids <> x'' OR fragments <> x'' ORDER BY page"
        for rows in self._tables.blocks(query, _AT_ONCE):
            pages, ids, links = zip(*rows, strict=True)
            page = np.array(pages, dtype=np.int64)
            pairs = np.frombuffer(b"".join(links), "<u4").astype(np.int64).reshape(-1, 2)
            yield NamedParts(
                np.repeat(page, [len(some) // 4 for some in ids]),
                np.frombuffer(b"".join(ids), "<u4").astype(np.int64),
                np.repeat(page, [len(some) // 8 for some in links]),
                pairs[:, 0],
                pairs[:, 1],
            )

    def links_to_parts(self, page: int) -> list[tuple[int, str]]:
        """The links from a page to parts of pages: the target's number and the name as written."""
        row = self._tables.row("SELECT fragments, names FROM page_facts WHERE page = ?", page)
        if row is None or not row[0]:
            return []
        targets = np.frombuffer(row[0], "<u4")[::2].tolist()
        return list(zip(targets, row[1].split(" "), strict=True))
