"""The bench says what it measured, and whether that is right."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from minicrawl.experiment import Claim, Result, Stage
from minicrawl.lab.graphbench.algorithms import ALGORITHMS, Algorithm, algorithms_of, exact_answers
from minicrawl.lab.graphbench.bench import COLUMNS, Setup, bench, claims
from minicrawl.lab.graphbench.sequences import Follower, Insertions, complete, cubic, random_sparse


def drawn(size: int, trial: int) -> Insertions:
    return random_sparse(size, np.random.default_rng(trial))


sparse = partial(drawn, 20)


def claimed(result: Result, words: str) -> Claim:
    return next(claim for claim in result.claims if words in claim.sentence)


def changed(name: str, change: Callable[[Follower], Follower]) -> Algorithm:
    """An algorithm whose follower is changed."""
    right = ALGORITHMS[name]
    return replace(right, start=lambda sequence, dtype: change(right.start(sequence, dtype)))


@pytest.mark.slow
def test_every_algorithm_is_tried_as_often_as_asked_and_held_to_what_is_right() -> None:
    algorithms = algorithms_of("distances,strong")
    result, trials = bench("web", sparse, Setup(algorithms, trials=2, validate=True))
    assert [row[COLUMNS.index("algorithm")] for row in result.rows] == [*ALGORITHMS, *ALGORITHMS]
    assert [row[COLUMNS.index("trial")] for row in result.rows] == [1] * len(ALGORITHMS) + [2] * len(ALGORITHMS)
    assert all(len(row) == len(COLUMNS) for row in result.rows)
    assert {(trial.checks, trial.agrees, trial.timed_out) for trial in trials} == {(8, True, False)}
    right = claimed(result, "independent")
    assert (right.held, right.measured) == (True, "16 of 16 trials, at 128 checks")
    first, *others = trials
    assert (first.answers == exact_answers("distances", first.sequence.graph(len(first.sequence.links)))).all()
    assert {other.answers.nbytes for other in others} == {0}  # they would be kept for nobody
    for trial in trials:
        assert trial.course[0][-1] <= trial.inserted == len(trial.sequence.links)
        assert list(trial.course[1]) == sorted(trial.course[1])


def test_a_wrong_answer_is_found() -> None:
    """An algorithm that forgets every link to the last page."""

    def forgetful(right: Follower) -> Follower:
        return replace(right, insert=lambda links: right.insert(links[links[:, 1] != 19]))

    algorithms = {"even-gazit": changed("even-gazit", forgetful), "pages": ALGORITHMS["pages"]}
    result, trials = bench("web", sparse, Setup(algorithms, trials=1, validate=True))
    assert [trial.agrees for trial in trials] == [False, True]
    assert not claimed(result, "independent").held


@pytest.mark.parametrize(
    "sequence", [complete(5, np.random.default_rng(0)), sparse(0), cubic(12)], ids=lambda one: one.name
)
def test_trees_are_to_win_on_complete_graphs_and_rows_on_others(sequence: Insertions) -> None:
    setup = Setup({"even-gazit": ALGORITHMS["even-gazit"]}, trials=1)
    _, (trial,) = bench("web", lambda _: sequence, setup)
    for rows, trees in ((1.0, 2.0), (2.0, 1.0)):
        trials = [replace(trial, seconds=rows), replace(trial, seconds=trees, algorithm="trees")]
        (claim,) = claims(trials, setup)
        assert claim.held == (trees < rows if sequence.name == "complete" else rows < trees)


def test_sizes_of_numbers_are_tried_where_they_matter() -> None:
    setup = Setup(algorithms_of("closure,tarjan"), bits=(8, 64), trials=2)
    assert setup.kinds() == [("closure", 8), ("tarjan", 0), ("closure", 64)]
    result, trials = bench("web", sparse, setup)
    assert [(trial.algorithm, trial.bits) for trial in trials] == setup.kinds() * 2
    assert not any("bits" in claim.sentence for claim in result.claims)  # wider blocks are the faster ones


def test_bench_tells_how_far_each_trial_is() -> None:
    stages: list[Stage] = []
    setup = Setup(algorithms_of("bfs,pages"), batch=8, trials=1, timeout=60.0)
    _, (first, second) = bench("web", sparse, setup, stages.append)
    links = len(first.sequence.links)
    steps = [f"{min(count, links)} of {links} links" for count in range(8, links + 8, 8)]
    whats = [f"trial 1 of 1, {one.algorithm}, {step}" for one in (first, second) for step in steps]
    assert [what for what, _ in stages] == ["trial 1 of 1", *whats]
    assert stages[0][1] == 120.0
    assert stages[len(steps)][1] == pytest.approx(120.0 - first.seconds)
    assert stages[-1][1] == pytest.approx(60.0 - second.seconds)


@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_links_are_inserted_in_batches(batch: int) -> None:
    sizes: list[int] = []

    def noting(right: Follower) -> Follower:
        def insert(links: Any) -> Any:
            sizes.append(len(links))
            return right.insert(links)

        return replace(right, insert=insert)

    _, (trial,) = bench("web", sparse, Setup({"pages": changed("pages", noting)}, batch=batch, trials=1))
    links = len(trial.sequence.links)
    assert sizes[1:] == [batch] * (links // batch) + [links % batch] * (links % batch > 0)  # the first only compiles
