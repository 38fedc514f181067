"""The bench says what it measured, and whether that is right."""

from typing import Any

import numpy as np
import pytest

from minicrawl.experiment import Claim, Result, Stage
from minicrawl.lab.graphbench.bench import (
    ALGORITHMS,
    BFS,
    BITS,
    COLUMNS,
    EVEN_GAZIT,
    PAGES,
    TREES,
    Follower,
    Setup,
    bench,
    checks_of,
    fits,
    seconds_left,
)
from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.sequences import Insertions, cubic, random_sparse


def sparse(trial: int) -> Insertions:
    return random_sparse(20, np.random.default_rng(trial))


def claimed(result: Result, words: str) -> Claim:
    return next(claim for claim in result.claims if words in claim.sentence)


def test_every_algorithm_is_tried_as_often_as_asked_and_held_to_scipy() -> None:
    result, trials = bench("web", sparse, Setup(trials=2, validate=True))
    assert [row[COLUMNS.index("algorithm")] for row in result.rows] == [*ALGORITHMS, *ALGORITHMS]
    assert [row[COLUMNS.index("trial")] for row in result.rows] == [1] * len(ALGORITHMS) + [2] * len(ALGORITHMS)
    assert all(len(row) == len(COLUMNS) for row in result.rows)
    assert {(trial.checks, trial.agrees, trial.timed_out) for trial in trials} == {(8, True, False)}
    right = claimed(result, "scipy")
    assert (right.held, right.measured) == (True, "12 of 12 trials, at 96 checks")
    first, *others = trials
    exact = exact_distances(first.sequence.graph(len(first.sequence.links)), first.distance)
    assert (first.distance == exact).all()
    assert {other.distance.nbytes for other in others} == {0}  # they would be kept for nobody
    for trial in trials:
        assert trial.course[0][-1] <= trial.inserted == len(trial.sequence.links)
        assert list(trial.course[1]) == sorted(trial.course[1])


def test_a_wrong_distance_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An algorithm that forgets every link to the last page."""
    right = ALGORITHMS[EVEN_GAZIT]

    def forgetful(sequence: Insertions, dtype: type[np.int16]) -> Follower:
        follower = right(sequence, dtype)
        insert = follower.insert
        return type(follower)(follower.distance, lambda links: insert(links[links[:, 1] != 19]), follower.memory)

    monkeypatch.setitem(ALGORITHMS, EVEN_GAZIT, forgetful)
    result, trials = bench("web", sparse, Setup((EVEN_GAZIT, PAGES), trials=1, validate=True))
    assert [trial.agrees for trial in trials] == [False, True]
    assert not claimed(result, "scipy").held


def test_time_left_is_that_of_the_same_trial_before_or_the_timeout() -> None:
    setup = Setup((BFS, PAGES), bits=(8, 16), trials=2, timeout=60.0)
    assert seconds_left(setup) == 8 * 60.0
    _, trials = bench("web", sparse, setup)
    took = [trial.seconds for trial in trials]
    assert seconds_left(setup, trials[:1]) == pytest.approx(6 * 60.0 + took[0])
    assert seconds_left(setup, trials[:4]) == pytest.approx(sum(took[:4]))
    assert seconds_left(setup, trials) == 0.0
    assert seconds_left(Setup(timeout=None)) is None


def test_bench_tells_how_far_each_trial_is() -> None:
    stages: list[Stage] = []
    _, (first, second) = bench("web", sparse, Setup((BFS, PAGES), batch=8, trials=1, timeout=60.0), stages.append)
    links = len(first.sequence.links)
    steps = [f"{min(count, links)} of {links} links" for count in range(8, links + 8, 8)]
    whats = [f"trial 1 of 1, {one.algorithm}, {step}" for one in (first, second) for step in steps]
    assert [stage.what for stage in stages] == ["trial 1 of 1", *whats]
    assert stages[0].left == 120.0
    assert stages[len(steps)].left == pytest.approx(120.0 - first.seconds)
    assert stages[-1].left == pytest.approx(60.0 - second.seconds)


def test_a_trial_ends_after_its_time() -> None:
    _, (trial,) = bench("web", sparse, Setup((BFS,), trials=1, timeout=1e-12))
    assert (trial.timed_out, trial.inserted, trial.checks) == (True, 1, 0)


@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_links_are_inserted_in_batches(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    sizes: list[int] = []
    right = ALGORITHMS[PAGES]

    def noting(sequence: Insertions, dtype: type[np.int16]) -> Follower:
        follower = right(sequence, dtype)

        def insert(links: Any) -> Any:
            sizes.append(len(links))
            return follower.insert(links)

        return type(follower)(follower.distance, insert, follower.memory)

    monkeypatch.setitem(ALGORITHMS, PAGES, noting)
    _, (trial,) = bench("web", sparse, Setup((PAGES,), batch=batch, trials=1))
    links = len(trial.sequence.links)
    assert sizes[1:] == [batch] * (links // batch) + [links % batch] * (links % batch > 0)  # the first only compiles


def test_cubic_sequence_is_counted() -> None:
    result, trials = bench("cubic", lambda trial: cubic(30), Setup((TREES,), trials=1))
    claim = claimed(result, "cubic")
    assert claim.held
    assert claim.measured.startswith(f"37 links, {9 * 9 * 16:,} updates")
    assert (trials[0].updates or 0) > 9 * 9 * 16


def test_claims_are_made_of_what_was_tried_only() -> None:
    result, _ = bench("web", sparse, Setup((EVEN_GAZIT, PAGES), bits=(8, 32), batch=4, trials=1))
    claims = [claim.sentence for claim in result.claims]
    assert len(claims) == 2
    assert claims[0].startswith("the links of a batch from one page")
    assert claims[1] == "distances of 8 bits are followed faster than those of 32"


@pytest.mark.parametrize(("size", "bits", "expected"), [(127, 8, True), (128, 8, False), (5000, 16, True)])
def test_numbers_must_hold_the_longest_distance(size: int, bits: int, expected: bool) -> None:
    assert fits(size, bits) is expected


@pytest.mark.parametrize("name", ALGORITHMS)
def test_distances_are_right_after_every_batch(sequence: Insertions, name: str) -> None:
    follower = ALGORITHMS[name](sequence, np.int16)
    for start in range(0, len(sequence.links), 7):
        follower.insert(sequence.links[start : start + 7])
        exact = exact_distances(sequence.graph(start + 7), follower.distance)
        assert (follower.distance == exact).all()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", [EVEN_GAZIT, PAGES])
def test_a_distance_takes_so_many_bits(name: str, bits: int) -> None:
    sequence = random_sparse(20, np.random.default_rng(0))
    follower = ALGORITHMS[name](sequence, BITS[bits])
    follower.insert(sequence.links)
    assert follower.memory == 20 * 20 * bits // 8
    assert (follower.distance == exact_distances(sequence.graph(len(sequence.links)), follower.distance)).all()


def test_trees_take_four_page_numbers_a_pair_beside_the_distance() -> None:
    sequence = random_sparse(20, np.random.default_rng(0))
    assert ALGORITHMS[TREES](sequence, np.int32).memory == 20 * 20 * (4 + 4 * 2)


def test_checks_are_evenly_apart_and_end_with_all() -> None:
    assert checks_of(16, 4) == [4, 8, 12, 16]
    assert checks_of(2, 8) == [1, 2]
