"""Hosts that mirror each other: the same paths, with the same text.

A page is a path on a host, a content of size 1 and a frame: what the host repeats on its pages, such as menus. The
frames of hosts a and b have the sizes f_a and f_b and share g; contents of one path share x. The similarity of two
pages, the runs of words in both divided by those in either, is then

    same   = (x + g) / (2 - x + f_a + f_b - g)        a page of a and one of b, with one path
    across = g / (2 + f_a + f_b - g)                  ... with two paths
    own_a  = f_a / (2 + f_a)                          two pages of a

so that, with means over the paths that both hosts have,

    f_a = 2 own_a / (1 - own_a)
    g   = across (2 + f_a + f_b) / (1 + across)
    x   = (same (2 + f_a + f_b - g) - g) / (1 + same)

What hosts share beyond a template, x, tells mirrors from sites made alike, whether or not mirrors have their own menus.
Comparison by paths and contents: K. Bharat, A. Broder, "Mirror, mirror on the Web", WWW 1999.
"""

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import FloatArray, IntArray

FEWEST = 5
"""Pages, each counted by its share beyond the host's frame, that must be compared: parked domains have fewer."""
ALIKE, COVERED = 0.8, 0.4
"""Least x of mirrors, and least share of the paths of the host with fewer pages, of which not all have been read."""
_NEXT = 8
"""Of the hosts with one path each is compared with so many: groups of mirrors still hang together."""
_MOST_FRAME = 0.9
"""Greatest similarity of two pages of a host that is told from 1."""


def mirrors(
    host: IntArray, path: IntArray, payload: IntArray, sketch: npt.NDArray[np.uint64]
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Find pairs of hosts that mirror each other. Returns, of each pair, the hosts, a < b; the number of paths read on
    both; and x, the mean share of content that is in both, about 0 to 1. Of a large group of mirrors some pairs are
    left out, but all hang together by others.

    host, path, payload: numbers of hosts (from 0), digests of paths and payloads of the pages read, shape (pages,).
    sketch: bits of which two pages of similarity J differ in (1 - J) / 2, all 0 for a page without a sketch, shape
    (pages, words).
    """
    pages = np.bincount(host)
    a, b = _with_one_path(host, path)
    _, pair, compared = np.unique(host[a] * len(pages) + host[b], return_inverse=True, return_counts=True)
    is_enough = compared >= FEWEST
    rows = np.flatnonzero(is_enough[pair])
    rows = rows[np.argsort(pair[rows], kind="stable")]
    compared, pair = compared[is_enough], (np.cumsum(is_enough) - 1)[pair[rows]]
    a, b = a[rows], b[rows]
    ends = np.cumsum(compared)
    has_sketch: npt.NDArray[np.bool_] = (sketch != 0).any(axis=1)
    other = np.arange(1, len(pair) + 1)
    other[ends - 1] = ends - compared  # behind the last path of a pair, its first one

    def mean(one: IntArray, two: IntArray) -> FloatArray:
        """The mean similarity of pages, by pair."""
        differing = np.bitwise_count(sketch[one] ^ sketch[two]).sum(axis=1, dtype=np.int64)
        by_sketch = np.where(has_sketch[one] & has_sketch[two], 1.0 - 2.0 * differing / (64 * sketch.shape[1]), 0.0)
        each = np.where(payload[one] == payload[two], 1.0, by_sketch)
        found: FloatArray = np.clip(np.bincount(pair, each, len(compared)) / compared, 0.0, 1.0)
        return found

    same, across = mean(a, b), mean(a, b[other])
    own_a, own_b = (np.minimum(mean(one, one[other]), _MOST_FRAME) for one in (a, b))
    f = 2.0 * own_a / (1.0 - own_a) + 2.0 * own_b / (1.0 - own_b)
    g = across * (2.0 + f) / (1.0 + across)
    x = (same * (2.0 + f - g) - g) / (1.0 + same)
    one, two = host[a[ends - 1]], host[b[ends - 1]]
    content = compared * (1.0 - np.maximum(own_a, own_b))
    found = (x >= ALIKE) & (content >= FEWEST) & (compared >= COVERED * np.minimum(pages[one], pages[two]))
    return one[found], two[found], compared[found], x[found]


def _with_one_path(host: IntArray, path: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of pages with one path, the one on the host of the lower number first."""
    order = np.lexsort((host, path))
    first, second = [order[:0]], [order[:0]]
    for ahead in range(1, min(_NEXT, len(order) - 1) + 1):
        is_one = path[order[:-ahead]] == path[order[ahead:]]
        first.append(order[:-ahead][is_one])
        second.append(order[ahead:][is_one])
    return np.concatenate(first), np.concatenate(second)
