"""The sites or hosts of a store: importance, trust and grades, and those that mirror others (`rank/mirrors.py`)."""

from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

import numpy as np

from minicrawl.analysis.link_graph import FoldedPages, folded_store
from minicrawl.analysis.page_links import numbered_sites
from minicrawl.crawler.books.stored import jumps_to_sites
from minicrawl.model import State
from minicrawl.opic.sites import SitePages, entrances
from minicrawl.rank.graph import linking_domains
from minicrawl.rank.mirrors import mirrors
from minicrawl.store.reader import Store
from minicrawl.web.fingerprint import SAYS_SOMETHING
from minicrawl.web.urls.front import is_home
from minicrawl.web.urls.keys import politeness_key, site_of

DIVISIONS: dict[str, Callable[[str], str]] = {"site": site_of, "host": str}
"""Functions from an authority to its site or host, by kind."""


class Mirror(NamedTuple):
    """A host that mirrors another, the most important of those with the same pages; both as origins, scheme://host.

    compared: number of paths read on it and on one of these; alike: mean share of content that is in both there.
    """

    host: str
    of: str
    compared: int
    alike: float


def mirrors_of(store: Store) -> list[Mirror]:
    """All hosts that mirror another, by name; reads all fingerprints. Raises StoreError."""
    with store.snapshot():
        found = ((each, each["payload"] & SAYS_SOMETHING != 0) for each in store.recognised.fingerprints())
        blocks = [(one["page"][says], one["payload"][says], one["sketch"][says]) for one, says in found if says.any()]
        if not blocks:
            return []
        page, payload, sketch = (np.concatenate(column) for column in zip(*blocks, strict=True))
        urls, names = store.page_table.urls_of(page.tolist()), dict[str, int]()
        parts = [urls[number].split("/", 3) for number in page.tolist()]
        host = np.array([names.setdefault("/".join(part[:3]), len(names)) for part in parts], np.int64)
        path = np.array([crc32(part[3].encode()) for part in parts], np.int64)
        importance = np.bincount(host, store.ranks.importance()[page])
    a, b, *told = mirrors(host, path, payload, sketch)
    order = np.argsort(-importance, kind="stable")
    best = np.argsort(order)  # by importance, the first host that each hangs together with
    while (best[a] != best[b]).any():
        least = np.minimum(best[a], best[b])
        for one in (a, b):
            np.minimum.at(best, one, least)
    rows = sorted(zip(*(column.tolist() for column in (*told, a, b)), strict=True))
    of_host = {one: (compared, min(round(alike, 3), 1.0)) for compared, alike, *pair in rows for one in pair}
    origins, leader = list(names), order[best].tolist()
    return sorted(Mirror(origins[one], origins[leader[one]], *of_host[one]) for one in of_host if leader[one] != one)


def site_pages(store: Store, pages: FoldedPages) -> SitePages:
    """What births are worked out from, by the links of a store. pages: of the store."""
    with store.snapshot():
        site = numbered_sites(store, pages.hosts, site_of)[1] + 1
        depth, inlinks = store.array("SELECT depth, inlinks FROM pages ORDER BY id", np.int64).reshape(-1, 2).T
        is_front = np.fromiter(map(is_home, store.page_table.urls()), np.bool_)
    seed, read = depth == 0, pages.states == State.FETCHED
    aliases, gone = pages.is_alias, ~pages.is_live
    found = entrances(np.flatnonzero(seed | is_front), pages.stands_for, site, seed, read, gone)
    return SitePages(site, pages.stands_for, site[pages.stands_for], seed, found, read, inlinks, aliases, gone)


class SiteRow(NamedTuple):
    """A site or host.

    importance: sum over its pages. known, read: numbers of pages.
    linking_domains: number of other sites with a link to it. trust and the fields behind it: as in `TrustedSite`; None
    where walkers jump to all pages uniformly, and for hosts. mirror_of: a host elsewhere that it, or a host of it,
    mirrors.
    """

    site: str
    importance: float
    known: int
    read: int
    linking_domains: int
    trust: float | None = None
    trusted_by: int | None = None
    trusted_first: str | None = None
    is_seed: bool | None = None
    mirror_of: str | None = None


def sites_of(store: Store, kind: str) -> list[SiteRow]:
    """All sites. kind: one of DIVISIONS. Raises StoreError."""
    with store.snapshot():
        folded = folded_store(store)
        names, of_page = numbered_sites(store, folded.hosts, DIVISIONS[kind])
        _, site = numbered_sites(store, folded.hosts, site_of)
        importance = store.ranks.arrays()["importance"]
        named = ((*map(DIVISIONS[kind], map(politeness_key, each[:2])), each.of) for each in mirrors_of(store))
        mirror_of = {name: of for name, other, of in named if name != other}
        trusted = {site.name: site[1:] for site in store.site_table.trusted()} if kind == "site" else {}
    columns = (
        np.bincount(of_page, importance),
        np.bincount(of_page),
        np.bincount(of_page[folded.is_parsed], minlength=len(names)),
        linking_domains(folded.graph, of_page, site, len(names)),
    )
    rows = zip(names, *(column.tolist() for column in columns), strict=True)
    return [SiteRow(name, *row, *trusted.get(name, ()))._replace(mirror_of=mirror_of.get(name)) for name, *row in rows]


def best_sites(store: Store, kind: str) -> list[SiteRow]:
    """All sites or hosts, best first. kind: one of DIVISIONS.

    Sites go by trust where walkers jump to sites, all else by importance. Raises StoreError.
    """
    rows = sites_of(store, kind)
    if kind == "site" and jumps_to_sites(store):
        return sorted(rows, key=lambda row: (-(row.trust or 0.0), -row.importance))
    return sorted(rows, key=lambda row: -row.importance)


class GradedSite(NamedTuple):
    """A site with its grade, 1 the lowest. bytes: of its pages read, as received; pages: number of these. is_selected:
    True if it fits the limit."""

    site: str
    grade: int
    importance: float
    pages: int
    bytes: int
    is_selected: bool


def graded_sites(store: Store, kind: str, grades: int, most: int | None = None) -> list[GradedSite]:
    """All sites, the most important first. kind: "site" or "host". most: limit of bytes; each site in turn is
    selected if it still fits. Raises StoreError."""
    rows = sorted(sites_of(store, kind), key=lambda row: (-row.importance, row.site))
    of_site, left = DIVISIONS[kind], most
    sizes: dict[str, int] = {}
    query = "SELECT name, bytes FROM pages JOIN fetches ON fetches.id = fetch JOIN hosts ON hosts.id = host"
    for host, size in store.each(query):
        sizes[of_site(host)] = sizes.get(of_site(host), 0) + size
    graded = []
    for place, row in enumerate(rows, 1):
        grade = 1 + (len(rows) - place) * grades // len(rows)
        size = sizes.get(row.site, 0)
        fits = left is None or size <= left
        left = left - size if left is not None and fits else left
        graded.append(GradedSite(row.site, grade, row.importance, row.read, size, fits))
    return graded
