"""A partition's traffic with the others: mirrors, the outbox, and message numbers of neighbours."""

from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.store.read.tables import Row, Tables, columns


class MirrorRow(NamedTuple):
    """A row of `mirrors`."""

    page: int
    home: int
    inlinks: int
    depth: int | None
    chain_length: int


class OutboxRow(NamedTuple):
    """A row of `outbox`."""

    home: int
    number: int
    received: int
    records: bytes


class NeighbourRow(NamedTuple):
    """A row of `neighbours`."""

    partition: int
    sent: int
    taken: int
    credit_sent: int = 0
    debit_sent: int = 0
    credit_taken: int = 0
    debit_taken: int = 0


class TransferRows:
    """Reads `mirrors`, `outbox` and `neighbours`; writes inside a transaction."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def mirrors(self) -> list[tuple[MirrorRow, int | None]]:
        """Every mirror, with the page that made it known."""
        query = f"SELECT {columns(MirrorRow, 'mirrors')}, found_on FROM mirrors JOIN pages ON id = page ORDER BY page"
        return [(MirrorRow(*row[:-1]), row[-1]) for row in self._tables.rows(query)]

    def outbox(self) -> list[OutboxRow]:
        return self._tables.records(OutboxRow, "outbox ORDER BY home, number")

    def numbers(self) -> set[tuple[int, int]]:
        """Home and number of every row of the outbox."""
        return set(self._tables.rows("SELECT home, number FROM outbox"))

    def neighbours(self) -> list[NeighbourRow]:
        return self._tables.records(NeighbourRow, "neighbours ORDER BY partition")

    def exchanged_with(self) -> list[int]:
        """Partitions that a message was taken from, or that have confirmed one."""
        query = """
            SELECT partition FROM neighbours
            WHERE taken > 0 OR sent > (SELECT count(*) FROM outbox WHERE home = partition)"""
        return [partition for (partition,) in self._tables.rows(query)]

    def save_mirrors(self, rows: Iterable[MirrorRow]) -> None:
        self._write("INSERT OR REPLACE INTO mirrors", MirrorRow, rows)

    def add(self, rows: Iterable[OutboxRow]) -> None:
        """Add new rows to the outbox."""
        self._write("INSERT INTO outbox", OutboxRow, rows)

    def remove(self, confirmed: Iterable[tuple[int, int]]) -> None:
        """Delete rows of the outbox: for each home those up to a number."""
        self._tables.db.executemany("DELETE FROM outbox WHERE home = ? AND number <= ?", confirmed)

    def save_neighbours(self, rows: Iterable[NeighbourRow]) -> None:
        self._write("INSERT OR REPLACE INTO neighbours", NeighbourRow, rows)

    def _write(self, verb: str, kind: type[Row], rows: Iterable[Row]) -> None:
        marks = ", ".join("?" * len(kind._fields))
        self._tables.db.executemany(f"{verb} ({columns(kind)}) VALUES ({marks})", rows)
