"""The bench says what it measured, and whether that is right."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from minicrawl.experiment import Claim, Result
from minicrawl.lab.graphbench.algorithms import ALGORITHMS, Algorithm, algorithms_of
from minicrawl.lab.graphbench.bench import COLUMNS, Setup, bench, claims
from minicrawl.lab.graphbench.figures import figure_9, figure_12, figure_14, is_faster
from minicrawl.lab.graphbench.sequences import BENCHMARKS, Follower, Insertions, sparse_links


def drawn(size: int, trial: int) -> Insertions:
    return Insertions("sparse", size, sparse_links(size, 4 * size, np.random.default_rng(trial)))


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
    assert (right.held, right.measured) == (True, "14 of 14 trials, at 112 checks")
    for trial in trials:
        assert trial.course[0][-1] <= trial.inserted == len(trial.sequence.links)
        assert list(trial.course[1]) == sorted(trial.course[1])


def test_a_wrong_answer_is_found() -> None:
    """An algorithm that forgets every link to the last page."""

    def forgetful(right: Follower) -> Follower:
        return replace(right, insert=lambda links: right.insert(links[links[:, 1] != 19]))

    algorithms = {"rows": changed("rows", forgetful), "bfs": ALGORITHMS["bfs"]}
    result, trials = bench("web", sparse, Setup(algorithms, trials=1, validate=True))
    assert [trial.agrees for trial in trials] == [False, True]
    assert not claimed(result, "independent").held


def test_sizes_of_numbers_are_tried_where_they_matter() -> None:
    setup = Setup(algorithms_of("closure,tarjan"), bits=(8, 64), trials=2)
    assert setup.kinds() == [("closure", 8), ("tarjan", 0), ("closure", 64)]
    _, trials = bench("web", sparse, setup)
    assert [(trial.algorithm, trial.bits) for trial in trials] == setup.kinds() * 2


@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_links_are_inserted_in_batches(batch: int) -> None:
    sizes: list[int] = []

    def noting(right: Follower) -> Follower:
        def insert(links: Any) -> Any:
            sizes.append(len(links))
            return right.insert(links)

        return replace(right, insert=insert)

    _, (trial,) = bench(
        "web", sparse, Setup({"floyd-warshall": changed("floyd-warshall", noting)}, batch=batch, trials=1)
    )
    links = len(trial.sequence.links)
    assert sizes[1:] == [batch] * (links // batch) + [links % batch] * (links % batch > 0)  # the first only compiles


def test_following_is_to_be_faster_than_starting_anew() -> None:
    setup = Setup({name: ALGORITHMS[name] for name in ("rows", "bfs")}, trials=1)
    _, (rows, bfs) = bench("web", sparse, setup)
    for fast, slow, held in ((1.0, 2.0, True), (2.0, 1.0, False)):
        (claim,) = claims([replace(rows, seconds=fast), replace(bfs, seconds=slow)], setup)
        assert claim.held == held


def test_memory_of_the_closure_is_that_of_the_document() -> None:
    result = figure_12(0)
    assert all(claim.held for claim in result.claims)
    (panel,) = result.panels
    bits, bytes_ = panel.curves
    assert list(bits.x) == list(bytes_.x) == [2000, 50_000, 100_000, 150_000, 200_000, 250_000]
    assert bytes_.y[-1] == 62.5  # GB
    assert bits.y[-1] == pytest.approx(62.5 / 8, rel=0.001)


@pytest.mark.slow
@pytest.mark.parametrize(("figure", "algorithms"), [(figure_9, 2), (figure_14, 4)])
def test_times_are_of_the_six_graphs(figure, algorithms: int) -> None:  # type: ignore[no-untyped-def]
    result = figure(0, 1)
    (panel,) = result.panels
    assert panel.log
    assert len(panel.curves) == algorithms
    assert all(list(curve.x) == [1, 2, 3, 4, 5, 6] for curve in panel.curves)
    assert [row[1] for row in result.rows[::algorithms]] == list(BENCHMARKS)


@pytest.mark.parametrize(("one", "verdict"), [(0.1, True), (0.322, True), (0.324, True), (0.4, True), (0.41, False)])
def test_algorithm_is_no_slower_by_what_the_machine_varies(one: float, verdict: bool) -> None:
    assert is_faster({"rows": one, "trees": 0.323}, "rows", "trees") is verdict
