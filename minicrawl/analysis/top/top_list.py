"""The first pages of a ranking that can be opened, each once.

Unread pages, failed pages and aliases are left out. A duplicate of an earlier line is counted there: exact duplicates,
near-duplicates for printing or at another host.
Near-duplicates in one folder have lines of their own: short pages of one template, but on different subjects.

In a crawl of many sites no site has more than three lines, unless more are asked for.

The rank of a page in a list is the number of its line, from 1 on without gaps. Pages are read only until the list is
full: duplicates behind the last line are not counted.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

from minicrawl.analysis.top.order import Order, Wanted, best_first, only
from minicrawl.crawler.recognise.duplicates import kind_of
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import State
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store

_PER_SITE = 3
_MANY_SITES = 10
"""Number of answering sites from which a crawl counts as one of many sites."""
_LOOKED_AT = 1_000
"""Pages to read for the display of a running crawl."""
_SAME_PAGE = {"print", "mirror"}
"""Kinds of near-duplicates that are the same page to a reader."""


@dataclass(frozen=True)
class Line:
    """A page of a list, its number, its value in a kept ranking, and its duplicates further down."""

    page: RankedPage
    number: int
    value: float | None = None
    alike: list[RankedPage] = field(default_factory=list)


@dataclass(frozen=True)
class TopList:
    """The first pages of a ranking.

    unread: number of pages left out between them, by state; of_full_sites: left out by the limit of lines per site.

    order: None for a given sequence of pages.
    """

    lines: list[Line]
    unread: dict[str, int]
    order: Order | None = None
    of_full_sites: int = 0

    @property
    def alike(self) -> int:
        """Number of duplicates counted in lines."""
        return sum(len(line.alike) for line in self.lines)


def lines_per_site(store: Store) -> int | None:
    """Most lines of a site in a list; None: unlimited, as the crawl is of few sites."""
    sites = set()
    for name in store.hosts.answering():
        sites.add(site_of(name))
        if len(sites) == _MANY_SITES:
            return _PER_SITE
    return None


def top_list(
    store: Store,
    by: str,
    n: int,
    is_wanted: Wanted = None,
    *,
    per_site: int | None = None,
) -> TopList:
    """The n best pages that can be opened, each once. by: see `best_first`; is_wanted: by number; None: all.
    per_site: most lines of a site."""
    with store.snapshot():
        order, ranked = best_first(store, by)
        return replace(list_of(store, only(ranked, is_wanted), n, per_site), order=order)


def first_lines(store: Store, n: int) -> list[Line]:
    """The first lines of the list for the display of a running crawl: only _LOOKED_AT pages are read."""
    with store.snapshot():
        _, ranked = best_first(store)
        return list_of(store, islice(ranked, _LOOKED_AT), n, lines_per_site(store)).lines


def list_of(
    store: Store, ranked: Iterable[tuple[int, RankedPage, float | None]], n: int, per_site: int | None = None
) -> TopList:
    """The list for a given ranking: number, row and value of its pages, best first."""
    with store.snapshot():
        shown, of_leader = list[Line](), dict[int, Line]()
        unread, lines, of_full_sites = Counter[str](), Counter[str](), 0
        for number, page, value in ranked:
            if page.state != State.FETCHED:
                unread[page.state] += 1
            elif (line := of_leader.get(leader := _leader(store, number, page.url))) is not None:
                line.alike.append(page)
            elif len(shown) == n:
                break
            elif per_site is not None and lines[site := site_of(page.url)] == per_site:
                of_full_sites += 1
            else:
                shown.append(Line(page._replace(rank=len(shown) + 1), number, value))
                of_leader[leader] = shown[-1]
                if per_site is not None:
                    lines[site] += 1
        return TopList(shown, dict(unread), of_full_sites=of_full_sites)


def whole_list(store: Store, by: str, n: int, is_wanted: Wanted = None) -> TopList:
    """The n best pages, of any state."""
    with store.snapshot():
        order, ranked = best_first(store, by)
        first = enumerate(islice(only(ranked, is_wanted), n), start=1)
        return TopList([Line(page._replace(rank=at), number, value) for at, (number, page, value) in first], {}, order)


def _leader(store: Store, number: int, url: str) -> int:
    """The first page that this one is a duplicate of; itself if none."""
    row = store.recognised.fingerprint(number)
    if row is None or row.leader is None:
        return number
    if row.distance is not None and kind_of(url, store.page_table.url(row.leader)) not in _SAME_PAGE:
        return number
    return row.leader
