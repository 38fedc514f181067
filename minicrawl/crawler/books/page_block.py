"""The columns in memory of consecutive pages, from their rows."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts, kind_of
from minicrawl.crawler.books.stored_accounts import columns_of
from minicrawl.model import State
from minicrawl.store.database import damaged
from minicrawl.store.pages import PageColumns
from minicrawl.store.reader import Store


class PageBlock(NamedTuple):
    """Pages `first`, `first` + 1 and so on.

    columns: a value per page. host: number of the page's. gone, alias: as in the book; a mirror is both. kind: see
    `PageKind`. The others are the fields of an Account.
    """

    first: int
    columns: dict[str, npt.NDArray[np.generic]]

    @property
    def size(self) -> int:
        return len(self.columns["host"])


def of_rows(pages: PageColumns) -> PageBlock:
    """A block from rows of the store."""
    elsewhere = np.array(pages.are(State.ELSEWHERE))
    columns = {
        "host": pages.host,
        "gone": np.array(pages.are(State.GONE)) | elsewhere,
        "alias": np.array(pages.are(State.ALIAS)) | elsewhere,
        "kind": np.fromiter(map(kind_of, pages.state, pages.is_answered.tolist()), np.int8, len(pages.id)),
        **pages.account._asdict(),
    }
    return PageBlock(int(pages.id[0]), columns)


def load_block(accounts: Accounts, block: PageBlock) -> None:
    """Load the next pages of a store."""
    book, pages = accounts.book, slice(block.first, block.first + block.size)
    book.size = pages.stop
    accounts.grow(pages.stop)
    others = {"gone": book.gone, "alias": book.alias, "kind": accounts.coverage.kind}
    for name, column in (others | columns_of(accounts)).items():
        column[pages] = block.columns[name]


def page_blocks(store: Store) -> Iterator[PageBlock]:
    """All pages of a store, rising. Raises StoreError if a page is missing."""
    size, end = store.size(), 0
    for rows in store.page_table.columns():
        if not np.array_equal(rows.id, np.arange(end, end + len(rows.id))):
            break
        yield of_rows(rows)
        end += len(rows.id)
    if end < size:
        raise damaged(store.path, f"pages with numbers from {end} on are missing")
