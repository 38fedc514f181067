"""The read pages that are worth most now, for 'minicrawl refresh': by the value of a fetch, see opic/refresh.py.

A page that has changed by a sitemap that is believed is surely stale.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.change_rates import ChangeRates, shapes
from minicrawl.crawler.frontier.due_pages import LEAST_AGE
from minicrawl.crawler.frontier.schedules import BELIEVED, CHANGED, first_interval, schedule_of
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.refresh import PRIOR_SHAPE, freshness, value
from minicrawl.store.reader import Store

_LEAST_IMPORTANCE = 1e-6
"""Least importance of a page in multiples of the mean."""


class Choice(NamedTuple):
    """A page to fetch again.

    rate: changes per second. is_learned: it is the page's own. age: seconds. stale: probability of a change. value: of
    a fetch, in seconds for a page of mean importance.
    """

    page: int
    importance: float
    rate: float
    is_learned: bool
    age: float
    stale: float
    value: float


class ReadPages(NamedTuple):
    """The fields of `Choice` for many pages, an array each."""

    page: npt.NDArray[np.int64]
    importance: npt.NDArray[np.float64]
    rate: npt.NDArray[np.float64]
    is_learned: npt.NDArray[np.bool_]
    age: npt.NDArray[np.float64]
    stale: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]


def most_worth(store: Store, n: int, now: float) -> list[Choice]:
    """The n read pages whose fetch is worth most now (Unix seconds), the best first."""
    found = read_pages(store, now, due_by=now)
    order = np.lexsort((found.page, -found.value))[:n]
    return [Choice._make(row) for row in zip(*(column[order].tolist() for column in found), strict=True)]


def worths(store: Store) -> FloatArray:
    """Importance of all pages relative to the mean; an alias counts as a page without in-links."""
    importance = store.ranks.importance()
    least = max(store.ranks.least_importance(), _LEAST_IMPORTANCE / max(len(importance), 1))
    return np.maximum(importance, least) * len(importance)


def read_pages(store: Store, now: float, *, due_by: float) -> ReadPages:
    """All read pages that still exist, without those that failed and rest beyond `due_by`. Unix seconds."""
    schedule = schedule_of(kept_settings(store))
    rates = ChangeRates(1.0 / first_interval(schedule.least))
    rates.load(store)
    importance, found = store.ranks.importance(), store.refreshes.last_fetches(due_by)
    page, is_learned = found.page.astype(np.int64), found.information >= PRIOR_SHAPE
    rate = np.where(found.information > 0.0, found.rate, rates.of_all(rates.groups(store)[page]))
    age = np.maximum(now - found.fetched_at, 0.0)
    stale = 1.0 - freshness(rate, shapes(found.information), age)
    has_changed = np.isin(page, list(store.refreshes.changed(BELIEVED)))
    stale[has_changed] = 1.0
    ages = np.clip(age, LEAST_AGE, schedule.most)
    values = value(worths(store)[page], np.where(has_changed, CHANGED, rate), ages)
    return ReadPages(page, importance[page], rate, is_learned, age, stale, values)
