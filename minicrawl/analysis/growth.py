"""How far apart the pages of a small crawl were while it went on: exact after every page, links as they are now.

Pages are read again in the order of their answers, each with all its links at once (`rank.growing_distances`), which
costs a table of all pairs a page. Beyond some pages that would take seconds, and one looks at the end only.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.rank import Graph
from minicrawl.rank.growing_distances import GrowingDistances

MOST_PAGES = 1000
"""Known pages up to which it is followed: half a second."""
_POINTS = 100


class GrowthPoint(NamedTuple):
    """When so many pages had been read. known: those, and all that they link to. pairs: of two different pages, of
    which one reaches the other; average, longest: how many links that takes, 0 where there are none.
    """

    read: int
    known: int
    pairs: int
    average: float
    longest: int


def growth(graph: Graph, order: npt.NDArray[np.integer], points: int = _POINTS) -> tuple[GrowthPoint, ...]:
    """What was so when a hundredth of the pages in `order` had been read, and two, and so on; the last is all."""
    if not len(order):
        return ()  # so that no table of all pairs is laid out for nothing: 4 GB for 46,000 pages
    looks = {len(order) * point // points for point in range(1, points + 1)} - {0}
    growing = GrowingDistances()
    growing.grow(graph.size)
    is_known = np.zeros(graph.size, dtype=np.bool_)
    found = []
    for read, page in enumerate(order.tolist(), start=1):
        targets = graph.targets[graph.indptr[page] : graph.indptr[page + 1]]
        growing.insert(page, targets)
        is_known[page] = is_known[targets] = True
        if read in looks:
            pairs = growing.pairs()[1:]
            total, links = int(pairs.sum()), int(np.arange(1, len(pairs) + 1) @ pairs)
            found.append(
                GrowthPoint(read, int(np.count_nonzero(is_known)), total, links / total if total else 0.0, len(pairs))
            )
    return tuple(found)
