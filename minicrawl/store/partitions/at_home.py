"""The pages that a partition has at home, ranked among those of all partitions: X = R + V' * B / sum(B).

held, total  V' / sum(B) and sum(X), both of all partitions

Only `first` and `importance_of` look at less than all pages.
"""

import json
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.store.read.tables import Tables
from minicrawl.store.rows import RankedPage

FloatArray = npt.NDArray[np.float64]
_UNITED = "(CASE born.state WHEN 'alias' THEN 0.0 ELSE received + ? * birth END / ?)"
"""Importance of a page among those of all partitions; asks for held and total."""


class PagesAtHome:
    """Reads the views `born` and `weighed` without what other partitions have."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def received(self) -> tuple[float, float]:
        """Of the pages that have importance: what they have received, and their birth cash, in units."""
        received, births = self._tables.row(
            "SELECT total(received), total(birth) FROM born WHERE state NOT IN ('alias', 'elsewhere')"
        )
        return float(received), float(births)

    def first(self, held: float, total: float, n: int = -1) -> Iterator[RankedPage]:
        """The n pages (-1: all) by falling importance, then by URL; ranks are 0. As many are read as are taken."""
        rest = ", ".join(f"weighed.{name}" for name in RankedPage._fields[3:-1])
        query = f"""
            SELECT 0, weighed.url AS url, {_UNITED} AS united, {rest}, NULL
            FROM weighed JOIN born ON born.id = weighed.id WHERE born.state <> 'elsewhere'
            ORDER BY united DESC, url LIMIT ?"""
        return map(RankedPage._make, self._tables.each(query, held, total, n))

    def importance_of(self, pages: Sequence[int], held: float, total: float) -> dict[int, float]:
        """Importance of some pages, by number."""
        query = f"SELECT born.id, {_UNITED} FROM json_each(?) CROSS JOIN born ON born.id = value"
        return dict(self._tables.rows(query, (held, total, json.dumps(list(pages)))))

    def better(self, importance: float, url: str, held: float, total: float) -> int:
        """How many pages come before one of this importance."""
        query = f"""
            SELECT count(*) FROM (SELECT url, {_UNITED} AS united FROM born WHERE state <> 'elsewhere')
            WHERE united > ? OR (united = ? AND url < ?)"""
        (count,) = self._tables.row(query, held, total, importance, importance, url)
        return int(count)

    def collected(self, held: float, total: float) -> float:
        """The importance that the pages have that were read."""
        (share,) = self._tables.row(f"SELECT total({_UNITED}) FROM born WHERE state = 'fetched'", held, total)
        return float(share)

    def importance(self, held: float, total: float) -> FloatArray:
        """That of every page, in any order."""
        query = f"SELECT {_UNITED} FROM born WHERE state <> 'elsewhere'"
        return np.fromiter((share for (share,) in self._tables.each(query, held, total)), np.float64)

    def read(self, held: float, total: float) -> FloatArray:
        """Of the pages that were read, in the order of their first answers: when the last one came, in Unix seconds,
        and importance; shape (n, 2)."""
        query = f"""
            SELECT fetched_at, {_UNITED} FROM born JOIN fetches ON fetches.id = born.fetch
            WHERE born.state IN ('fetched', 'alias') ORDER BY born.fetch"""
        return np.array(list(self._tables.each(query, held, total)), np.float64).reshape(-1, 2)

    def hosts(self) -> int:
        """Number of their hosts."""
        (count,) = self._tables.row("SELECT count(DISTINCT host) FROM pages WHERE state <> 'elsewhere'")
        return int(count)
