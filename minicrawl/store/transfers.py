"""A partition's traffic with the others: mirrors, the outbox, and message numbers of neighbours."""

from collections.abc import Sequence
from itertools import product
from typing import Annotated, NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.declaration import PageId, columns, table
from minicrawl.store.tables import Subject


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


class TransferRows(Subject):
    """Reads `mirrors`, `outbox` and `neighbours`."""

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

    def traffic(self) -> "Traffic":
        neighbours = self.neighbours()
        sent, taken = ({row.partition: getattr(row, of) for row in neighbours} for of in ("sent", "taken"))
        return Traffic(sent, taken, self.numbers())


class Traffic(NamedTuple):
    """The traffic of a partition. sent, taken: numbers of messages by partition; kept: home and number of every row of
    its outbox."""

    sent: dict[int, int]
    taken: dict[int, int]
    kept: set[tuple[int, int]]


def agree(each: Sequence[Traffic]) -> bool:
    """True if stores go together. each: of all partitions, by number.

    At every commit, B has taken no more rows from A than A has sent, and A keeps each row that B has not taken. A store
    that is older than the others breaks one of these as soon as rows were handed over in between; to go on with it
    would lose cash, or make it.
    """
    for source, home in product(range(len(each)), repeat=2):
        sent, taken = each[source].sent.get(home, 0), each[home].taken.get(source, 0)
        if taken > sent or not each[source].kept.issuperset((home, row) for row in range(taken + 1, sent + 1)):
            return False
    return True


def check_traffic(each: Sequence[Traffic]) -> None:
    """Raise StoreError for stores that do not go together. each: of all partitions, by number."""
    if not agree(each):
        raise StoreError("some stores of this crawl are older than others; restore all from one copy")
