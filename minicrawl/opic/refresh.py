"""Refetches in the order of their value; change rates; and the share of fetches for refetches.

Pages change at random times, each at a rate of its own (a Poisson process). Any unit of time will do, if it is the same
one everywhere.

X       importance of the page
rate    changes per unit of time
age     time since the last fetch

    value = X age^2 / (age + 1 / rate)

The page of the highest value is fetched next. With a price of a fetch, a page is due when its value reaches the price:
after the interval

    q = price / X
    a = q / 2 + sqrt(q^2 / 4 + q / rate)

That is the interval 1 / rho at which the sum of X log(rho / (rho + rate)) is largest for the available fetches:
harmonic freshness in LambdaCrawl (Kolobov, Peres, Lu, Horvitz: "Staying up to Date with Online Content Changes Using
Reinforcement Learning for Scheduling", NeurIPS 2019). No page is left out for good, as values grow without bound. With
a very large rate it is the order by cash: an interval in proportion to 1 / X.

The rate of a page is not known. Its distribution is taken to be a Gamma distribution:

rate    its mean
shape   its shape, about the number of changes that it rests on
        prior: PRIOR_SHAPE, and the mean of similar pages; so the first two fetches can overrule it
"""

import math
from typing import TypeVar

from minicrawl.opic.arrays import FloatArray

PRIOR_SHAPE = 0.5
"""Shape of the distribution of a rate before the second fetch."""
MOST_SHAPE = 4.0
"""Earlier changes are forgotten beyond these: rates change, too."""
MOST_GAPS = 16.0
WEEK = 7 * 86_400.0

_LEAST_STEP = 0.02
Numbers = TypeVar("Numbers", float, FloatArray)


def value(importance: Numbers, rate: Numbers, age: Numbers) -> Numbers:
    """Value of a fetch of a page; of pages, if the arguments are arrays. rate and age must be above 0, rate may be
    infinite."""
    return importance * age * age / (age + 1.0 / rate)


def interval(price: float, importance: Numbers, rate: Numbers) -> Numbers:
    """Age at which the value of a page reaches the price. All arguments must be above 0."""
    q = price / importance
    a: Numbers = q / 2.0 + (q * q / 4.0 + q / rate) ** 0.5
    return a


def learned(  # noqa: PLR0913 - what was known, what was seen, and two bounds
    rate: float, shape: float, gap: float, changed: bool, most_shape: float = MOST_SHAPE, most_gaps: float = MOST_GAPS
) -> tuple[float, float]:
    """Update the distribution of a page's rate after one more fetch.

    gap: time since the previous fetch. changed: True if the page had changed since then. With b = shape / rate:

        unchanged: b += gap                              the likelihood is e^(-rate gap): again a Gamma distribution
        changed: the Gamma distribution with the mean and variance that Bayes' rule gives, the likelihood being
                 1 - e^(-rate gap). With p_k = 1 - (b / (b + gap))^(shape + k):
                 E rate   = shape / b p_1 / p_0
                 E rate^2 = shape (shape + 1) / b^2 p_2 / p_0

    Of a long time without changes `most_gaps` gaps count once there is one: the rate has risen, or was never so low.
    Beyond `most_shape` earlier changes are forgotten.
    """
    shape = min(shape, most_shape)
    b = shape / rate
    if not changed:
        return shape / (b + gap), shape
    b = min(b, most_gaps * gap)
    passed = math.log1p(gap / b)
    p_0 = -math.expm1(-shape * passed)
    mean = -shape / b * math.expm1(-(shape + 1.0) * passed) / p_0
    square = -shape * (shape + 1.0) / (b * b) * math.expm1(-(shape + 2.0) * passed) / p_0
    return mean, mean * mean / (square - mean * mean)


def learned_by_date(rate: float, shape: float, age: float, weight: float = 1.0) -> tuple[float, float]:
    """As `learned`, of a page that changed the last time `age` ago.

    The likelihood is rate e^(-rate age): again a Gamma distribution, `shape` larger by 1 and `b` by age. Earlier
    changes do not matter: for a page that always has changed, the date tells the rate. weight: 1, or less for a date
    that may be wrong.
    """
    shape = min(shape, MOST_SHAPE)
    b = shape / rate + weight * age
    return (shape + weight) / b, shape + weight


def freshness(rate: Numbers, shape: Numbers, age: Numbers) -> Numbers:
    """Probability that a page has not changed since its fetch, `age` ago.

    (1 + rate age / shape)^-shape = E e^(-rate age)
    """
    unchanged: Numbers = (1.0 + rate * age / shape) ** -shape
    return unchanged


def running_median(median: float, count: int, rate: float) -> float:
    """Estimated median of `count` rates and one more, from the median of the earlier ones.

    log(median) moves towards log(rate) by 4 / (4 + count), by _LEAST_STEP at least.
    """
    step = max(_LEAST_STEP, 4.0 / (4.0 + count))
    return median * math.exp(max(-step, min(step, math.log(rate / median))))


_MADE_UP = 100.0
"""Most fetches of one kind that make up for those of the other: hosts with a request in flight hide the pages of one
kind now and then, and a kind may be missing for months."""


class DiscoveryBudget:
    """Share of the fetches for pages never visited: a credit account with income `share` (q, 0 to 1) a fetch.

    credit := credit + q at each fetch; a discovery costs 1; within -100 and 100. While both kinds of page are
    available, the number of discoveries among n fetches is within 2 of q * n; where one kind was missing, up to 100
    fetches make up for that. With a share of 1 no page is ever fetched again.
    """

    def __init__(self, share: float = 1.0, credit: float = 0.0) -> None:
        self.share = share
        self.credit = credit

    def discovers(self, has_never_visited: bool, has_visited: bool) -> bool | None:
        """True: fetch a page never visited; False: fetch a visited page again; None: nothing may be fetched now.

        `has_never_visited`, `has_visited`: True if a page of that kind is on offer. `charge` the fetch when it takes
        place.
        """
        if not has_never_visited:
            return False if has_visited and self.share < 1.0 else None
        return self._with_income() >= 1.0 or not has_visited

    def charge(self, *, discovers: bool) -> None:
        """Record a fetch: of a page never visited, or of a visited one."""
        self.credit = max(min(self._with_income() - discovers, _MADE_UP), -_MADE_UP)

    def _with_income(self) -> float:
        return self.credit + self.share
