"""The lists of `minicrawl top`: the first pages of a ranking that can be opened, each once, filtered as the user asks.

Unread pages, failed pages and aliases are left out, and so are feeds, images, style sheets and the like, which are no
pages. A duplicate of an earlier line is counted there: exact duplicates, near-duplicates for printing or at another
host.
Near-duplicates in one folder have lines of their own: short pages of one template, but on different subjects.

In a crawl of many sites no site has more than three lines, unless more are asked for.

The rank of a page in a list is the number of its line, from 1 on without gaps. Pages are read only until the list is
full: duplicates behind the last line are not counted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.recognise.duplicates import SAME_PAGE, kind_of
from minicrawl.model import State
from minicrawl.settings import RANKINGS
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store
from minicrawl.store.sites import TrustedSite
from minicrawl.web.urls.keys import site_of


def best_wanted(store: Store, where: str, n: int) -> tuple[int, list[RankedPage]]:
    """Number of the pages for which an expression is true, and the n most important ones with their ranks among all.
    Raises SettingError, StoreError."""
    with store.snapshot():
        is_wanted = store.questions.where(where)
        order = np.argsort(-store.ranks.importance(), kind="stable")
        places = np.flatnonzero(is_wanted[order])
        best = places[:n]
        rows = store.ranks.rows(order[best].tolist())
    return len(places), [rows[int(order[place])]._replace(rank=place + 1) for place in best.tolist()]


Ranked = Iterator[tuple[int, RankedPage, float | None]]
"""Numbers and rows of pages, best first; with the value of each in a kept ranking, else None."""
Wanted = npt.NDArray[np.bool_] | None
"""True for each wanted page, by number, shape (size,); None: all."""


@dataclass(frozen=True)
class Order:
    """The ranking that orders pages, and its basis.

    by: one of RANKINGS, or the name of a kept ranking. read, known, waiting: pages now.
    """

    by: str
    read: int
    known: int
    waiting: int


def best_first(store: Store, by: str = RANKINGS[0]) -> tuple[Order, Ranked]:
    """Every page by falling `by`, as many as are taken: one of RANKINGS, or the name of a kept ranking. `rank` is the
    place of a page in that order."""
    totals = store.page_table.totals()
    placed: Ranked = store.ranks.best_first(by)
    if by != RANKINGS[0]:
        placed = ((page, row._replace(rank=place), value) for place, (page, row, value) in enumerate(placed, start=1))
    return Order(by, totals.read, totals.known, totals.waiting), placed


def only(ranked: Ranked, is_wanted: Wanted) -> Ranked:
    """Filter ranked pages by `is_wanted`."""
    return ranked if is_wanted is None else ((page, row, value) for page, row, value in ranked if is_wanted[page])


_PER_SITE = 3
_MANY_SITES = 10
"""Number of answering sites from which a crawl counts as one of many sites."""
_LOOKED_AT = 1_000
"""Pages to read for the display of a running crawl."""
_LOOKED_AT_FOR_SITES = 100_000
"""Pages to read at most for the best pages of sites."""
_NO_PAGE = re.compile(
    r"image/|font/|text/(css|xml)|.*/(x-)?(java|ecma)script|application/(((rss|atom|rdf)\+)?xml|font)"
)
"""Media types of files that programs read, but for documents."""


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

    unread: number of pages left out between them, by state; of_full_sites: left out by the limit of lines per site;
    files: left out because they are not pages.

    order: None for a given sequence of pages.
    """

    lines: list[Line]
    unread: dict[str, int]
    order: Order | None = None
    of_full_sites: int = 0
    files: int = 0

    @property
    def alike(self) -> int:
        """Number of duplicates counted in lines."""
        return sum(len(line.alike) for line in self.lines)


_ANSWERING = """
    SELECT name FROM hosts WHERE seconds > 0
    UNION ALL SELECT substr(origin, instr(origin, '//') + 2) FROM robots WHERE status IS NOT NULL"""


def answering_sites(store: Store) -> frozenset[str]:
    """Sites that have answered, up to as many as make a crawl one of many sites."""
    sites = set[str]()
    for (name,) in store.each(_ANSWERING):
        sites.add(site_of(name))
        if len(sites) == _MANY_SITES:
            break
    return frozenset(sites)


