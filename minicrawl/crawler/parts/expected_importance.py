"""Expected importance of the pages known so far: computed as the crawl grows, and saved.

It is that of walkers who jump to all pages alike: where they jump to sites, none is computed, and the store deletes
its old one.

It is computed after a commit, in the accounting thread, from the store as of then; the next commit writes it.
While the crawl runs that is done when the crawl has grown by a tenth, using at most 0.5 % of the CPU time.
"""

import json
import time
from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.known.expectation import FINE, ROUGH, Expectation, PagesSoFar, expectation, kept_rows
from minicrawl.crawler.urls.groups import UrlGroups
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.opic.arrays import IntArray
from minicrawl.opic.coverage import COLLECTED
from minicrawl.opic.expected import HELD_OUT
from minicrawl.store.read.expected import META
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer

FloatArray = npt.NDArray[np.float64]

FEWEST_VISITED = 100
"""Pages that must have had their turn before a running crawl computes it."""
LEAST_APART = 200.0
"""CPU time between two computations in a running crawl, as a multiple of the first one's."""


class ExpectedImportance(Part):
    """Computes expected importance as the crawl grows. The books stay as they are."""

    def __init__(self, accounts: Accounts, store: Store, cpu: Callable[[], float] = time.process_time) -> None:
        """cpu: gives the CPU seconds of this program so far."""
        self._accounts = accounts
        self._store = store
        self._cpu = cpu
        kept = store.expected.of()
        self._visited = 0 if kept is None else kept.visited
        self._groups = UrlGroups()
        self._finest: IntArray = np.zeros(0, dtype=np.int64)
        self._shares: FloatArray | None = None
        self._unsaved: Expectation | None = None
        self._not_before = 0.0

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        """Off in partitions, as others have most of the evidence."""
        return cls(opening.state.accounts, opening.state.writer) if opening.share is None else None

    def after_commit(self) -> None:
        if self.is_due:
            self._compute(ROUGH)

    def on_settled(self) -> None:
        """Compute it more exactly, and the share of it that will stay."""
        self._compute(FINE, at_end=True)

    @property
    def is_due(self) -> bool:
        """True if the crawl has grown by a tenth since the last time, and that is long enough ago."""
        visited = self._accounts.book.payees
        has_grown = visited >= FEWEST_VISITED and 10 * visited >= 11 * self._visited
        fits = self._accounts.size <= self._store.sizes.pages
        return has_grown and fits and self._accounts.ledger.are_born_alike and self._cpu() >= self._not_before

    def _compute(self, tolerance: float, *, at_end: bool = False) -> None:
        """All must be committed. tolerance: the L1 distance that suffices. at_end: compute `stays`, too."""
        if self._accounts.size > self._store.sizes.expected or not self._accounts.book.payees:
            return
        if not self._accounts.ledger.are_born_alike:
            return
        began = self._cpu()
        start = self._started()
        with kept_rows(self._store, self._accounts.ledger.surfer) as links:
            self._unsaved = expectation(self._so_far(at_end=at_end), links, start, tolerance)
        self._shares, self._visited = self._unsaved.shares, self._unsaved.of.visited
        now = self._cpu()
        self._not_before = now + LEAST_APART * (now - began)

    def save(self, writer: Writer) -> None:
        """Write results since the last commit."""
        if not self._accounts.ledger.are_born_alike and writer.expected.of() is not None:
            writer.save_expected(np.zeros(0), np.zeros(0), ())
            writer.save_meta({META: None})
        found, self._unsaved = self._unsaved, None
        if found is not None:
            writer.save_expected(found.shares, found.unread, found.sites)
            writer.save_meta({META: json.dumps(found.of._asdict())})

    def _started(self) -> FloatArray | None:
        """The shares computed last, possibly by another run."""
        return np.nan_to_num(self._store.expected.shares()) if self._shares is None else self._shares

    def _so_far(self, *, at_end: bool) -> PagesSoFar:
        known, accounts = slice(0, self._accounts.size), self._accounts
        new = map(self._groups.of, self._store.page_table.urls(len(self._finest)))
        self._finest = np.concatenate([self._finest, np.fromiter(new, dtype=np.int64)])
        late = self._store.page_table.answered_late(HELD_OUT) if at_end else None
        return PagesSoFar(
            visited=accounts.book.visited[known],
            is_gone=accounts.ledger.gone[known],
            is_alias=accounts.ledger.alias[known],
            is_read=np.isin(accounts.coverage.kind[known], COLLECTED),
            importance=accounts.ledger.importance(),
            groups=self._groups.levels(self._finest),
            owners=self._groups.sites(),
            late=None if late is None else np.array(late, dtype=np.int64),
        )
