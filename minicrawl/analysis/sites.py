"""The sites of a store: hosts or registrable domains, how important they are, who links to them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.folded_aliases import folded_store
from minicrawl.analysis.top.expected import expected_pages
from minicrawl.crawler.urls import keys
from minicrawl.model import READ, State
from minicrawl.rank import pagerank
from minicrawl.rank.sites import SiteLinks, linking_domains, site_links, sums_by_site
from minicrawl.store.reader import Store

SiteOf = Callable[[str], str]
"""The site of a host as the store names it, which may have a port."""
WEIGHTS: dict[str, Callable[[SiteLinks], npt.NDArray[np.float64] | None]] = {
    "none": lambda found: None,
    "links": lambda found: found.links,
    "pages": lambda found: found.pages,
}


class SiteRow(NamedTuple):
    """A host or registrable domain.

    importance: sum of that of its pages; expected: of their expected importance, None if no page waits to
    be read, or that was not worked out.
    pagerank: its own, in the graph of links between sites. known, read: pages. linking_domains: other registrable
    domains with a link to it.
    """

    site: str
    importance: float
    pagerank: float
    known: int
    read: int
    linking_domains: int
    expected: float | None = None


def site_of(kind: str) -> SiteOf:
    """What a site is: kind "host", or "domain", a registrable one."""
    return domain_of if kind == "domain" else str


def domain_of(authority: str) -> str:
    """The registrable domain of a host, which may have a port."""
    return keys.site_of(keys.hostname(f"http://{authority}/"))


def sites_of(store: Store, kind: str, damping: float = 0.85, weights: str = "none") -> list[SiteRow]:
    """All sites. kind: "host" or "domain"; weights: what a link between sites weighs in their PageRank, one of WEIGHTS.

    Raises StoreError.
    """
    with store.snapshot():
        folded = folded_store(store)
        names, of_page = numbered_sites(store, folded.hosts, site_of(kind))
        _, domain = numbered_sites(store, folded.hosts, domain_of)
        importance = store.ranks.arrays()["importance"]
        has_unread = bool((folded.states == State.WAITING).any())
        read = int(np.count_nonzero(np.isin(folded.states, list(READ))))
        found = expected_pages(store, read) if has_unread else None
    links = site_links(folded.graph, of_page, len(names))
    columns = (
        sums_by_site(importance, of_page),
        pagerank(links.graph, damping, weights=WEIGHTS[weights](links)),
        np.bincount(of_page),
        np.bincount(of_page[folded.is_parsed], minlength=len(names)),
        linking_domains(folded.graph, of_page, domain, len(names)),
        np.full(len(names), None) if found is None else sums_by_site(np.nan_to_num(found.shares), of_page),
    )
    return [SiteRow(*row) for row in zip(names, *(column.tolist() for column in columns), strict=True)]


def numbered_sites(
    store: Store, hosts: npt.NDArray[np.int64], site_of: SiteOf
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The sites of pages whose hosts.id are given, and for each page the number of its own."""
    names = {host.id: site_of(host.name) for host in store.hosts.all()}
    numbers: dict[str, int] = {}
    used, host = np.unique(hosts, return_inverse=True)
    number = [numbers.setdefault(names.get(id_, f"host {id_}"), len(numbers)) for id_ in used.tolist()]
    return list(numbers), np.array(number, dtype=np.int64)[host]
