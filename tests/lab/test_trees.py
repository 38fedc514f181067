"""Boosted trees: what they have learnt is what can be learnt."""

import numpy as np
import pytest

from minicrawl.lab.trees import BINS, DEPTH, Trees, fitted

pytestmark = pytest.mark.slow  # a compiled loop


def slow_prediction(trees: Trees, row: np.ndarray) -> float:  # type: ignore[type-arg]
    total = trees.mean
    for features, above, values in zip(trees.features, trees.above, trees.values, strict=True):
        answers = [
            sum(row[feature] >= edge for edge in trees.edges[feature]) > threshold
            for feature, threshold in zip(features, above, strict=True)
        ]
        total += values[int("".join("01"[int(answer)] for answer in answers), 2)]
    return float(total)


def test_steps_of_two_features_are_learnt_and_a_third_one_does_not_matter() -> None:
    draw = np.random.default_rng(0)
    rows = draw.random((4000, 3))
    wanted = 2.0 * (rows[:, 0] > 0.5) + (rows[:, 1] > 0.25)
    trees = fitted(rows, wanted)
    fresh = draw.random((500, 3))
    off = trees.predicted(fresh) - 2.0 * (fresh[:, 0] > 0.5) - (fresh[:, 1] > 0.25)
    assert np.median(np.abs(off)) < 0.01
    assert (np.abs(off) < 0.1).mean() > 0.9  # but for those beside a step, which lies between two quantiles
    assert trees.features.shape == trees.above.shape == (60, DEPTH)
    assert trees.edges.shape == (3, BINS - 1)


@pytest.mark.parametrize("seed", range(4))
def test_prediction_is_the_sum_of_the_leaves(seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, 4, (200, 4)) / 2.0  # many equals
    trees = fitted(rows, draw.random(200), trees=7)
    assert trees.predicted(rows[:20]).tolist() == pytest.approx([slow_prediction(trees, row) for row in rows[:20]])


def test_what_is_the_same_everywhere_is_predicted_everywhere() -> None:
    assert fitted(np.arange(6.0).reshape(3, 2), np.full(3, 1.5)).predicted(np.zeros((2, 2))).tolist() == [1.5, 1.5]
