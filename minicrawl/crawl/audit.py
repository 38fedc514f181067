"""What a store promises, checked against what it holds: cash to the unit, links, and a reason for every URL."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.accounts import Accounts
from minicrawl.model import State
from minicrawl.opic import Basic
from minicrawl.opic.ledger import expected_received
from minicrawl.store.reader import Store


def audit(store: Store) -> Iterator[str]:
    """One sentence per promise that is broken; none when the store is consistent. Reads all of it."""
    errors = store.integrity_errors()
    yield from errors
    if errors:
        return  # the rest would only say the same of every row
    accounts = Accounts(Basic())
    states: list[str] = []
    for pages in store.columns():
        accounts.load(pages)
        states += pages.state
        yield from _unexplained(pages.id, pages.state)
    if not accounts.size:
        return
    accounts.load_scalars({name: store.meta(name) for name in accounts.scalars()})
    yield from _cash(accounts, int(store.meta("cash_total") or 0))
    yield from _links(store, accounts, states)


def _unexplained(pages: npt.NDArray[np.int64], states: tuple[str, ...]) -> Iterator[str]:
    known = set(State)
    for page, state in zip(pages.tolist(), states, strict=True):
        if state not in known:
            yield f"page {page} is in state {state!r}, which explains nothing"


def _cash(accounts: Accounts, total: int) -> Iterator[str]:
    book, ledger, size = accounts.book, accounts.ledger, accounts.size
    held = int(book.cashes().sum()) + book.virtual
    if held != total:
        yield f"the cash book holds {held} units instead of {total}: {held - total:+d}"
    residual = int((ledger.received[:size] - ledger.forwarded[:size]).sum()) + ledger.virtual
    if residual != ledger.births:
        yield f"the ledger holds {residual} units instead of {ledger.births}: {residual - ledger.births:+d}"
    if int(book.cashes().min()) < 0:
        yield f"page {int(book.cashes().argmin())} has negative cash"


def _links(store: Store, accounts: Accounts, states: list[str]) -> Iterator[str]:
    graph, size = store.links(), accounts.size
    if len(graph.targets) and not (int(graph.targets.min()) >= 0 and int(graph.targets.max()) < size):
        yield "a link leads to a page that is not in the store"
        return
    if len(graph.sources) and int(graph.sources.max()) >= size:
        yield "a link comes from a page that is not in the store"
        return
    for page in np.setdiff1d(np.flatnonzero(accounts.book.read[:size]), graph.sources).tolist():
        yield f"page {page} was read, but its links are not in the store"
    for page in np.flatnonzero(accounts.book.read[:size] == (np.array(states) == State.WAITING)).tolist():
        yield f"page {page} is in state {states[page]!r}, but its cash says otherwise"
    expected = expected_received(accounts.ledger, graph.sources, graph.indptr, graph.targets)
    for page in np.flatnonzero(expected != accounts.ledger.received[:size]).tolist():
        received = int(accounts.ledger.received[page])
        yield f"page {page} has received {received} units, but its in-links have sent {int(expected[page])}"
    inlinks = np.bincount(graph.targets, minlength=size)
    for page in np.flatnonzero(inlinks != accounts.inlinks[:size]).tolist():
        yield f"page {page} counts {int(accounts.inlinks[page])} in-links, but {int(inlinks[page])} lead to it"
