"""A partition as a part of its crawl: its own pages, ranked among those of all partitions.

X = R + V' * B / sum(B)        as in one process (opic/book.py), with V' and sum(B) of all partitions
importance = X / sum(X)

Temporary views shadow those of the file, so that every query works unchanged:

pages   without mirrors, except `adopted` ones, which their home does not know yet
book    with V', sum(B) and sum(X) of all partitions
born, weighed, ranks   as in views.sql, on these two
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.store.tables import Tables
from minicrawl.store.urlhash import url_hash

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_RANKED_VIEWS = ("weighed", "ranks")
_NEVER = 2**63 - 1
"""More than any X: no page counts as one of `best`, which ranks within the partition alone."""


class Sums(NamedTuple):
    """Sums over pages, in units. virtual: V'. births: sum(B). received, born: of pages that have importance."""

    virtual: float
    births: float
    received: float
    born: float

    @property
    def total(self) -> float:
        """sum(X)."""
        return max(self.received + self.born * self.virtual / max(self.births, 1.0), 1e-300)


class Trusting(NamedTuple):
    """A site with trust that links to a host."""

    host: str
    site: str
    trust: float


class MirrorColumns(NamedTuple):
    """The mirrors of a partition by rising page, an array each.

    home: the partition that has the page. unsent: units received and not handed over. is_new: True if nothing was
    handed over yet, so that the home may not know the page.
    """

    page: IntArray
    home: IntArray
    unsent: IntArray
    is_new: npt.NDArray[np.bool_]


class United:
    """Reads the table `mirrors`, and makes the views."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._adopted: list[int] = []

    def adopted(self) -> list[int]:
        """Mirrors that count as pages of this partition."""
        return self._adopted

    def mirrors(self) -> MirrorColumns:
        rows = self._tables.rows(
            "SELECT page, home, cash, mirrors.depth IS NULL FROM mirrors "
            "CROSS JOIN main.pages ON id = page ORDER BY page"
        )
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return MirrorColumns(columns[0], columns[1], columns[2], columns[3] != 0)

    def mirrored_urls(self, pages: Sequence[int]) -> list[str]:
        """URLs of some mirrors, in their order."""
        query = "SELECT url FROM json_each(?) CROSS JOIN main.pages ON pages.id = value ORDER BY key"
        return [url for (url,) in self._tables.rows(query, (json.dumps(list(pages)),))]

    def mirror_of(self, url: str) -> int | None:
        """The mirror of a URL; None where there is none."""
        query = "SELECT page, url FROM url_hashes JOIN main.pages ON id = page WHERE hash = ? AND state = 'elsewhere'"
        rows = self._tables.rows(query, (url_hash(url, self._tables.hash_key),))
        return next((page for page, known in rows if known == url), None)

    def hosts_end(self) -> int:
        """One more than the last hosts.id; 0 without hosts."""
        (end,) = self._tables.row("SELECT coalesce(max(id) + 1, 0) FROM hosts")
        return int(end)

    def hosts_elsewhere(self) -> set[int]:
        """hosts.id of hosts with pages in another partition and none in this one."""
        query = """
            SELECT host FROM mirrors CROSS JOIN main.pages ON id = page
            EXCEPT SELECT host FROM mirrors CROSS JOIN pages ON id = page"""
        return {host for (host,) in self._tables.rows(query)}

    def trusting(self) -> list[Trusting]:
        """The sites here that have trust and link to hosts of other partitions."""
        query = """
            SELECT DISTINCT hosts.name, sites.name, trust
            FROM mirrors CROSS JOIN voices ON voices.page = mirrors.page CROSS JOIN sites ON sites.id = voices.site
                CROSS JOIN main.pages ON pages.id = mirrors.page CROSS JOIN hosts ON hosts.id = host
            WHERE trust > 0"""
        return [Trusting._make(row) for row in self._tables.rows(query)]

    def sites_of_hosts(self) -> dict[str, str]:
        """The site of every host by their names."""
        return dict(self._tables.rows("SELECT hosts.name, sites.name FROM hosts JOIN sites ON sites.id = site"))

    def adopt(self, pages: Iterable[int]) -> None:
        """Hide all mirrors except `pages`, which wait for their first turn."""
        self._adopted = list(pages)
        adopted = ", ".join(map(str, self._adopted))
        columns = [name for _, name, *_ in self._tables.rows("PRAGMA main.table_info(pages)")]
        shown = {"state": "iif(state = 'elsewhere', 'waiting', state) AS state"} if adopted else {}
        names = ", ".join(shown.get(name, name) for name in columns)
        which = f"state <> 'elsewhere' OR id IN ({adopted})" if adopted else "state <> 'elsewhere'"
        shown_pages = f"SELECT {names} FROM main.pages WHERE {which}"
        self._tables.make_views({"pages": shown_pages, "born": self._query_of("born")})

    def sums(self) -> Sums:
        """The sums of this partition."""
        (virtual,) = self._tables.row("SELECT virtual FROM book")
        query = "SELECT total(cash + forwarded), total(birth) FROM born WHERE state <> 'alias'"
        received, born = self._tables.row(query)
        return Sums(float(virtual or 0.0), float(self._tables.meta("births") or 0), received, born)

    def ranking(self, sums: Sums) -> dict[str, str]:
        """Queries of the views that rank pages among all partitions, by name. sums: over all partitions."""
        of_all = {"virtual": sums.virtual, "births": max(sums.births, 1.0), "total": sums.total, "floor": _NEVER}
        columns = [name for _, name, *_ in self._tables.rows("PRAGMA main.table_info(book)")]
        names = ", ".join(f"{of_all[name]!r} AS {name}" if name in of_all else name for name in columns)
        return {"book": f"SELECT {names} FROM main.book"} | {view: self._query_of(view) for view in _RANKED_VIEWS}

    def show(self, views: Mapping[str, str]) -> None:
        """Rank the pages among those of all partitions. views: see `ranking`."""
        self._tables.make_views(views)

    def collected(self) -> float:
        """Total importance of the pages that were read."""
        (share,) = self._tables.row("SELECT total(importance) FROM weighed WHERE state = 'fetched'")
        return float(share)

    def _query_of(self, view: str) -> str:
        (sql,) = self._tables.row("SELECT sql FROM main.sqlite_schema WHERE type = 'view' AND name = ?", view)
        return str(sql).partition(" AS\n")[2]
