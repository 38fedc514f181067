"""When pages are due at the price of the last commit, as the lane has it (crawler/frontier/due_pages.py)."""

import numpy as np

from minicrawl.crawler.frontier.schedules import (
    BELIEVED,
    CHANGED,
    NEVER,
    FirstRates,
    RefreshRule,
    first_interval,
    rules_of,
    schedule_of,
)
from minicrawl.crawler.parts.refresh import FAILED, MISSING
from minicrawl.opic.arrays import FloatArray
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store
from minicrawl.store.rows import RefreshRow

_LEAST_IMPORTANCE = 1e-6
"""In terms of the mean."""


class DueTimes:
    """Of the pages of a store. `first`: how often pages are taken to change that were fetched once."""

    def __init__(self, store: Store, settings: CrawlSettings) -> None:
        self._store = store
        self._size = store.size()
        self._least = max(store.ranks.least_importance(), _LEAST_IMPORTANCE / max(self._size, 1))
        self._by, self._rules = schedule_of(settings), rules_of(settings)
        self._price = float(store.meta("refresh_price") or first_interval(self._by.least))
        self.first = FirstRates(self._by.least)
        self.first.load(store)
        self.changed = store.refreshes.changed(BELIEVED)

    def rule(self, url: str) -> RefreshRule | None:
        """The user's rule for a URL."""
        return self._rules.of(url)

    def due(self, row: RefreshRow, url: str, host: int, importance: float) -> tuple[float | None, str]:
        """When a page is due (Unix seconds), None if never; and what that follows from."""
        if row.answers.endswith((MISSING, FAILED)):
            return row.due, "missing" if row.answers.endswith(MISSING) else "failed"
        rule = self.rule(url)
        if rule is not None:
            return (None if rule.seconds == NEVER else row.fetched_at + rule.seconds), "rule"
        has_changed = row.page in self.changed
        rate = row.rate if row.information else self.first.of(host)
        seconds = self._interval(importance, CHANGED if has_changed else rate)
        reason = self._by.reason(seconds)
        return row.fetched_at + seconds, "lastmod" if has_changed and reason == "worth" else reason

    def overdue(self, now: float) -> int:
        """How many pages are due by now."""
        pages, importance = self._store.refreshes.schedule(), self._store.ranks.importance()
        ruled = self._ruled()[pages.page] if len(pages.page) else np.zeros(0)
        follows, waited = pages.rate != 0.0, now - pages.fetched_at
        overdue = int((~follows & (pages.due <= now)).sum()) + int((follows & (ruled > 0.0) & (ruled <= waited)).sum())
        for index in np.flatnonzero(follows & (ruled == 0.0) & (waited >= self._by.least)).tolist():
            rate = pages.rate.item(index)
            if pages.page.item(index) in self.changed:
                rate = CHANGED
            elif rate < 0.0:
                rate = self.first.of(pages.host.item(index))
            overdue += self._interval(importance.item(pages.page.item(index)), rate) <= waited.item(index)
        return overdue

    def _ruled(self) -> FloatArray:
        """Seconds after which pages are fetched again by a rule, 0 where there is none; of all pages by number."""
        ruled = np.zeros(self._size)
        if self._rules.rules:
            for page, url in enumerate(self._store.page_table.urls()):
                rule = self._rules.of(url)
                ruled[page] = 0.0 if rule is None else rule.seconds
        return ruled

    def _interval(self, importance: float, rate: float) -> float:
        worth = max(importance, self._least) * self._size  # an alias is worth what a page without links to it is
        return self._by.interval(self._price, worth, rate)
