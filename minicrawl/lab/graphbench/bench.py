"""Algorithms side by side on one graph: time, memory, correctness.

A trial inserts all links of a sequence, `batch` at a time; after each batch all questions can be answered. Times are
CPU time without compilation and without validation.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.graphbench.algorithms import (
    BITS,
    DISTANCES,
    PROBLEMS,
    Algorithm,
    Answers,
    algorithms_of,
    all_answers,
    exact_answers,
)
from minicrawl.lab.graphbench.sequences import Insertions

_CHECKS = 8
"""Checks of a trial at most, evenly spaced, the last after all insertions."""


COLUMNS = (
    *("graph", "pages", "links", "problem", "algorithm", "bits", "batch", "trial", "CPU seconds"),
    *("insertions", "timed out", "updates", "memory in bytes", "checks", "validated"),
)
_AT_ONCE = 64
"""Links per call for algorithms that insert them one by one anyway."""
_DRAWN = 60


@dataclass(frozen=True)
class Setup:
    """The trials. algorithms: by name. bits: of BITS; each is tried with all algorithms to which it matters.

    timeout: CPU seconds after which a trial ends, between two batches; None: never. validate: compare with
    `exact_answers`.
    """

    algorithms: Mapping[str, Algorithm] = field(default_factory=lambda: algorithms_of(DISTANCES))
    bits: Sequence[int] = (16,)
    batch: int = 1
    trials: int = 3
    timeout: float | None = None
    validate: bool = False

    def kinds(self) -> list[tuple[str, int]]:
        """Every algorithm with every size of its blocks; 0 if it has none."""
        found = [(name, size if one.has_bits else 0) for size in self.bits for name, one in self.algorithms.items()]
        return list(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class Trial:
    """The cost of an algorithm. inserted: links until it ended. updates: None if not counted. memory: bytes.

    updates: pairs that came closer. agrees: with what is right at this many checks. course: links inserted, and CPU
    seconds so far.
    """

    sequence: Insertions
    algorithm: str
    bits: int
    seconds: float
    inserted: int
    updates: int | None
    memory: int
    checks: int
    agrees: bool
    course: tuple[Sequence[int], Sequence[float]]

    @property
    def timed_out(self) -> bool:
        return self.inserted < len(self.sequence.links)

    def a_link(self) -> float:
        """CPU seconds per insertion."""
        return self.seconds / max(self.inserted, 1)


def bench(name: str, draw: Callable[[int], Insertions], setup: Setup) -> tuple[Result, list[Trial]]:
    """Run all trials of all algorithms. draw: the sequence of a trial, from 0 on."""
    trials: list[Trial] = []
    problems = list(dict.fromkeys(one.problem for one in setup.algorithms.values()))
    for number in range(setup.trials):
        sequence = replace(draw(number), name=name)
        checks = range(1, _CHECKS + 1) if setup.validate else ()
        stops = {len(sequence.links) * check // _CHECKS for check in checks} - {0}
        exact = {one: {stop: exact_answers(one, sequence.graph(stop)) for stop in stops} for one in problems}
        for algorithm, bits in setup.kinds():
            trials.append(tried(algorithm, bits, sequence, setup, exact[setup.algorithms[algorithm].problem]))
    first, of_a_trial = trials[0].sequence, len(setup.kinds())
    what = ", ".join(PROBLEMS[one] for one in problems)
    title = f"{name}: {what} of {first.size:,} pages, while {len(first.links):,} links are inserted"
    rows = [_row(trial, setup, 1 + place // of_a_trial) for place, trial in enumerate(trials)]
    panels = [_panel(trials[:of_a_trial], setup)]
    return Result("graphbench", title, COLUMNS, rows, panels, claims(trials, setup)), trials


def tried(algorithm: str, bits: int, sequence: Insertions, setup: Setup, exact: Mapping[int, Answers]) -> Trial:
    """Run one trial. exact: answers after certain numbers of links, for comparison."""
    chosen = setup.algorithms[algorithm]
    dtype = BITS[bits or setup.bits[0]]
    # Compile for arrays of these types. Two pages suffice, as all of them are examined.
    link = np.array([[0, 1]], dtype=sequence.links.dtype)
    compiling = chosen.start(replace(sequence, size=2, links=link), dtype)
    compiling.insert(link)
    all_answers(compiling, 2)
    follower = chosen.start(sequence, dtype)
    links = len(sequence.links)
    step = max(setup.batch, _AT_ONCE) if chosen.one_by_one else setup.batch
    count, seconds, updates, agrees, checks = 0, 0.0, 0, True, 0
    course: tuple[list[int], list[float]] = ([], [])
    closer: int | None = 0
    while count < links and (setup.timeout is None or seconds <= setup.timeout):
        # Stops at the next comparison, so that no extra link is inserted.
        stop = min([count + step, links, *(check for check in exact if count < check)])
        started = time.process_time()
        closer = follower.insert(sequence.links[count:stop])
        seconds += time.process_time() - started
        updates, count = updates + (closer or 0), stop
        if stop in exact:
            checks += 1
            agrees = agrees and np.array_equal(all_answers(follower, sequence.size), exact[stop])
        if len(course[0]) < _DRAWN * count / links:
            course[0].append(count)
            course[1].append(seconds)
    counted = updates if closer is not None else None
    return Trial(sequence, algorithm, bits, seconds, count, counted, follower.memory, checks, agrees, course)


def _row(trial: Trial, setup: Setup, number: int) -> tuple[object, ...]:
    sequence = trial.sequence
    return (
        *(sequence.name, sequence.size, len(sequence.links), setup.algorithms[trial.algorithm].problem),
        *(trial.algorithm, trial.bits or "", setup.batch, number, trial.seconds, trial.inserted, trial.timed_out),
        *("" if trial.updates is None else trial.updates, trial.memory, trial.checks),
        trial.agrees if trial.checks else "",
    )


def _panel(trials: Sequence[Trial], setup: Setup) -> Panel:
    several = len(setup.bits) > 1
    curves = [
        Curve(f"{one.algorithm} {one.bits}" if several and one.bits else one.algorithm, *one.course) for one in trials
    ]
    return Panel("the first trial", "links inserted", "CPU seconds so far", curves, log=True)


# Claims

_FASTER = (
    (("rows", "trees"), "bfs"),
    (("rows", "trees"), "floyd-warshall"),
    (("closure",), "warshall"),
    (("closure",), "tarjan"),
)
"""Algorithms that follow insertions, and one that starts again after each batch."""


def claims(trials: Sequence[Trial], setup: Setup) -> list[Claim]:
    """Claims about the algorithms of the trials."""
    found = []
    if setup.validate:
        agree, checks = sum(trial.agrees for trial in trials), sum(trial.checks for trial in trials)
        measured = f"{agree} of {len(trials)} trials, at {checks} checks"
        found.append(Claim("every algorithm finds what an independent one does", agree == len(trials), measured))
    took: dict[str, list[float]] = {}
    for trial in trials:
        if trial.bits in (0, setup.bits[0]):
            took.setdefault(trial.algorithm, []).append(trial.a_link())
    medians = {name: median(some) for name, some in took.items()}
    for some, other in _FASTER:
        if other in medians and (beside := {name: medians[name] for name in some if name in medians}):
            figures = ", ".join(f"{name} {1e6 * one:,.3g}" for name, one in (beside | {other: medians[other]}).items())
            sentence = f"following what an insertion changes is faster than {other} after each batch"
            found.append(Claim(sentence, max(beside.values()) < medians[other], f"{figures} microseconds a link"))
    return found
