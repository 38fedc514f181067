"""The lines of text that pages of one host have, 4 bytes each."""

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]

MOST = 1_000_000
"""Lines of a host: of one that has more, no page is said to have nothing new."""
_LOOSE = 2_048


class KnownLines:
    """A set of hashes. `pieces`: rows of the store that it was loaded from and has written."""

    def __init__(self, stored: bytes = b"", pieces: int = 0) -> None:
        self._sorted: Hashes = np.unique(np.frombuffer(stored, np.uint32))
        self._loose: set[int] = set()
        self._new: list[int] = []
        self.pieces = pieces

    def __len__(self) -> int:
        return len(self._sorted) + len(self._loose)

    @property
    def is_full(self) -> bool:
        return len(self) >= MOST

    def has(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Whether each line is known."""
        places = self._sorted.searchsorted(hashes)
        known: npt.NDArray[np.bool_] = (
            self._sorted.take(places, mode="clip") == hashes if len(self._sorted) else places < 0
        )
        if self._loose:
            for place in np.flatnonzero(~known).tolist():
                known[place] = hashes.item(place) in self._loose
        return known

    def knows(self, line: int) -> bool:
        """Whether one line is known."""
        if line in self._loose:
            return True
        place = int(self._sorted.searchsorted(np.uint32(line)))
        return place < len(self._sorted) and self._sorted.item(place) == line

    def add(self, new: list[int]) -> None:
        """Add lines, of which none is known."""
        if self.is_full:
            return
        self._new += new
        self._loose.update(new)
        if len(self._loose) > max(_LOOSE, len(self._sorted) // 8):
            loose = np.fromiter(self._loose, np.uint32, len(self._loose))
            self._sorted = np.union1d(self._sorted, loose)
            self._loose.clear()

    def take_new(self) -> bytes:
        """The lines added since the last call."""
        new, self._new = np.array(self._new, dtype=np.uint32).tobytes(), []
        self.pieces += bool(new)
        return new
