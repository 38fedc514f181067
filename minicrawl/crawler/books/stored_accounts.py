"""Save and load accounts: columns of pages, and totals beside the pages."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.opic.arrays import Numbers, Pages
from minicrawl.store.rows import Account, AccountColumns, MetaValue

CARRIED = "ledger_carried"
"""Units that other partitions have handed over to the ledger, less those sent to them: only in a partition's store."""


def account_columns(accounts: Accounts, pages: Pages, names: Sequence[str] = Account._fields) -> AccountColumns:
    """Some columns of the accounts of some pages."""
    columns = columns_of(accounts)
    return AccountColumns(pages.tolist(), {name: columns[name][pages].tolist() for name in names})


def account_totals(accounts: Accounts) -> dict[str, MetaValue]:
    """The totals of the accounts, for `meta`."""
    return {
        "cash_total": accounts.book.total,
        "reserve": accounts.book.reserve,
        "income": accounts.book.income,
        "level": accounts.book.level,
        "clock": accounts.book.clock,
        "newcomer_history": accounts.book.newcomer_history,
        "interpolation_size": accounts.book.window_size(),
        "ledger_virtual": accounts.ledger.virtual,
        "ledger_never_visited": accounts.ledger.never_visited,
        "ledger_births": accounts.ledger.births,
        "ledger_total": accounts.ledger.total(),
        **({CARRIED: accounts.ledger.carried} if accounts.has_neighbours else {}),
    }


def load_totals(accounts: Accounts, totals: Mapping[str, MetaValue]) -> None:
    """Load the totals of a store, after all pages."""
    for name in ("reserve", "income", "level", "clock"):
        setattr(accounts.book, name, int(totals[name] or 0))
    accounts.book.newcomer_history = float(totals["newcomer_history"] or 0.0)
    accounts.book.total = int(totals["cash_total"] or 0)
    accounts.ledger.carried = int(totals.get(CARRIED) or 0)
    accounts.ledger.recount(int(totals["ledger_virtual"] or 0))
    accounts.coverage.recount()
    accounts.book.payees = int(np.count_nonzero(accounts.book.visited[: accounts.size]))


def imbalances(accounts: Accounts, cash_total: int) -> Iterator[str]:
    """Sentences on books that do not balance. cash_total: the sum of all cash in the store."""
    known, book, ledger = slice(0, accounts.size), accounts.book, accounts.ledger
    cash = int(book.standing[known].sum()) + book.level * book.payees + book.virtual
    if cash != cash_total:
        yield f"the cash book holds {cash} units instead of {cash_total}"
    held = int(ledger.received[known].sum()) - int(ledger.forwarded[known].sum()) + ledger.virtual
    if held != ledger.carried:
        yield f"the ledger holds {held} units instead of {ledger.carried}"


def columns_of(accounts: Accounts) -> dict[str, Numbers]:
    """The arrays behind an Account, by its fields."""
    return {
        "depth": accounts.depth,
        "inlinks": accounts.inlinks,
        "visited": accounts.book.visited,
        "standing": accounts.book.standing,
        "history": accounts.book.history,
        "clock": accounts.book.last,
        "received": accounts.ledger.received,
        "forwarded": accounts.ledger.forwarded,
        "chain_length": accounts.hops,
    }
