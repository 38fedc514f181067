"""Due times of read pages: a page rests until it may have its turn, then waits in the order of due times.

price    the cost of a fetch, in seconds for a page of mean importance, see opic/refresh.py
due      Unix seconds at which a page is worth another fetch, at a price
patient  a page rests until it is due: without a budget, the crawl waits for it

Without patience a page rests for the least interval only; then the price falls until all available fetches are used. A
host that cannot be asked as often as its pages are due has a price of its own, which orders its pages; hosts are
compared by the common price.

Rates and times of the last fetches of all pages are in memory here; rows of the store have the rest.
"""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.frontier.lanes import Lane
from minicrawl.crawler.frontier.schedules import (
    CHANGED,
    NEVER,
    ByWorth,
    FirstRates,
    Fixed,
    RefreshRules,
    first_interval,
)
from minicrawl.crawler.hosts.host import Host
from minicrawl.opic import Ledger, PageQueue
from minicrawl.opic.arrays import FloatArray, IntArray, Pages, grown
from minicrawl.opic.ledger_columns import LedgerSums
from minicrawl.opic.refresh import HOST_PRICE_GAIN, PRICE_GAIN, repriced
from minicrawl.opic.strategy import packed, priority_in, unpacked

FIRST = 2**63 - 1
"""The priority of pages that are to be first, whatever their cash and due time."""
_NEVER = 1e11
"""Seconds: some thousand years."""
_TRIES = 8
_SOONER = 0.1
"""Fraction of its interval by which a page must be due sooner to be moved."""
_SAMPLE, _FEW = 500, 50
_MOST_PRICE = 1e12
_LATE = 0.01
"""Fraction of its interval by which a page is late where the crawl waits for pages: it takes a moment to begin."""


