"""Two rankings of the same pages, compared: each an array with a value per page, more being better.

n   pages
a, b   values, shape (n,), of any scale unless it says otherwise; equal values rank by page number
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from minicrawl.opic.arrays import FloatArray

Values = npt.NDArray[np.floating] | npt.NDArray[np.integer]


class Errors(NamedTuple):
    """Mean relative error in percent: over all pages, and over the truly most important tenth."""

    all: float
    top: float


def overlap(a: Values, b: Values, k: int) -> float:
    """Share of the first k pages of `a` that are among the first k of `b`; of all n where they are fewer than k.

    |first_k(a) & first_k(b)| / min(k, n)
    """
    first = min(k, len(a))
    if first < 1:
        raise ValueError(f"an overlap needs at least one page, not the first {k} of {len(a)}")
    return len(np.intersect1d(_best_first(a)[:first], _best_first(b)[:first])) / first


def kendall_tau(a: Values, b: Values) -> float:
    """Agreement of the orders, Kendall's tau: 1 for equal orders, -1 for reverse ones; nan if a ranking has none.

        tau_b = (P - Q) / sqrt((P + Q + T_a) (P + Q + T_b))

    P, Q: pairs of pages in the same, the opposite order; T_a, T_b: pairs that are equal in `a` only, in `b` only.
    """
    if len(a) < 2:
        return math.nan
    # scipy loads its parts on first use, and this one takes most of a second.
    return float(scipy.stats.kendalltau(a, b).statistic)


def l1(a: Values, b: Values) -> float:
    """L1 distance, sum_j |a_j - b_j|; at most 2 for two distributions."""
    return float(np.abs(a - b).sum())


def mean_error(estimate: Values, truth: Values) -> Errors:
    """The paper's error of an estimate X of importance Imp, both first divided by their sum.

        100 * mean_j |X_j - Imp_j| / Imp_j

    Over all pages, and over the 10 % (rounded up) with the highest Imp. Every page must have some importance.
    """
    x, imp = _distribution(estimate), _distribution(truth)
    if not (imp > 0.0).all():
        raise ValueError(f"page {int(np.argmin(imp))} has no importance, so its relative error is undefined")
    errors = 100.0 * np.abs(x - imp) / imp
    top = _best_first(imp)[: math.ceil(len(imp) / 10)]
    return Errors(float(errors.mean()), float(errors[top].mean()))


def _best_first(values: Values) -> npt.NDArray[np.int64]:
    return np.argsort(-values, kind="stable")


def _distribution(values: Values) -> FloatArray:
    total = values.sum()
    if not 0.0 < total < math.inf:
        raise ValueError(f"values of pages must have a positive sum, not {total}")
    distribution: FloatArray = values / total
    return distribution
