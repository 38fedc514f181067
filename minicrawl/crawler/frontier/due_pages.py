"""The read pages of a crawl that fetches them again: in the order of their value, from their due time on.

value    of a fetch: importance, change rate and age of a page, see opic/refresh.py. Of pages that wait, the one that is
         worth most is next, on its host and among the hosts
price    the value from which on a page is due, in seconds for a page of mean importance
patient  a page rests until it is due: without a budget, the crawl waits for it. The price is fixed

Without patience a page rests for the least interval only, and all available fetches are used. The price is the mean
value of those that were made lately.

A page is valued when its rest is over, and when it is due. All of them are revalued, in one pass over arrays, after
a thirty-second of them has been fetched: by then prices, rates and importance have moved.

Rates and times of the last fetches of all pages are in memory here; rows of the store have the rest.

The read pages that are worth most now, for 'minicrawl refresh': by the value of a fetch, see opic/refresh.py.

A page is certainly stale if a sitemap that is believed says that it has changed.
"""

import heapq
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.schedules import (
    BELIEVED,
    CHANGED,
    ByWorth,
    ChangeRates,
    first_interval,
    schedule_of,
    shapes,
)
from minicrawl.opic import Book
from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, flagged, grown
from minicrawl.opic.refresh import PRIOR_SHAPE, freshness, value
from minicrawl.opic.strategy import packed, priority_in, unpacked
from minicrawl.store.reader import Store

FIRST = 2**63 - 1
"""The priority of pages that are to be first, whatever their cash and value."""
_STEPS = 2.0**40
"""Steps of a priority in which a value doubles."""
_FEWEST, _SHARE = 8, 32
"""All pages are revalued after 8 fetches, or those of a thirty-second of them."""
_AT_HAND = 1_024
"""Fewest events kept in order."""
LEAST_AGE = 1e-3
"""Seconds: of an age of 0 there is no value."""


