"""Which host every page is on, as a number per page: read from URLs, or guessed from the links.

Web graphs without URLs are mostly numbered in the order of the URLs (those of the Laboratory for Web Algorithmics
are), so a host is a range of pages, and few links lead out of it.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import IntArray
from minicrawl.rank import Graph

_FEW = 0.1


def hosts_of(graph: Graph, names: Sequence[str] | None) -> IntArray:
    """The hosts in the names of the pages where all of them are URLs; otherwise hosts guessed from the links."""
    authorities = [name.split("/", 3)[2] for name in names or () if name.startswith(("http://", "https://"))]
    if not names or len(authorities) < len(names):
        return hosts_by_locality(graph)
    number: dict[str, int] = {}
    return np.array([number.setdefault(authority, len(number)) for authority in authorities], dtype=np.int64)


def hosts_by_locality(graph: Graph) -> IntArray:
    """Hosts as ranges of pages, guessed from the links, numbered in the order of the pages.

    A range is cut in two between the pages where

        (links across + 1) / (links within the part that has fewer)

    is least, if that is at most a tenth; then the parts are cut likewise. Only links within the range count.
    """
    sources = graph.sources()
    low, high = np.minimum(sources, graph.targets), np.maximum(sources, graph.targets)
    starts = np.zeros(graph.size, dtype=np.int64)
    ranges = [(0, graph.size, low, high)]
    while ranges:
        start, stop, low, high = ranges.pop()
        cut = _cut(start, stop, low, high)
        if cut is None:
            continue
        starts[cut] = 1
        below, above = high < cut, low >= cut
        ranges += [(start, cut, low[below], high[below]), (cut, stop, low[above], high[above])]
    return np.cumsum(starts)


def _cut(start: int, stop: int, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> int | None:
    """The page before which to cut the range start..stop-1, or None. low, high: both ends of every link in it."""
    if not len(low):
        return None
    # For every page but the last: links that end by it, and links that begin after it.
    below = np.cumsum(np.bincount(high - start, minlength=stop - start))[:-1]
    above = len(low) - np.cumsum(np.bincount(low - start, minlength=stop - start))[:-1]
    fewer = np.minimum(below, above)
    across = len(low) - below - above
    share = (across + 1) / np.maximum(fewer, 1)
    best = int(share.argmin())
    return start + best + 1 if share[best] <= _FEW else None
