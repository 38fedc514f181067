"""Links as keys: one int64 each, source * 2**32 + target, so that sorted keys are the sorted rows of a graph."""

import numpy as np
import numpy.typing as npt

from minicrawl.rank import Graph

_BITS = 32


def keys_of(
    sources: npt.NDArray[np.integer] | np.integer | int, targets: npt.NDArray[np.integer] | np.integer | int
) -> npt.NDArray[np.int64]:
    """One int64 key for each link sources[k] -> targets[k]: source * 2**32 + target. The arguments broadcast."""
    return np.asarray(sources, dtype=np.int64) << _BITS | np.asarray(targets, dtype=np.int64)


def sources_of(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return keys >> _BITS


def targets_of(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return keys & ((1 << _BITS) - 1)


def graph_of_keys(keys: npt.NDArray[np.int64], size: int) -> Graph:
    """The graph of `size` pages with these links, given as rising distinct keys of pages below `size`."""
    indptr = np.searchsorted(keys, keys_of(np.arange(size + 1), 0)).astype(np.int64)
    return Graph(indptr, targets_of(keys).astype(np.int32))
