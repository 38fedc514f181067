"""Algorithms for the distances of all pairs, side by side on one graph: time, memory, correctness.

A trial inserts all links of a sequence, `batch` at a time; after each batch all distances are known. Times are CPU time
without compilation and without comparison with scipy.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

import numpy as np
import numpy.typing as npt

from minicrawl.experiment import Claim, Curve, Panel, Result, Stage, Tell, silent
from minicrawl.lab.graphbench.distances import (
    Growing,
    Queues,
    Trees,
    exact_distances,
    insert_and_relax,
    insert_and_search,
    insert_by_queues,
    insert_by_trees,
)
from minicrawl.lab.graphbench.sequences import Insertions, Links, cubic_updates
from minicrawl.rank.growing_distances import Distances, far, insert_links, no_links

BITS: dict[int, npt.DTypeLike] = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}
"""Types of distances by size."""


@dataclass(frozen=True, eq=False)
class Follower:
    """Distances of all pairs of a growing graph. distance: d, after all insertions.

    insert: takes the next links, and returns the number of pairs brought closer; None if not counted. memory: bytes of
    all arrays.
    """

    distance: Distances
    insert: Callable[[Links], int | None]
    memory: int


def _by_rows(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    distance = no_links(sequence.size, dtype)

    def insert(links: Links) -> None:
        for u, v in links:
            insert_links(distance, u, np.array([v]))

    return Follower(distance, insert, distance.nbytes)


def _by_pages(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    distance = no_links(sequence.size, dtype)

    def insert(links: Links) -> None:
        ordered = links[np.argsort(links[:, 0], kind="stable")]
        starts = np.flatnonzero(np.diff(ordered[:, 0], prepend=-1))
        for page, targets in zip(ordered[starts, 0].tolist(), np.split(ordered[:, 1], starts[1:]), strict=True):
            insert_links(distance, page, targets)

    return Follower(distance, insert, distance.nbytes)


def _by_trees(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    trees = Trees.of(sequence.size, dtype)
    return Follower(trees.distance, partial(insert_by_trees, trees), _bytes(trees))


def _by_queues(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    queues = Queues.of(sequence.size, sequence.links, dtype)
    return Follower(queues.distance, partial(insert_by_queues, queues), _bytes(queues))


def _anew(find: Callable[[Growing, Links], None], sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    growing = Growing.of(sequence.size, sequence.links, dtype)
    return Follower(growing.distance, partial(find, growing), _bytes(growing))


def _bytes(arrays: tuple[npt.NDArray[np.generic], ...]) -> int:
    return sum(array.nbytes for array in arrays)


BFS, FLOYD_WARSHALL, EVEN_GAZIT, PAGES, TREES, QUEUES = (
    "bfs", "floyd-warshall", "even-gazit", "pages", "trees", "queues",
)  # fmt: skip
ALGORITHMS: dict[str, Callable[[Insertions, npt.DTypeLike], Follower]] = {
    BFS: partial(_anew, insert_and_search),
    FLOYD_WARSHALL: partial(_anew, insert_and_relax),
    EVEN_GAZIT: _by_rows,
    PAGES: _by_pages,
    TREES: _by_trees,
    QUEUES: _by_queues,
}


_CHECKS = 8


def checks_of(count: int, most: int = _CHECKS) -> list[int]:
    """Numbers of insertions after which to check, evenly spaced, the last being all."""
    return sorted({count * check // most for check in range(1, most + 1)} - {0})


def cpu_seconds(call: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started


COLUMNS = (
    *("graph", "pages", "links", "algorithm", "bits", "batch", "trial", "CPU seconds", "insertions", "timed out"),
    *("updates", "memory in bytes", "checks", "agrees"),
)
_ONE_BY_ONE = (EVEN_GAZIT, TREES, QUEUES)
_FOLLOWING = (EVEN_GAZIT, PAGES, TREES, QUEUES)
_AT_ONCE = 64
"""Links per call for algorithms that insert them one by one anyway."""
_DRAWN = 60


@dataclass(frozen=True)
class Setup:
    """The trials. algorithms, bits: every combination; names of ALGORITHMS and of BITS.

    timeout: CPU seconds after which a trial ends, between two batches; None: never. validate: compare with scipy.
    """

    algorithms: Sequence[str] = tuple(ALGORITHMS)
    bits: Sequence[int] = (16,)
    batch: int = 1
    trials: int = 3
    timeout: float | None = None
    validate: bool = False


@dataclass(frozen=True, eq=False)
class Trial:
    """The cost of an algorithm. inserted: links until it ended. updates: pairs brought closer, None if not counted.

    memory: bytes. agrees: with scipy at this many checks. course: links inserted, and CPU seconds so far. distance: d
    at the end.
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
    distance: Distances

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
    kinds = [(algorithm, bits) for bits in setup.bits for algorithm in setup.algorithms] * setup.trials
    return sum(took.get(kind, setup.timeout) for kind in kinds[len(done) :])


