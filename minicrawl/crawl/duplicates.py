"""Which page was the first to say what a page says.

The first page of a cluster is its leader; a page that comes later and has the same bytes, or a SimHash at most three
bits from a leader's, is marked with it, whatever host it is on: a mirror is a duplicate. Pages that say little are like
nothing (digest.py). Marks change nothing else, unless duplicates are merged.

A SimHash is four bands of 16 bits. Of two that differ in three bits at most, one band at least is equal (Manku, Jain,
Das Sarma, WWW 2007), so only leaders with an equal band are looked at.

What an alias says is kept, too, but an alias leads nobody: it may come to stand for itself again, and is told then.

Invariant: what is found depends on the rows of `fetches` and on which pages are aliases alone, so who takes them over
finds the same. Entries of pages that have changed since stay behind in memory, and are passed over: the row decides.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.digest import distance
from minicrawl.store.rows import Fingerprint, FingerprintColumns

ALIKE = 3
"""Bits by which the SimHashes of near-duplicates differ at most."""
MOST_CANDIDATES = 4_096
"""Leaders looked at per band and run, the first ones: a site could make any number that are equal in a band."""
_YOUNG = 8_192
_RATIO = 8
_BANDS = 4
_BAND = 1 << 16

Pages = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]
_NONE: npt.NDArray[np.int64] = np.zeros((0, 2), dtype=np.int64)


class Likeness(NamedTuple):
    """What a page is a duplicate of. `distance`: bits by which the SimHashes differ; None: the bytes are the same."""

    leader: int
    distance: int | None


class Duplicates:
    """The fingerprints of all pages.

    blocks: those in the store. kept: one of them, by page, or None. is_alias: whether a page stands for another.
    """

    def __init__(
        self,
        blocks: Iterable[FingerprintColumns],
        kept: Callable[[int], Fingerprint | None],
        is_alias: Callable[[int], bool] = lambda page: False,
    ) -> None:
        self._kept = kept
        self._is_alias = is_alias
        self._rows: dict[int, Fingerprint | None] = {}  # not in the store yet; None: to be taken out
        payloads, simhashes = [_NONE], [_NONE]
        for block in blocks:
            payloads.append(np.stack((block.payload, block.page), axis=1)[block.is_first != 0])
            simhashes.append(np.stack((block.simhash, block.page), axis=1)[block.leads != 0])
        self._payloads = Runs(Sorted, np.concatenate(payloads))
        self._leaders = Runs(_Banded, np.concatenate(simhashes))

    def likeness(self, page: int, payload: int | None, simhash: int | None) -> Likeness | None:
        """What `page`, which says this, is a duplicate of; the least distance first, then the lowest number."""
        if payload is not None:
            for other in sorted(self._payloads.candidates(payload)):
                row = self.row(other)
                if row is not None and row.payload == payload and other != page and not self._is_alias(other):
                    return Likeness(other, None)
        if simhash is not None:
            near: list[tuple[int, int]] = []
            for other in self._leaders.candidates(simhash):
                row = self.row(other)
                if row is None or row.leader is not None or row.simhash is None or other == page:
                    continue
                if self._is_alias(other):
                    continue
                near.append((distance(row.simhash, simhash), other))
            if near and min(near)[0] <= ALIKE:
                bits, leader = min(near)
                return Likeness(leader, bits)
        return None

    def take_in(self, page: int, digest: int, payload: int, simhash: int | None, likeness: Likeness | None) -> None:
        """Note what a page says, and what it is a duplicate of."""
        before = self.row(page)
        row = Fingerprint(page, digest, payload, simhash, *(likeness or (None, None)))
        if row == before:
            return
        self._rows[page] = row
        if likeness is None or likeness.distance is not None:
            self._payloads.add(payload, page)
        if likeness is None and simhash is not None:
            self._leaders.add(simhash, page)

    def keep(self, page: int, digest: int, payload: int, simhash: int | None) -> None:
        """Note what a page says that stands for another."""
        row = Fingerprint(page, digest, payload, simhash, None, None)
        if row != self.row(page):
            self._rows[page] = row

    def stand_alone(self, page: int) -> None:
        """A page of which it was kept what it says stands for itself again."""
        row = self.row(page)
        if row is not None:
            self._rows[page] = None
            self.take_in(*row[:4], self.likeness(page, row.payload, row.simhash))

    def forget(self, page: int) -> None:
        """The page says nothing of its own any more."""
        if self.row(page) is not None:
            self._rows[page] = None

    def row(self, page: int) -> Fingerprint | None:
        """The fingerprint of a page, if it has one."""
        return self._rows[page] if page in self._rows else self._kept(page)

    def take_rows(self) -> dict[int, Fingerprint | None]:
        """Rows that changed since the last call, by page; None: the page has none any more."""
        rows, self._rows = self._rows, {}
        return rows


class Sorted:
    """Pages by payload digest, of which 32 bits are kept: 8 bytes a page."""

    def __init__(self, hashes: Hashes, pages: Pages) -> None:
        order = hashes.astype(np.uint32).argsort(kind="stable")
        self._hashes, self._pages = hashes.astype(np.uint32)[order], pages[order]

    def __len__(self) -> int:
        return len(self._pages)

    def entries(self) -> tuple[Hashes, Pages]:
        return self._hashes.astype(np.uint64), self._pages

    def candidates(self, value: np.uint64) -> list[int]:
        low = np.uint32(int(value) & 0xFFFF_FFFF)
        start = int(self._hashes.searchsorted(low))
        if start == len(self._hashes) or self._hashes[start] != low:
            return []
        end = int(self._hashes.searchsorted(low, side="right"))
        found: list[int] = self._pages[start : min(end, start + MOST_CANDIDATES)].tolist()
        return found

    @staticmethod
    def alike(hashes: Hashes, value: np.uint64) -> Mask:
        return np.equal(hashes, value)


class _Banded:
    """Pages by SimHash: 28 bytes a page, and a megabyte."""

    def __init__(self, hashes: Hashes, pages: Pages) -> None:
        self._hashes, self._pages = hashes, pages
        self._order, self._start = [], []
        for band in range(_BANDS):
            values = (hashes >> np.uint64(16 * band)).astype(np.uint16)
            self._order.append(values.argsort(kind="stable").astype(np.int32))
            counts = np.bincount(values, minlength=_BAND)
            # A memoryview gives a number in a third of the time.
            self._start.append(np.concatenate(([0], np.cumsum(counts))).astype(np.int32).data)

    def __len__(self) -> int:
        return len(self._pages)

    def entries(self) -> tuple[Hashes, Pages]:
        return self._hashes, self._pages

    def candidates(self, value: np.uint64) -> list[int]:
        found = np.concatenate(list(self._equal_in_a_band(int(value))))
        alike = found[self.alike(self._hashes[found], value)]
        pages: list[int] = self._pages[alike].tolist()
        return pages

    def _equal_in_a_band(self, value: int) -> Iterator[Pages]:
        for band, (order, start) in enumerate(zip(self._order, self._start, strict=True)):
            part = value >> 16 * band & 0xFFFF
            first, end = start[part], start[part + 1]
            yield order[first : min(end, first + MOST_CANDIDATES)]

    @staticmethod
    def alike(hashes: Hashes, value: np.uint64) -> Mask:
        close: Mask = np.bitwise_count(hashes ^ value) <= ALIKE
        return close


Run = TypeVar("Run", Sorted, _Banded)


class Runs(Generic[Run]):
    """Entries that come one by one, in a few runs, each eight times as long as the next or more (log-structured merge).

    The latest thousands are in none yet, and are all looked at.
    """

    def __init__(self, run: type[Run], entries: npt.NDArray[np.int64] = _NONE) -> None:
        """entries: shape (n, 2), a hash and a page each."""
        self._run: type[Run] = run
        self._runs: list[Run] = []
        if len(entries):
            self._merge(entries[:, 0].astype(np.uint64), entries[:, 1].astype(np.int32))
        self._hashes: Hashes = np.zeros(_YOUNG, dtype=np.uint64)
        self._pages: Pages = np.zeros(_YOUNG, dtype=np.int32)
        self._young = 0

    def add(self, value: int, page: int) -> None:
        self._hashes[self._young] = value & 0xFFFF_FFFF_FFFF_FFFF
        self._pages[self._young] = page
        self._young += 1
        if self._young == _YOUNG:
            self._young = 0
            self._merge(self._hashes.copy(), self._pages.copy())

    def candidates(self, value: int) -> set[int]:
        """Pages whose entry may be, or may have been, close to this one: all that are, if there are not too many."""
        unsigned = np.uint64(value & 0xFFFF_FFFF_FFFF_FFFF)
        alike = self._run.alike(self._hashes[: self._young], unsigned)
        found = set(self._pages[alike.nonzero()[0]].tolist())
        for run in self._runs:
            found.update(run.candidates(unsigned))
        return found

    def _merge(self, hashes: Hashes, pages: Pages) -> None:
        while self._runs and len(self._runs[-1]) < _RATIO * len(pages):
            older_hashes, older_pages = self._runs.pop().entries()
            hashes, pages = np.concatenate((older_hashes, hashes)), np.concatenate((older_pages, pages))
        self._runs.append(self._run(hashes, pages))