class DuePages:
    """Due times of read pages. waits: the crawl waits for resting pages. is_patient: see above.

    `fetched_at`, `rate`, `due`: of every page; rate in changes per second, 0 where due does not follow from it, below 0
    where the page was fetched once: then `first_rates` has it. `prices`: of hosts, by number. `ruled`: interval of a
    page by the user's rules, in seconds, 0 without one.
    """

    def __init__(
        self,
        ledger: Ledger,
        schedule: ByWorth | Fixed,
        *,
        waits: bool,
        is_patient: bool,
        rules: RefreshRules = RefreshRules(),  # noqa: B008 - frozen
    ) -> None:
        self._ledger = ledger
        self.elsewhere = LedgerSums(0, 0, 0, 0)  # sums of the other partitions, if any
        self.rules = rules
        self.ruled: FloatArray = np.zeros(0)
        self._left_alone: set[int] = set()  # pages that never get another turn
        self._schedule = schedule
        self.waits = waits
        self._is_patient = is_patient
        self.price = self._first_price = first_interval(schedule.least)
        self.first_rates = FirstRates(schedule.least)
        self.prices: dict[int, float] = {}
        self.fetched_at: FloatArray = np.zeros(0)
        self.rate: FloatArray = np.zeros(0)
        self.due: FloatArray = np.zeros(0)
        self._host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._resting: list[int] = []  # packed(page, -milliseconds)
        self._rests_again = True
        self._pages_of: Counter[int] = Counter()
        self._now = 0.0
        self.changed: set[int] = set()  # pages believed to have changed since their fetch

    def grow(self, size: int, host_of: npt.NDArray[np.int32]) -> None:
        """host_of: number of the host of every page."""
        self._host_of = host_of
        self.fetched_at, self.rate, self.due, self.ruled = (
            grown(column, size) for column in (self.fetched_at, self.rate, self.due, self.ruled)
        )

    def limit_to(self, pages: Pages) -> None:
        """Make only these pages due, in this order, each once. To be called before `load`."""
        self.due[pages], self.rate[pages] = np.arange(len(pages)), 0.0
        self._rests_again = False

    @property
    def longest(self) -> float:
        """Seconds after which every page without a rule is due."""
        return self._schedule.most

    def rule(self, page: int, url: str) -> None:
        """Apply the user's rules to a page."""
        rule = self.rules.of(url)
        self.ruled[page] = 0.0 if rule is None else rule.seconds

    # Resting.

    def fetched(self, page: int, now: float, rate: float | None = None) -> float:
        """Record a fetch; returns Unix seconds of the next due time. rate: as learned, None if it is not."""
        self.fetched_at[page], self.rate[page] = now, -1.0 if rate is None else rate
        self.changed.discard(page)
        self.due[page] = self._due(page, self.price)
        return self.due.item(page)

    def schedule(self, page: int) -> None:
        """Compute the due time of a page anew, after a change of its rule or rate."""
        if self.rate.item(page):
            self.due[page] = self._due(page, self.price)

    def postpone(self, page: int, until: float) -> None:
        """Set a due time that does not follow from the page's rate."""
        self.due[page] = until
        self.rate[page] = 0.0

    def rest(self, page: int) -> None:
        """Let a page rest until it may have its turn."""
        if self.ruled.item(page) == NEVER:
            self._left_alone.add(page)
        elif self._rests_again:
            heapq.heappush(self._resting, packed(page, -_waking(self._wakes(page))))

    def is_resting(self, page: int) -> bool:
        """True if a page rests; scans all that do."""
        return page in self._left_alone or any(unpacked(entry) == page for entry in self._resting)

    def end_rest(self, page: int) -> bool:
        """End the rest of a page; returns True if it rested. Scans all that do."""
        resting = [entry for entry in self._resting if unpacked(entry) != page]
        did_rest = len(resting) < len(self._resting)
        if did_rest:
            self._resting = resting
            heapq.heapify(resting)
        is_left_alone = page in self._left_alone
        self._left_alone.discard(page)
        return did_rest or is_left_alone

    def load(self, pages: Pages, hosts: IntArray, now: float) -> None:
        """`rest` many pages at once, before any other rests. hosts: number of the host of each."""
        if not self._is_patient:
            self._settle(pages, now)
        is_never = self.ruled[pages] == NEVER
        self._left_alone.update(pages[is_never].tolist())
        self._resting = [packed(page, -_waking(self._wakes(page))) for page in pages[~is_never].tolist()]
        heapq.heapify(self._resting)
        self._pages_of.update(hosts.tolist())

    def rested(self, now: float) -> Iterator[int]:
        """The pages whose rest is over, at the current price."""
        self._now = now
        while self._resting and -priority_in(self._resting[0]) / 1000.0 <= now:
            page = unpacked(heapq.heappop(self._resting))
            if self.rate.item(page):
                self.due[page] = max(self.due.item(page), self._due(page, self.price))
            if _waking(self._wakes(page)) / 1000.0 > now:
                self.rest(page)
            else:
                yield page

    @property
    def next_rested(self) -> float | None:
        """Unix seconds at which the next rest is over that the crawl waits for."""
        return -priority_in(self._resting[0]) / 1000.0 if self._resting and self.waits else None

    @property
    def is_waited_for(self) -> bool:
        """True if pages rest that the crawl waits for."""
        return self.waits and bool(self._resting)

    def reschedule(self) -> list[tuple[int, float]]:
        """Reschedule pages that are worth more by now. Returns the pages that are due sooner, with their due times."""
        moved = []
        for page in map(unpacked, self._resting):
            before, due = self.due.item(page), self._due(page, self.price) if self.rate.item(page) else math.inf
            if due < before - _SOONER * (before - self.fetched_at.item(page)):
                self.due[page] = due
                moved.append((page, due))
        if moved:
            self._resting = [packed(page, -_waking(self._wakes(page))) for page in map(unpacked, self._resting)]
            heapq.heapify(self._resting)
        return moved

    def note_changed(self, pages: Iterable[int]) -> dict[int, float]:
        """Record pages believed to have changed. Returns those that are due sooner, with their due times."""
        moved = {}
        for page in pages:
            self.changed.add(page)
            due = self._due(page, self.price) if self.rate.item(page) else math.inf
            if due < self.due.item(page):
                self.due[page] = moved[page] = due
        entries = {page: packed(page, -_waking(self._wakes(page))) for page in moved}
        self._resting = _replaced(self._resting, entries)
        return moved

    # Waiting.

    def add(self, host: Host) -> None:
        """Count a page of a host that was read for the first time."""
        self._pages_of[host.id] += 1

    def priority(self, page: int) -> int:
        """The priority of a page on its host."""
        return -_milliseconds(self.due.item(page))

    def priorities(self, pages: Pages) -> IntArray:
        return -np.round(self.due[pages] * 1000.0).astype(np.int64)

    def first(self, host: Host, queue: PageQueue) -> int | None:
        """The entry that ranks a host: its page that is due first at the host's price, rated at the common price."""
        for _ in range(_TRIES):
            entry = queue.peek()
            if entry is None:
                return None
            page = unpacked(entry)
            if priority_in(entry) == FIRST:
                return entry
            due = self._due(page, max(self.price, self.prices.get(host.id, 0.0))) if self.rate.item(page) else 0.0
            if _milliseconds(due) <= -priority_in(entry):
                break
            self.due[page] = due
            queue.fall(packed(page, self.priority(page)))
        entry = queue.peek()
        if entry is None:
            return None
        page = unpacked(entry)
        return packed(page, -_milliseconds(self._due(page, self.price))) if self.rate.item(page) else entry

    def best(self, lane: Lane, *, attempts: bool) -> tuple[int, Host] | None:
        """The page that is due first among the hosts on offer. Prices have moved since they were ordered."""
        best = lane.best(attempts=attempts)
        for _ in range(_TRIES):
            if best is None:
                return None
            entry, host = best
            lane.offer(host)
            best = lane.best(attempts=attempts)
            if best is None or best[0] == entry or -priority_in(best[0]) <= _milliseconds(self._now):
                break
        return best

    def hand_out(self, page: int, host: Host) -> None:
        """Move the prices by whether a page was due before its turn came; pages that changed do not count."""
        if not self.rate.item(page) or self.ruled.item(page) or page in self.changed:
            return
        pages, price = self._pages_of[host.id], self.prices.get(host.id, self.price)
        is_late = self._due(page, max(price, self.price)) <= host.not_before
        self.prices[host.id] = repriced(price, HOST_PRICE_GAIN / max(pages, 1), is_late)
        due = self._due(page, self.price)
        if self._is_patient:
            due = max(due, host.not_before) + _LATE * (due - self.fetched_at.item(page))
        self.price = repriced(self.price, PRICE_GAIN / max(self._pages_of.total(), 1), due <= self._now)
        if self._is_patient:
            self.price = max(self.price, self._first_price)

    @property
    def size(self) -> int:
        """Number of known pages, at least 1."""
        return max(self._ledger.size - self._ledger.mirrors + self.elsewhere.pages, 1)

    def worth(self, page: int) -> float:
        """Importance of a page relative to the mean; at least that of a page without in-links."""
        return _worth(self._ledger, self.elsewhere, page)

    def _settle(self, pages: Pages, now: float) -> None:
        """Raise the price until few of a sample of pages are late: after weeks of rest all are, in no order."""
        sample = pages[:: max(1, len(pages) // _SAMPLE)].tolist()
        some = [page for page in sample if self.rate.item(page) and not self.ruled.item(page)]
        while self.price < _MOST_PRICE and sum(self._due(page, self.price) <= now for page in some) > len(some) // _FEW:
            self.price *= 2.0

    def _due(self, page: int, price: float) -> float:
        ruled = self.ruled.item(page)
        if ruled:
            return self.fetched_at.item(page) + min(ruled, _NEVER)
        worth, rate = self.worth(page), self.rate.item(page)
        if page in self.changed:
            rate = CHANGED
        elif rate < 0.0:
            rate = self.first_rates.of(self._host_of.item(page))
        return self.fetched_at.item(page) + self._schedule.interval(price, worth, rate)

    def _wakes(self, page: int) -> float:
        """Unix seconds at which the rest of a page is over."""
        if self._is_patient or not self.rate.item(page) or self.ruled.item(page):
            return self.due.item(page)
        return min(self.fetched_at.item(page) + self._schedule.least, self.due.item(page))


def _replaced(resting: list[int], entries: dict[int, int]) -> list[int]:
    """A heap of resting pages, with some entries replaced."""
    if not entries:
        return resting
    resting = [entries.get(unpacked(entry), entry) for entry in resting]
    heapq.heapify(resting)
    return resting


def _worth(ledger: Ledger, elsewhere: LedgerSums, page: int) -> float:
    received, births, held, pages = (a + b for a, b in zip(ledger.sums(), elsewhere, strict=True))
    mean = (received + held) / max(pages, 1)
    if mean <= 0.0:
        return 1.0
    least = held / max(births, 1) * ledger.birth_of(page)
    linked = 0 if ledger.alias[page] else ledger.received.item(page)
    return float(max(max(linked, 0) + least, mean * 1e-6)) / mean


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000.0)


def _waking(seconds: float) -> int:
    """Milliseconds, rounded up."""
    return math.ceil(seconds * 1000.0)
