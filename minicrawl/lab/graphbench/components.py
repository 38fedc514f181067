"""Strong components while links are inserted.

closure    reach[x], the pages that x reaches, a bit each, in blocks. A link u -> v:  reach[x] |= reach[v] where x
           reaches u
warshall   the same anew:  reach[x] |= reach[k] where x reaches k, for every k in turn. S. Warshall, "A theorem on
           Boolean matrices", Journal of the ACM 9 (1962)
"""

from functools import partial

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.sequences import Follower, Insertions
from minicrawl.lab.heap import compiled


def closure(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    """Follow strong components by who reaches whom, in blocks of this type."""
    reach = _themselves(sequence.size, dtype)
    return Follower(partial(_close, reach), partial(_reach_each_other, reach), reach.nbytes)


def warshall(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    """Find who reaches whom after each batch, in blocks of this type."""
    linked, reach = (_themselves(sequence.size, dtype) for _ in range(2))
    return Follower(partial(_close_anew, linked, reach), partial(_reach_each_other, reach), 2 * reach.nbytes)


def _themselves(size: int, dtype: npt.DTypeLike) -> npt.NDArray[np.integer]:
    bits = 8 * np.dtype(dtype).itemsize
    reach: npt.NDArray[np.integer] = np.zeros((size, -(-size // bits)), dtype)
    _set_bits(reach, np.arange(size), np.arange(size))
    return reach


@compiled
def _bit(reach, x, y):  # type: ignore[no-untyped-def]
    bits = 8 * reach.itemsize
    return (reach[x, y // bits] >> (y % bits)) & 1


@compiled
def _set_bits(reach, sources, targets):  # type: ignore[no-untyped-def]
    bits = 8 * reach.itemsize
    for k in range(len(sources)):
        reach[sources[k], targets[k] // bits] |= 1 << (targets[k] % bits)


@compiled
def _reach_each_other(reach, some, others):  # type: ignore[no-untyped-def]
    found = np.zeros(len(some), np.bool_)
    for k in range(len(some)):
        found[k] = _bit(reach, some[k], others[k]) & _bit(reach, others[k], some[k])
    return found


@compiled
def _widen(reach, u, v):  # type: ignore[no-untyped-def]
    """Pages that reach u reach all that v does."""
    for x in range(len(reach)):
        if x != v and _bit(reach, x, u):
            for block in range(reach.shape[1]):
                reach[x, block] |= reach[v, block]


@compiled
def _close(reach, links):  # type: ignore[no-untyped-def]
    for insertion in range(len(links)):
        u, v = links[insertion]
        if not _bit(reach, u, v):
            _widen(reach, u, v)


@compiled
def _close_anew(linked, reach, links):  # type: ignore[no-untyped-def]
    _set_bits(linked, links[:, 0], links[:, 1])
    reach[:] = linked
    for k in range(len(reach)):
        _widen(reach, k, k)
