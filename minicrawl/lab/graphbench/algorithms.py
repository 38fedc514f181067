"""The algorithms, by name and by problem.

A question is two pages x and y. Its answer, by problem:

distances    links on a shortest path from x to y, -1 if there is none
strong       1 if x and y are in one strong component, else 0
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.lab.graphbench import components
from minicrawl.lab.graphbench.distances import (
    Trees,
    exact_distances,
    insert_by_trees,
    search_distances,
)
from minicrawl.lab.graphbench.sequences import Follower, Insertions, Links, Pages
from minicrawl.rank import Graph
from minicrawl.rank.components import strong_components
from minicrawl.rank.growing_distances import Distances, far, insert_links, no_links

BITS: dict[int, npt.DTypeLike] = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}
"""Types of distances, and of blocks of a matrix of bits, by size."""
Answers = npt.NDArray[np.int16]
"""Answers to the questions of all pairs, shape (size, size)."""

DISTANCES, STRONG = "distances", "strong"
PROBLEMS = {
    DISTANCES: "distances of all pairs",
    STRONG: "strong components",
}


@dataclass(frozen=True)
class Algorithm:
    """Start following a sequence, in numbers of a type. has_bits: that type matters. one_by_one: batches do not."""

    problem: str
    start: Callable[[Insertions, npt.DTypeLike], Follower]
    has_bits: bool = False
    one_by_one: bool = True


def exact_answers(problem: str, graph: Graph) -> Answers:
    """The answers for a graph, by scipy."""
    if problem == DISTANCES:
        return _answer(exact_distances(graph, np.int16), *np.indices((graph.size, graph.size))).astype(np.int16)
    of = strong_components(graph).of
    same: Answers = (of[:, None] == of).astype(np.int16)
    return same


def all_answers(follower: Follower, size: int) -> Answers:
    """The answers for all pairs."""
    pages = np.arange(size)
    rows = [np.asarray(follower.answer(np.full(size, page), pages)) for page in range(size)]
    return np.array(rows, np.int16).reshape(size, size)


def _answer(distance: Distances, some: Pages, others: Pages) -> Distances:
    found: Distances = distance[some, others].astype(np.int64)
    return np.where(found == far(distance), -1, found)


def _follow(insert: Callable[[Links], int | None], distance: Distances, *others: npt.NDArray[np.generic]) -> Follower:
    return Follower(insert, partial(_answer, distance), sum(array.nbytes for array in (distance, *others)))


def _by_rows(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    distance = no_links(sequence.size, dtype)

    def insert(links: Links) -> None:
        for u, v in links:
            insert_links(distance, u, np.array([v]))

    return _follow(insert, distance)


def _by_pages(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    distance = no_links(sequence.size, dtype)

    def insert(links: Links) -> None:
        ordered = links[np.argsort(links[:, 0], kind="stable")]
        starts = np.flatnonzero(np.diff(ordered[:, 0], prepend=-1))
        for page, targets in zip(ordered[starts, 0].tolist(), np.split(ordered[:, 1], starts[1:]), strict=True):
            insert_links(distance, page, targets)

    return _follow(insert, distance)


def _by_trees(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    trees = Trees.of(sequence.size, dtype)
    return _follow(partial(insert_by_trees, trees), *trees)


_Answer = Callable[[Pages, Pages], npt.ArrayLike]


class _Anew:
    """All links so far, and what is found in their graph after each batch."""

    def __init__(self, find: Callable[[Graph], _Answer], sequence: Insertions) -> None:
        self._find, self._sequence, self._count = find, sequence, 0
        self._found = find(sequence.graph(0))

    def insert(self, links: Links) -> None:
        self._count += len(links)
        self._found = self._find(self._sequence.graph(self._count))

    def answer(self, some: Pages, others: Pages) -> npt.ArrayLike:
        return self._found(some, others)


def _anew(problem: str, find: Callable[[Graph, npt.DTypeLike], _Answer], *, has_bits: bool = False) -> Algorithm:
    def start(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
        anew = _Anew(lambda graph: find(graph, dtype), sequence)
        tables = sequence.size**2 * np.dtype(dtype).itemsize if problem == DISTANCES else 12 * sequence.size
        return Follower(anew.insert, anew.answer, tables + sequence.links.nbytes)

    return Algorithm(problem, start, has_bits, one_by_one=False)


ALGORITHMS = {
    "bfs": _anew(DISTANCES, lambda graph, dtype: partial(_answer, search_distances(graph, dtype)), has_bits=True),
    "floyd-warshall": _anew(DISTANCES, lambda graph, dtype: partial(_answer, exact_distances(graph, dtype, "FW"))),
    "even-gazit": Algorithm(DISTANCES, _by_rows, has_bits=True),
    "pages": Algorithm(DISTANCES, _by_pages, has_bits=True, one_by_one=False),
    "trees": Algorithm(DISTANCES, _by_trees, has_bits=True),
    "tarjan": _anew(STRONG, lambda graph, _: strong_components(graph).share),
    "warshall": Algorithm(STRONG, components.warshall, has_bits=True, one_by_one=False),
    "closure": Algorithm(STRONG, components.closure, has_bits=True),
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
