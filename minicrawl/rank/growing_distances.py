"""Distances of all pairs of a graph that grows page by page, exact after each.

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