class DuePages:
    """Values and due times of read pages. waits: the crawl waits for resting pages. is_patient: see above.

    `fetched_at`, `rate`, `due`: of every page; rate in changes per second, 0 where due does not follow from it, below 0
    where nothing is known of the page itself: then `rates` has it, by `group` of the page. `changed`: pages believed to
    have changed since their fetch. `rests_again`: a page that had its turn rests for another one.
    """

    def __init__(self, book: Book, schedule: ByWorth, *, waits: bool, is_patient: bool) -> None:
        self._book = book
        self.schedule = schedule
        self.waits = waits
        self._is_patient = is_patient
        self.price = first_interval(schedule.least)
        self.rates = ChangeRates(1.0 / self.price)
        self.fetched_at: FloatArray = np.zeros(0)
        self.rate: FloatArray = np.zeros(0)
        self.due: FloatArray = np.zeros(0)
        self.group: IntArray = np.zeros(0, dtype=np.int64)
        self.changed: set[int] = set()
        self._priority: IntArray = np.zeros(0, dtype=np.int64)
        self._is_resting: Flags = np.zeros(0, dtype=np.bool_)
        self._event: IntArray = np.zeros(0, dtype=np.int64)
        """Milliseconds at which a page's rest is over, or a waiting page is due; 0: neither."""
        self._events: list[int] = []  # packed(page, -event), those up to the horizon
        self._horizon = math.inf  # milliseconds
        self._resting = 0
        self.rests_again = True
        self._now = 0.0
        self._until_valued = 0  # fetches
        self._paid, self._payments = 0.0, 0  # sum of the logarithms of values, and their number

    def grow(self, size: int) -> None:
        self.fetched_at, self.rate, self.due = (
            grown(column, size) for column in (self.fetched_at, self.rate, self.due)
        )
        self._priority, self._event = grown(self._priority, size), grown(self._event, size)
        self._is_resting, self.group = grown(self._is_resting, size), grown(self.group, size)

    # Fetches.

    def fetched(self, page: int, now: float, rate: float | None = None) -> float:
        """Record a fetch; returns Unix seconds of the next due time. rate: as learned, None if it is not."""
        self.fetched_at[page], self.rate[page] = now, -1.0 if rate is None else rate
        self.changed.discard(page)
        self.due[page] = self._due(page)
        return self.due.item(page)

    def postpone(self, page: int, until: float) -> None:
        """Set a due time that does not follow from the page's rate."""
        self.due[page] = until
        self.rate[page] = 0.0

    def hand_out(self, page: int) -> None:
        """Note the value of a page whose turn begins; pages that changed, or are due for another reason, do not
        count."""
        self._until_valued -= 1
        self._event[page] = 0
        if self.rate.item(page) and page not in self.changed:
            self._paid += math.log(self._value(page))
            self._payments += 1

    # Resting.

    def rest(self, page: int) -> None:
        """Let a page rest until it may have its turn."""
        if self.rests_again:
            self._is_resting[page] = True
            self._resting += 1
            self._await(page, self._wakings(np.array([page])).item())

    def is_resting(self, page: int) -> bool:
        return bool(self._is_resting.item(page))

    def end_rest(self, page: int) -> bool:
        """End the rest of a page; returns True if it rested."""
        did_rest = self.is_resting(page)
        self._is_resting[page] = False
        self._resting -= did_rest
        self._event[page] = 0
        return did_rest

    def rested(self, now: float) -> Iterator[int]:
        """The pages whose rest is over, and waiting pages that are due: each has its present value as priority."""
        self._now = now
        while self._events and -priority_in(self._events[0]) / 1000.0 <= now:
            entry = heapq.heappop(self._events)
            page = unpacked(entry)
            if not self._is_next(entry):
                continue
            self.end_rest(page)
            if not self._is_patient and self.rate.item(page):
                self.due[page] = self._due(page)
                if self.due.item(page) > now:
                    self._await(page, self.due.item(page))
            self._priority[page] = self._priority_of(page)
            yield page

    def _is_next(self, entry: int) -> bool:
        """True if the event of a page holds."""
        return self._event.item(unpacked(entry)) == -priority_in(entry)

    @property
    def next_rested(self) -> float | None:
        """Unix seconds at which the next rest is over that the crawl waits for."""
        if not self.is_waited_for:
            return None
        while self._events and not self._is_next(self._events[0]):
            heapq.heappop(self._events)
        return (-priority_in(self._events[0]) if self._events else self._horizon) / 1000.0

    @property
    def is_waited_for(self) -> bool:
        """True if pages rest that the crawl waits for."""
        return self.waits and self._resting > 0

    def note_changed(self, pages: Iterable[int]) -> list[int]:
        """Record pages believed to have changed: they are due sooner. Returns those that are worth more now."""
        moved = []
        for page in pages:
            self.changed.add(page)
            due = self._due(page) if self.rate.item(page) else math.inf
            if due < self.due.item(page):
                self.due[page] = due
                if self.is_resting(page):
                    self._await(page, self._wakings(np.array([page])).item())
                else:
                    self._priority[page] = self._priority_of(page)
                    moved.append(page)
        return moved

    # The order.

    def is_outdated(self, now: float) -> bool:
        """True if all pages are to be revalued."""
        return self._until_valued <= 0 or (not self._events and now >= self._horizon / 1000.0)

    def load(self, pages: Pages, now: float) -> Pages:
        """Value the read pages of a run that begins. Returns those that rest."""
        self._value_pages(pages, now)
        does_rest = (self._wakings(pages) > now) & self.rests_again
        self._is_resting[pages] = does_rest
        self._line_up(pages, now)
        return pages[does_rest]

    def value_all(self, waiting: Pages, now: float) -> None:
        """Value all pages that wait or rest. waiting: read pages."""
        pages = np.concatenate([waiting, flagged(self._is_resting)])
        self._value_pages(pages, now)
        self._line_up(pages, now)

    def _value_pages(self, pages: Pages, now: float) -> None:
        """Set priorities and due times by the present price, rates and importance."""
        self._now = now
        if self._payments and not self._is_patient:
            self.price = math.exp(self._paid / self._payments)
        self._paid, self._payments, self._until_valued = 0.0, 0, max(len(pages) // _SHARE, _FEWEST)
        rate, fetched_at, worth = self._rates(pages), self.fetched_at[pages], self._worths(pages)
        due = fetched_at + self.schedule.intervals(self.price, worth, rate)
        self.due[pages] = np.where(self.rate[pages] == 0.0, self.due[pages], due)
        values = value(worth, rate, np.clip(now - fetched_at, LEAST_AGE, self.schedule.most))
        self._priority[pages] = np.round(np.log2(values) * _STEPS).astype(np.int64)

    def _line_up(self, pages: Pages, now: float) -> None:
        """Keep the next events in order: some of them, as most will have moved by then."""
        is_resting, due = self._is_resting[pages], self.due[pages]
        self._resting = int(is_resting.sum())
        events = np.ceil(np.where(is_resting, self._wakings(pages), due) * 1000.0).astype(np.int64)
        events[~is_resting & (~self._rise(pages) | (due <= now))] = 0
        self._event[pages] = events
        pages, events = pages[events > 0], events[events > 0]
        count = max(len(pages) // _SHARE, _AT_HAND)
        self._horizon = math.inf
        if count < len(pages):
            self._horizon = np.partition(events, count)[count].item()
            pages = pages[events <= self._horizon]
        self._events = [packed(page, -self._event.item(page)) for page in pages.tolist()]
        heapq.heapify(self._events)

    def _wakings(self, pages: Pages) -> FloatArray:
        """Unix seconds at which the rest of each page is over."""
        due = self.due[pages]
        return np.where(self._rise(pages), np.minimum(self.fetched_at[pages] + self.schedule.least, due), due)

    def _rise(self, pages: Pages) -> Flags:
        """True for each page that is valued again when it is due while it waits."""
        rise: Flags = (self.rate[pages] != 0.0) & (not self._is_patient)
        return rise

    def _await(self, page: int, at: float) -> None:
        """Set the next event of a page, in Unix seconds."""
        event = math.ceil(at * 1000.0)
        self._event[page] = event
        if event <= self._horizon:
            heapq.heappush(self._events, packed(page, -event))

    def priority(self, page: int) -> int:
        """The priority of a page, as it was valued last."""
        return self._priority.item(page)

    def priorities(self, pages: Pages) -> IntArray:
        return self._priority[pages]

    # Worth.

    @property
    def size(self) -> int:
        """Number of known pages, at least 1."""
        return max(self._book.size - self._book.mirrors, 1)

    def worth(self, page: int) -> float:
        """Importance of a page relative to the mean; at least that of a page without in-links."""
        book, (mean, held) = self._book, self._mean_worth()
        if mean <= 0.0:
            return 1.0
        linked = 0 if book.alias[page] else max(book.cash.item(page) + book.forwarded.item(page), 0)
        return max(linked + held * book.birth_of(page), mean * 1e-6) / mean

    def _worths(self, pages: Pages) -> FloatArray:
        """`worth` of many pages."""
        book, (mean, held) = self._book, self._mean_worth()
        if mean <= 0.0:
            return np.ones(len(pages))
        linked = np.where(book.alias[pages], 0, np.maximum(book.received(pages), 0))
        worths: FloatArray = np.maximum(linked + held * book.birth(pages), mean * 1e-6) / mean
        return worths

    def _mean_worth(self) -> tuple[float, float]:
        """Mean importance of a page, and cash of the virtual page per unit of birth cash."""
        received, births, held, pages = self._book.sums()
        return (received + held) / max(pages, 1), held / max(births, 1)

    def _rates(self, pages: Pages) -> FloatArray:
        rate = self.rate[pages]
        rate = np.where(rate < 0.0, self.rates.of_all(self.group[pages]), np.where(rate > 0.0, rate, CHANGED))
        rate[np.isin(pages, list(self.changed))] = CHANGED
        return rate

    def _rate(self, page: int) -> float:
        rate = self.rate.item(page)
        if not rate or page in self.changed:
            return CHANGED
        return self.rates.of(self.group.item(page)) if rate < 0.0 else rate

    def _value(self, page: int) -> float:
        age = min(max(self._now - self.fetched_at.item(page), LEAST_AGE), self.schedule.most)
        return value(self.worth(page), self._rate(page), age)

    def _priority_of(self, page: int) -> int:
        return round(math.log2(self._value(page)) * _STEPS)

    def _due(self, page: int) -> float:
        return self.fetched_at.item(page) + self.schedule.interval(self.price, self.worth(page), self._rate(page))


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


def worths(store: Store) -> FloatArray:
    """Importance of all pages relative to the mean; an alias counts as a page without in-links."""
    importance = store.ranks.importance()
    without_inlinks = store.value("SELECT virtual * (16777216.0 / births) / total FROM book") or 0.0
    least = max(without_inlinks, _LEAST_IMPORTANCE / max(len(importance), 1))
    return np.maximum(importance, least) * len(importance)


def most_worth(store: Store, n: int, now: float) -> list[Choice]:
    """The n read pages whose fetch is worth most now (Unix seconds), the best first.

    Pages that are gone, or failed and rest beyond `now`, are left out.
    """
    schedule = schedule_of(kept_settings(store))
    rates = ChangeRates(1.0 / first_interval(schedule.least))
    rates.load(store)
    importance, blocks = store.ranks.importance(), list(store.refreshes.last_fetches(now))
    if not blocks:
        return []
    page, rate, information, fetched_at = (
        np.concatenate([block[name] for block in blocks]) for name in ("page", "rate", "information", "fetched_at")
    )
    is_learned = information >= PRIOR_SHAPE
    rate = np.where(information > 0.0, rate, rates.of_all(rates.groups(store)[page]))
    age = np.maximum(now - fetched_at, 0.0)
    stale = 1.0 - freshness(rate, shapes(information), age)
    has_changed = np.isin(page, list(store.refreshes.changed(BELIEVED)))
    stale[has_changed] = 1.0
    ages = np.clip(age, LEAST_AGE, schedule.most)
    values = value(worths(store)[page], np.where(has_changed, CHANGED, rate), ages)
    best = np.lexsort((page, -values))[:n]
    columns = page, importance[page], rate, is_learned, age, stale, values
    return [Choice._make(row) for row in zip(*(column[best].tolist() for column in columns), strict=True)]
