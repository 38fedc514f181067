"""How many sites of other partitions link to a page: what its home is told of that.

A site is whole in one partition, and so are its links. So of a page elsewhere the number of sites here that link to it
is all that its home has to know of them. It is counted whenever births are shared out, and what has changed is handed
over, as all that mirrors have gathered.
"""

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import IntArray, Pages, flagged, grown
from minicrawl.store.reader import Store

_ELSEWHERE = 0
"""The number under which the store keeps voices of sites elsewhere, which have no numbers here."""


class SharedVoices:
    """Invariant: what all partitions have told of a page is what its home was told, and what is on its way there."""

    def __init__(self, stored: IntArray) -> None:
        """stored: rows of the table `voices`, shape (voices, 3)."""
        self.heard: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """Of a page at home, how many sites elsewhere link to it; of a mirror, how many here do, as its home knows."""
        self._news: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._changed: list[tuple[Pages, IntArray]] = []
        page, count = _rows(stored)
        self.grow(int(page.max(initial=-1)) + 1)
        self.heard[page] = count

    def grow(self, size: int) -> None:
        self.heard = grown(self.heard, size)
        self._news = grown(self._news, size)

    def note(self, mirrors: Pages, counts: IntArray) -> None:
        """So many sites here link to these mirrors, which are all."""
        self._news[mirrors] = counts - self.heard[mirrors]

    def unsaid(self) -> Pages:
        """The mirrors whose homes do not know as much."""
        return flagged(self._news != 0)

    def hand_over(self, mirrors: Pages) -> IntArray:
        """What the homes of some mirrors are told: how many sites more link to each."""
        self.grow(int(mirrors.max(initial=-1)) + 1)
        counts = self._news[mirrors].astype(np.int64)
        self._news[mirrors] = 0
        self._tell(mirrors, counts)
        return counts

    def take_over(self, pages: Pages, counts: IntArray) -> None:
        """So many sites elsewhere more link to pages at home."""
        self.grow(int(pages.max(initial=-1)) + 1)
        self._tell(pages, counts)

    def take_changed(self) -> list[tuple[int, int, int]]:
        """What has changed since the last call, as rows of the table `voices`."""
        rows = [
            (page, _ELSEWHERE, change)
            for pages, changes in self._changed
            for page, change in zip(pages.tolist(), changes.tolist(), strict=True)
            if change
        ]
        self._changed.clear()
        return rows

    def _tell(self, pages: Pages, counts: IntArray) -> None:
        self.heard[pages] += counts.astype(np.int32)
        self._changed.append((pages, counts))


def shared_voices(store: Store) -> dict[int, int]:
    """What a partition's store has of it, by page."""
    page, count = _rows(store.site_table.voices())
    return dict(zip(page.tolist(), count.tolist(), strict=True))


def _rows(stored: IntArray) -> tuple[IntArray, IntArray]:
    page, _, count = stored[stored[:, 1] == _ELSEWHERE].T
    return page, count
