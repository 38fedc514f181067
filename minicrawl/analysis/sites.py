"""The sites or hosts of a store: their importance, the sites that link to them, and their trust."""

from typing import NamedTuple

import numpy as np

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.mirrors import mirrors_of
from minicrawl.analysis.numbered_sites import DIVISIONS, numbered_sites
from minicrawl.crawler.books.stored import jumps_to_sites
from minicrawl.crawler.urls.keys import politeness_key, site_of
from minicrawl.rank.sites import linking_domains
from minicrawl.store.reader import Store


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
