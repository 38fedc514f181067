"""Two rankings of the same pages, compared: each an array with a value per page, more being better.

n   pages
a, b   values, shape (n,), of any scale unless it says otherwise; equal values rank by page number
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from minicrawl.rank.pagerank import FloatArray

_ROUNDING = 1e-9

Values = npt.NDArray[np.floating] | npt.NDArray[np.integer]


class Errors(NamedTuple):
    """Mean relative error in percent: of all pages, and of the tenth of them that is truly most important."""

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
    """Agreement of the orders, Kendall's tau: 1 for equal orders, -1 for reverse ones; nan where a ranking has none.

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
        raise ValueError(f"page {int(np.argmin(imp))} has no importance, so no error relative to it")
    errors = 100.0 * np.abs(x - imp) / imp
    top = _best_first(imp)[: math.ceil(len(imp) / 10)]
    return Errors(float(errors.mean()), float(errors[top].mean()))


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of two rankings, each of which may have pages that the other lacks.

    common: number of pages in both. overlaps: by k, the share of the first k pages of either that is among the
    first k of the other; where one has fewer than k pages, of the first that many. tau: Kendall's, over the common
    pages; nan where they have no order. l1: distance of the two as distributions, with 0 for missing pages; nan where
    a ranking has no sum. before, after: rank of every page, 1 being the best, ties sharing the best rank; 0 where the
    page is missing. shares_before, shares_after: of every page in both, of the sum over these; 0 for the others. So a
    ranking of twice as many pages does not make all of them fall.
    """

    common: int
    overlaps: dict[int, float]
    tau: float
    l1: float
    before: npt.NDArray[np.int64]
    after: npt.NDArray[np.int64]
    shares_before: FloatArray
    shares_after: FloatArray

    def risen(self, n: int) -> npt.NDArray[np.int64]:
        """The n pages in both whose share has risen most, the largest difference first."""
        return self._moved(self.shares_after - self.shares_before, n)

    def fallen(self, n: int) -> npt.NDArray[np.int64]:
        """The n pages in both whose share has fallen most, the largest difference first."""
        return self._moved(self.shares_before - self.shares_after, n)

    def _moved(self, more: FloatArray, n: int) -> npt.NDArray[np.int64]:
        pages = np.flatnonzero(more > _ROUNDING * np.maximum(self.shares_before, self.shares_after))
        return pages[np.argsort(-more[pages], kind="stable")[:n]]

    def only_before(self) -> npt.NDArray[np.int64]:
        """Pages that only the first ranking has, the best first."""
        return _best_placed(self.before, self.after)

    def only_after(self) -> npt.NDArray[np.int64]:
        """Pages that only the second ranking has, the best first."""
        return _best_placed(self.after, self.before)


def differences(before: FloatArray, after: FloatArray, tops: Sequence[int] = (10, 100, 1000)) -> Differences:
    """Compare two rankings, given by their values for the pages of both; nan: not in this ranking.

    Values that differ by no more than rounding are equal.
    """
    in_before, in_after = ~np.isnan(before), ~np.isnan(after)
    both = in_before & in_after
    fewest = int(min(in_before.sum(), in_after.sum()))
    first, second = competition_ranks(before), competition_ranks(after)
    return Differences(
        common=int(both.sum()),
        overlaps={k: overlap(-first, -second, min(k, fewest)) for k in tops} if fewest else {},
        tau=kendall_tau(-first[both], -second[both]),
        l1=l1(_shares(before), _shares(after)),
        before=first * in_before,
        after=second * in_after,
        shares_before=np.nan_to_num(_shares(np.where(both, before, 0.0))),
        shares_after=np.nan_to_num(_shares(np.where(both, after, 0.0))),
    )


def competition_ranks(values: FloatArray) -> npt.NDArray[np.int64]:
    """Rank of every page, 1 + number of pages with more, shape (n,): ties share the best rank; nan is behind all.

    Values that differ by no more than rounding are tied.
    """
    order = np.argsort(-values, kind="stable")
    falling = values[order]
    # Summation order changes the last digits; ties apart from those must not be sorted by them.
    is_less = ~(falling[1:] >= falling[:-1] * (1.0 - _ROUNDING))
    ranks = np.empty(len(values), dtype=np.int64)
    is_first = np.concatenate([[True], is_less])[: len(values)]
    ranks[order] = np.maximum.accumulate(np.where(is_first, np.arange(len(values)), 0)) + 1
    return ranks


def _best_placed(places: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    only = np.flatnonzero((places > 0) & (others == 0))
    return only[np.argsort(places[only], kind="stable")]


def _shares(values: FloatArray) -> FloatArray:
    """Values divided by their sum; 0 for missing pages."""
    there = np.nan_to_num(values)
    total = there.sum()
    shares: FloatArray = there / total if total > 0.0 else np.full(len(values), math.nan)
    return shares


def _best_first(values: Values) -> npt.NDArray[np.int64]:
    return np.argsort(-values, kind="stable")


def _distribution(values: Values) -> FloatArray:
    total = values.sum()
    if not 0.0 < total < math.inf:
        raise ValueError(f"values of pages must have a positive sum, not {total}")
    distribution: FloatArray = values / total
    return distribution
