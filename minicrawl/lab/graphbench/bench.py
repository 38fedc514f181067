"""Algorithms side by side on one graph: time, memory, correctness.

A trial inserts all links of a sequence, `batch` at a time; after each batch all questions can be answered. Times are
CPU time without compilation and without validation.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import TypeVar

import numpy as np

from minicrawl.experiment import Claim, Curve, Panel, Result, Tell, silent
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
from minicrawl.rank.distances import far

_CHECKS = 8
_T = TypeVar("_T")


def checks_of(count: int, most: int = _CHECKS) -> list[int]:
    """Numbers of insertions after which to check, evenly spaced, the last being all."""
    return sorted({count * check // most for check in range(1, most + 1)} - {0})


def _timed(call: Callable[[], _T]) -> tuple[float, _T]:
    """CPU seconds of a call, and what it returns."""
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


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
        """Every algorithm with every size of its numbers; 0 if none matters."""
        found = [(name, size if one.has_bits else 0) for size in self.bits for name, one in self.algorithms.items()]
        return list(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class Trial:
    """The cost of an algorithm. inserted: links until it ended. updates: None if not counted. memory: bytes.

    updates: pairs that came closer. agrees: with what is right at this many checks. course: links inserted, and CPU
    seconds so far. answers: for all pairs at the end.
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
    answers: Answers

    @property
    def timed_out(self) -> bool:
        return self.inserted < len(self.sequence.links)

    def a_link(self) -> float:
        """CPU seconds per insertion."""
        return self.seconds / max(self.inserted, 1)


def fits(size: int, bits: int) -> bool:
    """True if distances among `size` pages fit into numbers of `bits` bits."""
    return size <= far(np.zeros(0, dtype=BITS[bits]))


def seconds_left(setup: Setup, done: Sequence[Trial] = ()) -> float | None:
    """CPU seconds of the remaining trials: as the last one of the kind, or the timeout; None without a timeout.

    A trial may exceed its timeout by one batch.
    """
    if setup.timeout is None:
        return None
    took = {(trial.algorithm, trial.bits): trial.seconds for trial in done}
    kinds = setup.kinds() * setup.trials
    return sum(took.get(kind, setup.timeout) for kind in kinds[len(done) :])


