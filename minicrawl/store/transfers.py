"""A partition's traffic with the others: mirrors, the outbox, and message numbers of neighbours."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import PageId, columns, table
from minicrawl.store.tables import Tables


class MirrorRow(NamedTuple):
    """A page that another partition has (state elsewhere), and what that has been sent of it.

    What a mirror has received in all is its cash and forwarded; what of that was sent, its pages.forwarded.
    """

    page: PageId
    home: Annotated[int, "number of the partition that has it"]
    inlinks: int
    depth: Annotated[int | None, "NULL: nothing was sent of it, so its home may not know it"]
    chain_length: int


class OutboxRow(NamedTuple):
    """What has left the accounts of this partition, until the one that it is for has committed it."""

    home: Annotated[int, "number of the partition that it is for"]
    number: Annotated[int, "1, 2, 3 ... for every home"]
    received: Annotated[int, "sum of what is in `records`"]
    records: Annotated[bytes, "see store/partitions/records.py"]


class NeighbourRow(NamedTuple):
    """What has passed between this partition and another one."""

    partition: int
    sent: Annotated[int, "number of the last row of `outbox` that was made for it"]
    taken: Annotated[int, "number of the last row of its `outbox` that is in the accounts here"]
    credit_sent: Annotated[int, "sum over all of these rows of what is received"] = 0
    debit_sent: Annotated[int, "and of what is taken back"] = 0
    credit_taken: int = 0
    debit_taken: int = 0


# Empty in a store that is a crawl by itself.
table("mirrors", "pages that another partition has", MirrorRow, keys="page")
table("outbox", "what another partition has not committed yet", OutboxRow, keys="home number")
table("neighbours", "what has passed between this partition and the others", NeighbourRow, keys="partition")


class TransferRows:
    """Reads `mirrors`, `outbox` and `neighbours`."""

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
