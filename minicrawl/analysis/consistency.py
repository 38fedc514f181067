"""Consistency of a crawl: each of its stores by itself, and the stores of all partitions together.

in flight  an outbox row that its receiver has not committed yet

    sum of carried units + received in flight = 0
    R_j = B_j + units sent by links to j in all partitions - units of these in flight or still at a mirror
    sites elsewhere that link to j, by its home's count = those of all mirrors of j - those in flight
    received by B from A <= sent by A to B
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.books.stored import CARRIED, load_block
from minicrawl.crawler.sharing import shared_voices
from minicrawl.opic.arrays import IntArray
from minicrawl.opic.book import add_sent
from minicrawl.opic.surfer import REASONABLE
from minicrawl.store.partitions.agreement import disagreements
from minicrawl.store.partitions.numbers import in_flight, posted
from minicrawl.store.partitions.records import from_bytes
from minicrawl.store.reader import Store
from minicrawl.store.spill import Spill
from minicrawl.store.transfers import MirrorRow, OutboxRow

MOST = 1_000
"""Most faults reported per store."""


_Sent = tuple[list[str], IntArray, IntArray, IntArray]
"""Contributions of other partitions' links to pages, as committed at their home: URLs, units, in-links, and their sites
where these count."""


def all_violations(stores: Sequence[Store]) -> Iterator[str]:
    """One sentence per violated invariant; none when all is consistent.

    stores: of the partitions that have one, of one moment, see `Store.files`; or the one store of a crawl. Each is read
    where it is; only its mirrors and outbox rows are transferred, and kept on disk by home.
    """
    partitions = stores[0].meta("partitions")
    if len(stores) == 1 and partitions is None:
        yield from violations(stores[0])
        return
    faults = []
    for store in stores:
        number = store.ask(posted).partition
        faults += [f"partition {number}: {fault}" for fault in store.ask(_faults)]
    each = [store.ask(posted) for store in stores]
    faults += disagreements(stores)
    yield from faults
    if faults:
        return  # the rest would only say the same
    carried = sum(int(store.meta(CARRIED) or 0) for store in stores)
    with Spill() as spill:
        for store in stores:
            for home, sent in store.ask(_mirrors).items():
                _spill(spill, home, sent)
        for _, row in in_flight(stores, each):
            carried += row.received
            _spill(spill, row.home, _not_arrived(row))
        if carried:
            yield f"all books together have carried {carried:+d} units that no other has"
        for one, store in zip(each, stores, strict=True):
            yield from store.ask(_faults_at_home, one.partition, _added_up(spill, one.partition))


def _faults(store: Store) -> list[str]:
    return list(islice(violations(store), MOST))


def _mirrors(store: Store) -> Mapping[int, _Sent]:
    """By home: the URLs and the forwarded contributions of all mirrors."""
    rows = [row for row, _ in store.transfers.mirrors()]
    urls = store.page_table.urls_of(row.page for row in rows)
    forwarded: dict[int, int] = {}
    for columns in store.page_table.columns_of(np.array([row.page for row in rows], dtype=np.int32)):
        forwarded.update(zip(columns.id.tolist(), columns.account.forwarded.tolist(), strict=True))
    heard = shared_voices(store)
    by_home: defaultdict[int, list[MirrorRow]] = defaultdict(list)
    for row in rows:
        by_home[row.home].append(row)
    return {
        home: (
            [urls[row.page] for row in some],
            np.array([forwarded[row.page] for row in some], dtype=np.int64),
            np.array([row.inlinks for row in some], dtype=np.int64),
            np.array([heard.get(row.page, 0) for row in some], dtype=np.int64),
        )
        for home, some in by_home.items()
    }


def _not_arrived(row: OutboxRow) -> _Sent:
    """Contributions in a row that its home has not committed, with their signs turned."""
    records = from_bytes(row.records)
    voices = records.voices if len(records.voices) else np.zeros(len(records.urls), dtype=np.int64)
    return (records.urls, -records.received, -records.inlinks.astype(np.int64), -voices)


def _spill(spill: Spill, home: int, sent: _Sent) -> None:
    text = np.frombuffer("\n".join(sent[0]).encode(), dtype=np.uint8)
    spill.append(home, (text, *sent[1:]))


def _added_up(spill: Spill, home: int) -> Mapping[str, tuple[int, int, int]]:
    """By URL of a home: units, in-links and sites that mirrors have forwarded, and it has committed."""
    sent: dict[str, tuple[int, int, int]] = {}
    for text, *columns in spill.read(home):
        urls = text.tobytes().decode().split("\n")
        for url, *more in zip(urls, *(column.tolist() for column in columns), strict=True):
            units, inlinks, sites = sent.get(url, (0, 0, 0))
            sent[url] = units + more[0], inlinks + more[1], sites + more[2]
    return sent


def _faults_at_home(store: Store, number: int, sent: Mapping[str, tuple[int, int, int]]) -> list[str]:
    return list(islice(_of_home(store, number, sent), MOST))


def _of_home(store: Store, number: int, sent: Mapping[str, tuple[int, int, int]]) -> Iterator[str]:
    """Faults in the units and in-link counts of pages, by the links of all partitions."""
    accounts = _accounts(store)
    book, size = accounts.book, accounts.size
    expected, counted = np.zeros((2, size), dtype=np.int64)
    for block in store.link_table.blocks():
        np.add.at(counted, block.targets, 1)
        add_sent(expected, book, block.sources, block.indptr, block.targets, block.places)
    pages, heard = store.page_table.find(list(sent)), shared_voices(store)
    for url, (units, inlinks, sites) in sent.items():
        if url in pages:
            if (here := heard.get(pages[url], 0)) != sites:
                yield f"partition {number} counts {here} sites elsewhere that link to {url}, instead of {sites}"
            expected[pages[url]] += units
            counted[pages[url]] += inlinks
        elif units or inlinks or sites:
            yield f"partition {number} does not know {url}, which others have sent {units} units to"
    at_home = ~book.is_mirror(slice(0, size))
    received = book.received(slice(0, size))
    for page in np.flatnonzero(at_home & (expected != received)).tolist():
        yield (
            f"page {page} of partition {number} has received {int(received[page])} units, but its "
            f"in-links in all partitions have sent {int(expected[page])}"
        )
    for page in np.flatnonzero(at_home & (counted != accounts.inlinks[:size])).tolist():
        yield (
            f"page {page} of partition {number} counts {int(accounts.inlinks[page])} in-links, but "
            f"{int(counted[page])} lead to it"
        )


def _accounts(store: Store) -> Accounts:
    accounts = Accounts(REASONABLE)
    accounts.grow(store.size())
    for columns in store.page_table.columns():
        load_block(accounts, columns)
    return accounts