def bench(
    name: str, draw: Callable[[int], Insertions], setup: Setup, tell: Tell = silent
) -> tuple[Result, list[Trial]]:
    """Run all trials of all algorithms; the first one keeps its answers. draw: the sequence of a trial, from 0 on."""
    trials: list[Trial] = []
    problems = list(dict.fromkeys(one.problem for one in setup.algorithms.values()))
    for number in range(setup.trials):
        sequence = replace(draw(number), name=name)
        which = f"trial {number + 1} of {setup.trials}"
        tell((which, seconds_left(setup, trials)))
        stops = checks_of(len(sequence.links)) if setup.validate else []
        exact = {one: {stop: exact_answers(one, sequence.graph(stop)) for stop in stops} for one in problems}
        for algorithm, bits in setup.kinds():
            watch = partial(_told, tell, f"{which}, {algorithm}", len(sequence.links), seconds_left(setup, trials))
            trial = tried(algorithm, bits, sequence, setup, exact[setup.algorithms[algorithm].problem], watch)
            # Tables of all pairs are large: 50 MB per trial for 5,000 pages.
            trials.append(replace(trial, answers=trial.answers[:0].copy()) if trials else trial)
    first, of_a_trial = trials[0].sequence, len(setup.kinds())
    what = ", ".join(PROBLEMS[one] for one in problems)
    title = f"{name}: {what} of {first.size:,} pages, while {len(first.links):,} links are inserted"
    rows = [_row(trial, setup, 1 + place // of_a_trial) for place, trial in enumerate(trials)]
    panels = [_panel(trials[:of_a_trial], setup)]
    return Result("graphbench", title, COLUMNS, rows, panels, claims(trials, setup)), trials


def _told(tell: Tell, what: str, links: int, left: float | None, inserted: int, seconds: float) -> None:  # noqa: PLR0913 - of a bench, and of a trial
    now = None if left is None else max(0.0, left - seconds)
    tell((f"{what}, {inserted:,} of {links:,} links", now))


def tried(  # noqa: PLR0913 - the parameters of a trial
    algorithm: str,
    bits: int,
    sequence: Insertions,
    setup: Setup,
    exact: Mapping[int, Answers],
    watch: Callable[[int, float], None] = lambda inserted, seconds: None,
) -> Trial:
    """Run one trial. exact: answers after certain numbers of links, for comparison. watch: called after each batch
    with the number of inserted links and CPU seconds."""
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
        spent, closer = _timed(partial(follower.insert, sequence.links[count:stop]))
        seconds, updates, count = seconds + spent, updates + (closer or 0), stop
        watch(count, seconds)
        if stop in exact:
            checks += 1
            agrees = agrees and np.array_equal(all_answers(follower, sequence.size), exact[stop])
        if len(course[0]) < _DRAWN * count / links:
            course[0].append(count)
            course[1].append(seconds)
    counted = updates if closer is not None else None
    at_end = all_answers(follower, sequence.size)
    return Trial(sequence, algorithm, bits, seconds, count, counted, follower.memory, checks, agrees, course, at_end)


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

_FOLLOWING = "following what an insertion changes is faster than"
_FASTER = (
    (("even-gazit", "pages", "trees"), "bfs", f"{_FOLLOWING} searching from every page after each batch"),
    (("even-gazit", "pages", "trees"), "floyd-warshall", f"{_FOLLOWING} Floyd and Warshall's algorithm"),
    (("bfs",), "floyd-warshall", "searching from every page is faster than Floyd and Warshall's algorithm"),
    (("closure",), "warshall", f"{_FOLLOWING} Warshall's algorithm after each batch"),
    (("closure",), "tarjan", f"{_FOLLOWING} Tarjan's algorithm after each batch"),
)
_ON_COMPLETE = (("trees",), "even-gazit", "trees are faster than whole rows on complete graphs")
_ON_OTHERS = (("even-gazit",), "trees", "whole rows are faster than trees on sparse graphs and on the hardest sequence")
"""Algorithms that are faster than another, and the claim that they are."""


def claims(trials: Sequence[Trial], setup: Setup) -> list[Claim]:
    """Claims about the algorithms of the trials."""
    found = []
    if setup.validate:
        agree, checks = sum(trial.agrees for trial in trials), sum(trial.checks for trial in trials)
        measured = f"{agree} of {len(trials)} trials, at {checks} checks"
        found.append(Claim("every algorithm finds what an independent one does", agree == len(trials), measured))
    least, most = setup.bits[0], setup.bits[-1]
    narrow, wide = (_a_link(trials, (0, bits)) for bits in (least, most))
    sequence = trials[0].sequence
    is_complete = len(sequence.links) == sequence.size * (sequence.size - 1)
    for some, other, sentence in (*_FASTER, _ON_COMPLETE if is_complete else _ON_OTHERS):
        if other in narrow and (beside := {name: narrow[name] for name in some if name in narrow}):
            figures = ", ".join(f"{name} {1e6 * took:,.3g}" for name, took in (beside | {other: narrow[other]}).items())
            found.append(Claim(sentence, max(beside.values()) < narrow[other], f"{figures} microseconds a link"))
    numbers = [name for name, one in setup.algorithms.items() if one.has_bits and one.problem == DISTANCES]
    if both := {name: (narrow[name], wide[name]) for name in numbers}:
        figures = ", ".join(f"{name} {1e6 * one:,.3g} and {1e6 * other:,.3g}" for name, (one, other) in both.items())
        held = all(one < other for one, other in both.values())
        sentence = f"numbers of {least} bits are faster than those of {most}"
        found += [Claim(sentence, held, f"{figures} microseconds a link")] if least != most else []
    return found


def _a_link(trials: Sequence[Trial], bits: tuple[int, int]) -> dict[str, float]:
    names = dict.fromkeys(trial.algorithm for trial in trials)
    some = {name: [one.a_link() for one in trials if one.algorithm == name and one.bits in bits] for name in names}
    return {name: median(each) for name, each in some.items()}
