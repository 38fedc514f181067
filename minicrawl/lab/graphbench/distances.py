"""Algorithms for the distances of all pairs while links are inserted, and scipy's for comparison.

breadth-first    from every page; n * m
Floyd-Warshall   d[x, y] = min(d[x, y], d[x, k] + d[k, y]) for every k in turn; n**3. R. Floyd, "Algorithm 97: Shortest
                 path", Communications of the ACM 5 (1962)
trees            see `graphbench`
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
