"""Rows of accounts for the next commit; and the interface of parts that are saved."""

from typing import Protocol

import numpy as np

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import JUMP, SHARED_OUT, TopPages, account_columns, account_totals
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.opic.arrays import slices
from minicrawl.settings import BY_SITES
from minicrawl.settings.options import BY_PAGES
from minicrawl.store.pages import CREDITED_COLUMNS
from minicrawl.store.writer import Writer


class Saver(Protocol):
    """A part of the crawl with data for the store."""

    def save(self, writer: Writer) -> None:
        """Write all changes since the last commit, within the transaction of the next."""
        ...


class AccountSaver:
    """Writes new pages and changed accounts. Cash and links gathered by mirrors are handed over first."""

    def __init__(self, state: CrawlState) -> None:
        self._accounts = state.accounts
        self._batch = state.batch
        self._budget = state.budget
        self._mirrors = state.mirrors
        self._top_pages = TopPages()
        self._committed = state.accounts.size

    def save(self, writer: Writer) -> None:
        visited, credited = (pages[pages < self._committed] for pages in self._accounts.take_touched())
        born = np.arange(self._committed, self._accounts.size)
        if self._mirrors is not None:
            emptied = self._mirrors.hand_over(writer, np.concatenate([visited, credited, born]))
            visited = np.union1d(visited, emptied[emptied < self._committed])
        if self._accounts.book.are_born_alike and writer.meta(JUMP) == BY_SITES:
            writer.forget_sites()
            writer.save_meta({JUMP: BY_PAGES, SHARED_OUT: None})
        added, is_anew = self._top_pages.changes(self._accounts.book, np.concatenate([visited, credited, born]))
        writer.save_best(added, is_anew=is_anew)
        writer.save_meta({"best_floor": self._top_pages.floor, "is_ranked": 0})
        writer.page_rows.add(self._batch.new, account_columns(self._accounts, born))
        for some in slices(len(visited), writer.sizes.accounts):
            writer.page_rows.save_accounts(account_columns(self._accounts, visited[some]))
        for some in slices(len(credited), writer.sizes.accounts):
            writer.page_rows.save_accounts(account_columns(self._accounts, credited[some], CREDITED_COLUMNS))
        writer.save_meta(account_totals(self._accounts) | {"discovery_credit": self._budget.credit})
        self._committed = self._accounts.size


def save_ranking(writer: Writer, accounts: Accounts) -> None:
    """Write the place of every page, within the transaction of the last commit of a run."""
    writer.save_places(accounts.book.order().astype(np.int32))
    writer.save_meta({"is_ranked": 1})
