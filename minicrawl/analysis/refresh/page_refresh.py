"""What is known of a page that is fetched again: what `minicrawl why` says of it."""

from dataclasses import dataclass

from minicrawl.analysis.refresh.due_times import DueTimes
from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.store.reader import Store


@dataclass(frozen=True)
class PageRefresh:
    """What is known of a page that is fetched again.

    rate: changes per second; is_learned: of its own fetches, else as of other pages. fetches, changes: answers, and how
    many of them had changed. answers: the last eight, = as before, # changed, ? not found, ! failed. fetched_at,
    changed_at, due: Unix seconds; due is None unless the crawl itself fetches again what is due. why_due: what due
    follows from: rule (--refresh-rule; `rule` is it, and due None for never), missing, failed, fixed (--recrawl-after),
    least (--refresh-min), most (--refresh-max), worth (importance and rate), lastmod
    (importance; by its sitemap it has changed). etag, last_modified: its validators.
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
    """What is known of a page on a host; None if it is not fetched again."""
    row = store.refreshes.row(page)
    if row is None:
        return None
    settings = kept_settings(store)
    times = DueTimes(store, settings)
    due, why = times.due(row, url, host, importance) if settings.refreshes else (None, None)
    rule = times.rule(url)
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
        etag=row.etag,
        last_modified=row.last_modified,
    )
