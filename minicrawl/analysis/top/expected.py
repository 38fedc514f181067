"""Order of pages by expected importance: their importance when all known pages have been read.

While pages wait to be read, they are ordered by the expected importance that the crawl has kept; if it kept none, or
has read a tenth more since, it is computed here. When no page waits, or where walkers jump to sites, they are ordered
by importance.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.stored_births import jumps_to_sites
from minicrawl.crawler.known.expectation import FINE, ROUGH, expectation_of
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import READ, State
from minicrawl.settings import EXPECTED, RANKINGS
from minicrawl.store.reader import Store
from minicrawl.store.rows import ExpectedOf, RankedPage

Ranked = Iterator[tuple[int, RankedPage, float | None]]
"""Numbers and rows of pages, best first; with the value of each in a kept ranking, else None."""
Wanted = npt.NDArray[np.bool_] | None
"""True for each wanted page, by number, shape (size,); None: all."""
_NEVER = ExpectedOf(0, 0, 0, 0.0, None)


@dataclass(frozen=True, eq=False)
class ExpectedPages:
    """Expected importance by number of page, NaN for pages found since; of: its basis."""

    shares: npt.NDArray[np.float64]
    of: ExpectedOf


@dataclass(frozen=True)
class ExpectedFrom:
    """An owner whose unread pages are expected to link to a page, with numbers of unread and visited pages."""

    owner: str
    unread: int
    visited: int


@dataclass(frozen=True)
class ExpectedParts:
    """The expected importance of a page, by source.

    found: from links found, and from jumps. expected: from links that unread pages are expected to have. sites: owners
    of these, the likely largest sender first, by the links to the page that were looked at. read, known: numbers of
    pages at its computation.
    """

    found: float
    expected: float
    sites: tuple[ExpectedFrom, ...]
    read: int
    known: int


@dataclass(frozen=True)
class Order:
    """The ranking that orders pages, and its basis.

    by: one of RANKINGS, EXPECTED, or the name of a kept ranking. read, known: pages now. has_unread: True if pages wait
    to be read. of: basis of expected importance; None for another order.
    """

    by: str
    read: int
    known: int
    has_unread: bool
    of: ExpectedOf | None = None


def best_first(store: Store, by: str | None, *, is_rough: bool = False) -> tuple[Order, Ranked]:
    """Every page by falling `by`, as many as are taken: one of RANKINGS, EXPECTED, the name of a kept ranking, or None
    for expected importance while pages wait, else importance. `rank` is the place of a page in that order.

    is_rough: see `expected_pages`.
    """
    counts = store.page_table.counts()
    read = sum(count for (state, _), count in counts.items() if state in READ)
    has_unread = any(state == State.WAITING for state, _ in counts)
    by = by or (EXPECTED if has_unread and read else RANKINGS[0])
    found = expected_pages(store, read, is_rough=is_rough) if by == EXPECTED else None
    if by == EXPECTED and found is None:
        by = RANKINGS[0]
    order = Order(by, read, sum(counts.values()), has_unread, None if found is None else found.of)
    if found is None:
        return order, _placed(store.ranks.best_first(by))
    return order, ((page, row, None) for page, row in store.ranks.by_values(found.shares))


def _placed(ranked: Ranked) -> Ranked:
    """Ranked pages with their places in this order as ranks."""
    for place, (page, row, value) in enumerate(ranked, start=1):
        yield page, row._replace(rank=place), value


def only(ranked: Ranked, is_wanted: Wanted) -> Ranked:
    """Filter ranked pages by `is_wanted`."""
    return ranked if is_wanted is None else ((page, row, value) for page, row, value in ranked if is_wanted[page])


def parts_of(store: Store, page: int, share: float | None, sources: Iterable[str]) -> ExpectedParts | None:
    """Sources of the expected importance `share` of a page; None if it was not computed.

    sources: URLs of pages that link to it. For each of these, its owner's unread pages are assumed to send as much as
    per mean visited page of that owner.
    """
    rests_on, expected = store.expected.of(), store.expected.unread_part(page)
    if share is None or expected is None or rests_on is None:
        return None
    linking = Counter(site_of(url) for url in sources)
    sites = store.expected.sites(linking) if expected else []
    sites.sort(key=lambda site: -linking[site.owner] * site.sends / max(site.visited, 1))
    found_from = tuple(ExpectedFrom(site.owner, site.unvisited, site.visited) for site in sites)
    return ExpectedParts(share - expected, expected, found_from, rests_on.read, rests_on.known)


def expected_pages(store: Store, read: int, *, is_rough: bool = False) -> ExpectedPages | None:
    """Expected importance as kept, or computed anew if `read` is a tenth more than the pages it was based on.

    is_rough: compute it as roughly as a running crawl does, without the pages that will stay: half the time, for
    repeated calls. None if none was kept and there are too many pages to compute it, and where walkers jump to sites.
    """
    if jumps_to_sites(store):
        return None
    kept = store.expected.of() or _NEVER
    is_fresh = kept.read > 0 and 10 * read <= 11 * kept.read
    if is_fresh or store.size() > store.sizes.pages:
        return ExpectedPages(store.expected.shares(), kept) if kept.read else None
    found = expectation_of(store, ROUGH if is_rough else FINE, with_stays=not is_rough)
    return ExpectedPages(found.shares, found.of)
