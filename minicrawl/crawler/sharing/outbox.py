"""Rows sent to other partitions that these have not committed yet, and counts of the rows taken from them.

Rows are numbered 1, 2, 3 ... for every home. The commit that takes cash out of the accounts here adds the row; it stays
until its home has confirmed that a commit there put the cash into its own. So it may be sent any number of times, and
is taken once: a home takes only the row after the last that it has taken.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.partitions.records import Records, Sums, packed, sums
from minicrawl.store.transfers import NeighbourRow, OutboxRow
from minicrawl.store.writer import Writer


class Carried(NamedTuple):
    """Units sent between two partitions for their books: credits and debits."""

    credit_sent: int = 0
    debit_sent: int = 0
    credit_taken: int = 0
    debit_taken: int = 0


class Outbox:
    """Invariant: after a commit the file has exactly the rows that their homes had not confirmed by then.

    Rows may be read and confirmed while another thread commits. `on_committed`: called after every commit, in that.
    """

    def __init__(self, writer: Writer) -> None:
        self._rows: dict[int, list[OutboxRow]] = {}
        self._new: list[OutboxRow] = []
        self._confirmed: deque[tuple[int, int]] = deque()
        self._sent: dict[int, int] = {}
        self._taken: dict[int, int] = {}
        self._carried: dict[int, Carried] = {}
        self._changed: set[int] = set()
        for row in writer.transfers.outbox():
            self._rows.setdefault(row.home, []).append(row)
        for neighbour in writer.transfers.neighbours():
            self._sent[neighbour.partition] = neighbour.sent
            self._taken[neighbour.partition] = neighbour.taken
            self._carried[neighbour.partition] = Carried._make(neighbour[3:])
        self._committed = dict(self._sent)
        self.on_committed: Callable[[], None] = lambda: None

    # Sending.

    def add(self, homes: Sequence[int], ends: Sequence[int], records: Records) -> None:
        """Within a commit: add a row for each of some homes, of records that have left the accounts.

        ends: for each home, the index behind its last record.
        """
        for home, row, of_row in zip(homes, packed(records, ends), sums(records, ends), strict=True):
            number = self._sent[home] = self._sent.get(home, 0) + 1
            self._new.append(OutboxRow(home, number, of_row.received, row))
            carried = self._carried_of(home)
            self._carried[home] = carried._replace(
                credit_sent=carried.credit_sent + of_row.credit, debit_sent=carried.debit_sent + of_row.debit
            )
            self._changed.add(home)

    def committed(self) -> None:
        """Note that the rows added are in the file: from now on they may be sent."""
        for row in self._new:
            self._rows.setdefault(row.home, []).append(row)
        self._new.clear()
        self._committed.update(self._sent)
        self.on_committed()

    def homes(self) -> Sequence[int]:
        """Homes with rows to be sent."""
        return [home for home, rows in list(self._rows.items()) if rows]

    def rows(self, home: int) -> Sequence[OutboxRow]:
        """The rows that a home has not confirmed, in order."""
        return tuple(self._rows.get(home, ()))

    def confirm(self, home: int, number: int) -> None:
        """Delete rows that a home has committed, up to this one. Raises StoreError if fewer were made."""
        if number > self._committed.get(home, 0):
            raise StoreError(
                f"partition {home} has taken {number} messages of this one, which has made only "
                f"{self._committed.get(home, 0)}: this store is older than that one; restore all from one backup"
            )
        rows = self._rows.get(home, [])
        del rows[: sum(row.number <= number for row in tuple(rows))]  # no new list: more rows may be added meanwhile
        self._confirmed.append((home, number))

    # Receiving.

    def taken(self, source: int) -> int:
        """Number of the last row of another partition in the accounts here."""
        return self._taken.get(source, 0)

    @property
    def counters(self) -> tuple[int, int]:
        """Rows made and rows taken since the crawl began."""
        return sum(self._sent.values()), sum(self._taken.values())

    def note_taken(self, source: int, number: int, of_row: Sums) -> None:
        """Note that a row is in the accounts; it must be the one after the last."""
        assert number == self.taken(source) + 1, f"row {number} of partition {source} is not the next"
        self._taken[source] = number
        carried = self._carried_of(source)
        self._carried[source] = carried._replace(
            credit_taken=carried.credit_taken + of_row.credit, debit_taken=carried.debit_taken + of_row.debit
        )
        self._changed.add(source)

    @property
    def carried(self) -> dict[int, Carried]:
        """Units sent and taken since the crawl began, by partition."""
        return dict(self._carried)

    def save(self, writer: Writer) -> None:
        """Write the changes since the last commit."""
        writer.add(OutboxRow, self._new)
        writer.remove_sent([self._confirmed.popleft() for _ in range(len(self._confirmed))])
        rows = (
            NeighbourRow(at, self._sent.get(at, 0), self.taken(at), *self._carried_of(at))
            for at in sorted(self._changed)
        )
        writer.put(NeighbourRow, rows)
        self._changed.clear()

    def _carried_of(self, partition: int) -> Carried:
        return self._carried.get(partition, Carried())
