"""Settling of the ranking in the partitions of a process: their books are settled as one.

The received cash of a page follows from what the pages that link to it have forwarded (book.py). So virtual visits
are first made in a book of all partitions together, in memory, where mirrors are the pages they stand for. Then every
partition forwards as much in one visit of each page, and its mirrors hand over all they hold: one row for a pair of
partitions, however many rounds it took. A pending cash may be negative until these rows have arrived.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import numpy as np

from minicrawl.cluster.partition import Partition
from minicrawl.crawler.books.accounts import LinkBlocks, settled
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.sharing import Mirrors
from minicrawl.opic.arrays import IntArray, Pages
from minicrawl.opic.book import SETTLED_ERROR, Book, certificate_of
from minicrawl.opic.sites import KnownBirths
from minicrawl.store.links import LinkGraph


class Settling:
    """Settles partitions of one process, in rounds; their links are read once while none change."""

    def __init__(self) -> None:
        self._links: _Links | None = None

    def settle(self, partitions: Sequence[Partition], error: float = SETTLED_ERROR) -> None:
        """Make virtual visits in all partitions, and commit the rows for others, within `error` of all of them."""
        for partition in partitions:
            if partition.run.intake.state.batch.links:
                partition.commit()
        was_settled = self.visit([partition.run.intake for partition in partitions], error)
        for partition in partitions:
            partition.commit_to_settle(hands_over_all=not was_settled)

    def visit(self, intakes: Sequence[Intake], error: float) -> bool:
        """Make virtual visits in all partitions, which have no links to commit. Returns True if all were settled."""
        if self._links is None or not self._links.are_of(intakes):
            self.close()
            self._links = _Links(intakes)
        was_settled = certificate(intakes) <= error
        if not was_settled:
            self._links.settle(error)
        self._links.shorten()
        return was_settled

    def close(self) -> None:
        """Free the memory of the links."""
        if self._links is not None:
            self._links.close()
            self._links = None


def certificate(intakes: Sequence[Intake]) -> float:
    """The book's certificate for several books together."""
    sums = [intake.state.accounts.book.unsettled_sums() for intake in intakes]
    return certificate_of(*(sum(column) for column in zip(*sums, strict=True)))


class _Links:
    """The links of partitions, as they are and as those of one graph; pages are numbered partition by partition."""

    def __init__(self, intakes: Sequence[Intake]) -> None:
        self._intakes = intakes
        self._of = [_state_of(intake) for intake in intakes]
        self._kept = ExitStack()
        tables = [intake.state.writer.link_table for intake in intakes]
        self._own = [self._kept.enter_context(table.kept_blocks()) for table in tables]
        self._starts = np.cumsum([0, *(size for _, size, _ in self._of)])
        self._page = self._pages()
        limit = intakes[0].state.writer.sizes.links if intakes else 0
        if sum(table.count() for table in tables) <= limit:
            joined = [_joined(list(self._blocks()), len(self._page))]
            self._all: LinkBlocks = lambda: joined
        else:
            self._all = self._blocks

    def are_of(self, intakes: Sequence[Intake]) -> bool:
        """True if these partitions have the same pages and links as when they were read."""
        return self._of == [_state_of(intake) for intake in intakes]

    def settle(self, error: float) -> None:
        """Make virtual visits of all pages, along all links, as of one book."""
        book = self._book()
        for _ in settled(book, self._all, error):
            pass
        for intake, own, rows in zip(self._intakes, self._own, self._rows(), strict=True):
            intake.state.accounts.forward(own, book.forwarded[rows])

    def shorten(self) -> None:
        """Make depths the least along the links of each partition."""
        for intake, own in zip(self._intakes, self._own, strict=True):
            intake.state.accounts.shorten(own)

    def close(self) -> None:
        self._kept.close()

    def _rows(self) -> Sequence[slice]:
        """The pages of each partition among all."""
        return [slice(*pair) for pair in zip(self._starts[:-1].tolist(), self._starts[1:].tolist(), strict=True)]

    def _pages(self) -> Pages:
        """The page for which each one stands: itself, but for mirrors of pages here."""
        found = np.arange(self._starts[-1])
        at = {mirrors.here: place for place, mirrors in enumerate(map(_mirrors_of, self._intakes))}
        for intake, start in zip(self._intakes, self._starts, strict=False):
            for home, mirrors in _mirrors_of(intake).by_home():
                if home not in at:
                    continue
                pages = self._intakes[at[home]].state.urls.find(list(map(intake.state.urls.url, mirrors.tolist())))
                known = [
                    (mirror, page) for mirror, page in zip(mirrors.tolist(), pages, strict=True) if page is not None
                ]
                if known:
                    own, there = np.array(known).T
                    found[start + own] = self._starts[at[home]] + there
        return found

    def _book(self) -> Book:
        """A book of all pages. Mirrors of pages here hold nothing: their pages have it."""
        books = [intake.state.accounts.book for intake in self._intakes]
        known = [slice(0, book.size) for book in books]

        def joined(columns: Sequence[np.ndarray]) -> np.ndarray:
            return np.concatenate([column[rows] for column, rows in zip(columns, known, strict=True)])

        cash, forwarded = joined([book.cash for book in books]), joined([book.forwarded for book in books])
        mirrors = np.flatnonzero(self._page != np.arange(len(self._page)))
        np.add.at(cash, self._page[mirrors], cash[mirrors])
        cash[mirrors] = 0
        births: IntArray = np.concatenate([book.birth(rows) for book, rows in zip(books, known, strict=True)])
        return Book.of(
            cash,
            forwarded,
            joined([book.gone for book in books]),
            joined([book.alias for book in books]),
            sum(book.virtual for book in books),
            surfer=books[0].surfer,
            rule=KnownBirths(births),
        )

    def _blocks(self) -> Iterator[LinkGraph]:
        """The links of all pages."""
        size = len(self._page)
        for own, start in zip(self._own, self._starts, strict=False):
            for block in own():
                targets = self._page[start + block.targets].astype(np.int32)
                yield LinkGraph(block.sources + start, block.indptr, targets, size, block.places)


def _state_of(intake: Intake) -> tuple[Intake, int, int]:
    """A partition, the number of its pages, and that of the rows of links that it has saved."""
    return intake, intake.state.accounts.size, intake.state.batch.links_saved


def _mirrors_of(intake: Intake) -> Mirrors:
    assert intake.state.mirrors is not None, "the crawl has partitions"
    return intake.state.mirrors


def _joined(blocks: Sequence[LinkGraph], size: int) -> LinkGraph:
    """One graph of the rows of several, in order."""
    none = np.zeros(0, dtype=np.int64)
    has_places = any(block.places is not None for block in blocks)
    lengths = np.concatenate([none, *(np.diff(block.indptr) for block in blocks)])
    places = [np.zeros(len(block.targets), np.uint8) if block.places is None else block.places for block in blocks]
    return LinkGraph(
        np.concatenate([none, *(block.sources for block in blocks)]),
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
        np.concatenate([none.astype(np.int32), *(block.targets for block in blocks)]),
        size,
        np.concatenate([np.zeros(0, np.uint8), *places]) if has_places else None,
    )
