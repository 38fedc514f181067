"""Distances of all pairs of a graph that grows page by page, exact after each: for some thousand pages.

d[x, y]   links on a shortest path from x to y; far(d) where there is none
L         targets of new links of a page u

    e[y] = 1 + min of d[v, y] over v in L               d[x, y] = min(d[x, y], d[x, u] + e[y])

A shortest path visits u once, and so takes at most one new link: the rest of it existed before. So all
links of a page are inserted at once, for n**2 at most; rows of pages from which no target comes closer are left alone.
Source, of one link at a time: S. Even, H. Gazit, "Updating distances in dynamic graphs", Methods of Operations
Research 49 (1985).
"""

import numpy as np
import numpy.typing as npt

Distances = npt.NDArray[np.integer]


def far(distance: Distances) -> int:
    """Marker for "no path": above any distance, and low enough that twice its value plus 1 does not overflow."""
    return int((np.iinfo(distance.dtype).max - 1) // 2)


def no_links(size: int, dtype: npt.DTypeLike = np.int16) -> Distances:
    """d of pages without links, shape (size, size)."""
    distance: Distances = np.empty((size, size), dtype=dtype)
    distance[:] = far(distance)
    np.fill_diagonal(distance, 0)
    return distance


def insert_links(distance: Distances, page: int, targets: npt.NDArray[np.integer]) -> None:
    """Insert links from a page to one or more others, in place."""
    rows = np.flatnonzero((distance[:, page, None] + 1 < distance[:, targets]).any(axis=1))
    if len(rows):
        onward = distance[targets].min(axis=0) + 1
        distance[rows] = np.minimum(distance[rows], distance[rows, page][:, None] + onward)


class GrowingDistances:
    """Distances of all pairs while pages become known, and their links.

    Invariant: after `insert`, `distance()` is that of the graph of all links inserted so far.
    """

    def __init__(self) -> None:
        self._distance = no_links(0)
        self.size = 0

    def grow(self, size: int) -> None:
        """Extend to `size` pages; no fewer than before."""
        if size > len(self._distance):
            wider = no_links(max(size, 2 * len(self._distance)))
            wider[: self.size, : self.size] = self.distance()
            self._distance = wider
        self.size = size

    def insert(self, page: int, targets: npt.NDArray[np.integer]) -> None:
        """Insert links of a page, both ends below `size`."""
        if len(targets):
            insert_links(self.distance(), page, targets)

    def distance(self) -> Distances:
        """d, shape (size, size)."""
        return self._distance[: self.size, : self.size]

    def pairs(self) -> npt.NDArray[np.int64]:
        """Number of pairs at each distance, from 0 to the longest."""
        distance = self.distance()
        counts = np.bincount(distance[distance < far(distance)])
        return counts.astype(np.int64)
