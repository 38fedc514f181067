"""A partition's traffic with the others: mirrors, the outbox, message numbers of neighbours, and the messages.

A message has for each URL the changes of its mirror since the last hand-over. As bytes: the columns of `Records` in
JSON.
"""

import json
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise, product
from typing import Annotated, Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.errors import StoreError
from minicrawl.store.declaration import PageId, columns, table
from minicrawl.store.tables import Subject

IntArray = npt.NDArray[np.int64]
_KINDS = (np.int64, np.int32, np.int32, np.int8, np.int64)


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
    records: Annotated[bytes, "see `packed`"]


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

    def neighbours(self) -> list[NeighbourRow]:
        return self._tables.records(NeighbourRow, "neighbours ORDER BY partition")

    def traffic(self) -> "Traffic":
        neighbours = self.neighbours()
        sent, taken = ({row.partition: getattr(row, of) for row in neighbours} for of in ("sent", "taken"))
        return Traffic(sent, taken, set(self._tables.rows("SELECT home, number FROM outbox")))


class Traffic(NamedTuple):
    """The traffic of a partition. sent, taken: numbers of messages by partition; kept: home and number of every row of
    its outbox."""

    sent: dict[int, int]
    taken: dict[int, int]
    kept: set[tuple[int, int]]


def agree(each: Sequence[Traffic]) -> bool:
    """True if stores go together. each: of all partitions, by number.

    At every commit, B has taken no more rows from A than A has sent, and A keeps each row that B has not taken. A store
    that is older than the others breaks one of these as soon as rows were handed over in between; to continue with it
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


class Records(NamedTuple):
    """Distinct URLs, and in every other field a value per URL.

    `found_on`: the page that made the URL known, if its home may not know it yet; else "".
    `received`, `inlinks`: changes since. `depth`, `chain_length`: as of now.
    `voices`: increase of the voices here for a page (opic/sites.py); 0 unless random surfers jump to sites.
    """

    urls: list[str]
    found_on: list[str]
    received: IntArray
    inlinks: npt.NDArray[np.int32]
    depth: npt.NDArray[np.int32]
    chain_length: npt.NDArray[np.int8]
    voices: IntArray


class Sums(NamedTuple):
    """Sums over the records of a row. credit, debit: of the positive and negative numbers of `received`, both without
    sign."""

    received: int
    credit: int
    debit: int


def sums(records: Records, ends: Sequence[int]) -> list[Sums]:
    """The sums of consecutive rows. ends: for each, the index behind its last record."""
    columns = (records.received, np.maximum(records.received, 0))
    bounds = np.array([0, *ends])
    each = (np.diff(np.concatenate([[0], np.cumsum(column)])[bounds]).tolist() for column in columns)
    return [Sums(received, credit, credit - received) for received, credit in zip(*each, strict=True)]


def joined(records: Records) -> Records:
    """Records of several senders as those of one: changes for a URL are added up, and the least depth counts."""
    numbers: dict[str, int] = {}
    of = np.array([numbers.setdefault(url, len(numbers)) for url in records.urls], dtype=np.int64)
    if len(numbers) == len(of):
        return records
    found_on = [""] * len(numbers)
    for number, page in zip(of.tolist(), records.found_on, strict=True):
        found_on[number] = found_on[number] or page

    def combined(name: str, by: np.ufunc, first: int) -> npt.NDArray[Any]:
        column = getattr(records, name)
        result = np.full(len(numbers), first, dtype=column.dtype)
        by.at(result, of, column)
        return result

    added = {name: combined(name, np.add, 0) for name in ("received", "inlinks", "voices")}
    depth = combined("depth", np.minimum, np.iinfo(np.int32).max)
    chain_length = combined("chain_length", np.maximum, 0)
    return Records(list(numbers), found_on, **added, depth=depth, chain_length=chain_length)


def packed(records: Records, ends: Sequence[int]) -> list[bytes]:
    """Consecutive rows as bytes. ends: for each, the index behind its last record."""
    columns = [np.asarray(column).tolist() for column in records]
    return [json.dumps([column[start:end] for column in columns]).encode() for start, end in pairwise([0, *ends])]


def unpacked(rows: Sequence[bytes]) -> tuple[Records, list[int]]:
    """Unpack rows. Returns the records of all, and for each row the index behind its last. Raises ValueError if one is
    invalid.

    No row has a URL twice, but two may have the same.
    """
    each = list(map(_columns_of, rows))
    columns = [list(chain(*column)) for column in zip(*each, strict=True)]
    urls, found_on, *numbers = columns
    return Records(urls, found_on, *map(np.array, numbers, _KINDS)), list(accumulate(len(one[0]) for one in each))


def _columns_of(row: bytes) -> list[list[Any]]:
    columns: list[list[Any]] = json.loads(row)
    sizes = list(map(len, columns))
    if len(sizes) != len(Records._fields) or len({*sizes}) > 1:
        raise ValueError(f"records have columns of {sizes}")
    return columns
