"""The read pages whose fetch gains most now, for 'minicrawl refresh'.

X     importance of the page
rate  changes per second, as learned; else as assumed for its host, or for all pages
age   seconds since its last fetch

    gain = X (1 - e^(-rate age))

A page that has changed by a sitemap that is believed is surely stale. The gain is the expected importance that is out
of date by now. The lane of 'crawl --refresh', which has a price for fetches, comes to nearly the same order
(opic/refresh.py); here all pages are compared at once.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.schedules import BELIEVED, NEVER, FirstRates, rules_of
from minicrawl.store.reader import Store


class Choice(NamedTuple):
    """A page to fetch again. is_learned: the rate is the page's own. age: seconds. stale: probability of a change."""

    page: int
    importance: float
    rate: float
    is_learned: bool
    age: float
    stale: float


class ReadPages(NamedTuple):
    """The fields of `Choice` for many pages, an array each."""

    page: npt.NDArray[np.int64]
    importance: npt.NDArray[np.float64]
    rate: npt.NDArray[np.float64]
    is_learned: npt.NDArray[np.bool_]
    age: npt.NDArray[np.float64]
    stale: npt.NDArray[np.float64]


def most_worth(store: Store, n: int, now: float) -> list[Choice]:
    """The n read pages that gain most by a fetch now (Unix seconds), the best first; among equals the older one."""
    found = _of_no_rule(store, read_pages(store, now, due_by=now))
    order = np.lexsort((found.page, -found.age, -found.importance * found.stale))[:n]
    return [Choice._make(row) for row in zip(*(column[order].tolist() for column in found), strict=True)]


def _of_no_rule(store: Store, found: ReadPages) -> ReadPages:
    """The pages among these that no rule of the user keeps from being fetched again."""
    rules = rules_of(kept_settings(store))
    if not rules.rules or not len(found.page):
        return found
    urls = list(store.page_table.urls())
    matched = (rules.of(urls[page]) for page in found.page.tolist())
    may_be = np.array([rule is None or rule.seconds < NEVER for rule in matched])
    return ReadPages(*(column[may_be] for column in found))


def read_pages(store: Store, now: float, *, due_by: float) -> ReadPages:
    """All read pages that still exist, without those that failed and rest beyond `due_by`. Unix seconds."""
    first = FirstRates(kept_settings(store).refresh_min)
    first.load(store)
    importance, found = store.ranks.importance(), store.refreshes.last_fetches(due_by)
    hosts, rates = found.host.tolist(), found.rate.tolist()
    rate = np.array([learned or first.of(host) for host, learned in zip(hosts, rates, strict=True)])
    age = np.maximum(now - found.fetched_at, 0.0)
    page = found.page.astype(np.int64)
    stale = -np.expm1(-rate * age)
    stale[np.isin(page, list(store.refreshes.changed(BELIEVED)))] = 1.0
    return ReadPages(page, importance[page], rate, found.rate > 0.0, age, stale)
