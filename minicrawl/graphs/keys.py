"""Links as keys: one int64 each, source * 2**32 + target, so that sorted keys are the sorted rows of a graph.

Keys are worked on in place, a chunk at a time: fifty million links need one array and little beside it.
"""

import numpy as np
import numpy.typing as npt

from minicrawl.rank import Graph

_TARGET_BITS = 32
_TARGET_MASK = (1 << _TARGET_BITS) - 1
_CHUNK = 1 << 20


def keys_of(
    sources: npt.NDArray[np.integer] | np.integer | int, targets: npt.NDArray[np.integer] | np.integer | int
) -> npt.NDArray[np.int64]:
    """One int64 key for each link sources[k] -> targets[k]: source * 2**32 + target. The arguments broadcast."""
    return np.asarray(sources, dtype=np.int64) << _TARGET_BITS | np.asarray(targets, dtype=np.int64)


def sources_of(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return keys >> _TARGET_BITS


def targets_of(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return keys & _TARGET_MASK


def distinct(keys: npt.NDArray[np.int64], at_once: int = _CHUNK) -> npt.NDArray[np.int64]:
    """Drop duplicate keys and sort the rest. Works in place: `keys` is overwritten, the result is its beginning."""
    keys.sort()
    kept, last = 0, -1
    for start in range(0, len(keys), at_once):
        chunk = keys[start : start + at_once]
        once = chunk[np.diff(chunk, prepend=last) != 0]
        # Read before the write below: while nothing has been dropped, the write lands on the chunk itself.
        last = int(chunk[-1])
        keys[kept : kept + len(once)] = once
        kept += len(once)
    return keys[:kept]


def graph_of_keys(keys: npt.NDArray[np.int64], size: int, at_once: int = _CHUNK) -> Graph:
    """The graph of `size` pages with these links, given as rising distinct keys of pages below `size`."""
    indptr = np.zeros(size + 1, dtype=np.int64)
    targets = np.empty(len(keys), dtype=np.int32)
    for start in range(0, len(keys), at_once):
        chunk = keys[start : start + at_once]
        targets[start : start + len(chunk)] = targets_of(chunk)
        sources = sources_of(chunk)
        first, last = int(sources[0]), int(sources[-1])
        indptr[first + 1 : last + 2] += np.bincount(sources - first)
    np.cumsum(indptr, out=indptr)
    return Graph(indptr, targets)
