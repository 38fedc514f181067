"""Refresh of a store: due times and change rates of pages.

Pages are due at the price of the last commit, as in crawler/frontier/due_pages.py.
"""

from dataclasses import dataclass

from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.due_pages import worths
from minicrawl.crawler.frontier.schedules import (
    BELIEVED,
    CHANGED,
    ChangeRates,
    first_interval,
    schedule_of,
)
from minicrawl.crawler.parts.refresh import FAILED, MISSING
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store
from minicrawl.store.refreshes import RefreshRow


@dataclass(frozen=True)
class PageRefresh:
    """The refresh data of a page.

    rate: changes per second; is_learned: True if from its own fetches, else from other pages. fetches, changes: numbers
    of answers, and of changed ones. answers: the last eight, = unchanged, # changed, ? not found, ! failed. fetched_at,
    changed_at, due: Unix seconds; due is None unless the crawl itself refreshes. why_due: the reason for due: missing,
    failed, fixed (--recrawl-after), least (--refresh-min), most (90 days), worth (importance and rate), lastmod
    (importance; changed by its sitemap).
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


def page_refresh(store: Store, page: int, folder: tuple[int, str]) -> PageRefresh | None:
    """The refresh data of a page; None if it is not refreshed. folder: its host and its folder there, see
    `change_rates`."""
    row = store.refreshes.row(page)
    if row is None:
        return None
    settings = kept_settings(store)
    times = DueTimes(store, settings)
    rate = row.rate if row.information else times.rates.of(times.rates.group(*folder))
    due, why = times.due(row, rate) if settings.refreshes else (None, None)
    return PageRefresh(
        rate=rate,
        is_learned=row.fetches > 1,
        fetches=row.fetches,
        changes=row.changes,
        answers=row.answers,
        fetched_at=row.fetched_at,
        changed_at=row.changed_at,
        due=due,
        why_due=why,
    )


class DueTimes:
    """Due times of a store's pages. `rates`: assumed change rates of pages fetched once."""

    def __init__(self, store: Store, settings: CrawlSettings) -> None:
        self._store = store
        self._size = store.size()
        self._worths = worths(store)
        self._by = schedule_of(settings)
        self._price = float(store.meta("refresh_price") or first_interval(self._by.least))
        self.rates = ChangeRates(1.0 / first_interval(self._by.least))
        self.rates.load(store)
        self.changed = store.refreshes.changed(BELIEVED)

    def due(self, row: RefreshRow, rate: float) -> tuple[float | None, str]:
        """The due time of a page (Unix seconds) and its reason, see `PageRefresh.why_due`."""
        if row.answers.endswith((MISSING, FAILED)):
            return row.due, "missing" if row.answers.endswith(MISSING) else "failed"
        has_changed = row.page in self.changed
        seconds = self._by.interval(self._price, self._worths.item(row.page), CHANGED if has_changed else rate)
        reason = self._by.reason(seconds)
        return row.fetched_at + seconds, "lastmod" if has_changed and reason == "worth" else reason
