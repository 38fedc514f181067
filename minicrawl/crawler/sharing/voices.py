"""Number of sites here that link to a page of another partition, as sent to its home.

A site is whole in one partition, and so are its links. So the home of a page needs only the number of sites elsewhere
that link to it. It is counted whenever births are shared out, and changes are handed over with the rest that mirrors
gather.
"""

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import IntArray, Pages, flagged, grown
from minicrawl.store.reader import Store

_ELSEWHERE = 0
"""Key of the stored voices of sites elsewhere, which have no numbers here."""


class SharedVoices:
    """Invariant: the voices counted by all partitions for a page are those its home has, plus those on their way."""

    def __init__(self, stored: IntArray) -> None:
        """stored: rows of the table `voices`, shape (voices, 3)."""
        self.heard: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """For a page at home, the sites elsewhere that link to it; for a mirror, the sites here, as its home knows."""
        self._news: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._changed: list[tuple[Pages, IntArray]] = []
        page, count = _rows(stored)
        self.grow(int(page.max(initial=-1)) + 1)
        self.heard[page] = count

    def grow(self, size: int) -> None:
        self.heard = grown(self.heard, size)
        self._news = grown(self._news, size)

    def note(self, mirrors: Pages, counts: IntArray) -> None:
        """Note the number of sites here that link to each mirror; `mirrors` are all of them."""
        self._news[mirrors] = counts - self.heard[mirrors]

    def unsaid(self) -> Pages:
        """The mirrors whose homes have an old count."""
        return flagged(self._news != 0)

    def hand_over(self, mirrors: Pages) -> IntArray:
        """Changes in the counts of some mirrors, for their homes."""
        self.grow(int(mirrors.max(initial=-1)) + 1)
        counts = self._news[mirrors].astype(np.int64)
        self._news[mirrors] = 0
        self._tell(mirrors, counts)
        return counts

    def take_over(self, pages: Pages, counts: IntArray) -> None:
        """Add changes in the number of sites elsewhere that link to pages at home."""
        self.grow(int(pages.max(initial=-1)) + 1)
        self._tell(pages, counts)

    def take_changed(self) -> list[tuple[int, int, int]]:
        """Changes since the last call, as rows of the table `voices`."""
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
    """Voices of sites elsewhere in a partition's store, by page."""
    page, count = _rows(store.site_table.voices())
    return dict(zip(page.tolist(), count.tolist(), strict=True))


def _rows(stored: IntArray) -> tuple[IntArray, IntArray]:
    page, _, count = stored[stored[:, 1] == _ELSEWHERE].T
    return page, count
