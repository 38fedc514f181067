"""Check a store's invariants against its rows: cash to the unit, links, and a reason for every URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import imbalances, jumps_to_sites, load_block, load_totals, stored_births
from minicrawl.crawler.books.stored_forms import wrong_meta, wrong_settings, wrong_texts
from minicrawl.errors import MinicrawlError
from minicrawl.model import State
from minicrawl.opic import Book
from minicrawl.opic.arrays import Pages, flagged
from minicrawl.opic.book import add_sent
from minicrawl.opic.sites import SiteGraph, Voices
from minicrawl.opic.surfer import REASONABLE
from minicrawl.store.database import damaged
from minicrawl.store.folder import files_of
from minicrawl.store.links import LAST_PLACE, placed
from minicrawl.store.ranks import PLACES
from minicrawl.store.reader import Store, open_store
from minicrawl.store.tables import Columns

_STATES = frozenset(State)


def violations(store: Store) -> Iterator[str]:
    """One sentence per broken invariant; none when the store is consistent. Reads all of it."""
    errors = (
        store.soundness.integrity_errors() or list(wrong_meta(store)) or [*wrong_settings(store), *wrong_texts(store)]
    )
    yield from errors
    if errors:
        return  # the rest would only repeat it for every row
    accounts, hosts, cited = Accounts(REASONABLE), list[Pages](), list[Pages]()
    accounts.grow(store.size())
    for pages in store.page_table.columns():
        load_block(accounts, pages)
        hosts.append(pages["host"])
        cited.append(pages["cited"])
        yield from _faults_of(pages)
    for state, reason, kept, there in store.page_table.miscounted():
        yield f"{kept} pages are counted as {state} ({reason}) instead of {there}"
    if accounts.size:
        book = accounts.book
        book.rule = stored_births(store, np.concatenate(hosts), np.concatenate(cited))
        load_totals(accounts, store)
        for name, value in {"never_visited": book.never_visited, "births": book.births, "total": book.total()}.items():
            total = store.meta(name)
            if not isinstance(total, int | float) or abs(total - value) > 1e-9 * abs(value):
                yield f"the book's {name} is kept as {total} instead of {value}"
        yield from imbalances(accounts)
        yield from _links(store, accounts)
        yield from _order(store, book)
        yield from wrong_voices(store)
    yield from store.texts.flaws()


@contextmanager
def damage_as_store_error(path: Path) -> Iterator[None]:
    """Turn an exception caused by a damaged store into a StoreError. One from a sound store is a bug, and raised
    unchanged."""
    try:
        yield
    except MinicrawlError:
        raise
    except Exception as error:
        damage = _damage(path)
        if damage is None:
            raise
        raise damaged(path, damage) from error


def _damage(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        for file in files_of(path):
            with open_store(file) as store:
                if (fault := next(violations(store), None)) is not None:
                    return fault
    except Exception as error:
        # A program that only reads fails only by its data.
        return str(error) or type(error).__name__
    return None


def _faults_of(pages: Columns) -> Iterator[str]:
    """The faults of pages, each by itself."""
    visited, state = pages["visited"] != 0, pages["state"]
    is_unread = np.isin(state, [State.WAITING, State.ELSEWHERE])
    wrong = {
        "is in state {state!r}, which does not exist": ~np.isin(state, list(_STATES)),
        "is in state {state!r}, but its turns say otherwise": visited == is_unread,
    }
    for what, flags in wrong.items():
        for row in np.flatnonzero(flags).tolist():
            yield f"page {pages['id'][row]} {what.format(state=str(state[row]))}"


def _order(store: Store, book: Book) -> Iterator[str]:
    if store.meta("is_ranked"):
        order, places, starts = book.order(), dict(store.ranks.places()), range(0, book.size, PLACES)
        right = (np.array_equal(places[first], order[first : first + PLACES]) for first in starts)
        if places.keys() != set(starts) or not all(right):
            yield "the order of pages does not match what they have received"


def _links(store: Store, accounts: Accounts) -> Iterator[str]:
    size, book = accounts.size, accounts.book
    expected, received = np.zeros(size, dtype=np.int64), book.received(slice(0, size))
    inlinks, has_links = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.bool_)
    for block in store.link_table.blocks():
        if len(block.targets) and not (int(block.targets.min()) >= 0 and int(block.targets.max()) < size):
            yield "a link leads to a page that is not in the store"
            return
        if block.places is not None and (block.places > LAST_PLACE).any():
            yield "a link has a place that does not exist"
            return
        has_links[block.sources] = True
        np.add.at(inlinks, block.targets, 1)
        add_sent(expected, book, block.sources, block.indptr, block.targets, block.places)
    for page, packed in store.each("SELECT source, own FROM links WHERE own IS NOT NULL"):
        own, places = placed(packed)
        if len(own) and not (int(own.min()) >= 0 and int(own.max()) < size):
            yield f"page {page} has a link of its own to a page that is not in the store"
        if places is not None and (places > LAST_PLACE).any():
            yield f"page {page} has a link of its own whose place does not exist"
    for page in flagged(accounts.had_turn[:size] & ~has_links).tolist():
        yield f"page {page} was read, but its links are not in the store"
    if store.meta("partitions") is not None:  # other partitions know the units they sent to a page of this one
        at_home = ~book.is_mirror(slice(0, size))
        expected[at_home], inlinks[at_home] = received[at_home], accounts.inlinks[:size][at_home]
    for page in flagged(expected != received).tolist():
        yield f"page {page} has received {int(received[page])} units, but its in-links have sent {int(expected[page])}"
    for page in flagged(inlinks != accounts.inlinks[:size]).tolist():
        yield f"page {page} counts {int(accounts.inlinks[page])} in-links, but {int(inlinks[page])} lead to it"


def wrong_voices(store: Store) -> Iterator[str]:
    """One sentence per page whose links from another site are miscounted. Reads all links; those to missing pages
    count for nobody."""
    if not jumps_to_sites(store):
        return
    of_host = store.site_table.of_hosts()
    site = np.concatenate([of_host[pages["host"]] for pages in store.page_table.columns()])
    graph = SiteGraph()
    for block in store.link_table.blocks():
        graph.add_links(site, block.sources, block.indptr, block.targets, block.places)
    counted = store.site_table.voices()
    counted = counted[counted[:, 1] > 0]  # other partitions count their own
    graph.add(Voices(counted[:, 0], counted[:, 1], -counted[:, 2]))
    names = {row.id: row.name for row in store.site_table.all()}
    for page, number in zip(*(column.tolist() for column in graph.voices()[:2]), strict=True):
        yield f"the links of {names.get(number, f'site {number}')} that lead to page {page} are miscounted"
