"""What the stores of all partitions promise together, checked against what they hold. None of them may be in use.

in flight  a row of an outbox that its home has not taken yet

    sum of all cash + cash in flight = TOTAL
    sum of all that was carried + received in flight = 0
    R_j = B_j + what the links of all partitions to j have sent - what of that is in flight or still at a mirror
    taken by B of A <= sent by A to B
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.cluster.agreement import disagreements
from minicrawl.cluster.merged import in_flight
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.audit import audit
from minicrawl.crawler.books.page_block import load_block, of_rows
from minicrawl.crawler.books.stored_accounts import CARRIED
from minicrawl.crawler.books.stored_forms import kept_surfer
from minicrawl.crawler.sharing.records import from_bytes
from minicrawl.opic.arrays import IntArray
from minicrawl.opic.cash_book import TOTAL
from minicrawl.opic.ledger import add_sent
from minicrawl.opic.window import Interpolation
from minicrawl.store.reader import Store
from minicrawl.store.write.transfer_rows import MirrorRow, OutboxRow


@dataclass(frozen=True)
class _Partition:
    """The links of a partition, added up. expected: what its pages have received by them and their births."""

    number: int
    store: Store
    accounts: Accounts
    expected: IntArray
    inlinks: IntArray

    @property
    def mirrors(self) -> Iterator[tuple[str, MirrorRow]]:
        rows = {row.page: row for row, _ in self.store.transfers.mirrors()}
        return ((url, rows[page]) for page, url in enumerate(self.store.page_table.urls()) if page in rows)


def audit_all(stores: Sequence[Store]) -> Iterator[str]:
    """One sentence per promise that is broken; none when all is consistent. stores: those of partitions 0, 1, 2 ..."""
    faults = [f"partition {number}: {fault}" for number, store in enumerate(stores) for fault in audit(store)]
    faults += disagreements(stores)
    yield from faults
    if faults:
        return  # the rest would only say the same
    flying = list(in_flight(stores))
    cash = sum(int(store.meta("cash_total") or 0) for store in stores) + sum(row.cash for _, row in flying)
    if cash != TOTAL:
        yield f"all cash books together hold {cash} units instead of {TOTAL}: {cash - TOTAL:+d}"
    carried = sum(int(store.meta(CARRIED) or 0) for store in stores) + sum(row.received for _, row in flying)
    if carried:
        yield f"all ledgers together have carried {carried:+d} units that no other has"
    yield from _links(list(map(_added_up, range(len(stores)), stores)), [row for _, row in flying])


def _added_up(number: int, store: Store) -> _Partition:
    accounts = Accounts(Interpolation(), kept_surfer(store))
    accounts.grow(store.size())
    for columns in store.page_table.columns():
        load_block(accounts, of_rows(columns))
    expected = accounts.ledger.birth(slice(0, accounts.size)).copy()
    inlinks = np.zeros(accounts.size, dtype=np.int64)
    for block in store.link_table.blocks():
        np.add.at(inlinks, block.targets, 1)
        add_sent(expected, accounts.ledger, block.sources, block.indptr, block.targets, block.places)
    return _Partition(number, store, accounts, expected, inlinks)


def _links(partitions: Sequence[_Partition], in_flight: Sequence[OutboxRow]) -> Iterator[str]:
    """What is wrong with what pages have received, and their in-links, by the links of all partitions."""
    received: list[Counter[str]] = [Counter() for _ in partitions]
    inlinks: list[Counter[str]] = [Counter() for _ in partitions]
    for partition in partitions:
        for url, row in partition.mirrors:
            received[row.home][url] += int(partition.accounts.ledger.forwarded[row.page])
            inlinks[row.home][url] += row.inlinks
    for outbox_row in in_flight:
        records = from_bytes(outbox_row.records)
        received[outbox_row.home].subtract(dict(zip(records.urls, records.received.tolist(), strict=True)))
        inlinks[outbox_row.home].subtract(dict(zip(records.urls, records.inlinks.tolist(), strict=True)))
    for partition, by_url, linked in zip(partitions, received, inlinks, strict=True):
        yield from _of_home(partition, by_url, linked)


def _of_home(partition: _Partition, received: Counter[str], inlinks: Counter[str]) -> Iterator[str]:
    ledger = partition.accounts.ledger
    pages = partition.store.page_table.find(list(received))
    for url, units in received.items():
        if url in pages:
            partition.expected[pages[url]] += units
            partition.inlinks[pages[url]] += inlinks[url]
        elif units or inlinks[url]:
            yield f"partition {partition.number} does not know {url}, which others have sent {units} units to"
    at_home = ~ledger.is_mirror(slice(0, ledger.size))
    wrong = at_home & (partition.expected != ledger.received[: ledger.size])
    for page in np.flatnonzero(wrong).tolist():
        yield (
            f"page {page} of partition {partition.number} has received {int(ledger.received[page])} units, but its "
            f"in-links in all partitions have sent {int(partition.expected[page])}"
        )
    wrong = at_home & (partition.inlinks != partition.accounts.inlinks[: ledger.size])
    for page in np.flatnonzero(wrong).tolist():
        yield (
            f"page {page} of partition {partition.number} counts {int(partition.accounts.inlinks[page])} in-links, but "
            f"{int(partition.inlinks[page])} lead to it"
        )
