"""The interval between two fetches of a page, by worth or fixed; belief in dates.

Two dates say when a page has changed: Last-Modified of an answer, and lastmod of a page in its sitemap. Many servers
make them up: the time of the request, the time at which the sitemap was written. So the dates of a host are believed
only while they prove true, fetch by fetch, by the blocks of text that changed or did not; no date in the future is
believed.

belief   rises by 1 with every date that proved true, up to 8, and falls by 2 with every other one, down to -1: a host
         whose dates are wrong more often than once in three times is not believed for long
"""

import math
from dataclasses import dataclass

import numpy as np

from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.refresh import WEEK, interval
from minicrawl.settings import CrawlSettings

CHANGED = math.inf
"""The rate of a page believed to have changed: it is due after `q`, see opic/refresh.py."""


@dataclass(frozen=True)
class ByWorth:
    """An interval by importance and change rate, within bounds. Seconds."""

    least: float
    most: float

    def interval(self, price: float, worth: float, rate: float) -> float:
        """worth: importance in terms of the mean. rate: changes per second."""
        return min(max(interval(price, worth, rate), self.least), self.most)

    def intervals(self, price: float, worths: FloatArray, rates: FloatArray) -> FloatArray:
        """`interval` of many pages."""
        return np.clip(interval(price, worths, rates), self.least, self.most)

    def reason(self, seconds: float) -> str:
        """The reason for an interval: least, most or worth."""
        if seconds <= self.least:
            return "least"
        return "most" if seconds >= self.most else "worth"


@dataclass(frozen=True)
class Fixed:
    """The same interval for every page. Seconds."""

    seconds: float

    @property
    def least(self) -> float:
        return self.seconds

    @property
    def most(self) -> float:
        return self.seconds

    def interval(self, price: float, worth: float, rate: float) -> float:
        """As `ByWorth.interval`."""
        return self.seconds

    def intervals(self, price: float, worths: FloatArray, rates: FloatArray) -> FloatArray:
        """As `ByWorth.intervals`."""
        return np.full(len(worths), self.seconds)

    def reason(self, seconds: float) -> str:
        """Always "fixed"."""
        return "fixed"


LONGEST = 90 * 86_400.0
"""Most seconds between two fetches of a page."""


def schedule_of(settings: CrawlSettings) -> ByWorth | Fixed:
    """The schedule of a crawl that fetches pages again."""
    if settings.recrawl_after is not None:
        return Fixed(settings.recrawl_after)
    return ByWorth(settings.refresh_min, LONGEST)


_LEAST_INTERVALS = 168.0
"""A week, if the least interval is an hour."""


def first_interval(least: float) -> float:
    """Assumed seconds between two changes of an unknown page. least: seconds between two fetches of it."""
    return min(WEEK, _LEAST_INTERVALS * least)


BELIEVED = 3
"""From this belief on a date counts."""
_MOST = 8
_LOSS = 2


def after_proof(belief: int, *, is_true: bool) -> int:
    """The belief in a host's dates after one of them proved true or wrong."""
    return min(belief + 1, _MOST) if is_true else max(belief - _LOSS, -1)
