"""Regression trees, boosted: how much of something can be told from numbers at all, with no formula given.

A tree asks the same question of all pages at a level: is feature f above the threshold? Its depth-many answers, read as
a binary number, are the leaf. Each tree is fitted to what those before have left over, and added by `RATE` (J.
Friedman, "Greedy function approximation", Annals of Statistics 2001; one question a level: CatBoost, NeurIPS 2018).

    leaf value = RATE * (sum of what is left over of its pages) / (pages + SHRINK)

Thresholds are quantiles of the features, `BINS` of each.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.lab.heap import compiled
from minicrawl.opic.arrays import FloatArray, IntArray

BINS = 32
DEPTH = 5
RATE = 0.15
SHRINK = 5.0

_Bins = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Trees:
    """edges: thresholds of every feature, shape (features, BINS - 1). features, above: what each level of each tree
    asks: whether the bin of the feature is above that, shape (trees, DEPTH). values: shape (trees, 2**DEPTH)."""

    edges: FloatArray
    mean: float
    features: IntArray
    above: IntArray
    values: FloatArray

    def predicted(self, rows: FloatArray) -> FloatArray:
        """What is predicted of every row of features, shape (rows,)."""
        total = np.full(len(rows), self.mean)
        _add_leaves(_binned(rows, self.edges), self.features, self.above, self.values, total)
        return total


def fitted(rows: FloatArray, wanted: FloatArray, trees: int = 60) -> Trees:
    """Trees that predict `wanted`, shape (n,), from `rows` of features, shape (n, features)."""
    edges = np.quantile(rows, np.linspace(0.0, 1.0, BINS + 1)[1:-1], axis=0).T
    bins = _binned(rows, edges)
    mean = float(wanted.mean())
    left = wanted - mean
    features, above = np.zeros((trees, DEPTH), dtype=np.int64), np.zeros((trees, DEPTH), dtype=np.int64)
    values = np.zeros((trees, 2**DEPTH))
    for tree in range(trees):
        leaf = np.zeros(len(rows), dtype=np.int64)
        for level in range(DEPTH):
            feature, threshold = _best_question(bins, leaf, left, 2**level)
            features[tree, level], above[tree, level] = feature, threshold
            leaf = 2 * leaf + (bins[:, feature] > threshold)
        counts = np.bincount(leaf, minlength=2**DEPTH)
        values[tree] = RATE * np.bincount(leaf, left, minlength=2**DEPTH) / (counts + SHRINK)
        left -= values[tree][leaf]
    return Trees(edges, mean, features, above, values)


def _binned(rows: FloatArray, edges: FloatArray) -> _Bins:
    """How many thresholds of its feature each number has reached."""
    columns = [np.searchsorted(of, column, side="right") for of, column in zip(edges, rows.T, strict=True)]
    return np.stack(columns, axis=1).astype(np.uint8)


def _best_question(bins: _Bins, leaf: IntArray, left: FloatArray, leaves: int) -> tuple[int, int]:
    """The feature and the threshold that leave least over: sum over both parts of all leaves of sum**2 / pages is
    largest."""
    best, question = -1.0, (0, 0)
    for feature in range(bins.shape[1]):
        cell = leaf * BINS + bins[:, feature]
        counts = np.bincount(cell, minlength=leaves * BINS).reshape(leaves, BINS).cumsum(axis=1)
        sums = np.bincount(cell, left, minlength=leaves * BINS).reshape(leaves, BINS).cumsum(axis=1)
        others, other_sums = counts[:, -1:] - counts, sums[:, -1:] - sums
        gains = (sums**2 / (counts + SHRINK) + other_sums**2 / (others + SHRINK)).sum(axis=0)
        threshold = int(gains[:-1].argmax())
        if gains[threshold] > best:
            best, question = float(gains[threshold]), (feature, threshold)
    return question


@compiled
def _add_leaves(bins, features, above, values, total):  # type: ignore[no-untyped-def]
    for row in range(len(bins)):
        for tree in range(len(values)):
            leaf = 0
            for level in range(features.shape[1]):
                leaf = 2 * leaf + (bins[row, features[tree, level]] > above[tree, level])
            total[row] += values[tree, leaf]
