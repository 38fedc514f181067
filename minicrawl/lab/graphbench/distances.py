"""Distances of all pairs as trees of shortest paths, while links are inserted; and by scipy, to hold others to."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.lab.graphbench.sequences import Links
from minicrawl.lab.heap import compiled
from minicrawl.rank import Graph
from minicrawl.rank.growing_distances import Distances, far, no_links

_NOBODY = -1
_Pages = npt.NDArray[np.int16]


def exact_distances(graph: Graph, like: Distances) -> Distances:
    """d by breadth-first search from every page (scipy), in the numbers of `like`."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    found = sparse.csgraph.shortest_path(matrix, unweighted=True)
    is_far = np.isinf(found)
    found[is_far] = 0
    distance: Distances = found.astype(like.dtype)
    distance[is_far] = far(like)
    return distance


class Trees(NamedTuple):
    """Shortest paths from every source x, as a tree; shape (size, size), row x being that of x.

    distance: d. parent[x, y]: the page before y on the path. child[x, y]: the first of those after it; before, after:
    its neighbours among the children of its parent.
    """

    distance: Distances
    parent: _Pages
    child: _Pages
    before: _Pages
    after: _Pages

    @classmethod
    def of(cls, size: int, dtype: npt.DTypeLike = np.int16) -> "Trees":
        """Trees of pages without links."""
        return cls(no_links(size, dtype), *(np.full((size, size), _NOBODY, dtype=np.int16) for _ in range(4)))


def insert_by_trees(trees: Trees, links: Links) -> int:
    """Insert links, in place; returns how many pairs came closer."""
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
            # Where a page does not come closer to x, nothing behind it in the tree of v does.
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
                    while follower != _NOBODY:
                        waiting[waits] = follower
                        waits += 1
                        follower = after[v, follower]
    return updates


@compiled
def _hang(parent, child, before, after, x, y, new_parent):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    """Take y from its parent in the tree of x, with all that hangs off it, and hang it to another one."""
    old, left, right = parent[x, y], before[x, y], after[x, y]
    if old != _NOBODY:
        if left == _NOBODY:
            child[x, old] = right
        else:
            after[x, left] = right
        if right != _NOBODY:
            before[x, right] = left
    first = child[x, new_parent]
    parent[x, y], before[x, y], after[x, y] = new_parent, _NOBODY, first
    if first != _NOBODY:
        before[x, first] = y
    child[x, new_parent] = y
