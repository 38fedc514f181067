"""Stores of other machines, read by calls: each sorts its own pages, and sends them some at a time."""

import contextlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.merged import states
from minicrawl.control.messages import Message, done, failed
from minicrawl.errors import MinicrawlError
from minicrawl.store.reader import Store, open_store
from minicrawl.store.rows import MetaValue, RankedPage

_ROWS = 2_000
"""Of an answer."""


class Counts(NamedTuple):
    """How many pages a partition has in which state, and how many rows wait in its outbox."""

    states: dict[str, int]
    outbox: int


class Reader:
    """Reads stores of the machine where it runs. Each is read as of one commit, from when it is first asked of."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()
        self._stores: dict[int, Store] = {}
        self._pages: dict[int, Iterator[RankedPage]] = {}

    def ask(self, folder: Folder, number: int, what: str, *given: Any) -> Message:
        """What the store of a partition has; of its "pages" those that come next."""
        try:
            store = self._stores.get(number) or self._opened(folder, number)
            return done({"it": self._asked(number, store, what, *given)})
        except MinicrawlError as error:
            return failed(error)

    def _asked(self, number: int, store: Store, what: str, *given: Any) -> object:
        match what:
            case "meta":
                return store.meta(*given)
            case "counts":
                return Counts(dict(states(store)), len(store.transfers.outbox()))
            case "received":
                return store.at_home.received()
            case _:
                pages = self._pages.get(number) or self._pages.setdefault(number, store.at_home.first(*given))
                return list(islice(pages, _ROWS))

    def _opened(self, folder: Folder, number: int) -> Store:
        store = self._open.enter_context(open_store(folder.stores[number]))
        self._open.enter_context(store.snapshot())
        folder.check_is_current(number, store)
        return self._stores.setdefault(number, store)


class StoreElsewhere:
    """What a merged.RankedStore has. ask: calls the Reader of its machine, and raises MinicrawlError.

    Its pages can be read once.
    """

    def __init__(self, ask: Callable[..., Any], folder: Folder, number: int) -> None:
        self._ask = ask
        self._of = folder, number

    @property
    def at_home(self) -> "StoreElsewhere":
        return self

    def meta(self, key: str) -> MetaValue:
        value: MetaValue = self._ask(*self._of, "meta", key)
        return value

    def counts(self) -> Counts:
        return Counts(*self._ask(*self._of, "counts"))

    def received(self) -> tuple[float, int]:
        received, births = self._ask(*self._of, "received")
        return received, births

    def first(self, held: float, total: float, n: int = -1) -> Iterator[RankedPage]:
        while some := self._ask(*self._of, "pages", held, total, n):
            yield from some


def away(number: int, machine: str) -> str:
    """What is said of a partition whose machine is not there."""
    return (
        f"partition {number} is on machine {machine}, which is away; let it join again as it did before, and repeat "
        "this"
    )
