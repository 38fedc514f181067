"""Refresh of a store: its freshness, and the due times and change rates of pages.

Pages are due at the price of the last commit, as in crawler/frontier/due_pages.py.
"""

import math
from dataclasses import dataclass

import numpy as np

from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.most_worth import read_pages
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
from minicrawl.crawler.http.validators import unpacked
from minicrawl.crawler.parts.refresh import FAILED, MISSING
from minicrawl.opic.arrays import FloatArray
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store
from minicrawl.store.rows import RefreshRow


@dataclass(frozen=True)
class PageRefresh:
    """The refresh data of a page.

    rate: changes per second; is_learned: True if from its own fetches, else from other pages. fetches, changes: numbers
    of answers, and of changed ones. answers: the last eight, = unchanged, # changed, ? not found, ! failed. fetched_at,
    changed_at, due: Unix seconds; due is None unless the crawl itself refreshes. why_due: the reason for due: rule
    (--refresh-rule; `rule` is it, and due None for never), missing, failed, fixed (--recrawl-after), least
    (--refresh-min), most (--refresh-max), worth (importance and rate), lastmod (importance; changed by its sitemap).
    etag, last_modified: its validators.
    """

    rate: float
    is_learned: bool
    fetches: int
    changes: int
    answers: str
    fetched_at: float
    changed_at: float | None
    due: float | None
    why_due: str | None
    rule: str | None
    etag: str | None
    last_modified: str | None


def page_refresh(store: Store, page: int, url: str, host: int, importance: float) -> PageRefresh | None:
    """The refresh data of a page on a host; None if it is not refreshed."""
    row = store.refreshes.row(page)
    if row is None:
        return None
    settings = kept_settings(store)
    times = DueTimes(store, settings)
    due, why = times.due(row, url, host, importance) if settings.refreshes else (None, None)
    rule, last = times.rule(url), store.page_table.last_answer(page)
    validators = unpacked(last.validators if last is not None else None)
    return PageRefresh(
        rate=row.rate if row.information else times.first.of(host),
        is_learned=row.information > 0.0,
        fetches=row.fetches,
        changes=row.changes,
        answers=row.answers,
        fetched_at=row.fetched_at,
        changed_at=row.changed_at,
        due=due,
        why_due=why,
        rule=rule.text if rule is not None and why == "rule" else None,
        etag=validators.etag,
        last_modified=validators.last_modified,
    )


@dataclass(frozen=True)
class Freshness:
    """Freshness of the pages read by a refreshing crawl.

    expected: expected share of their importance on unchanged pages; None if none was read. refreshed: share of the last
    run's answers that were for pages fetched before; None before the first. overdue: number of pages due by now; None
    unless the crawl itself refreshes.
    """

    expected: float | None
    refreshed: float | None
    overdue: int | None


def freshness(store: Store, now: float) -> Freshness | None:
    """Freshness as of one commit; None where no page is refreshed. now: Unix seconds."""
    settings = kept_settings(store)
    if not settings.refreshes and store.refreshes.is_empty():
        return None
    pages, run = read_pages(store, now, due_by=math.inf), store.meta_json("run")
    total = float(pages.importance.sum())
    expected = 1.0 - float(pages.importance @ pages.stale) / total if total else None
    refreshed = run["refreshed"] / run["fetched"] if run.get("fetched") and "refreshed" in run else None
    overdue = DueTimes(store, settings).overdue(now) if settings.refreshes else None
    return Freshness(expected, refreshed, overdue)


_LEAST_IMPORTANCE = 1e-6
"""Least importance of a page in due times, in multiples of the mean."""


class DueTimes:
    """Due times of a store's pages. `first`: assumed change rates of pages fetched once."""

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
        """The due time of a page (Unix seconds; None: never) and its reason, see `PageRefresh.why_due`."""
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
        """Number of pages due by now."""
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
        """Refresh intervals by rules in seconds, 0 without a rule; by number of page, shape (size,)."""
        ruled = np.zeros(self._size)
        if self._rules.rules:
            for page, url in enumerate(self._store.page_table.urls()):
                rule = self._rules.of(url)
                ruled[page] = 0.0 if rule is None else rule.seconds
        return ruled

    def _interval(self, importance: float, rate: float) -> float:
        worth = max(importance, self._least) * self._size  # an alias counts as a page without in-links
        return self._by.interval(self._price, worth, rate)
