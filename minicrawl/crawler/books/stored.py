"""Accounts as stored: columns of pages and blocks of them, totals beside the pages, the rule of birth cash."""

import json
from collections.abc import Iterator, Sequence
from typing import Any  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts, kind_of
from minicrawl.model import State
from minicrawl.opic.arrays import Pages
from minicrawl.opic.sites import Births, SiteBirths
from minicrawl.settings import BY_SITES
from minicrawl.store.database import damaged
from minicrawl.store.declaration import MetaValue
from minicrawl.store.pages import Account
from minicrawl.store.reader import Store
from minicrawl.store.tables import Columns

JUMP, SHARED_OUT, VOICE_LEVEL, SHARED_BY = "jump", "shared_out", "voice_level", "shared_by"
"""Keys of `meta`: the jump of walkers, the number of pages known when births were last shared out, the units that a
page then got for every unit of its voices, and the rule."""
RULE = 2
"""Number of the rule that births are shared out by (opic/sites.py). The first knew nothing of citations."""


def stored_births(store: Store, host_of: Pages, cited: npt.NDArray[np.integer]) -> Births:
    """host_of, cited: of every page of the store. Raises StoreError."""
    if not jumps_to_sites(store):
        return Births()
    births = SiteBirths()
    births.grow(len(host_of))
    births.shared = shared = min(int(store.meta(SHARED_OUT) or 0), len(host_of))
    births.site[:shared], births.cited[:shared] = store.site_table.of_hosts()[host_of[:shared]], cited[:shared]
    doors = store.site_table.doors()
    births.entrance[doors[:, 0]], births.voices[doors[:, 0]] = doors[:, 2], doors[:, 3]
    births.entrance[shared:], births.voices[shared:] = False, 0
    sites = store.site_table.all()
    births.page_level = np.array([1, *(site.page_level for site in sites)], dtype=np.int64)
    births.entrance_level = np.array([0, *(site.entrance_level for site in sites)], dtype=np.int64)
    births.voice_level = int(store.meta(VOICE_LEVEL) or 0)
    return births


def jumps_to_sites(store: Store) -> bool:
    """True if walkers of the store jump to sites by their trust, as of its last commit."""
    return store.meta(JUMP) == BY_SITES


LATE_TURNS = "late_turns"
"""JSON of the means of `LateTurns`."""
CARRIED = "carried"
"""Units that other partitions have handed over, less those sent to them: only in a partition's store."""


def account_rows(accounts: Accounts, pages: Pages, names: Sequence[str] = Account._fields) -> Iterator[tuple[Any, ...]]:
    """Some columns of the accounts of some pages, and last their numbers."""
    columns = columns_of(accounts)
    return zip(*(columns[name][pages].tolist() for name in names), pages.tolist(), strict=True)


def account_totals(accounts: Accounts) -> dict[str, MetaValue]:
    """The totals of the accounts, for `meta`."""
    return {
        "clock": accounts.book.clock,
        "window": accounts.book.window,
        "virtual": accounts.book.virtual,
        "never_visited": accounts.book.never_visited,
        "births": accounts.book.births,
        "total": accounts.book.total(),
        LATE_TURNS: json.dumps(accounts.late_turns.means),
        **({CARRIED: accounts.book.carried} if accounts.has_neighbours else {}),
    }


def load_totals(accounts: Accounts, store: Store) -> None:
    """Load the totals of a store, after all pages."""
    accounts.book.clock = float(store.meta("clock") or 0.0)
    accounts.book.carried = int(store.meta(CARRIED) or 0)
    accounts.book.recount(int(store.meta("virtual") or 0))
    accounts.coverage.recount()
    accounts.turns = int(np.count_nonzero(accounts.had_turn[: accounts.size]))
    late = accounts.late_turns
    late.turns, late.size = accounts.turns, accounts.size - accounts.book.mirrors
    late.means = json.loads(str(store.meta(LATE_TURNS) or "[1.0, 1.0, 0.0]"))


def imbalances(accounts: Accounts) -> Iterator[str]:
    """A sentence on a book that does not balance."""
    book = accounts.book
    held, born = int(book.cash_of(slice(0, book.size)).sum()) + book.virtual, book.births + book.carried
    if held != born:
        yield f"the book holds {held} units instead of {born}"


def columns_of(accounts: Accounts) -> dict[str, npt.NDArray[Any]]:
    """The arrays behind an Account, by its fields."""
    return {
        "depth": accounts.depth,
        "inlinks": accounts.inlinks,
        "visited": accounts.had_turn,
        "cash": accounts.book.cash,
        "forwarded": accounts.book.forwarded,
        "history": accounts.book.history,
        "clock": accounts.book.clock_of,
        "chain_length": accounts.hops,
    }


def load_block(accounts: Accounts, rows: Columns) -> None:
    """Load the next pages of a store. A mirror counts as gone and as an alias."""
    book, first, state = accounts.book, int(rows["id"][0]), rows["state"]
    pages = slice(first, first + len(state))
    book.size = pages.stop
    accounts.grow(pages.stop)
    elsewhere = state == State.ELSEWHERE
    book.gone[pages] = (rows["is_dead"] != 0) | elsewhere
    book.alias[pages] = (state == State.ALIAS) | elsewhere
    kinds = map(kind_of, state.tolist(), rows["is_answered"].tolist())
    accounts.coverage.kind[pages] = np.fromiter(kinds, np.int8, len(state))
    for name, column in columns_of(accounts).items():
        column[pages] = rows[name]


def page_blocks(store: Store) -> Iterator[Columns]:
    """All pages of a store, rising. Raises StoreError if a page is missing."""
    size, end = store.size(), 0
    for rows in store.page_table.columns():
        if not np.array_equal(rows["id"], np.arange(end, end + len(rows["id"]))):
            break
        yield rows
        end += len(rows["id"])
    if end < size:
        raise damaged(store.path, f"pages with numbers from {end} on are missing")
