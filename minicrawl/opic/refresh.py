"""Revisit times of pages, by importance and change rate; and the share of fetches for revisits.

Pages change at random times, each at a rate of its own (a Poisson process). The rate and the price of a fetch are both
learned: the rate from whether the page had changed when it was fetched, the price from whether pages are due before
they can be fetched. Any unit of time will do, if it is the same one everywhere.

X       importance of the page, its share of all
rate    changes per unit of time
theta   price of a fetch: the one at which all pages together can afford the fetches
a       interval between two fetches of the page

    q = theta / X
    a = q / 2 + sqrt(q^2 / 4 + q / rate)

That is the interval 1 / rho at which the sum of X log(rho / (rho + rate)) is largest for the available fetches:
harmonic freshness in LambdaCrawl (Kolobov, Peres, Lu, Horvitz: "Staying up to Date with Online Content Changes Using
Reinforcement Learning for Scheduling", NeurIPS 2019). No page is left out for good. With a very large rate it is the
order by cash: an interval in proportion to 1 / X.
"""

import math
from typing import Protocol

from minicrawl.opic.cash_book import Adaptive

FORGETTING = 0.8
"""Factor on the information about a rate at every fetch: rates change, too."""
PRICE_GAIN = 4.0
"""The price moves by a factor of 1 +- PRICE_GAIN / n with every fetch among n pages."""
HOST_PRICE_GAIN = 2.0
"""The gain for the price of one host, among its pages."""
WEEK = 7 * 86_400.0
LEVER_GAIN = 0.01
"""Largest movement of the virtual page's lever in one fetch."""
_LEAST_STEP = 0.02
_LARGEST_STEP = 1.0
_MOST_CHANGES = 50.0
"""Cap on the changes in a gap: e^50 tells no more than e^51, and e^710 is no float."""
_FEWEST_CHANGES = 1e-9
_LEAST_PRICE, _MOST_PRICE = 1e-18, 1e18


def interval(price: float, importance: float, rate: float) -> float:
    """Time between two fetches of a page. price, importance and rate must be above 0."""
    q = price / importance
    return q / 2.0 + math.sqrt(q * q / 4.0 + q / rate)


def learned(
    rate: float, information: float, gap: float, changed: bool, forgetting: float = FORGETTING
) -> tuple[float, float]:
    """Update a page's rate and its information after one more fetch.

    information: Fisher information of log(rate) from the fetches so far, the older ones forgotten; 0 at first.
    gap: time since the previous fetch. changed: True if the page had changed since then.

        x           = rate gap                                     changes expected
        g           = x / (e^x - 1) if changed else -x             derivative of the log-likelihood by log(rate)
        information = forgetting information + x^2 / (e^x - 1)
        log(rate)  += g / (1 + information), by 1 at most
    """
    x = min(rate * gap, _MOST_CHANGES)
    likely = x / math.expm1(x) if x > _FEWEST_CHANGES else 1.0
    gradient = likely if changed else -x
    information = forgetting * information + x * likely
    step = gradient / (1.0 + information)
    return rate * math.exp(max(-_LARGEST_STEP, min(_LARGEST_STEP, step))), information


def learned_by_date(rate: float, information: float, gap: float, age: float) -> tuple[float, float]:
    """As `learned`, of a page that has changed in the gap, the last time `age` ago.

        x           = rate gap
        g           = 1 - rate age                                 derivative of log(rate e^(-rate age)) by log(rate)
        information = FORGETTING information + 1 - e^-x

    Earlier changes in the gap do not matter: for a page that always has changed, the date tells the rate.
    """
    information = FORGETTING * information - math.expm1(-rate * gap)
    step = (1.0 - min(rate * age, _MOST_CHANGES)) / (1.0 + information)
    return rate * math.exp(max(-_LARGEST_STEP, min(_LARGEST_STEP, step))), information


def repriced(price: float, share: float, is_overdue: bool) -> float:
    """The price of a fetch after one fetch more: it rises while pages are due before they can be fetched.

    share: movement by one fetch, PRICE_GAIN / n; at most a half is taken. The price stays a number above 0, even
    if bounds of the intervals keep pages from ever being due in time, or late.
    """
    moved = min(share, 0.5)
    return min(max(price * (1.0 + moved if is_overdue else 1.0 - moved), _LEAST_PRICE), _MOST_PRICE)


def freshness(rate: float, age: float) -> float:
    """Probability that a page has not changed since its fetch, `age` ago: e^(-rate age)."""
    return math.exp(-rate * age)


