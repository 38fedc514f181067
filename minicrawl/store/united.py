"""A partition's pages, ranked among those of all partitions.

X = R + V' * B / sum(B)        as in one process (opic/book.py), with V' and sum(B) of all partitions
importance = X / sum(X)

Temporary views shadow those of the file, so that every query works unchanged: `book` has V', sum(B) and sum(X) of all
partitions, and `born`, `weighed` and `ranks` are as in views.sql, on that. While a crawl runs, what is on its way from
one partition to another counts nowhere.
"""

from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.store.tables import Subject

_VIEWS = ("born", "weighed", "ranks")


class Sums(NamedTuple):
    """Sums over pages, in units. virtual: V'. births: sum(B). received, born: of pages that have importance."""

    virtual: float = 0.0
    births: float = 0.0
    received: float = 0.0
    born: float = 0.0

    @property
    def total(self) -> float:
        """sum(X)."""
        return max(self.received + self.born * self.virtual / max(self.births, 1.0), 1e-300)


def sum_of(each: Iterable[Sums]) -> Sums:
    """The sums over the pages of all partitions."""
    return Sums._make(map(sum, zip(*each, strict=True)))


class United(Subject):
    """Reads the sums of a partition, and makes the views."""

    def sums(self) -> Sums:
        """The sums over the pages of this partition."""
        virtual = float(self._tables.value("SELECT virtual FROM book") or 0.0)
        query = """
            SELECT total(cash + forwarded), total(birth)
            FROM born WHERE state NOT IN ('alias', 'elsewhere') AND NOT is_dead"""
        return Sums(virtual, float(self._tables.meta("births") or 0), *self._tables.row(query))

    def show(self, sums: Sums) -> None:
        """Rank the pages among those of all partitions. sums: over all of these."""
        of_all = {"virtual": sums.virtual, "births": max(sums.births, 1.0), "total": sums.total}
        columns = [name for _, name, *_ in self._tables.rows("PRAGMA main.table_info(book)")]
        book = ", ".join(f"{of_all[name]!r} AS {name}" if name in of_all else name for name in columns)
        self._tables.make("VIEW", "book", f"AS SELECT {book} FROM main.book")
        of_view = "SELECT sql FROM main.sqlite_schema WHERE type = 'view' AND name = ?"
        for view in _VIEWS:
            self._tables.make("VIEW", view, str(self._tables.value(of_view, view)).removeprefix(f"CREATE VIEW {view} "))
