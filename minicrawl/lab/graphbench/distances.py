"""Distances of all pairs while links are inserted: as a matrix, as trees, and anew."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.lab.graphbench.sequences import Links
from minicrawl.lab.heap import compiled
from minicrawl.rank import Graph

Distances = npt.NDArray[np.int16]

FAR = 2**13
"""More than any distance, for pages without a path; the sum of two fits int16."""
_NOBODY = -1


def exact_distances(graph: Graph) -> Distances:
    """d by breadth-first search from every page, shape (size, size)."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    return np.minimum(sparse.csgraph.shortest_path(matrix, unweighted=True), FAR).astype(np.int16)


def no_links(size: int) -> Distances:
    """d of pages without links."""
    distance = np.full((size, size), FAR, dtype=np.int16)
    np.fill_diagonal(distance, 0)
    return distance


def insert_by_matrix(distance: Distances, links: Links) -> None:
    """Insert links, in place. Only rows of pages that come closer to v by way of u -> v can change."""
    for u, v in links.tolist():
        rows = np.flatnonzero(distance[:, u] + 1 < distance[:, v])
        if len(rows):
            distance[rows] = np.minimum(distance[rows], distance[rows, u][:, None] + 1 + distance[v])


class Trees(NamedTuple):
    """Shortest paths from every source x, as a tree; int16, shape (size, size), row x being that of x.

    distance: d. parent[x, y]: the page before y on the path. child[x, y]: the first of those after it; before, after:
    its neighbours among the children of its parent.
    """

    distance: Distances
    parent: Distances
    child: Distances
    before: Distances
    after: Distances

    @classmethod
    def of(cls, size: int) -> "Trees":
        """Trees of pages without links."""
        return cls(no_links(size), *(np.full((size, size), _NOBODY, dtype=np.int16) for _ in range(4)))


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
