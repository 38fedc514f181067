"""Errors of stores that cannot be ranked. Needs no SciPy."""

import contextlib
from collections.abc import Iterator

from minicrawl.errors import StoreError
from minicrawl.model import State
from minicrawl.store.reader import Store


def check_is_rankable(store: Store) -> None:
    """Raise StoreError if no page has been read, or all are gone."""
    states = {state for state, _ in store.page_table.counts()}
    if states <= {State.WAITING}:
        raise StoreError(
            f"no page in {store.path} has been read yet; run 'minicrawl crawl SEEDS --store {store.path}' first"
        )
    if states == {State.GONE}:
        raise StoreError(f"every page in {store.path} has gone, so there is nothing to rank")


@contextlib.contextmanager
def rankable(store: Store) -> Iterator[None]:
    """Turn a ValueError about the links of a store into a StoreError."""
    try:
        yield
    except ValueError as error:
        raise StoreError(f"{store.path} cannot be ranked: {error}; 'minicrawl check' may say more") from error
