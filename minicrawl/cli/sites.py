"""The sites of a store, for 'top --sites' and 'rank --by sites'.

Here and not in the lab, because registrable domains are known to the crawl alone.
"""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.cli.output import printable
from minicrawl.crawl.urls import hostname, site
from minicrawl.lab.folded import folded_store
from minicrawl.rank import pagerank
from minicrawl.rank.sites import SiteLinks, linking_domains, site_links, sums_by_site
from minicrawl.store.reader import Store

WEIGHTS: dict[str, Callable[[SiteLinks], npt.NDArray[np.float64] | None]] = {
    "none": lambda found: None,
    "links": lambda found: found.links,
    "pages": lambda found: found.pages,
}


class SiteRow(NamedTuple):
    """A host or registrable domain.

    importance: sum of that of its pages. pagerank: its own, in the graph of links between sites. known, read: pages.
    linking_domains: other registrable domains with a link to it.
    """

    site: str
    importance: float
    pagerank: float
    known: int
    read: int
    linking_domains: int


def sites_of(store: Store, kind: str, damping: float = 0.85, weights: str = "none") -> list[SiteRow]:
    """All sites. kind: "host" or "domain". weights: what a link between sites weighs in their PageRank, one of WEIGHTS.

    Raises StoreError.
    """
    with store.snapshot():
        folded = folded_store(store)
        names, of_page = numbered_sites(store, folded.hosts, kind)
        _, domain = numbered_sites(store, folded.hosts, "domain")
        importance = store.rankings()["importance"]
    links = site_links(folded.graph, of_page, len(names))
    columns = (
        sums_by_site(importance, of_page),
        pagerank(links.graph, damping, weights=WEIGHTS[weights](links)),
        np.bincount(of_page),
        np.bincount(of_page[folded.is_read], minlength=len(names)),
        linking_domains(folded.graph, of_page, domain, len(names)),
    )
    return [SiteRow(*row) for row in zip(names, *(column.tolist() for column in columns), strict=True)]


def site_table(rows: Sequence[SiteRow]) -> list[str]:
    """One line per site."""
    lines = [f"{'importance':>10}  {'pagerank':>10}  {'known':>9}  {'read':>9}  {'linking domains':>15}  site"]
    lines += [
        f"{row.importance:>10.3g}  {row.pagerank:>10.3g}  {row.known:>9,}  {row.read:>9,}  {row.linking_domains:>15,}  "
        f"{printable(row.site)}"
        for row in rows
    ]
    return lines


def site_documents(rows: Sequence[SiteRow]) -> str:
    """The same as JSON."""
    return json.dumps([row._asdict() for row in rows], indent=2, ensure_ascii=False)


def numbered_sites(store: Store, hosts: npt.NDArray[np.int64], kind: str) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The hosts or registrable domains of pages whose hosts.id are given, and for each page the number of its own."""
    name_of = _domain if kind == "domain" else str
    names = {host.id: name_of(host.name) for host in store.hosts()}
    numbers: dict[str, int] = {}
    used, host = np.unique(hosts, return_inverse=True)
    number = [numbers.setdefault(names.get(id_, f"host {id_}"), len(numbers)) for id_ in used.tolist()]
    return list(numbers), np.array(number, dtype=np.int64)[host]


def _domain(authority: str) -> str:
    return site(hostname(f"http://{authority}/"))
