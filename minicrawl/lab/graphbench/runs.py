"""What each algorithm takes for a whole sequence of insertions, and whether it agrees with scipy."""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.components import Closure, Merged, exact_components
from minicrawl.lab.graphbench.distances import Trees, exact_distances, insert_by_matrix, insert_by_trees, no_links
from minicrawl.lab.graphbench.sequences import Insertions

_CHECKS = 8
_GROWTH = 1.5
_BATCH = 256
_T = TypeVar("_T")


class Run(NamedTuple):
    """What one algorithm took for a whole sequence.

    measured: at how many insertions its time was taken. updates: pairs of pages brought closer, or components lost
    to mergers; None where that is not counted. agrees: with scipy, at every check.
    """

    question: str
    algorithm: str
    seconds: float
    measured: int
    updates: int | None
    agrees: bool


def distances(sequence: Insertions) -> list[Run]:
    """Distances of all pairs after every insertion, by every algorithm."""
    size, links = sequence.size, sequence.links
    checks = checks_of(len(links))
    exact, anew = _timed_anew(checks, lambda count: exact_distances(sequence.graph(count)))

    by_matrix = no_links(size)
    matrix, agrees = _followed(
        checks, lambda start, stop: insert_by_matrix(by_matrix, links[start:stop]), by_matrix, exact
    )
    trees = Trees.of(size)
    insert_by_trees(trees, links[:0])  # compile it
    updates = 0

    def insert(start: int, stop: int) -> None:
        nonlocal updates
        updates += insert_by_trees(trees, links[start:stop])

    tree_seconds, trees_agree = _followed(checks, insert, trees.distance, exact)
    return [
        Run("distances", "matrix", matrix, len(links), None, agrees),
        Run("distances", "trees", tree_seconds, len(links), updates, trees_agree),
        Run("distances", "anew", anew * len(links), len(checks), None, True),
    ]


def components(sequence: Insertions) -> list[Run]:
    """Strong components after every insertion, by every algorithm."""
    links = sequence.links
    checks = checks_of(len(links))
    exact, anew = _timed_anew(checks, lambda count: exact_components(sequence.graph(count)))
    closure = Closure(sequence.size)
    by_closure, agrees = _followed(checks, lambda start, stop: closure.insert(links[start:stop]), closure.lowest, exact)
    looks = growing_steps(len(links), sequence.size)
    _, a_look = _timed_anew(looks, lambda count: exact_components(sequence.graph(count)))
    merged = Merged(sequence.size)
    merging = 0.0
    for start in range(0, len(links), _BATCH):
        merging += cpu_seconds(lambda: merged.insert(*links[start : start + _BATCH].T))  # noqa: B023
    last = exact[-1]
    return [
        Run("components", "closure", by_closure, len(links), closure.mergers, agrees),
        Run("components", "anew", anew * len(links), len(checks), None, True),
        Run("components", "schedule", a_look * len(looks), len(looks), None, True),
        Run("components", "merging", merging, len(links), None, bool(np.array_equal(merged.lowest(), last))),
    ]


def growing_steps(count: int, first: int, growth: float = _GROWTH) -> list[int]:
    """first, first * growth and so on, and `count` last."""
    steps: list[int] = []
    while first < count:
        steps.append(first)
        first = int(first * growth) + 1
    return [*steps, count]


def checks_of(count: int, most: int = _CHECKS) -> list[int]:
    """Numbers of insertions, evenly apart, the last being all."""
    return sorted({count * check // most for check in range(1, most + 1)} - {0})


def cpu_seconds(call: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def _timed_anew(checks: Sequence[int], find: Callable[[int], _T]) -> tuple[list[_T], float]:
    """What is found after each number of insertions, and the mean CPU seconds that takes."""
    started = time.process_time()
    found = [find(count) for count in checks]
    return found, (time.process_time() - started) / len(checks)


def _followed(
    checks: Sequence[int],
    insert: Callable[[int, int], None],
    state: npt.NDArray[np.integer],
    exact: Sequence[npt.NDArray[np.integer]],
) -> tuple[float, bool]:
    """CPU seconds to insert all links, and whether `state` is what it should be after each of `checks`."""
    seconds, agrees = 0.0, True
    for (start, stop), right in zip(pairwise([0, *checks]), exact, strict=True):
        seconds += cpu_seconds(lambda: insert(start, stop))  # noqa: B023
        agrees = agrees and bool(np.array_equal(state, right))
    return seconds, agrees
