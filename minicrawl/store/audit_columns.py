"""Columns of all pages for an audit."""

from collections.abc import Iterator
from typing import Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.store.links import from_bytes
from minicrawl.store.tables import Tables, quoted

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
NO_PAGE = -1


class AuditColumns(NamedTuple):
    """All pages by number, shape (size,).

    Words are objects; NO_PAGE where there is no page, status 0 and NaN where there was no answer. target: of an alias.
    left_out: links of the page that are not counted. leader: the page that a duplicate repeats; is_near: its text
    differs a little. is_https: by its URL. has_facts: --audit has kept h1s and the like.
    """

    host: IntArray
    depth: IntArray
    inlinks: IntArray
    received: IntArray
    is_seed: npt.NDArray[np.bool_]
    status: IntArray
    bytes: IntArray
    leader: IntArray
    payload: IntArray
    is_near: npt.NDArray[np.bool_]
    is_https: npt.NDArray[np.bool_]
    has_facts: npt.NDArray[np.bool_]
    has_description: npt.NDArray[np.bool_]
    has_language: npt.NDArray[np.bool_]
    h1s: IntArray
    without_alt: IntArray
    target: IntArray
    left_out: IntArray
    fetched_at: FloatArray
    seconds: FloatArray
    state: npt.NDArray[np.object_]
    reason: npt.NDArray[np.object_]
    content_type: npt.NDArray[np.object_]
    robots: npt.NDArray[np.object_]


_QUERY = f"""
    SELECT pages.host, depth, inlinks, cash + forwarded, found_on IS NULL, coalesce(status, 0), coalesce(bytes, 0),
        coalesce(leader, {NO_PAGE}), coalesce(payload, 0), distance IS NOT NULL, url GLOB 'https:*',
        facts IS NOT NULL, json_extract(facts, '$.description') IS NOT NULL,
        json_extract(facts, '$.language') IS NOT NULL, coalesce(json_extract(facts, '$.h1s'), 0),
        coalesce(json_extract(facts, '$.without_alt'), 0),
        CASE state WHEN 'alias' THEN substr(targets, 1, 4) END, coalesce(nofollow + refused, 0),
        fetched_at, seconds, state, reason, content_type, robots
    FROM pages LEFT JOIN fetches ON fetches.id = fetch LEFT JOIN links ON links.source = pages.id ORDER BY pages.id"""
_KINDS = (
    *[np.int64] * 4,
    np.bool_,
    *[np.int64] * 4,
    *[np.bool_] * 5,
    *[np.int64] * 4,
    *[np.float64] * 2,
    *[np.object_] * 4,
)
_TARGET = AuditColumns._fields.index("target")


class AuditTable:
    """Reads the tables `pages`, `fetches` and `links` for an audit."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def columns(self) -> AuditColumns:
        """All pages as columns."""
        words: dict[str | None, str] = {}  # each once in memory
        blocks: list[list[Any]] = [[np.zeros(0, dtype=kind)] for kind in _KINDS]
        for rows in self._tables.blocks(_QUERY, self._tables.sizes.rows):
            for place, (kind, column) in enumerate(zip(_KINDS, zip(*rows, strict=True), strict=True)):
                values = column
                if place == _TARGET:
                    values = tuple(int(from_bytes(blob)[0]) if blob else NO_PAGE for blob in column)
                elif kind is np.object_:
                    values = tuple(words.setdefault(word, word or "") for word in column)
                blocks[place].append(np.array(values, dtype=kind))
        return AuditColumns(*map(np.concatenate, blocks))

    def texts(self, column: str) -> Iterator[tuple[int, str]]:
        """Pages by number that have this column of `fetches`, and its value."""
        return self._texts(quoted(column))

    def facts(self, name: str) -> Iterator[tuple[int, str]]:
        """Pages by number that have one of the texts of `PageFacts`, and that; several are JSON."""
        return self._texts(f"json_extract(facts, '$.{name}')")

    def _texts(self, value: str) -> Iterator[tuple[int, str]]:
        query = f"""
            SELECT pages.id, {value} FROM pages JOIN fetches ON fetches.id = fetch
            WHERE {value} IS NOT NULL ORDER BY pages.id"""
        return self._tables.each(query)

    def leads_to(self) -> Iterator[tuple[int, str]]:
        """Pages by number whose redirect, refresh or canonical is not followed, and its target."""
        return self._tables.each("SELECT source, leads_to FROM links WHERE leads_to IS NOT NULL ORDER BY source")

    def sitemap_pages(self) -> Iterator[tuple[int, int]]:
        """Pages that sitemaps list, and the number of a sitemap of each."""
        return self._tables.each("SELECT page, sitemap FROM sitemap_pages JOIN pages ON pages.id = page")
