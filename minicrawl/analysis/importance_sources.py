"""Contributions of jumps and links to a page's importance, in a store whose walkers jump to sites.

R_j, B_j   units received by page j, and its birth cash (opic/book.py)

    importance of j = X_j / sum(X) = R_j / sum(X)  by links  +  V' B_j / sum(B) / sum(X)  by jumps
"""

from dataclasses import dataclass

from minicrawl.crawler.books.stored_births import jumps_to_sites
from minicrawl.model import State
from minicrawl.store.read.site_table import TrustedSite
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage


@dataclass(frozen=True)
class PageJump:
    """Reasons for jumps to a page, and their share of its importance.

    site: of the page; None before trust was computed. linked_by: number of other sites that link to the page;
    linked_first: the most trusted of these. by_jumps, by_links: their sum is its importance.
    """

    site: TrustedSite | None
    linked_by: int
    linked_first: str | None
    by_jumps: float
    by_links: float


def page_jump(store: Store, page: int, ranked: RankedPage) -> PageJump | None:
    """The `PageJump` of a page; None where walkers jump to all pages uniformly."""
    if not jumps_to_sites(store):
        return None
    facts, table = store.page_table.facts(page), store.site_table
    site, linking = table.trusted(facts["host"].id), table.linking(page)
    received = 0 if ranked.state in (State.ALIAS, State.ELSEWHERE) else facts["cash"] + facts["forwarded"]
    by_links = received / max(float(store.meta("total") or 0.0), 1.0)
    by_jumps = 0.0 if ranked.state in (State.ALIAS, State.ELSEWHERE, State.GONE) else ranked.importance - by_links
    return PageJump(
        site=site[0] if site else None,
        linked_by=len(linking),
        linked_first=linking[0] if linking else None,
        by_jumps=by_jumps,
        by_links=by_links,
    )