def running_median(median: float, count: int, rate: float) -> float:
    """Estimated median of `count` rates and one more, from the median of the earlier ones.

    log(median) moves towards log(rate) by 4 / (4 + count), by _LEAST_STEP at least.
    """
    if not count:
        return rate
    step = max(_LEAST_STEP, 4.0 / (4.0 + count))
    return median * math.exp(max(-step, min(step, math.log(rate / median))))


class DiscoveryRule(Protocol):
    """Share of the fetches for pages never visited. With a `share` of 1 no page is ever fetched again."""

    share: float

    def discovers(self, has_never_visited: bool, has_visited: bool, lead: int = 0) -> bool | None:
        """True: fetch a page never visited; False: fetch a visited page again; None: nothing may be fetched now.

        `has_never_visited`, `has_visited`: True if a page of that kind is on offer. lead: standing of the best page
        never visited on offer, less that of the best visited one, if both are. `charge` the fetch when it takes place.
        """

    def charge(self, *, discovers: bool) -> None:
        """Record a fetch: of a page never visited, or of a visited one."""

    def kept(self) -> dict[str, float]:
        """State for a crawl that continues."""


class DiscoveryBudget:
    """Share of the fetches for pages never visited: a credit account with income `share` (q, 0 to 1) a fetch.

    credit := min(credit + q, 2) at each fetch; a discovery costs 1. While both kinds of page are available the number
    of discoveries among n fetches is within 2 of q * n. With a share of 1 no page is ever fetched again.
    """

    def __init__(self, share: float = 1.0, credit: float = 0.0) -> None:
        self.share = share
        self.credit = credit

    def discovers(self, has_never_visited: bool, has_visited: bool, lead: int = 0) -> bool | None:
        """As the rule; decides only. Cash does not matter."""
        if not has_never_visited:
            return False if has_visited and self.share < 1.0 else None
        return self._with_income() >= 1.0 or not has_visited

    def charge(self, *, discovers: bool) -> None:
        """Record a fetch: of a page never visited, or of a visited one."""
        self.credit = max(self._with_income() - (1.0 if discovers else 0.0), 0.0)

    def _with_income(self) -> float:
        return min(self.credit + self.share, 2.0)

    def kept(self) -> dict[str, float]:
        return {"discovery_credit": self.credit}


class DiscoveryByCash:
    """Holds the share by the virtual page's payments: the page with the most cash is next, of either kind.

    u      lever: u := u + gain (q - 1 if it was a discovery, else q) after a fetch that could have been of either kind
    p      part of its income that the virtual page pays to pages never visited, all alike: u, from 0 to 1
    toll   part of a page's cash that a visit gives the virtual page before its links get any, where p does not do

        toll = max(0, -u, u - 1), at most `reach`

    With a toll the small edges to the virtual page are larger, 1 - d = 1 - .85 (1 - toll). Without reach they stay as
    they are (Abiteboul, Preda and Cobena, WWW 2003). All of it moves cash only: the ledger has no part in it.
    """

    def __init__(
        self, book: Adaptive, share: float, lever: float | None = None, *, reach: float = 0.0, gain: float = LEVER_GAIN
    ) -> None:
        """lever: None = at the share. reach: range of the lever beyond 0 and 1."""
        self.share, self.lever = share, share if lever is None else lever
        self._book, self._reach, self._gain = book, reach, gain
        self._is_contested = False
        self._steer()

    def discovers(self, has_never_visited: bool, has_visited: bool, lead: int = 0) -> bool | None:
        """As the rule; of pages with equal cash, one never visited is next."""
        self._is_contested = has_never_visited and has_visited
        if not self._is_contested:
            return True if has_never_visited else False if has_visited and self.share < 1.0 else None
        return lead + self._book.unvisited_level - self._book.level >= 0

    def charge(self, *, discovers: bool) -> None:
        if self._is_contested:
            self.move(discovers=discovers)

    def move(self, *, discovers: bool) -> None:
        """Move the lever after a fetch that could have been of either kind."""
        moved = self.lever + self._gain * (self.share - (1.0 if discovers else 0.0))
        self.lever = min(max(moved, -self._reach), 1.0 + self._reach)
        self._steer()

    def kept(self) -> dict[str, float]:
        return {"discovery_lever": self.lever}

    def _steer(self) -> None:
        self._book.unvisited_part = min(max(self.lever, 0.0), 1.0)
        self._book.toll = max(0.0, -self.lever, self.lever - 1.0)
