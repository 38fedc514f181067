"""The columns in memory of consecutive pages: from their rows, or from the copy in a store.

packed = the columns in the order of _FORM, each a number per page, little endian
"""

from collections.abc import Iterator
from typing import Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts, kind_of
from minicrawl.crawler.books.stored_accounts import columns_of
from minicrawl.errors import StoreError
from minicrawl.model import State
from minicrawl.opic.arrays import Pages
from minicrawl.store.database import damaged
from minicrawl.store.reader import Store
from minicrawl.store.rows import PageColumns

_FORM = {
    "host": "<i4",
    "gone": "|b1",
    "alias": "|b1",
    "kind": "|i1",
    "depth": "<i4",
    "inlinks": "<i4",
    "visited": "|b1",
    "cash": "<i8",
    "forwarded": "<i8",
    "history": "<f8",
    "clock": "<f8",
    "chain_length": "|i1",
}
FORM = repr(_FORM)
_BYTES = sum(np.dtype(kind).itemsize for kind in _FORM.values())


class PageBlock(NamedTuple):
    """Pages `first`, `first` + 1 and so on. columns: by the names in _FORM, a value per page.

    host: number of the page's. gone, alias: as in the book; a mirror is both. kind: see `PageKind`. The others
    are the fields of an Account.
    """

    first: int
    columns: dict[str, npt.NDArray[np.generic]]

    @property
    def size(self) -> int:
        return len(self.columns["host"])


def of_rows(pages: PageColumns) -> PageBlock:
    """A block from rows of the store. Pages need not be consecutive if `first` is unused."""
    elsewhere = np.array(pages.are(State.ELSEWHERE))
    columns = {
        "host": pages.host,
        "gone": np.array(pages.are(State.GONE)) | elsewhere,
        "alias": np.array(pages.are(State.ALIAS)) | elsewhere,
        "kind": np.fromiter(map(kind_of, pages.state, pages.is_answered.tolist()), np.int8, len(pages.id)),
        **pages.account._asdict(),
    }
    return PageBlock(int(pages.id[0]), {name: columns[name].astype(kind, copy=False) for name, kind in _FORM.items()})


def packed_of(accounts: Accounts, host_of: Pages, pages: slice) -> bytes:
    """The columns in memory of some pages, packed. host_of: the host of every page."""
    columns: dict[str, npt.NDArray[Any]] = {"host": host_of} | _columns(accounts)
    return b"".join(columns[name][pages].astype(kind).tobytes() for name, kind in _FORM.items())


def load_block(accounts: Accounts, block: PageBlock) -> None:
    """Load the next pages of a store."""
    pages = slice(block.first, block.first + block.size)
    accounts.book.size = pages.stop
    accounts.grow(pages.stop)
    for name, column in _columns(accounts).items():
        column[pages] = block.columns[name]


def page_blocks(store: Store) -> Iterator[PageBlock]:
    """All pages of a store, rising: from a copy, except pages touched since; else from the rows.

    Raises StoreError if a page is missing.
    """
    size, end = store.size(), 0
    if size >= store.sizes.arrays:
        for kept in store.page_blocks.all(size, FORM):
            if kept.first < end:
                continue
            yield from _of_store(store, end, kept.first)
            block = _unpacked(kept.packed, kept.first)
            end = block.first + block.size
            if len(kept.stale) > block.size // 2:
                yield from _of_store(store, block.first, end)
            else:
                yield _renewed(store, block, kept.stale)
    yield from _of_store(store, end, size)


def wrong_copies(store: Store) -> Iterator[int]:
    """The first page of every valid copy that differs from the rows. Raises StoreError."""
    for kept in store.page_blocks.all(store.size(), FORM):
        block = _renewed(store, _unpacked(kept.packed, kept.first), kept.stale)
        rows = list(_of_store(store, block.first, block.first + block.size))
        for name, values in block.columns.items():
            if not np.array_equal(values, np.concatenate([some.columns[name] for some in rows])):
                yield block.first
                break


def _of_store(store: Store, first: int, end: int) -> Iterator[PageBlock]:
    """Pages from `first` on and before `end`, from the rows."""
    while first < end:
        for rows in store.page_table.columns(first, end):
            if not np.array_equal(rows.id, np.arange(first, first + len(rows.id))):
                raise _missing(store, first)
            yield of_rows(rows)
            first += len(rows.id)
        if first < end:
            raise _missing(store, first)


def _renewed(store: Store, block: PageBlock, stale: npt.NDArray[np.int32]) -> PageBlock:
    """The block with some of its pages replaced from the rows."""
    if not len(stale):
        return block
    columns, renewed = {name: values.copy() for name, values in block.columns.items()}, 0
    for rows in store.page_table.columns_of(stale):
        renewed += len(rows.id)
        for name, values in of_rows(rows).columns.items():
            columns[name][rows.id - block.first] = values
    if renewed < len(stale):
        raise _missing(store, block.first)
    return PageBlock(block.first, columns)


def _unpacked(packed: bytes, first: int) -> PageBlock:
    size, columns, start = len(packed) // _BYTES, {}, 0
    for name, kind in _FORM.items():
        columns[name] = np.frombuffer(packed, dtype=kind, count=size, offset=start)
        start += size * np.dtype(kind).itemsize
    return PageBlock(first, columns)


def _missing(store: Store, first: int) -> StoreError:
    return damaged(store.path, f"pages with numbers from {first} on are missing")


def _columns(accounts: Accounts) -> dict[str, npt.NDArray[Any]]:
    """The arrays in memory by the names in _FORM, without that of hosts."""
    book = accounts.book
    others: dict[str, npt.NDArray[Any]] = {"gone": book.gone, "alias": book.alias, "kind": accounts.coverage.kind}
    return others | columns_of(accounts)