@dataclass(frozen=True, eq=False)
class _Watch:
    """Reports the progress of a trial. left: CPU seconds of it and of later ones."""

    what: str
    sequence: Insertions
    left: float | None
    tell: Tell

    def __call__(self, inserted: int, seconds: float) -> None:
        left = None if self.left is None else max(0.0, self.left - seconds)
        self.tell(Stage(f"{self.what}, {inserted:,} of {len(self.sequence.links):,} links", left))


def bench(
    name: str, draw: Callable[[int], Insertions], setup: Setup, tell: Tell = silent
) -> tuple[Result, list[Trial]]:
    """Run all trials of all algorithms; the first one keeps its distances. draw: the sequence of a trial, from 0 on."""
    trials: list[Trial] = []
    for number in range(setup.trials):
        sequence = replace(draw(number), name=name)
        which = f"trial {number + 1} of {setup.trials}"
        tell(Stage(which, seconds_left(setup, trials)))
        exact = _exact(sequence) if setup.validate else {}
        for bits in setup.bits:
            for algorithm in setup.algorithms:
                watch = _Watch(f"{which}, {algorithm}", sequence, seconds_left(setup, trials), tell)
                trial = tried(algorithm, bits, sequence, setup, exact, watch)
                # Tables of all pairs are large: 50 MB per trial for 5,000 pages.
                trials.append(replace(trial, distance=trial.distance[:0].copy()) if trials else trial)
    first = trials[0].sequence
    title = f"{name}: distances of all pairs of {first.size:,} pages, while {len(first.links):,} links are inserted"
    of_a_trial = len(setup.bits) * len(setup.algorithms)
    rows = [_row(trial, setup.batch, 1 + place // of_a_trial) for place, trial in enumerate(trials)]
    return Result(
        "graphbench", title, COLUMNS, rows, [_panel(trials[:of_a_trial], setup)], claims(trials, setup)
    ), trials


def _exact(sequence: Insertions) -> dict[int, Distances]:
    """Distances after certain numbers of links, by scipy."""
    like = np.zeros(0, dtype=np.int32)
    return {count: exact_distances(sequence.graph(count), like) for count in checks_of(len(sequence.links))}


def tried(  # noqa: PLR0913 - the parameters of a trial
    algorithm: str,
    bits: int,
    sequence: Insertions,
    setup: Setup,
    exact: dict[int, Distances],
    watch: Callable[[int, float], None] = lambda inserted, seconds: None,
) -> Trial:
    """Run one trial. exact: distances after certain numbers of links, for comparison. watch: called after each batch
    with the number of inserted links and CPU seconds."""
    start = ALGORITHMS[algorithm]
    # Compile for arrays of these types. Two pages suffice, as all of them are examined.
    link = np.array([[0, 1]], dtype=sequence.links.dtype)
    start(replace(sequence, size=2, links=link), BITS[bits]).insert(link)
    follower = start(sequence, BITS[bits])
    step = max(setup.batch, _AT_ONCE) if algorithm in _ONE_BY_ONE else setup.batch
    count, seconds, updates, agrees, checks = 0, 0.0, 0, True, 0
    links = len(sequence.links)
    course: tuple[list[int], list[float]] = ([], [])
    while count < links and (setup.timeout is None or seconds <= setup.timeout):
        # Stops at the next comparison with scipy, so that no extra link is inserted.
        stop = min([count + step, links, *(check for check in exact if count < check)])
        spent, closer = _inserted(follower, sequence, count, stop)
        seconds, updates, count = seconds + spent, updates + (closer or 0), stop
        watch(count, seconds)
        if stop in exact:
            checks += 1
            agrees = agrees and _is(follower.distance, exact[stop])
        if len(course[0]) < _DRAWN * count / links:
            course[0].append(count)
            course[1].append(seconds)
    counted = updates if closer is not None else None
    return Trial(
        sequence, algorithm, bits, seconds, count, counted, follower.memory, checks, agrees, course, follower.distance
    )


def _inserted(follower: Follower, sequence: Insertions, start: int, stop: int) -> tuple[float, int | None]:
    """CPU seconds, and the number of pairs brought closer."""
    closer: list[int | None] = []
    spent = cpu_seconds(lambda: closer.append(follower.insert(sequence.links[start:stop])))
    return spent, closer[0]


def _is(distance: Distances, exact: Distances) -> bool:
    no_way = distance == far(distance)
    return bool(np.array_equal(no_way, exact == far(exact)) and np.array_equal(distance[~no_way], exact[~no_way]))


def _row(trial: Trial, batch: int, number: int) -> tuple[object, ...]:
    sequence = trial.sequence
    return (
        *(sequence.name, sequence.size, len(sequence.links), trial.algorithm, trial.bits, batch, number),
        *(trial.seconds, trial.inserted, trial.timed_out, "" if trial.updates is None else trial.updates),
        *(trial.memory, trial.checks, trial.agrees if trial.checks else ""),
    )


def _panel(trials: Sequence[Trial], setup: Setup) -> Panel:
    several = len(setup.bits) > 1
    curves = [Curve(f"{one.algorithm} {one.bits}" if several else one.algorithm, *one.course) for one in trials]
    return Panel("the first trial", "links inserted", "CPU seconds so far", curves, log=True)


# Claims


def claims(trials: Sequence[Trial], setup: Setup) -> list[Claim]:
    """Claims about the algorithms of the trials."""
    found = [_right(trials)] if setup.validate else []
    first = setup.bits[0]
    seconds = {
        name: median(one.a_link() for one in trials if one.algorithm == name and one.bits == first)
        for name in setup.algorithms
    }

    def faster(sentence: str, some: Sequence[str], other: str) -> None:
        one_by_one = [name for name in some if name in seconds]
        if one_by_one and other in seconds:
            figures = ", ".join(f"{name} {1e6 * seconds[name]:,.3g}" for name in (*one_by_one, other))
            held = all(seconds[name] < seconds[other] for name in one_by_one)
            found.append(Claim(sentence, held, f"{figures} microseconds a link"))

    following = "following what an insertion changes is faster than"
    faster(f"{following} searching from every page after each batch", _FOLLOWING, BFS)
    faster(f"{following} Floyd and Warshall's algorithm after each batch", _FOLLOWING, FLOYD_WARSHALL)
    faster("searching from every page is faster than Floyd and Warshall's algorithm", [BFS], FLOYD_WARSHALL)
    faster(
        "trees, which look at pairs that come closer and those behind, are faster than whole rows", [TREES], EVEN_GAZIT
    )
    faster("queues, which look at no link in vain, are faster than trees", [QUEUES], TREES)
    if setup.batch > 1:
        faster("the links of a batch from one page, all at once, are faster than one by one", [PAGES], EVEN_GAZIT)
    return [*found, *_narrow(trials, setup), *_hardest(trials)]


def _right(trials: Sequence[Trial]) -> Claim:
    agree, checks = sum(trial.agrees for trial in trials), sum(trial.checks for trial in trials)
    return Claim(
        "every algorithm finds what scipy does",
        agree == len(trials),
        f"{agree} of {len(trials)} trials, at {checks} checks",
    )


def _narrow(trials: Sequence[Trial], setup: Setup) -> list[Claim]:
    """The claim that the narrowest numbers are faster than the widest."""
    least, most = setup.bits[0], setup.bits[-1]
    if least == most:
        return []

    def a_link(name: str, bits: int) -> float:
        return median(trial.a_link() for trial in trials if (trial.algorithm, trial.bits) == (name, bits))

    each = [(name, a_link(name, least), a_link(name, most)) for name in setup.algorithms]
    return [
        Claim(
            f"distances of {least} bits are followed faster than those of {most}",
            all(narrow < wide for _, narrow, wide in each),
            ", ".join(f"{name} {1e6 * narrow:,.3g} and {1e6 * wide:,.3g}" for name, narrow, wide in each)
            + " microseconds a link",
        )
    ]


def _hardest(trials: Sequence[Trial]) -> list[Claim]:
    """The claim that the cubic sequence makes the predicted updates."""
    counted = [trial for trial in trials if trial.sequence.name == "cubic" and trial.updates and not trial.timed_out]
    if not counted:
        return []
    size, links = counted[0].sequence.size, len(counted[0].sequence.links)
    beside = {(trial.updates or 0) - _own_rows(trial.sequence) for trial in counted}
    return [
        Claim(
            f"the cubic sequence of {size:,} pages has 4/3 n - 3 links and makes (n/3 - 1)^2 (n + 2) / 2 updates",
            beside == {cubic_updates(size)} and 3 * links == 4 * size - 9,
            f"{links:,} links, {', '.join(f'{count:,}' for count in sorted(beside))} updates at pages other than the "
            f"source of the link, {counted[0].updates:,} in all",
        )
    ]


def _own_rows(sequence: Insertions) -> int:
    """Updates of the cubic sequence at the source of the inserted link: by search from it, before and after.

    A page of the chains links once, to the page before it in time; only the last x has shortcuts.
    """
    k = sequence.size // 3
    chains = k * (k - 1) // 2 + 2 * k * (2 * k - 1) // 2
    return chains + sum(2 * k + 1 - i for i in range(1, k))
