"""Algorithms for the distances of all pairs while links are inserted, and scipy's for comparison.

breadth-first    from every page; n * m
Floyd-Warshall   d[x, y] = min(d[x, y], d[x, k] + d[k, y]) for every k in turn; n**3. R. Floyd, "Algorithm 97: Shortest
                 path", Communications of the ACM 5 (1962)
trees            see `graphbench`
queues           Q[x, u]: the links u -> w, the largest d[x, w] first

When d[x, u] falls, only links with d[x, w] > d[x, u] + 1 bring their target closer, and these are first in Q[x, u]: no
other link is examined. A key may be too large because the target came closer another way; it is corrected when it comes
first. A key falls n times at most, so all insertions take n**2 * m * log n at most, in practice little more than the
number of pairs that come closer.
"""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.lab.graphbench.sequences import Links
from minicrawl.lab.heap import compiled
from minicrawl.rank import Graph
from minicrawl.rank.growing_distances import Distances, far, no_links

_Pages = npt.NDArray[np.int16]


def exact_distances(graph: Graph, dtype: npt.DTypeLike, method: Literal["auto", "FW"] = "auto") -> Distances:
    """d by scipy, in numbers of a type. method: FW is Floyd and Warshall's."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    found = sparse.csgraph.shortest_path(matrix, method, unweighted=True)
    is_far = np.isinf(found)
    found[is_far] = 0
    distance: Distances = found.astype(dtype)
    distance[is_far] = far(distance)
    return distance


class Trees(NamedTuple):
    """Shortest paths from every source x, as a tree; shape (size, size), row x for source x.

    distance: d. parent[x, y]: the page before y on the path. child[x, y]: its first child; before, after: its siblings.
    """

    distance: Distances
    parent: _Pages
    child: _Pages
    before: _Pages
    after: _Pages

    @classmethod
    def of(cls, size: int, dtype: npt.DTypeLike = np.int16) -> "Trees":
        """Trees of pages without links."""
        return cls(no_links(size, dtype), *(np.full((size, size), _NONE, dtype=np.int16) for _ in range(4)))


def insert_by_trees(trees: Trees, links: Links) -> int:
    """Insert links, in place. Returns the number of pairs brought closer."""
    return int(_insert_by_trees(*trees, links, np.zeros(len(trees.distance), dtype=np.int16)))


@compiled
def _insert_by_trees(distance, parent, child, before, after, links, waiting):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    updates = 0
    for insertion in range(len(links)):
        u, v = links[insertion, 0], links[insertion, 1]
        if distance[u, v] <= 1:
            continue
        for x in range(len(distance)):
            if distance[x, u] + 1 >= distance[x, v]:
                continue
            # If a page does not come closer to x, neither does its subtree in the tree of v.
            waiting[0], waits = v, 1
            while waits:
                waits -= 1
                y = waiting[waits]
                shorter = distance[x, u] + 1 + distance[v, y]
                if shorter < distance[x, y]:
                    distance[x, y] = shorter
                    updates += 1
                    _hang(parent, child, before, after, x, y, u if y == v else parent[v, y])
                    follower = child[v, y]
                    while follower != _NONE:
                        waiting[waits] = follower
                        waits += 1
                        follower = after[v, follower]
    return updates


@compiled
def _hang(parent, child, before, after, x, y, new_parent):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    """Move y, with its subtree in the tree of x, from its parent to another one."""
    old, left, right = parent[x, y], before[x, y], after[x, y]
    if old != _NONE:
        if left == _NONE:
            child[x, old] = right
        else:
            after[x, left] = right
        if right != _NONE:
            before[x, right] = left
    first = child[x, new_parent]
    parent[x, y], before[x, y], after[x, y] = new_parent, _NONE, first
    if first != _NONE:
        before[x, first] = y
    child[x, new_parent] = y


_NONE = -1


def search_distances(graph: Graph, dtype: npt.DTypeLike = np.int16) -> Distances:
    """d by breadth-first search from every page."""
    distance = no_links(graph.size, dtype)
    _search(distance, graph.indptr, graph.targets, np.zeros(graph.size, dtype=np.int32), far(distance))
    return distance


@compiled
def _search(distance, indptr, targets, waiting, no_way):  # type: ignore[no-untyped-def]
    for x in range(len(distance)):
        row = distance[x]
        waiting[0], at, waits = x, 0, 1
        while at < waits:
            y = waiting[at]
            at += 1
            for w in targets[indptr[y] : indptr[y + 1]]:
                if row[w] == no_way:
                    row[w] = row[y] + 1
                    waiting[waits] = w
                    waits += 1


class Queues(NamedTuple):
    """The queues of all pairs, as heaps. distance: d.

    first: int64, shape (size,): Q[x, u] begins at place first[u] of row x. filled: int32, shape (size,): inserted links
    of u. target, key: shape (size, links): the target of each, and an upper bound of d[x, target].
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
    """Insert links into the room left for them, in place. Returns the number of pairs brought closer."""
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
    """Propagate a shorter distance of one page to the pages behind it, for one source. Nearer ones go first."""
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
    """Move a link up a heap to its place."""
    while at > 0:
        above = (at - 1) // 2
        if key[start + above] >= key[start + at]:
            break
        _swap(target, key, start + above, start + at)
        at = above


@compiled
def _sink(target, key, start, size):  # type: ignore[no-untyped-def]
    """Move the first link of a heap down to its place."""
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
