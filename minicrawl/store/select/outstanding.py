"""Pages that stand out: the slowest, the largest, untitled and duplicated ones."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.store.read.tables import Tables

_ANSWERED = "pages CROSS JOIN fetches ON fetches.id = fetch"
_UNTITLED = "state = 'fetched' AND content_type LIKE 'text/html%' AND coalesce(trim(title), '') = ''"


class PageColumns(NamedTuple):
    """All pages as columns, by number, shape (size,): fetched_at and seconds are NaN without an answer."""

    host: npt.NDArray[np.int64]
    state: npt.NDArray[np.object_]
    inlinks: npt.NDArray[np.int64]
    importance: npt.NDArray[np.float64]
    fetched_at: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]


class Outstanding:
    """Finds up to n outstanding pages of each kind. Every query scans all pages."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def columns(self) -> PageColumns:
        """All pages by number."""
        query = """
            SELECT pages.host, pages.state, pages.inlinks, importance, weighed.fetched_at, fetches.seconds
            FROM weighed CROSS JOIN pages ON pages.id = weighed.id LEFT JOIN fetches ON fetches.id = pages.fetch
            ORDER BY pages.id"""
        rows = self._tables.rows(query)
        host, state, inlinks, importance, fetched_at, seconds = zip(*rows, strict=True) if rows else ((),) * 6
        return PageColumns(
            np.array(host, dtype=np.int64),
            np.array(state, dtype=np.object_),
            np.array(inlinks, dtype=np.int64),
            np.array(importance, dtype=np.float64),
            np.array(fetched_at, dtype=np.float64),
            np.array(seconds, dtype=np.float64),
        )

    def slowest(self, n: int) -> list[tuple[str, float, int]]:
        """URL, seconds, status; the slowest first."""
        query = f"SELECT url, seconds, status FROM {_ANSWERED} ORDER BY seconds DESC, pages.id LIMIT ?"
        return self._tables.rows(query, (n,))

    def largest(self, n: int) -> list[tuple[str, int, str | None]]:
        """URL, bytes, content type; the largest first."""
        query = f"SELECT url, bytes, content_type FROM {_ANSWERED} ORDER BY bytes DESC, pages.id LIMIT ?"
        return self._tables.rows(query, (n,))

    def untitled(self, n: int) -> tuple[int, list[tuple[str, int]]]:
        """Number of HTML pages without a title; URL and in-links of those with the most."""
        (count,) = self._tables.row(f"SELECT count(*) FROM {_ANSWERED} WHERE {_UNTITLED}")
        query = f"SELECT url, inlinks FROM {_ANSWERED} WHERE {_UNTITLED} ORDER BY inlinks DESC, pages.id LIMIT ?"
        return int(count), self._tables.rows(query, (n,))

    def copied(self, n: int) -> list[tuple[str, int, int, str]]:
        """Pages with duplicates: URL, numbers of exact and near-duplicates, URL of one of them."""
        query = """
            SELECT first.url, exact, near, one.url FROM (
                SELECT leader, count(*) - count(distance) AS exact, count(distance) AS near, min(page) AS some
                FROM fetches WHERE leader IS NOT NULL GROUP BY leader ORDER BY count(*) DESC, leader LIMIT ?
            ) CROSS JOIN pages AS first ON first.id = leader CROSS JOIN pages AS one ON one.id = some"""
        return self._tables.rows(query, (n,))

    def robots(self, n: int) -> list[tuple[str, int | None, str | None, int, float]]:
        """Robots.txt files: origin, status, or the reason for having none, bytes, Unix seconds of the fetch."""
        query = "SELECT origin, status, reason, length(body), fetched_at FROM robots ORDER BY length(body) DESC LIMIT ?"
        return self._tables.rows(query, (n,))
