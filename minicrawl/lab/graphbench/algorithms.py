"""The algorithms, by name and by problem.

A question is two pages x and y. Its answer, by problem:

distances    links on a shortest path from x to y, -1 if there is none
strong       1 if x and y are in one strong component, else 0

Distances of all pairs:

breadth-first    from every page; n * m
Floyd-Warshall   d[x, y] = min(d[x, y], d[x, k] + d[k, y]) for every k in turn; n**3. R. Floyd, "Algorithm 97: Shortest
                 path", Communications of the ACM 5 (1962)
trees            see `graphbench`

Strong components:

closure    reach[x], the pages that x reaches, a bit each, in blocks. A link u -> v:  reach[x] |= reach[v] where x
           reaches u
warshall   the same again:  reach[x] |= reach[k] where x reaches k, for every k in turn. S. Warshall, "A theorem on
           Boolean matrices", Journal of the ACM 9 (1962)
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple  # Any: callables

import numba
import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.errors import SettingError
from minicrawl.lab.graphbench.sequences import Follower, Insertions, Links, Pages
from minicrawl.rank import Graph
from minicrawl.rank.graph_stats import strong_components

_Table = npt.NDArray[np.int16]
Distances = npt.NDArray[np.integer]
"""d, shape (size, size)."""


FAR = 2**14 - 1
"""Marker for "no path": above any distance, and low enough that twice its value plus 1 is an int16."""


def no_links(size: int) -> Distances:
    """d of pages without links, shape (size, size)."""
    distance: Distances = np.full((size, size), FAR, dtype=np.int16)
    np.fill_diagonal(distance, 0)
    return distance


# Compiled again in every process, in about a second: code cached on disk would not notice a change in its callees.
compiled: Any = numba.njit


@compiled
def _add_links(distance, links):  # type: ignore[no-untyped-def]
    """Algorithm 1 of the document, link by link."""
    size = len(distance)
    for insertion in range(len(links)):
        u, v = links[insertion, 0], links[insertion, 1]
        if distance[u, v] == 1:
            continue
        for y in range(size):
            distance[u, y] = min(distance[u, y], 1 + distance[v, y])
        for x in range(size):
            to_u = distance[x, u]
            if x != u and x != v and to_u != FAR:  # noqa: PLR1714 - numba compiles it
                for y in range(size):
                    distance[x, y] = min(distance[x, y], to_u + distance[u, y])


def exact_distances(graph: Graph, method: Literal["auto", "FW"] = "auto") -> Distances:
    """d by scipy. method: FW is Floyd and Warshall's."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    found = sparse.csgraph.shortest_path(matrix, method, unweighted=True)
    return np.where(np.isinf(found), FAR, found).astype(np.int16)


class Trees(NamedTuple):
    """Shortest paths from every source x, as a tree; shape (size, size), row x for source x.

    distance: d. parent[x, y]: the page before y on the path. child[x, y]: its first child; before, after: its siblings.
    """

    distance: Distances
    parent: _Table
    child: _Table
    before: _Table
    after: _Table

    @classmethod
    def of(cls, size: int) -> "Trees":
        """Trees of pages without links."""
        return cls(no_links(size), *(np.full((size, size), _NONE, dtype=np.int16) for _ in range(4)))


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


def search_distances(graph: Graph) -> Distances:
    """d by breadth-first search from every page."""
    distance = no_links(graph.size)
    _search(distance, graph.indptr, graph.targets, np.zeros(graph.size, dtype=np.int32))
    return distance


@compiled
def _search(distance, indptr, targets, waiting):  # type: ignore[no-untyped-def]
    for x in range(len(distance)):
        row = distance[x]
        waiting[0], at, waits = x, 0, 1
        while at < waits:
            y = waiting[at]
            at += 1
            for w in targets[indptr[y] : indptr[y + 1]]:
                if row[w] == FAR:
                    row[w] = row[y] + 1
                    waiting[waits] = w
                    waits += 1


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


