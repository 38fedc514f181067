"""The algorithms, by name and by problem, and one's own.

A question is two pages x and y. Its answer, by problem:

distances    links on a shortest path from x to y, -1 if there is none
strong       1 if x and y are in one strong component, else 0
weak         the same of weak components
biconnected  1 if x and y are one page, or in one biconnected component, else 0
"""

import importlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.lab.graphbench import components
from minicrawl.lab.graphbench.distances import (
    Queues,
    Trees,
    exact_distances,
    insert_by_queues,
    insert_by_trees,
    search_distances,
)
from minicrawl.lab.graphbench.sequences import Follower, Insertions, Links, Pages
from minicrawl.lab.heap import compiled
from minicrawl.rank import Graph
from minicrawl.rank.components import biconnected_components, depth_first, strong_components, weak_components
from minicrawl.rank.growing_distances import Distances, far, insert_links, no_links

_T = TypeVar("_T")
BITS: dict[int, npt.DTypeLike] = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}
"""Types of distances, and of blocks of a matrix of bits, by size."""
Answers = npt.NDArray[np.int16]
"""Answers to the questions of all pairs, shape (size, size)."""

DISTANCES, STRONG, WEAK, BICONNECTED = "distances", "strong", "weak", "biconnected"
PROBLEMS = {
    DISTANCES: "distances of all pairs",
    STRONG: "strong components",
    WEAK: "weak components",
    BICONNECTED: "biconnected components",
}


@dataclass(frozen=True)
class Algorithm:
    """Start following a sequence, in numbers of a type. has_bits: that type matters. one_by_one: batches do not."""

    problem: str
    start: Callable[[Insertions, npt.DTypeLike], Follower]
    has_bits: bool = False
    one_by_one: bool = True


def exact_answers(problem: str, graph: Graph) -> Answers:
    """The answers for a graph, by scipy; of biconnected components by their definition."""
    if problem == DISTANCES:
        return _answer(exact_distances(graph, np.int16), *np.indices((graph.size, graph.size))).astype(np.int16)
    if problem == BICONNECTED:
        return components.exact_biconnected(graph).astype(np.int16)
    of = (strong_components if problem == STRONG else weak_components)(graph).of
    same: Answers = (of[:, None] == of).astype(np.int16)
    return same


def all_answers(follower: Follower, size: int) -> Answers:
    """The answers for all pairs; raises SettingError if their number is wrong."""
    pages = np.arange(size)
    rows = [np.asarray(follower.answer(np.full(size, page), pages)) for page in range(size)]
    if wrong := [row.shape for row in rows if row.shape != pages.shape]:
        raise SettingError(f"answer() must return a number for each two pages, shape {pages.shape}, not {wrong[0]}")
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


def _by_queues(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    queues = Queues.of(sequence.size, sequence.links, dtype)
    return _follow(partial(insert_by_queues, queues), *queues)


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


def _merging(sequence: Insertions, _: npt.DTypeLike) -> Follower:
    merged = components.Merged(sequence.size)
    return Follower(merged.insert, merged.answer, 2 * sequence.links.nbytes + 8 * sequence.size)


_depth_first = compiled(depth_first)
ALGORITHMS = {
    "bfs": _anew(DISTANCES, lambda graph, dtype: partial(_answer, search_distances(graph, dtype)), has_bits=True),
    "floyd-warshall": _anew(DISTANCES, lambda graph, dtype: partial(_answer, exact_distances(graph, dtype, "FW"))),
    "even-gazit": Algorithm(DISTANCES, _by_rows, has_bits=True),
    "pages": Algorithm(DISTANCES, _by_pages, has_bits=True, one_by_one=False),
    "trees": Algorithm(DISTANCES, _by_trees, has_bits=True),
    "queues": Algorithm(DISTANCES, _by_queues, has_bits=True),
    "tarjan": _anew(STRONG, lambda graph, _: strong_components(graph).share),
    "warshall": Algorithm(STRONG, components.warshall, has_bits=True, one_by_one=False),
    "closure": Algorithm(STRONG, components.closure, has_bits=True),
    "merging": Algorithm(STRONG, _merging, one_by_one=False),
    "searches": _anew(WEAK, lambda graph, _: weak_components(graph).share),
    "unions": Algorithm(WEAK, lambda sequence, _: components.unions(sequence)),
    "hopcroft-tarjan": _anew(BICONNECTED, lambda graph, _: biconnected_components(graph, _depth_first).share),
    "cycles": Algorithm(BICONNECTED, lambda sequence, _: components.cycles(sequence)),
}


def algorithms_of(words: str) -> dict[str, Algorithm]:
    """The algorithms named by words with commas between: names, problems (all of theirs), and MODULE:CLASS.

    Raises SettingError.
    """
    found: dict[str, Algorithm] = {}
    for word in map(str.strip, words.split(",")):
        if word in PROBLEMS:
            found |= {name: one for name, one in ALGORITHMS.items() if one.problem == word}
        elif ":" in word[1:]:
            found[word] = _own(word)
        elif word in ALGORITHMS:
            found[word] = ALGORITHMS[word]
        else:
            names = ", ".join((*PROBLEMS, *ALGORITHMS))
            raise SettingError(f"--algorithms are some of {names} or MODULE:CLASS, not {word!r}")
    return found


def _own(word: str) -> Algorithm:
    """The algorithm of a class that anyone may write: made from a number of pages, it has what a `Follower` has."""
    module, _, name = word.partition(":")
    own = getattr(_told(word, importlib.import_module, module), name, None)
    if own is None:
        raise SettingError(f"--algorithms {word}: module {module} has no class {name!r}; name one of its own")
    problem = getattr(own, "problem", None)
    if problem not in PROBLEMS:
        raise SettingError(f"--algorithms {word}: its problem must be one of {', '.join(PROBLEMS)}, not {problem!r}")
    for method in ("insert", "answer"):
        if not callable(getattr(own, method, None)):
            raise SettingError(f"--algorithms {word}: it has no method {method}; give it one")

    def start(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
        made = _told(word, own, sequence.size)

        def insert(links: Links) -> int | None:
            updates = _told(word, made.insert, links.copy())  # others get the same ones
            return None if updates is None else _told(word, int, updates)

        def answer(some: Pages, others: Pages) -> npt.ArrayLike:
            return _told(word, np.asarray, _told(word, made.answer, some, others), np.int16)

        return Follower(insert, answer, _told(word, int, getattr(made, "memory", 0)))

    return Algorithm(problem, start, one_by_one=False)


def _told(word: str, call: Callable[..., _T], *given: object) -> _T:
    """Call one's own code. Raises SettingError where that raises anything."""
    try:
        return call(*given)
    except ImportError as error:
        raise SettingError(f"--algorithms {word}: {error}; its folder must be in PYTHONPATH") from error
    except Exception as error:
        *_, last = traceback.extract_tb(error.__traceback__)
        where = f", {last.filename}:{last.lineno}" if last.line and last.filename != __file__ else ""
        raise SettingError(f"--algorithms {word}: {type(error).__name__}: {error}{where}") from error
