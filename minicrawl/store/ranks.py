"""Pages by importance, by the other rankings of the book, and by kept rankings."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.settings import RANKINGS
from minicrawl.store.database import damaged
from minicrawl.store.declaration import PageId, columns, table
from minicrawl.store.links import from_bytes
from minicrawl.store.tables import Subject

PLACES = 1_024
"""Pages in a row of `places`."""
_MOST_BLOCKS = 64
"""Rows of `places` whose pages are in memory at once."""


class RankedPage(NamedTuple):
    """A row of the view `ranks`."""

    rank: int
    url: str
    importance: float
    history: float
    cash: int
    depth: int
    status: int | None
    inlinks: int
    outlinks: int | None
    fetched_at: float | None
    title: str | None
    state: str
    reason: str


table(
    "rankings",
    "rankings kept under a name, of the pages known then",
    keys="name page",
    name=str,
    page=PageId,
    value=Annotated[float, "more is better"],
)
table(
    "places",
    "all pages, best first, as of the end of the last run; while meta.is_ranked, nothing has changed since",
    keys="first",
    first=Annotated[int, "how many pages are before these"],
    pages=Annotated[bytes, "pages.id, 4 bytes each, little endian"],
)
_RANKED = columns(RankedPage)
_UNRANKED = ", ".join(RankedPage._fields[1:])
_SOME = "json_each(?) CROSS JOIN weighed ON weighed.id = json_each.value"


class Ranks(Subject):
    """Reads the views `ranks` and `weighed`, and the tables behind them: `places` and `rankings`."""

    def numbered(self) -> Iterator[RankedPage]:
        return map(RankedPage._make, self._tables.each(f"SELECT {_RANKED} FROM ranks ORDER BY id"))

    def page(self, page: int) -> RankedPage:
        return self.rows([page])[page]._replace(rank=self._rank(page))

    def x(self, page: int) -> float:
        """What a page has received, and its share of V', in units."""
        return float(self._tables.value("SELECT x FROM weighed WHERE id = ?", page))

    # Rankings as numbers.

    def arrays(self) -> dict[str, npt.NDArray[np.float64]]:
        """Each of RANKINGS as an array by page number, shape (size,)."""
        rows = self._tables.rows(f"SELECT {', '.join(RANKINGS)} FROM ranks ORDER BY id")
        arrays = np.array(rows, dtype=np.float64).reshape(-1, len(RANKINGS)).T
        return dict(zip(RANKINGS, arrays, strict=True))

    def importance(self) -> npt.NDArray[np.float64]:
        """Importance of every page by number, shape (size,)."""
        return self._tables.array("SELECT importance FROM weighed ORDER BY id", np.float64)

    def importance_of(self, pages: Sequence[int]) -> npt.NDArray[np.float64]:
        """Importance of some pages, whose numbers are given rising."""
        rows = self._tables.rows(f"SELECT importance FROM {_SOME}", (json.dumps(pages),))
        return np.array(rows, dtype=np.float64).reshape(-1)

    def best_first(self, by: str) -> Iterator[tuple[int, RankedPage, float | None]]:
        """Every page with its number, best first by `by`, and its value in a kept ranking. Pages are read lazily.

        by: one of RANKINGS, or the name of a kept ranking.
        """
        if by == RANKINGS[0]:
            return self._in_order()
        if by in RANKINGS:
            rows = self._tables.each(f"SELECT NULL, id, {_RANKED} FROM ranks ORDER BY {by} DESC, rank")
        else:
            query = f"""
                SELECT value, id, {_RANKED} FROM rankings JOIN ranks ON ranks.id = rankings.page
                WHERE name = ? ORDER BY value DESC, rank"""
            rows = self._tables.each(query, by)
        return ((page, RankedPage._make(row), value) for value, page, *row in rows)

    def _in_order(self) -> Iterator[tuple[int, RankedPage, None]]:
        """Every page, the most important first.

        Pages are read in the order of their numbers, as they stand in the file: few first, because lists are short,
        then more at a time.
        """
        query = f"SELECT {_UNRANKED} FROM {_SOME}"
        places, blocks = self._order(), 1
        while some := list(islice(places, blocks)):
            pages = np.concatenate([block for _, block in some])
            in_file = np.argsort(pages)
            rows = self._tables.rows(query, (json.dumps(pages[in_file].tolist()),))
            if len(rows) != len(pages):
                raise damaged(self._tables.path, "a page that has a rank is missing")
            places_in_file = zip(pages.tolist(), np.argsort(in_file).tolist(), strict=True)
            for rank, (page, at) in enumerate(places_in_file, some[0][0] + 1):
                yield page, RankedPage._make((rank, *rows[at])), None
            blocks = min(2 * blocks, _MOST_BLOCKS)

    def rows(self, pages: Sequence[int]) -> dict[int, RankedPage]:
        """Some pages by number, without their ranks: these are 0."""
        rows = self._tables.rows(f"SELECT weighed.id, 0, {_UNRANKED} FROM {_SOME}", (json.dumps(list(pages)),))
        return {page: RankedPage._make(row) for page, *row in rows}

    # The order of all pages, stored at the end of a run; before, it takes a look at all of them.

    def _order(self) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
        """All pages, best first, PLACES at a time, each time with the number of those before."""
        is_alone = self._tables.meta("partitions") is None  # a partition's places are among its own pages
        if is_alone and self._tables.meta("is_ranked"):
            yield from self.places()
            return
        rows = self._tables.blocks("SELECT id FROM weighed ORDER BY x DESC, id", PLACES)
        for number, some in enumerate(rows):
            yield number * PLACES, np.array(some, dtype=np.int32).reshape(-1)

    def places(self) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
        """All pages, best first, PLACES at a time, as stored at the end of a run."""
        rows = self._tables.each("SELECT first, pages FROM places ORDER BY first")
        return ((first, from_bytes(pages)) for first, pages in rows)

    def _rank(self, page: int) -> int:
        if self._tables.meta("is_ranked"):
            ranks = (first + at for first, pages in self.places() for at in np.flatnonzero(pages == page).tolist())
            return 1 + next(ranks, self._tables.size())
        x = self.x(page)
        query = "SELECT 1 + count(*) FROM weighed WHERE x > ? OR (x = ? AND id < ?)"
        return int(self._tables.value(query, x, x, page))
