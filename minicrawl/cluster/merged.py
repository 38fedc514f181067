"""The stores of all partitions read as one: every URL where it is at home.

X = R - B + V' * B / sum(B)    as in one process (opic/ledger.py), with V' and sum(B) of all partitions
importance = X / sum(X)

So every store can tell the X of its pages by itself once the sums are known. Each sorts its own; what is merged are
rows of as many stores, so memory holds a row of each. Exact once a crawl has settled; while it runs, up to what is on
its way from one partition to another.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple, Protocol

from minicrawl.opic.ledger import UNIT
from minicrawl.store.reader import Store
from minicrawl.store.rows import MetaValue, RankedPage
from minicrawl.store.write.transfer_rows import OutboxRow


class Ranked(Protocol):
    """See store/partitions/at_home.py."""

    def received(self) -> tuple[float, int]: ...

    def first(self, held: float, total: float, n: int = -1) -> Iterator[RankedPage]: ...


class RankedStore(Protocol):
    """What is read of a store for its ranks: a Store has it, and so has one of another machine."""

    @property
    def at_home(self) -> Ranked: ...

    def meta(self, key: str) -> MetaValue: ...


class Sums(NamedTuple):
    """What importance in partitions is worked out of. held: V' * B / sum(B) of a page, in units; total: sum(X)."""

    held: float
    total: float


def sums_of(stores: Sequence[RankedStore]) -> Sums:
    virtual = sum(_whole(store, "ledger_virtual") + _whole(store, "ledger_never_visited") for store in stores)
    held = virtual * (UNIT / max(sum(_whole(store, "ledger_births") for store in stores), UNIT))
    sums = [store.at_home.received() for store in stores]
    return Sums(held, max(sum(received + births * (held - UNIT) for received, births in sums), 1e-300))


def ranked_pages(stores: Sequence[RankedStore], n: int | None = None) -> Iterator[RankedPage]:
    """Every page of a crawl in partitions, or the n most important, by falling importance, then by URL.

    `history` and `cash` are those of the page's partition; no page has an `expected` one.
    """
    sums = sums_of(stores)
    each = [store.at_home.first(*sums, -1 if n is None else n) for store in stores]
    best_first = merge(*each, key=lambda page: (-page.importance, page.url))
    ranked = (page._replace(rank=rank) for rank, page in enumerate(best_first, start=1))
    return islice(ranked, n)


def states(store: Store) -> Counter[str]:
    """How many pages a partition has at home in which state."""
    found: Counter[str] = Counter()
    for (state, _), count in store.page_table.counts().items():
        found[state] += count
    return found


def in_flight(stores: Sequence[Store]) -> Iterator[tuple[int, OutboxRow]]:
    """Rows of outboxes that their homes have not taken, each with the partition that has made it."""
    taken = {(n, row.partition): row.taken for n, store in enumerate(stores) for row in store.transfers.neighbours()}
    for source, store in enumerate(stores):
        for row in store.transfers.outbox():
            if row.number > taken.get((row.home, source), 0):
                yield source, row


def _whole(store: RankedStore, key: str) -> int:
    return int(store.meta(key) or 0)
