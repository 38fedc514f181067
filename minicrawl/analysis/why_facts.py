"""A page's refresh, and the contributions of jumps and links to its importance where walkers jump to sites (`why`).

Pages are due at the price of the last commit, as in crawler/frontier/due_pages.py.

R_j, B_j   units received by page j, and its birth cash (opic/book.py)

    importance of j = X_j / sum(X) = R_j / sum(X)  by links  +  V' B_j / sum(B) / sum(X)  by jumps
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.crawler.books.stored import jumps_to_sites
from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.due_pages import worths
from minicrawl.crawler.frontier.schedules import BELIEVED, CHANGED, ByWorth, ChangeRates, first_interval, schedule_of
from minicrawl.crawler.steps.refresh import FAILED, MISSING
from minicrawl.opic import Book
from minicrawl.opic.book import add_sent
from minicrawl.opic.sites import SiteBirths
from minicrawl.opic.surfer import REASONABLE
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store
from minicrawl.store.refreshes import RefreshRow
from minicrawl.store.sites import TrustedSite


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
    `ChangeRates`."""
    row = store.refreshes.row(page)
    if row is None:
        return None
    settings = kept_settings(store)
    by = schedule_of(settings)
    rates = ChangeRates(1.0 / first_interval(by.least))
    rates.load(store)
    rate = row.rate if row.information else rates.of(rates.group(*folder))
    due, why = _due(store, by, row, rate) if settings.refreshes else (None, None)
    facts = {name: getattr(row, name) for name in ("fetches", "changes", "answers", "fetched_at", "changed_at")}
    return PageRefresh(rate, is_learned=row.fetches > 1, due=due, why_due=why, **facts)


def _due(store: Store, by: ByWorth, row: RefreshRow, rate: float) -> tuple[float | None, str]:
    """The due time of a page (Unix seconds) and its reason, see `PageRefresh.why_due`."""
    if row.answers.endswith((MISSING, FAILED)):
        return row.due, "missing" if row.answers.endswith(MISSING) else "failed"
    has_changed = row.page in store.refreshes.changed(BELIEVED)
    price = float(store.meta("refresh_price") or first_interval(by.least))
    seconds = by.interval(price, worths(store).item(row.page), CHANGED if has_changed else rate)
    reason = by.reason(seconds)
    return row.fetched_at + seconds, "lastmod" if has_changed and reason == "worth" else reason


@dataclass(frozen=True)
class PageJump:
    """Reasons for jumps to a page, and their share of its importance.

    site: of the page; None before trust was computed. linked_by: number of other sites that link to the page;
    linked_first: the most trusted of these; voices: how far they count, each at most 1. by_jumps, by_links: their sum
    is its importance. most_by: the largest sender among some pages that link to it, with `most_share` of the units that
    links have sent; None if none has.
    """

    site: TrustedSite | None
    linked_by: int
    linked_first: str | None
    voices: float
    by_jumps: float
    by_links: float
    most_by: str | None
    most_share: float


def page_jump(store: Store, page: int, ranked: RankedPage, sources: Sequence[int]) -> PageJump | None:
    """The `PageJump` of a page; None if walkers jump to all pages uniformly. sources: pages that link to it."""
    if not jumps_to_sites(store):
        return None
    facts = store.page_table.facts(page)
    site = store.site_table.trusted(facts["host"].id)
    others = "SELECT name FROM voices JOIN sites ON sites.id = site WHERE page = ? ORDER BY trust DESC, site"
    linking = [name for (name,) in store.rows(others, [page])]
    is_worth = ranked.importance > 0.0  # no alias, and no page that does not exist
    received = facts["cash"] + facts["forwarded"] if is_worth else 0
    by_links = received / max(float(store.meta("total") or 0.0), 1.0)
    by_jumps = ranked.importance - by_links if is_worth else 0.0
    most_units, most_by = 0, None
    if received and sources:
        sent = units_sent(store, page, sorted(sources))
        most = max(sent, key=sent.__getitem__)
        most_units, most_by = sent[most], store.page_table.url(most)
    return PageJump(
        site=site[0] if site else None,
        linked_by=len(linking),
        linked_first=linking[0] if linking else None,
        voices=store.value("SELECT voices / 256.0 FROM doors WHERE page = ?", page) or 0.0,
        by_jumps=by_jumps,
        by_links=by_links,
        most_by=most_by if most_units else None,
        most_share=most_units / received if received else 0.0,
    )


def units_sent(store: Store, page: int, sources: Sequence[int]) -> dict[int, int]:
    """Units that each of these pages, which link to `page` or to an alias of it, has sent it. sources: rising.

    R_j - B_j is the sum over all that link to it (Lemma 2.3), to the unit, and what its aliases were born with.
    """
    ends = [page, *store.link_table.aliases_of(page)]
    links = store.link_table.graph_of(sources)
    query = "SELECT forwarded, state = 'alias' FROM json_each(?) CROSS JOIN pages ON pages.id = value"
    senders = np.array(store.rows(query, [json.dumps(links.sources.tolist())]), dtype=np.int64).reshape(-1, 2)
    forwarded, is_alias = senders[:, 0], senders[:, 1] != 0
    is_gone = np.zeros(len(forwarded), dtype=np.bool_)
    rule = SiteBirths()
    rule.grow(len(forwarded))
    book = Book.of(forwarded.copy(), forwarded, is_gone, is_alias, 0, surfer=REASONABLE, rule=rule)
    units = np.zeros(len(links.targets), dtype=np.int64)
    add_sent(units, book, np.arange(len(forwarded)), links.indptr, np.arange(len(units)), links.places)
    of_link = np.repeat(links.sources, np.diff(links.indptr))
    to_page = np.isin(links.targets, ends)
    sent = dict.fromkeys(sources, 0)
    for source, some in zip(of_link[to_page].tolist(), units[to_page].tolist(), strict=True):
        sent[source] += some
    return sent
