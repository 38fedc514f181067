"""The stores of all partitions read as one: every URL where it is at home.

X = R + V' * B / sum(B)        as in one process (opic/ledger.py), with V' and sum(B) of all partitions
importance = X / sum(X)

So every store can tell the X of its pages by itself once the sums are known. Each sorts its own; what is merged are
rows of as many stores, so memory holds a row of each. Exact once a crawl has settled; while it runs, up to what is on
its way from one partition to another.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple, Protocol

from minicrawl.model import State
from minicrawl.store.reader import Answer, Given, Store
from minicrawl.store.rows import RankedPage
from minicrawl.store.write.transfer_rows import OutboxRow


class Ranked(Protocol):
    """See store/partitions/at_home.py."""

    def first(self, held: float, total: float, n: int = -1) -> Iterator[RankedPage]: ...


class AskedStore(Protocol):
    """What is read of a store: a Store has it, and so has one of another machine."""

    @property
    def at_home(self) -> Ranked: ...

    def ask(self, question: Callable[[Store, *Given], Answer], *given: *Given) -> Answer:
        """What a function finds in the store. It is one of a module, and what it finds can be pickled."""
        ...


class Sums(NamedTuple):
    """What importance in partitions is worked out of. held: V' / sum(B); total: sum(X)."""

    held: float
    total: float


class _OwnSums(NamedTuple):
    """Those of a partition, in units. births: sum(B). received, born: by pages that have importance, and with."""

    virtual: int
    births: int
    received: float
    born: float


def sums_of(stores: Sequence[AskedStore]) -> Sums:
    sums = [store.ask(_own_sums) for store in stores]
    held = sum(own.virtual for own in sums) / max(sum(own.births for own in sums), 1)
    return Sums(held, max(sum(own.received + own.born * held for own in sums), 1e-300))


def ranked_pages(stores: Sequence[AskedStore], n: int | None = None) -> Iterator[RankedPage]:
    """Every page of a crawl in partitions, or the n most important, by falling importance, then by URL.

    `history` and `cash` are those of the page's partition; no page has an `expected` one.
    """
    sums = sums_of(stores)
    each = [store.at_home.first(*sums, -1 if n is None else n) for store in stores]
    best_first = merge(*each, key=lambda page: (-page.importance, page.url))
    ranked = (page._replace(rank=rank) for rank, page in enumerate(best_first, start=1))
    return islice(ranked, n)


def importance_of(store: Store, urls: Sequence[str], sums: Sums) -> dict[str, float]:
    """Importance of pages that a partition knows, by URL, among those of all."""
    pages = store.page_table.find(list(urls))
    importance = store.at_home.importance_of(list(pages.values()), *sums)
    return {url: importance[page] for url, page in pages.items()}


def states_of_all(stores: Sequence[AskedStore]) -> Counter[str]:
    """How many pages all partitions have at home in which state."""
    found = sum((store.ask(states) for store in stores), Counter[str]())
    del found[State.ELSEWHERE]
    return found


def states(store: Store) -> Counter[str]:
    """How many pages a partition knows in which state, mirrors of pages of others among them."""
    found: Counter[str] = Counter()
    for (state, _), count in store.page_table.counts().items():
        found[state] += count
    return found


def in_flight(stores: Sequence[AskedStore]) -> Iterator[tuple[int, OutboxRow]]:
    """Rows of outboxes that their homes have not taken, each with the partition that has made it."""
    taken = [store.ask(_taken) for store in stores]
    for source, store in enumerate(stores):
        for row in store.ask(_not_taken, [numbers.get(source, 0) for numbers in taken]):
            yield source, row


def whole(store: Store, key: str) -> int:
    """A whole number of `meta`; 0 where there is none."""
    return int(store.meta(key) or 0)


def _own_sums(store: Store) -> _OwnSums:
    virtual = whole(store, "ledger_virtual") + whole(store, "ledger_never_visited")
    return _OwnSums(virtual, whole(store, "ledger_births"), *store.at_home.received())


def _taken(store: Store) -> Mapping[int, int]:
    """The number of the last row that a partition has taken of each other."""
    return {row.partition: row.taken for row in store.transfers.neighbours()}


def _not_taken(store: Store, taken: Sequence[int]) -> list[OutboxRow]:
    """Rows of the outbox behind those that their homes have taken. taken: by the number of the home."""
    return [row for row in store.transfers.outbox() if row.number > taken[row.home]]
