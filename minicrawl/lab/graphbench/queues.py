"""Distances of all pairs with a queue of its links for every pair of a source and a page, the farthest target first.

x, u     a source and a page; Q[x, u]: the links u -> w, those with the largest d[x, w] first

When d[x, u] falls, only links with d[x, w] > d[x, u] + 1 bring their target closer, and these are first in Q[x, u]: no
other link is looked at. Where a target has come closer by another way, its key in the queue is too large; it is put
right when it comes first. A key falls n times at most, so all insertions together take n**2 * m * log n at most, in
practice little more than there are pairs that come closer. Source: G. Ausiello, G. Italiano, A. Marchetti-Spaccamela,
U. Nanni, "Incremental algorithms for minimal length paths", Journal of Algorithms 12 (1991).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.sequences import Links
from minicrawl.lab.heap import compiled
from minicrawl.rank.growing_distances import Distances, no_links


class Queues(NamedTuple):
    """The queues of all pairs, as heaps. distance: d.

    first: int64, shape (size,): Q[x, u] stands in row x from place first[u] on. filled: int32, shape (size,): how many
    links of u were inserted. target, key: shape (size, links): where each goes, and a bound of d[x, target].
    """

    distance: Distances
    first: npt.NDArray[np.int64]
    filled: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    key: Distances

    @classmethod
    def of(cls, size: int, links: Links, dtype: npt.DTypeLike = np.int16) -> "Queues":
        """Empty queues with room for these links."""
        outdegrees = np.bincount(links[:, 0], minlength=size)
        first = np.cumsum(outdegrees) - outdegrees
        room = (size, len(links))
        return cls(
            no_links(size, dtype), first, np.zeros(size, np.int32), np.zeros(room, np.int32), np.zeros(room, dtype)
        )


def insert_by_queues(queues: Queues, links: Links) -> int:
    """Insert links for which there is room, in place; returns how many pairs came closer."""
    return int(_insert_by_queues(*queues, links, np.zeros(len(queues.distance), dtype=np.int32)))


@compiled
def _insert_by_queues(distance, first, filled, target, key, links, waiting):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    updates = 0
    for insertion in range(len(links)):
        u, v = links[insertion, 0], links[insertion, 1]
        start, last = first[u], filled[u]
        filled[u] += 1
        for x in range(len(distance)):
            closer = distance[x, u] + 1 < distance[x, v]
            if closer:
                distance[x, v] = distance[x, u] + 1
                updates += 1
            target[x, start + last], key[x, start + last] = v, distance[x, v]
            _rise(target[x], key[x], start, last)
            if closer:
                updates += _spread(distance[x], first, filled, target[x], key[x], v, waiting)
    return updates


@compiled
def _spread(distance, first, filled, target, key, page, waiting):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    """Let all pages come closer that do so by way of one that has; of one source. Nearer ones go first."""
    waiting[0], at, waits, updates = page, 0, 1, 0
    while at < waits:
        y = waiting[at]
        at += 1
        start, size = first[y], filled[y]
        while size and key[start] > distance[y] + 1:
            w = target[start]
            if distance[w] == key[start]:
                distance[w] = distance[y] + 1
                updates += 1
                waiting[waits] = w
                waits += 1
            key[start] = distance[w]
            _sink(target, key, start, size)
    return updates


@compiled
def _rise(target, key, start, at):  # type: ignore[no-untyped-def]
    """Move the link at a place of a heap up to where it belongs."""
    while at > 0:
        above = (at - 1) // 2
        if key[start + above] >= key[start + at]:
            break
        _swap(target, key, start + above, start + at)
        at = above


@compiled
def _sink(target, key, start, size):  # type: ignore[no-untyped-def]
    """Move the first link of a heap down to where it belongs."""
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and key[start + below + 1] > key[start + below]:
            below += 1
        if key[start + at] >= key[start + below]:
            break
        _swap(target, key, start + at, start + below)
        at = below


@compiled
def _swap(target, key, one, other):  # type: ignore[no-untyped-def]
    target[one], target[other] = target[other], target[one]
    key[one], key[other] = key[other], key[one]
