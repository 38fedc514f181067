"""Which page was the first to say what a page says.

The first page of a cluster is its leader; a page that comes later and has the same bytes, or a sketch of which at most
ALIKE bits differ from a leader's, is marked with it, whatever host it is on: a mirror is a duplicate. Pages that say
little are like nothing (sketch.py). Marks change nothing else, unless duplicates are merged. A leader is no duplicate
itself: what has the bytes of a near-duplicate is marked with the leader of that.

Of each leader the first 192 bits of its sketch are in memory; the rest is in its row of `fetches`, for those few that
are alike so far. Three of the 192 bits' runs of 16 are bands: of pages with J = .95 they agree in a band with
probability .67, in one of three at least with .96, so only leaders with an equal band are looked at.

What an alias says is kept, too, but an alias leads nobody: it may come to stand for itself again, and is told then.

Invariant: what is found depends on the rows of `fetches` and on which pages are aliases alone, so who takes them over
finds the same. Entries of pages that have changed since stay behind in memory, and are passed over: the row decides.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.sketch import distance
from minicrawl.store.rows import Fingerprint, FingerprintColumns

ALIKE = 13
"""Bits by which the sketches of near-duplicates differ at most: J is about .92 then."""
ALIKE_SO_FAR = 9
"""The same of the bits in memory."""
MOST_VERIFIED = 8
"""Leaders whose whole sketches are looked at, the most alike ones so far first."""
MOST_CANDIDATES = 4_096
"""Leaders looked at per band and run, the first ones: a site could make any number that are equal in a band."""
YOUNG = 1_024
"""Entries that are all looked at, before they become a run."""
_RATIO = 8
_WORDS = 3  # of 64 bits
_BAND = 1 << 16

Pages = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
"""What pages are looked for by, a row each."""


class Likeness(NamedTuple):
    """What a page is a duplicate of. `distance`: bits by which the sketches differ; None: the bytes are the same."""

    leader: int
    distance: int | None


class Duplicates:
    """The fingerprints of all pages.

    blocks: those in the store. kept: one of them, by page, or None. is_alias: whether a page stands for another.
    young: see `Runs`.
    """

    def __init__(
        self,
        blocks: Iterable[FingerprintColumns],
        kept: Callable[[int], Fingerprint | None],
        is_alias: Callable[[int], bool] = lambda page: False,
        *,
        young: int = YOUNG,
    ) -> None:
        self._kept = kept
        self._is_alias = is_alias
        self._rows: dict[int, Fingerprint | None] = {}  # not in the store yet; None: to be taken out
        self._payloads = Runs(Sorted, young)
        self._leaders = Runs(_Banded, young)
        first, leading = [_nobody(Sorted)], [_nobody(_Banded)]
        for block in blocks:
            is_first, leads = block.is_first != 0, block.leads != 0
            first.append((block.payload.astype(np.uint64)[is_first, np.newaxis], block.page[is_first]))
            leading.append((block.sketch[leads, :_WORDS], block.page[leads]))
        self._payloads.load(*_joined(first))
        self._leaders.load(*_joined(leading))

    def likeness(self, page: int, payload: int | None, sketch: bytes | None) -> Likeness | None:
        """What `page`, which says this, is a duplicate of; the least distance first, then the lowest number."""
        return self._copied(page, payload) or self._resembled(page, sketch)

    def _copied(self, page: int, payload: int | None) -> Likeness | None:
        if payload is None:
            return None
        for other in sorted(self._payloads.candidates(_key(payload))):
            row = self.row(other)
            if row is None or row.payload != payload or other == page or self._is_alias(other):
                continue
            if row.leader is None or self._is_alias(row.leader) or self.row(row.leader) is None:
                return Likeness(other, None)
            if row.leader != page:
                return Likeness(row.leader, row.distance)
        return None

    def _resembled(self, page: int, sketch: bytes | None) -> Likeness | None:
        if sketch is None:
            return None
        candidates = self._leaders.candidates(_words(sketch))
        near: list[tuple[int, int]] = []
        for other in sorted(candidates, key=lambda other: (candidates[other], other))[:MOST_VERIFIED]:
            row = self.row(other)
            if row is None or row.leader is not None or row.sketch is None or other == page or self._is_alias(other):
                continue
            near.append((distance(row.sketch, sketch), other))
        if not near or min(near)[0] > ALIKE:
            return None
        bits, leader = min(near)
        return Likeness(leader, bits)

    def take_in(self, page: int, digest: int, payload: int, sketch: bytes | None, likeness: Likeness | None) -> None:
        """Note what a page says, and what it is a duplicate of."""
        before = self.row(page)
        row = Fingerprint(page, digest, payload, sketch, *(likeness or (None, None)))
        if row == before:
            return
        self._rows[page] = row
        if likeness is None or likeness.distance is not None:
            self._payloads.add(_key(payload), page)
        if likeness is None and sketch is not None:
            self._leaders.add(_words(sketch), page)

    def keep(self, page: int, digest: int, payload: int, sketch: bytes | None) -> None:
        """Note what a page says that stands for another."""
        row = Fingerprint(page, digest, payload, sketch, None, None)
        if row != self.row(page):
            self._rows[page] = row

    def stand_alone(self, page: int) -> None:
        """A page of which it was kept what it says stands for itself again."""
        row = self.row(page)
        if row is not None:
            self._rows[page] = None
            self.take_in(*row[:4], self.likeness(page, row.payload, row.sketch))

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


def _key(payload: int) -> Keys:
    """What a page with these bytes is looked for by."""
    return np.array([payload & 0xFFFF_FFFF_FFFF_FFFF], dtype=np.uint64)


def _words(sketch: bytes) -> Keys:
    """What a page with this sketch is looked for by."""
    return np.frombuffer(sketch, np.uint64, _WORDS)


class Sorted:
    """Pages by payload digest, of which 32 bits are kept: 8 bytes a page."""

    width = 1

    def __init__(self, keys: Keys, pages: Pages) -> None:
        low = keys[:, 0].astype(np.uint32)
        order = low.argsort(kind="stable")
        self._low, self._pages = low[order], pages[order]

    def __len__(self) -> int:
        return len(self._pages)

    def entries(self) -> tuple[Keys, Pages]:
        return self._low.astype(np.uint64)[:, np.newaxis], self._pages

    def candidates(self, key: Keys) -> dict[int, int]:
        low = key[0].astype(np.uint32)
        start = int(self._low.searchsorted(low))
        if start == len(self._low) or self._low[start] != low:
            return {}
        end = int(self._low.searchsorted(low, side="right"))
        return dict.fromkeys(self._pages[start : min(end, start + MOST_CANDIDATES)].tolist(), 0)

    @staticmethod
    def near(keys: Keys, pages: Pages, key: Keys) -> dict[int, int]:
        return dict.fromkeys(pages[keys[:, 0] == key[0]].tolist(), 0)


class _Banded:
    """Pages by the first bits of their sketch: 40 bytes a page, and a megabyte."""

    width = _WORDS

    def __init__(self, keys: Keys, pages: Pages) -> None:
        self._keys, self._pages = keys, pages
        self._order, self._start = [], []
        for band in range(_WORDS):
            values = keys[:, band].astype(np.uint16)
            self._order.append(values.argsort(kind="stable").astype(np.int32))
            counts = np.bincount(values, minlength=_BAND)
            # A memoryview gives a number in a third of the time.
            self._start.append(np.concatenate(([0], np.cumsum(counts))).astype(np.int32).data)

    def __len__(self) -> int:
        return len(self._pages)

    def entries(self) -> tuple[Keys, Pages]:
        return self._keys, self._pages

    def candidates(self, key: Keys) -> dict[int, int]:
        found = np.concatenate(list(self._equal_in_a_band(key)))
        return self.near(self._keys[found], self._pages[found], key)

    def _equal_in_a_band(self, key: Keys) -> Iterator[Pages]:
        for part, order, start in zip(key.astype(np.uint16).tolist(), self._order, self._start, strict=True):
            first, end = start[part], start[part + 1]
            yield order[first : min(end, first + MOST_CANDIDATES)]

    @staticmethod
    def near(keys: Keys, pages: Pages, key: Keys) -> dict[int, int]:
        bits = np.bitwise_count(keys ^ key)
        distances = bits[:, 0] + bits[:, 1] + bits[:, 2]
        near = distances <= ALIKE_SO_FAR
        return dict(zip(pages[near].tolist(), distances[near].tolist(), strict=True))


Run = TypeVar("Run", Sorted, _Banded)


class Runs(Generic[Run]):
    """Entries that come one by one, in a few runs, each eight times as long as the next or more (log-structured merge).

    The latest ones are in none yet, and are all looked at.
    """

    def __init__(self, run: type[Run], young: int = YOUNG) -> None:
        """young: how many of the latest."""
        self._run: type[Run] = run
        self._runs: list[Run] = []
        self._keys: Keys = np.zeros((young, run.width), dtype=np.uint64)
        self._pages: Pages = np.zeros(young, dtype=np.int32)
        self._young = 0

    def load(self, keys: Keys, pages: npt.NDArray[np.int64]) -> None:
        """Take in many entries, before any other."""
        if len(pages):
            self._merge(keys, pages.astype(np.int32))

    def add(self, key: Keys, page: int) -> None:
        self._keys[self._young] = key
        self._pages[self._young] = page
        self._young += 1
        if self._young == len(self._pages):
            self._young = 0
            self._merge(self._keys.copy(), self._pages.copy())

    def candidates(self, key: Keys) -> dict[int, int]:
        """Pages whose key may be, or may have been, close to this one, with the bits that differ: all that are, if
        there are not too many."""
        young = slice(0, self._young)
        found = self._run.near(self._keys[young], self._pages[young], key)
        for run in self._runs:
            found.update(run.candidates(key))
        return found

    def sizes(self) -> list[int]:
        """Entries of each run, the longest first."""
        return [len(run) for run in self._runs]

    def _merge(self, keys: Keys, pages: Pages) -> None:
        while self._runs and len(self._runs[-1]) < _RATIO * len(pages):
            older_keys, older_pages = self._runs.pop().entries()
            keys, pages = np.concatenate((older_keys, keys)), np.concatenate((older_pages, pages))
        self._runs.append(self._run(keys, pages))


def _nobody(run: type[Sorted] | type[_Banded]) -> tuple[Keys, npt.NDArray[np.int64]]:
    return np.zeros((0, run.width), dtype=np.uint64), np.zeros(0, dtype=np.int64)


def _joined(
    blocks: list[tuple[Keys, npt.NDArray[np.int64]]],
) -> tuple[Keys, npt.NDArray[np.int64]]:
    keys, pages = zip(*blocks, strict=True)
    return np.concatenate(keys), np.concatenate(pages)
