"""How often a page is taken to change before its second fetch, which tells the first of its own rate.

Of a host with some learned rates it is their running median. Else it is one rate for all pages, learned as that of a
page is, from the second fetch of each: whether it had changed by then. Nothing at all is known before the first of
these; then a page is taken for one that changes once in so many of the least intervals, a week at most: who lets pages
be fetched again after seconds expects them to have changed.
"""

from typing import NamedTuple

from minicrawl.opic.refresh import WEEK, learned, running_median
from minicrawl.store.reader import Store

_LEAST_INTERVALS = 168.0
"""A week, if the least interval is an hour."""
_ENOUGH = 8
"""So many learned rates of a host say more of its other pages than those of all hosts do."""
_FORGETTING = 0.98


def first_interval(least: float) -> float:
    """Seconds between two changes of a page of which nothing is known. least: between two fetches of it."""
    return min(WEEK, _LEAST_INTERVALS * least)


class Median(NamedTuple):
    """The running median of learned rates, and how many there were."""

    rate: float = 0.0
    learned: int = 0

    def of_one_more(self, rate: float) -> "Median":
        return Median(running_median(self.rate, self.learned, rate), self.learned + 1)


class FirstRates:
    """Changes per second of pages that were fetched once. least: seconds between two fetches of a page.

    `rate`, `information`: of all pages, as `opic.refresh.learned` has them. `medians`: by number of the host.
    """

    def __init__(self, least: float) -> None:
        self.rate = 1.0 / first_interval(least)
        self.information = 0.0
        self.medians: dict[int, Median] = {}

    def load(self, store: Store) -> None:
        """Take over what the crawl before has learned."""
        self.rate = float(store.meta("refresh_first_rate") or self.rate)
        self.information = float(store.meta("refresh_information") or 0.0)
        self.medians = {row.host: Median(row.median, row.learned) for row in store.refreshes.hosts() if row.learned}

    def of(self, host: int) -> float:
        median = self.medians.get(host)
        return self.rate if median is None or median.learned < _ENOUGH else median.rate

    def note_second_fetch(self, gap: float, *, changed: bool) -> None:
        """A page was fetched for the second time, after so many seconds."""
        self.rate, self.information = learned(self.rate, self.information, gap, changed, _FORGETTING)

    def note_learned(self, host: int, rate: float) -> None:
        """The rate of a page on a host was learned, from its second fetch or a later one."""
        self.medians[host] = self.medians.get(host, Median()).of_one_more(rate)
