"""Consistency of a crawl: each of its stores by itself, and the stores of all partitions together.

in flight  an outbox row that its receiver has not committed yet

    sum of all cash + cash in flight = TOTAL
    sum of carried units + received in flight = 0
    R_j = B_j + units sent by links to j in all partitions - units of these in flight or still at a mirror
    sites elsewhere that link to j, by its home's count = those of all mirrors of j - those in flight
    received by B from A <= sent by A to B
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.books.page_block import load_block, of_rows
from minicrawl.crawler.books.stored_accounts import CARRIED
from minicrawl.crawler.books.stored_forms import kept_surfer
from minicrawl.crawler.sharing.voices import shared_voices
from minicrawl.opic.cash_book import TOTAL
from minicrawl.opic.ledger import add_sent
from minicrawl.opic.window import Interpolation
from minicrawl.store.partitions.agreement import disagreements
from minicrawl.store.partitions.numbers import in_flight
from minicrawl.store.partitions.records import from_bytes
from minicrawl.store.reader import Store
from minicrawl.store.write.transfer_rows import OutboxRow

MOST = 1_000
"""Most faults reported per store."""


class _Sent(NamedTuple):
    """Contributions of other partitions' links to a page, as committed at its home: units, in-links, and their sites
    where these count."""

    received: int
    inlinks: int
    voices: int


def all_violations(stores: Sequence[Store]) -> Iterator[str]:
    """One sentence per violated invariant; none when all is consistent.

    stores: of partitions 0, 1, 2 ..., of one moment, see `Store.files`; or the one store of a crawl. Each is read where
    it is; only its mirrors and outbox rows are transferred.
    """
    if len(stores) == 1 and stores[0].meta("partitions") is None:
        yield from violations(stores[0])
        return
    faults = [f"partition {number}: {fault}" for number, store in enumerate(stores) for fault in store.ask(_faults)]
    faults += disagreements(stores)
    yield from faults
    if faults:
        return  # the rest would only say the same
    flying = [row for _, row in in_flight(stores)]
    cash = sum(int(store.meta("cash_total") or 0) for store in stores) + sum(row.cash for row in flying)
    if cash != TOTAL:
        yield f"all cash books together hold {cash} units instead of {TOTAL}: {cash - TOTAL:+d}"
    carried = sum(int(store.meta(CARRIED) or 0) for store in stores) + sum(row.received for row in flying)
    if carried:
        yield f"all ledgers together have carried {carried:+d} units that no other has"
    sent = _sent(stores, flying)
    for number, store in enumerate(stores):
        yield from store.ask(_faults_at_home, number, sent[number])


def _faults(store: Store) -> list[str]:
    return list(islice(violations(store), MOST))


def _sent(stores: Sequence[Store], flying: Sequence[OutboxRow]) -> Sequence[Mapping[str, _Sent]]:
    """By home and URL: contributions that mirrors have received and forwarded, and homes have committed."""
    sent: list[dict[str, _Sent]] = [{} for _ in stores]

    def add(home: int, url: str, received: int, inlinks: int, voices: int) -> None:
        before = sent[home].get(url, _Sent(0, 0, 0))
        sent[home][url] = _Sent(before.received + received, before.inlinks + inlinks, before.voices + voices)

    for store in stores:
        for home, mirrors in store.ask(_mirrors).items():
            for url, mirror in mirrors:
                add(home, url, *mirror)
    for row in flying:
        records = from_bytes(row.records)
        voices = records.voices.tolist() or [0] * len(records.urls)
        rows = zip(records.urls, records.received.tolist(), records.inlinks.tolist(), voices, strict=True)
        for url, units, inlinks, sites in rows:
            add(row.home, url, -units, -inlinks, -sites)
    return sent


def _mirrors(store: Store) -> Mapping[int, list[tuple[str, _Sent]]]:
    """By home: the URL and the forwarded contributions of every mirror."""
    rows = [row for row, _ in store.transfers.mirrors()]
    urls = store.page_table.urls_of(row.page for row in rows)
    forwarded: dict[int, int] = {}
    for columns in store.page_table.columns_of(np.array([row.page for row in rows], dtype=np.int32)):
        forwarded.update(zip(columns.id.tolist(), columns.account.forwarded.tolist(), strict=True))
    heard = shared_voices(store)
    by_home: defaultdict[int, list[tuple[str, _Sent]]] = defaultdict(list)
    for row in rows:
        by_home[row.home].append((urls[row.page], _Sent(forwarded[row.page], row.inlinks, heard.get(row.page, 0))))
    return dict(by_home)


def _faults_at_home(store: Store, number: int, sent: Mapping[str, _Sent]) -> list[str]:
    return list(islice(_of_home(store, number, sent), MOST))


def _of_home(store: Store, number: int, sent: Mapping[str, _Sent]) -> Iterator[str]:
    """Faults in the units and in-link counts of pages, by the links of all partitions."""
    accounts = _accounts(store)
    ledger, size = accounts.ledger, accounts.size
    expected, counted = np.zeros((2, size), dtype=np.int64)
    for block in store.link_table.blocks():
        np.add.at(counted, block.targets, 1)
        add_sent(expected, ledger, block.sources, block.indptr, block.targets, block.places)
    pages, heard = store.page_table.find(list(sent)), shared_voices(store)
    for url, (units, inlinks, sites) in sent.items():
        if url in pages:
            if (here := heard.get(pages[url], 0)) != sites:
                yield f"partition {number} counts {here} sites elsewhere that link to {url}, instead of {sites}"
            expected[pages[url]] += units
            counted[pages[url]] += inlinks
        elif units or inlinks or sites:
            yield f"partition {number} does not know {url}, which others have sent {units} units to"
    at_home = ~ledger.is_mirror(slice(0, size))
    for page in np.flatnonzero(at_home & (expected != ledger.received[:size])).tolist():
        yield (
            f"page {page} of partition {number} has received {int(ledger.received[page])} units, but its "
            f"in-links in all partitions have sent {int(expected[page])}"
        )
    for page in np.flatnonzero(at_home & (counted != accounts.inlinks[:size])).tolist():
        yield (
            f"page {page} of partition {number} counts {int(accounts.inlinks[page])} in-links, but "
            f"{int(counted[page])} lead to it"
        )


def _accounts(store: Store) -> Accounts:
    accounts = Accounts(Interpolation(), kept_surfer(store))
    accounts.grow(store.size())
    for columns in store.page_table.columns():
        load_block(accounts, of_rows(columns))
    return accounts