BITS: dict[int, npt.DTypeLike] = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}
"""Types of the blocks of a matrix of bits, by size."""
Answers = npt.NDArray[np.int16]
"""Answers to the questions of all pairs, shape (size, size)."""

DISTANCES, STRONG = "distances", "strong"
PROBLEMS = {DISTANCES: "distances of all pairs", STRONG: "strong components"}


@dataclass(frozen=True)
class Algorithm:
    """Start following a sequence, in blocks of a type. has_bits: that type matters. one_by_one: batches do not."""

    problem: str
    start: Callable[[Insertions, npt.DTypeLike], Follower]
    has_bits: bool = False
    one_by_one: bool = True


def exact_answers(problem: str, graph: Graph) -> Answers:
    """The answers for a graph, by scipy."""
    pairs = np.indices((graph.size, graph.size))
    found = _answer(exact_distances(graph), *pairs) if problem == DISTANCES else strong_components(graph).share(*pairs)
    return found.astype(np.int16)


def all_answers(follower: Follower, size: int) -> Answers:
    """The answers for all pairs."""
    pages = np.arange(size)
    rows = [np.asarray(follower.answer(np.full(size, page), pages)) for page in range(size)]
    return np.array(rows, np.int16).reshape(size, size)


def _answer(distance: Distances, some: Pages, others: Pages) -> Distances:
    found: Distances = distance[some, others].astype(np.int64)
    return np.where(found == FAR, -1, found)


def _by_rows(sequence: Insertions, _: npt.DTypeLike) -> Follower:
    distance = no_links(sequence.size)
    return Follower(partial(_add_links, distance), partial(_answer, distance), distance.nbytes)


def _by_trees(sequence: Insertions, _: npt.DTypeLike) -> Follower:
    trees = Trees.of(sequence.size)
    memory = sum(table.nbytes for table in trees)
    return Follower(partial(insert_by_trees, trees), partial(_answer, trees.distance), memory)


_Answer = Callable[[Pages, Pages], npt.ArrayLike]


def _anew(problem: str, find: Callable[[Graph], _Answer]) -> Algorithm:
    """Find the answers in the graph of all links so far, after each batch."""

    def start(sequence: Insertions, _: npt.DTypeLike) -> Follower:
        count, found = 0, find(sequence.graph(0))

        def insert(links: Links) -> None:
            nonlocal count, found
            count += len(links)
            found = find(sequence.graph(count))

        def answer(some: Pages, others: Pages) -> npt.ArrayLike:
            return found(some, others)

        tables = 2 * sequence.size**2 if problem == DISTANCES else 12 * sequence.size
        return Follower(insert, answer, tables + sequence.links.nbytes)

    return Algorithm(problem, start, one_by_one=False)


ALGORITHMS = {
    "bfs": _anew(DISTANCES, lambda graph: partial(_answer, search_distances(graph))),
    "floyd-warshall": _anew(DISTANCES, lambda graph: partial(_answer, exact_distances(graph, "FW"))),
    "rows": Algorithm(DISTANCES, _by_rows),
    "trees": Algorithm(DISTANCES, _by_trees),
    "tarjan": _anew(STRONG, lambda graph: strong_components(graph).share),
    "warshall": Algorithm(STRONG, warshall, has_bits=True, one_by_one=False),
    "closure": Algorithm(STRONG, closure, has_bits=True),
}


def algorithms_of(words: str) -> dict[str, Algorithm]:
    """The algorithms named by words with commas between: names, and problems (all of theirs).

    Raises SettingError.
    """
    found: dict[str, Algorithm] = {}
    for word in map(str.strip, words.split(",")):
        if word in PROBLEMS:
            found |= {name: one for name, one in ALGORITHMS.items() if one.problem == word}
        elif word in ALGORITHMS:
            found[word] = ALGORITHMS[word]
        else:
            names = ", ".join((*PROBLEMS, *ALGORITHMS))
            raise SettingError(f"--algorithms are some of {names}, not {word!r}")
    return found
