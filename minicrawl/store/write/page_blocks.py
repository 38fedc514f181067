"""Columns of thousands of pages each as one blob, so that a crawl starts without reading the row of every page.

They are copies: `pages` is authoritative. The age of a copy is tracked by:

number   of a transaction that changed rows of pages; counted while there are blocks, the last is meta.touched
touched  the pages whose rows a transaction changed, by its number; new pages are left out
block    its pages after the transaction of its number; still valid, except for those touched since

A block is valid only if its checksum is right under the key of the store, and if `touched` has every number since.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.read.tables import Tables

_TOUCHED = "touched"
_NEVER = 2**31 - 1
_Pages = npt.NDArray[np.int32]


class PackedBlock(NamedTuple):
    """A valid block. first: its first page. packed: its columns. stale: its pages that have changed since."""

    first: int
    packed: bytes
    stale: _Pages


@dataclass
class Kept:
    """The state of a valid block. stale: number of its `pages` that were touched since."""

    number: int
    pages: int
    stale: int = 0


class PageBlocks:
    """Reads and writes the tables `page_blocks` and `touched`; writes inside a transaction.

    `kept`: the valid blocks by first page, once `all` has been read to its end. `flaws`: faults of the others.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._noted: list[_Pages] = []
        self._is_kept: bool | None = None
        self.kept: dict[int, Kept] = {}
        self.flaws: list[str] = []

    # Writing, inside a transaction.

    def note(self, pages: Sequence[int]) -> None:
        """Note that the rows of some pages change."""
        if self._is_kept is None:
            self._is_kept = self._tables.row("SELECT 1 FROM page_blocks LIMIT 1") is not None
        if self._is_kept and pages:
            self._noted.append(np.array(pages, dtype=np.int32))

    @property
    def noted(self) -> int:
        """Number of pages noted since the last transaction, with repeats."""
        return sum(map(len, self._noted))

    def save(self, first: int, pages: int, packed: bytes, form: str) -> None:
        """Store the columns of `pages` pages from `first` on. form: the columns and their encoding."""
        number = max(self._last(), 1)
        self._count(number)
        values = (first, pages, number, self._checksum(packed, form, first, pages, number), packed)
        self._tables.db.execute("INSERT OR REPLACE INTO page_blocks VALUES (?, ?, ?, ?, ?)", values)
        # Pages touched by this transaction count as touched since: that is cheap, and needs no order of calls.
        self.kept[first] = Kept(number, pages)
        self._is_kept = True
        (oldest,) = self._tables.row("SELECT min(number) FROM page_blocks")
        self._tables.db.execute("DELETE FROM touched WHERE number <= ?", (oldest,))

    def finish(self) -> None:
        """Store the pages that the transaction has touched, at its end."""
        noted, self._noted = self._noted, []
        if not noted:
            return
        if not self._is_counted():
            self._forget()
            return
        pages, number = np.unique(np.concatenate(noted)), self._last() + 1
        packed = to_bytes(pages)
        self._tables.db.execute(
            "INSERT INTO touched (number, checksum, pages) VALUES (?, ?, ?)",
            (number, self._checksum(packed, _TOUCHED, number), packed),
        )
        self._count(number)
        for first, block in self.kept.items():
            block.stale += int(np.diff(np.searchsorted(pages, (first, first + block.pages)))[0])

    def give_up(self) -> None:
        """Drop the notes after a rollback."""
        self._noted, self._is_kept = [], None
        self.kept = {}

    # Reading.

    def all(self, size: int, form: str) -> Iterator[PackedBlock]:
        """The valid blocks, by rising pages. size: number of known pages. form: as in `save`."""
        self.kept, self.flaws, last = {}, [], self._last()
        ago, oldest = self._touched(size, last)
        rows = self._tables.rows("SELECT first, pages, number, checksum FROM page_blocks ORDER BY first")
        for first, pages, number, checksum in rows:
            if not oldest <= number <= last or not 0 <= first < first + pages <= size:
                self.flaws.append(f"it is not known what has changed in pages from {first} on since they were copied")
                continue
            (packed,) = self._tables.row("SELECT packed FROM page_blocks WHERE first = ?", first)
            if checksum != self._checksum(packed, form, first, pages, number):
                self.flaws.append(f"the copy of pages from {first} on is not whole")
                continue
            stale = (np.flatnonzero(ago[first : first + pages] < last - number) + first).astype(np.int32)
            self.kept[first] = Kept(number, pages, len(stale))
            yield PackedBlock(first, packed, stale)

    def _touched(self, size: int, last: int) -> tuple[_Pages, int]:
        """Transactions since each page was touched, shape (size,), and the number since which that is known."""
        ago, age = np.full(size, _NEVER, dtype=np.int32), 0
        for number, checksum, packed in self._tables.each("SELECT * FROM touched ORDER BY number DESC"):
            if number != last - age or checksum != self._checksum(packed, _TOUCHED, number):
                break
            pages = from_bytes(packed)
            pages = pages[pages < size]
            pages = pages[ago[pages] == _NEVER]
            ago[pages] = age
            age += 1
        return ago, last - age

    def _last(self) -> int:
        """Number of the last transaction that was counted."""
        number = self._tables.meta(_TOUCHED)
        return number if isinstance(number, int) else 0

    def _count(self, number: int) -> None:
        self._tables.db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_TOUCHED, number))

    def _is_counted(self) -> bool:
        """True if both tables agree with the last number: else they were changed elsewhere, and a number may recur."""
        copied, touched = self._tables.row(
            "SELECT (SELECT max(number) FROM page_blocks), (SELECT max(number) FROM touched)"
        )
        return int(copied or 0) <= self._last() and touched in (None, self._last())

    def _forget(self) -> None:
        """Delete all blocks, as their validity is unknown."""
        self._tables.db.execute("DELETE FROM page_blocks")
        self._tables.db.execute("DELETE FROM touched")
        self.kept, self._is_kept = {}, False

    def _checksum(self, packed: bytes, *of: object) -> int:
        return crc32(packed, crc32(repr((self._tables.hash_key, *of)).encode()))
