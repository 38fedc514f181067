"""What each algorithm takes for a whole sequence of insertions, and whether it agrees with scipy."""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.algorithms import EVEN_GAZIT, TREES
from minicrawl.lab.graphbench.bench import Setup, tried
from minicrawl.lab.graphbench.components import Closure, Merged, exact_components
from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.measuring import checks_of, cpu_seconds, growing_steps
from minicrawl.lab.graphbench.sequences import Insertions
from minicrawl.rank.growing_distances import no_links

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
    links = sequence.links
    checks = checks_of(len(links))
    like = no_links(0, np.int32)
    exact, anew = _timed_anew(checks, lambda count: exact_distances(sequence.graph(count), like))
    held_to = dict(zip(checks, exact, strict=True))
    trials = [tried(name, 16, sequence, Setup(), held_to) for name in (EVEN_GAZIT, TREES)]
    runs = [Run("distances", one.algorithm, one.seconds, len(links), one.updates, one.agrees) for one in trials]
    return [*runs, Run("distances", "anew", anew * len(links), len(checks), None, True)]


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
