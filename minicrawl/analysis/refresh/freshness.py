"""How fresh the pages of a crawl are: what `minicrawl status` says of it.

    freshness expected now = sum X e^(-rate age) / sum X        of the pages that were read

X is the importance of a page, age the seconds since its last fetch, rate its changes per second: as learned, else as
the crawl takes it for pages that were fetched once.
"""

import math
from dataclasses import dataclass

from minicrawl.analysis.refresh.due_times import DueTimes
from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.most_worth import read_pages
from minicrawl.store.reader import Store


@dataclass(frozen=True)
class Freshness:
    """How fresh the pages are that were read, of a crawl that fetches pages again.

    expected: share of their importance that is as it was when they were fetched, as far as can be told; None where none
    was read. refreshed: share of the last run's answers that were for pages fetched before; None before the first.
    overdue: pages that are due by now; None unless the crawl itself fetches again what is due.
    """

    expected: float | None
    refreshed: float | None
    overdue: int | None


def freshness(store: Store, now: float) -> Freshness | None:
    """As of one commit; None where no page is fetched again. now: Unix seconds."""
    settings = kept_settings(store)
    if not settings.refreshes and store.refreshes.is_empty():
        return None
    pages, run = read_pages(store, now, due_by=math.inf), store.meta_json("run")
    total = float(pages.importance.sum())
    expected = 1.0 - float(pages.importance @ pages.stale) / total if total else None
    refreshed = run["refreshed"] / run["fetched"] if run.get("fetched") and "refreshed" in run else None
    overdue = DueTimes(store, settings).overdue(now) if settings.refreshes else None
    return Freshness(expected, refreshed, overdue)
