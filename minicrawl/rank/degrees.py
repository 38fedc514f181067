"""Degree distributions, and the power law that fits their tail best.

Source: A. Clauset, C. Shalizi, M. Newman, "Power-law distributions in empirical data", SIAM Review 51 (2009).

x       degrees of the tail, whole numbers >= xmin; n of them
zeta    Hurwitz zeta function, zeta(alpha, xmin) = sum over k >= 0 of (k + xmin)**-alpha

    P(x) = x**-alpha / zeta(alpha, xmin)

alpha is the likeliest one, where n ln zeta(alpha, xmin) + alpha sum(ln x) is smallest, with the standard error

    1 / sqrt(n * (d/d alpha)**2 ln zeta(alpha, xmin))

xmin is the start of the tail for which a power law fits best, by the Kolmogorov-Smirnov distance: the largest
difference between the share of the tail that is at least x and the law's share.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

_FEWEST = 50
"""Fewest pages in a tail: a shorter one fits any law (section 3.2 of the source)."""
_MOST_TAILS = 150
_STEEPEST = 20.0
_STEP = 1e-3


@dataclass(frozen=True)
class PowerLaw:
    """The tail of a degree distribution: P(degree = x) proportional to x**-alpha for x >= xmin.

    error: standard error of alpha. tail: pages with at least xmin links. distance: Kolmogorov-Smirnov distance
    between tail and law, from 0 to 1.
    """

    alpha: float
    error: float
    xmin: int
    tail: int
    distance: float


@dataclass(frozen=True, eq=False)
class Degrees:
    """A degree distribution.

    values: degrees that occur, rising. counts: pages with each; both int64. law: the tail's power law; None where
    there is no tail to speak of.
    """

    values: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    law: PowerLaw | None

    @property
    def mean(self) -> float:
        pages = self.counts.sum()
        return float(self.values @ self.counts / pages) if pages else 0.0

    @property
    def largest(self) -> int:
        return int(self.values[-1]) if len(self.values) else 0


def degree_distribution(degrees: npt.NDArray[np.integer]) -> Degrees:
    """The distribution of the degrees of all pages."""
    values, counts = np.unique(degrees.astype(np.int64), return_counts=True)
    return Degrees(values, counts, _law(values[values > 0], counts[values > 0]))


def _law(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> PowerLaw | None:
    """The best fit among some 150 tails of at least 50 pages; of equal fits, the longest tail. None: no such tail has
    two different degrees."""
    tails = np.flatnonzero(np.cumsum(counts[::-1])[::-1] >= _FEWEST)
    tails = tails[tails < len(values) - 1]
    if len(tails) > _MOST_TAILS:
        # Large degrees are many and close together: few of them are worth a try.
        tails = np.unique(np.geomspace(1, len(tails), _MOST_TAILS).astype(np.int64)) - 1
    laws = [fitted(values[first:], counts[first:], int(values[first])) for first in tails]
    return min(laws, key=lambda law: law.distance, default=None)


def fitted(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], xmin: int) -> PowerLaw:
    """The power law of a tail. values: its degrees, rising, all from xmin on; counts: pages with each."""
    n = int(counts.sum())
    mean_log = float(np.log(values) @ counts) / n

    def unlikeliness(alpha: float) -> float:
        return math.log(scipy.special.zeta(alpha, xmin)) + alpha * mean_log

    # Convex in alpha. scipy loads its parts on first use.
    alpha = float(scipy.optimize.minimize_scalar(unlikeliness, bounds=(1.0 + 2 * _STEP, _STEEPEST), method="bounded").x)
    h = _STEP
    curvature = (unlikeliness(alpha + h) - 2 * unlikeliness(alpha) + unlikeliness(alpha - h)) / h**2
    error = 1.0 / math.sqrt(n * curvature) if curvature > 0.0 else math.inf
    # Between two occurring degrees the law's share falls, so both ends of each step are compared.
    ours = np.cumsum(counts[::-1])[::-1] / n
    after = np.append(ours[1:], 0.0)
    at = scipy.special.zeta(alpha, values) / scipy.special.zeta(alpha, xmin)
    past = scipy.special.zeta(alpha, values + 1) / scipy.special.zeta(alpha, xmin)
    distance = float(max(np.abs(ours - at).max(), np.abs(after - past).max()))
    return PowerLaw(alpha, error, xmin, n, distance)
