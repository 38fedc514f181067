"""Pages by importance, by the other rankings of the book, and by kept rankings."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, NamedTuple  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl.settings import RANKINGS
from minicrawl.store.database import damaged
from minicrawl.store.declaration import PageId, columns, table
from minicrawl.store.links import from_bytes
from minicrawl.store.tables import Subject

_SAMPLE = 2_000
"""Sample size for the estimate of a rank."""
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
    "best",
    "every page, no alias, whose X (see the view `weighed`) is meta.best_floor or more",
    keys="page",
    page=PageId,
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
    """Reads the views `ranks` and `weighed`, and the tables behind them: `best`, `places` and `rankings`."""

    def numbered(self) -> Iterator[RankedPage]:
        """Every page by number."""
        return map(RankedPage._make, self._tables.each(f"SELECT {_RANKED} FROM ranks ORDER BY id"))

    def of(self, pages: Sequence[int]) -> list[RankedPage]:
        """Some pages with their ranks, in the order they are asked for."""
        if self._tables.meta("is_ranked"):
            return list(map(self.page, pages))
        query = f"SELECT id, {_RANKED} FROM ranks WHERE id IN (SELECT value FROM json_each(?))"
        found = {page: RankedPage._make(row) for page, *row in self._tables.rows(query, (json.dumps(pages),))}
        return [found[page] for page in pages]

    def page(self, page: int) -> RankedPage:
        """One page with its rank, which is an estimate unless `is_exact`."""
        row = self._tables.row(f"SELECT {_UNRANKED} FROM weighed WHERE id = ?", page)
        return RankedPage(self._rank(page), *row)

    def x(self, page: int) -> float:
        """What a page has received, and its share of V', in units."""
        return float(self._tables.value("SELECT x FROM weighed WHERE id = ?", page))

    def is_exact(self, page: int) -> bool:
        """True if the rank of one page is known exactly without a scan.

        So for the best thousand, and for all pages once a crawl has stopped.
        """
        return bool(self._tables.meta("is_ranked")) or self._is_best(page)

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

    def least_importance(self) -> float:
        """Importance of a page without in-links."""
        return float(self._tables.value("SELECT virtual * (16777216.0 / births) / total FROM book") or 0.0)

    def kept(self) -> list[str]:
        """Names of the rankings kept by 'minicrawl rank --save'."""
        return [name for (name,) in self._tables.rows("SELECT DISTINCT name FROM rankings ORDER BY name")]

    def best_first(self, by: str) -> Iterator[tuple[int, RankedPage, float | None]]:
        """Every page with its number, by falling `by`; for a kept ranking also the value. Pages are read lazily.

        by: one of RANKINGS, or the name of a kept ranking.
        """
        is_alone = self._tables.meta("partitions") is None  # a partition's places are among its own pages
        if by == RANKINGS[0] and is_alone and self._tables.meta("is_ranked"):
            return self._by_places()
        if by in RANKINGS:
            order = "" if by == "importance" else f"ORDER BY {by} DESC, rank"  # the view has this order already
            rows = self._tables.each(f"SELECT NULL, id, {_RANKED} FROM ranks {order}")
        else:
            query = f"""
                SELECT value, id, {_RANKED} FROM rankings JOIN ranks ON ranks.id = rankings.page
                WHERE name = ? ORDER BY value DESC, rank"""
            rows = self._tables.each(query, by)
        return ((page, RankedPage._make(row), value) for value, page, *row in rows)

    def _by_places(self) -> Iterator[tuple[int, RankedPage, None]]:
        """Every page as they were ordered at the end of a run, which needs no sort of all.

        Pages are read in the order of their numbers, as they stand in the file: few first, as lists are short, then
        more at a time.
        """
        query = f"SELECT {_UNRANKED} FROM {_SOME}"
        places, blocks = self.places(), 1
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

    # For the search.

    def facts(self, pages: str) -> list[Any]:
        """Facts of some pages (numbers as JSON): number, URL, title, state, leader of its duplicates, time of the last
        change seen or else of the fetch (Unix seconds)."""
        query = """
            SELECT pages.id, url, title, state, leader, coalesce(changed_at, fetches.fetched_at)
            FROM json_each(?) CROSS JOIN pages ON pages.id = json_each.value
            LEFT JOIN fetches ON fetches.id = fetch LEFT JOIN refresh ON refresh.page = pages.id"""
        return self._tables.rows(query, (pages,))

    def extremes(self) -> tuple[float, float]:
        """The least positive importance, and the largest; scans all pages."""
        least, most = self._tables.row("SELECT min(importance), max(importance) FROM weighed WHERE importance > 0")
        return float(least or 0.0), float(most or 0.0)

    # The rank of a page without a scan of all.

    def best(self) -> list[int]:
        """The pages that may be the most important."""
        return [page for (page,) in self._tables.rows("SELECT page FROM best")]

    def places(self) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
        """All pages, best first, PLACES at a time, as stored at the end of a run."""
        rows = self._tables.each("SELECT first, pages FROM places ORDER BY first")
        return ((first, from_bytes(pages)) for first, pages in rows)

    def _rank(self, page: int) -> int:
        if self._is_best(page):
            return self._better(page, "best CROSS JOIN weighed ON weighed.id = best.page WHERE is_worthy") + 1
        if self._tables.meta("is_ranked"):
            ranks = (first + at for first, pages in self.places() for at in np.flatnonzero(pages == page).tolist())
            return 1 + next(ranks, self._tables.size())
        size = self._tables.size()
        some = sorted({number * size // _SAMPLE for number in range(_SAMPLE)} - {page})
        better = self._better(page, f"{_SOME} WHERE 1", json.dumps(some))
        return 1 + round(better * (size - 1) / max(len(some), 1))

    def _is_best(self, page: int) -> bool:
        query = "SELECT is_worthy FROM best CROSS JOIN weighed ON weighed.id = best.page WHERE best.page = ?"
        return bool(self._tables.value(query, page))

    def _better(self, page: int, among: str, *values: str) -> int:
        """Number of better pages in `among`."""
        x = self.x(page)
        query = f"SELECT count(*) FROM {among} AND (x > ? OR (x = ? AND weighed.id < ?))"
        return int(self._tables.value(query, *values, x, x, page))
