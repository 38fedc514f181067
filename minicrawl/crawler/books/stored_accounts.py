"""Save and load accounts: columns of pages, and totals beside the pages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.opic.arrays import Pages
from minicrawl.store.declaration import MetaValue
from minicrawl.store.pages import Account, AccountColumns

CARRIED = "carried"
"""Units that other partitions have handed over, less those sent to them: only in a partition's store."""


def account_columns(accounts: Accounts, pages: Pages, names: Sequence[str] = Account._fields) -> AccountColumns:
    """Some columns of the accounts of some pages."""
    columns = columns_of(accounts)
    return AccountColumns(pages.tolist(), {name: columns[name][pages].tolist() for name in names})


def account_totals(accounts: Accounts) -> dict[str, MetaValue]:
    """The totals of the accounts, for `meta`."""
    return {
        "clock": accounts.book.clock,
        "window": accounts.book.window,
        "virtual": accounts.book.virtual,
        "never_visited": accounts.book.never_visited,
        "births": accounts.book.births,
        "total": accounts.book.total(),
        **({CARRIED: accounts.book.carried} if accounts.has_neighbours else {}),
    }


def load_totals(accounts: Accounts, totals: Mapping[str, MetaValue]) -> None:
    """Load the totals of a store, after all pages."""
    accounts.book.clock = float(totals["clock"] or 0.0)
    accounts.book.carried = int(totals.get(CARRIED) or 0)
    accounts.book.recount(int(totals["virtual"] or 0))
    accounts.coverage.recount()
    accounts.turns = int(np.count_nonzero(accounts.had_turn[: accounts.size]))


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
