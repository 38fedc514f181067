"""Contributions of jumps and links to a page's importance, in a store whose walkers jump to sites.

R_j, B_j   units received by page j, and its birth cash (opic/book.py)

    importance of j = X_j / sum(X) = R_j / sum(X)  by links  +  V' B_j / sum(B) / sum(X)  by jumps
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.crawler.books.stored import jumps_to_sites
from minicrawl.model import State
from minicrawl.opic import Book
from minicrawl.opic.book import add_sent
from minicrawl.opic.surfer import REASONABLE
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store
from minicrawl.store.sites import TrustedSite


@dataclass(frozen=True)
class PageJump:
    """Reasons for jumps to a page, and their share of its importance.

    site: of the page; None before trust was computed. linked_by: number of other sites that link to the page;
    linked_first: the most trusted of these. by_jumps, by_links: their sum is its importance. most_by: the largest
    sender among some pages that link to it, with `most_share` of the units that links have sent; None where none has.
    """

    site: TrustedSite | None
    linked_by: int
    linked_first: str | None
    by_jumps: float
    by_links: float
    most_by: str | None
    most_share: float


def page_jump(store: Store, page: int, ranked: RankedPage, sources: Sequence[int]) -> PageJump | None:
    """The `PageJump` of a page; None where walkers jump to all pages uniformly. sources: pages that link to it."""
    if not jumps_to_sites(store):
        return None
    facts, table = store.page_table.facts(page), store.site_table
    site, linking = table.trusted(facts["host"].id), table.linking(page)
    received = 0 if ranked.state in (State.ALIAS, State.ELSEWHERE) else facts["cash"] + facts["forwarded"]
    by_links = received / max(float(store.meta("total") or 0.0), 1.0)
    by_jumps = 0.0 if ranked.state in (State.ALIAS, State.ELSEWHERE, State.GONE) else ranked.importance - by_links
    most_units, most_by = 0, None
    if received and sources:
        sent = units_sent(store, page, sorted(sources))
        most = max(sent, key=sent.__getitem__)
        most_units, most_by = sent[most], store.page_table.url(most)
    return PageJump(
        site=site[0] if site else None,
        linked_by=len(linking),
        linked_first=linking[0] if linking else None,
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
    forwarded, is_alias = store.page_table.senders(links.sources.tolist())
    is_gone = np.zeros(len(forwarded), dtype=np.bool_)
    book = Book.of(forwarded.copy(), forwarded, is_gone, is_alias, 0, surfer=REASONABLE)
    units = np.zeros(len(links.targets), dtype=np.int64)
    add_sent(units, book, np.arange(len(forwarded)), links.indptr, np.arange(len(units)), links.places)
    of_link = np.repeat(links.sources, np.diff(links.indptr))
    to_page = np.isin(links.targets, ends)
    sent = dict.fromkeys(sources, 0)
    for source, some in zip(of_link[to_page].tolist(), units[to_page].tolist(), strict=True):
        sent[source] += some
    return sent