def lines_of_sites(sites: frozenset[str]) -> int | None:
    """Most lines of a site in a list; None: unlimited, because few sites have answered."""
    return _PER_SITE if len(sites) >= _MANY_SITES else None


def lines_per_site(store: Store) -> int | None:
    """Most lines of a site in a list of the pages of a store; None: unlimited."""
    return lines_of_sites(answering_sites(store))


def asked_list(store: Store, by: str, n: int, where: str | None = None, per_site: int | None = None) -> TopList:
    """The list that a user asks for. It has pages in any state if it is by cash or an expression chooses them, and
    otherwise only pages that can be opened. per_site: at most so many lines of a site; 0: no limit; None: it depends on
    the number of sites. Raises SettingError, StoreError."""
    if by == "cash" or where is not None:
        return whole_list(store, by, n, None if where is None else store.questions.where(where))
    chosen = lines_per_site(store) if per_site is None else per_site
    return top_list(store, by, n, per_site=chosen or None)


def top_list(store: Store, by: str, n: int, is_wanted: Wanted = None, *, per_site: int | None = None) -> TopList:
    """The n best pages that can be opened, each once. by: see `best_first`; is_wanted: by number; None: all.
    per_site: most lines of a site."""
    with store.snapshot():
        order, ranked = best_first(store, by)
        return replace(list_of(store, only(ranked, is_wanted), n, per_site), order=order)


class BestOfSite(NamedTuple):
    """A site, and the most important of its pages that can be opened."""

    site: TrustedSite
    url: str


def best_of_sites(store: Store, n: int) -> list[BestOfSite]:
    """The n most trusted sites of a crawl of many; none of few sites, or where walkers jump to all pages alike."""
    with store.snapshot():
        if lines_per_site(store) is None:
            return []
        trusted = sorted((site for site in store.site_table.trusted() if site.trust), key=lambda site: -site.trust)
        best, missing = dict[str, str](), {site.name for site in trusted[:n]}
        for number, page, _ in islice(best_first(store)[1], _LOOKED_AT_FOR_SITES):
            if page.state == State.FETCHED and not _is_no_page(store, number, page.reason):
                name = site_of(page.url)
                best.setdefault(name, page.url)
                missing.discard(name)
                if not missing:
                    break
    found = (BestOfSite(site, best[site.name]) for site in trusted if site.name in best)
    return list(islice(found, n))


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
        shown, of_group = list[Line](), dict[tuple[str, int], Line]()
        unread, lines, of_full_sites, files = Counter[str](), Counter[str](), 0, 0
        for number, page, value in ranked:
            if page.state != State.FETCHED:
                unread[page.state] += 1
            elif _is_no_page(store, number, page.reason):
                files += 1
            elif (line := of_group.get(group := _group(store, number, page.url))) is not None:
                line.alike.append(page)
            elif len(shown) == n:
                break
            elif per_site is not None and lines[site := site_of(page.url)] == per_site:
                of_full_sites += 1
            else:
                shown.append(Line(page._replace(rank=len(shown) + 1), number, value))
                of_group[group] = shown[-1]
                if per_site is not None:
                    lines[site] += 1
        return TopList(shown, dict(unread), of_full_sites=of_full_sites, files=files)


def whole_list(store: Store, by: str, n: int, is_wanted: Wanted = None) -> TopList:
    """The n best pages, of any state."""
    with store.snapshot():
        order, ranked = best_first(store, by)
        first = enumerate(islice(only(ranked, is_wanted), n), start=1)
        return TopList([Line(page._replace(rank=at), number, value) for at, (number, page, value) in first], {}, order)


def _is_no_page(store: Store, number: int, reason: str) -> bool:
    if reason != "not-html":  # as mostly
        return reason == "list-of-urls"
    answer = store.page_table.turn(number).fetch
    return answer is not None and _NO_PAGE.match((answer.content_type or "").lower()) is not None


def _group(store: Store, number: int, url: str) -> tuple[str, int]:
    """What the pages of one line share: the first page that they are duplicates of, or what they show."""
    row = store.recognised.fingerprint(number)
    if row is None or row.leader is None:
        return "leader", number
    if row.distance is not None and kind_of(url, store.page_table.url(row.leader)) not in SAME_PAGE:
        return "payload", row.payload
    return "leader", row.leader
