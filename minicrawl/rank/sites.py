"""The graph folded to sites: links between sites, and the importance of sites.

site     number of each page's site, shape (graph.size,), whole numbers from 0 on: hosts, registrable
         domains or any other division of the pages
sites    their number; those without a page, as there may be, have no links

Links within a site are self-praise and do not count. The importance of a site is the sum over its pages
(`sums_by_site`), or its own: pagerank(found.graph), with weights=found.links if many links are to count more.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import FloatArray

SiteArray = npt.NDArray[np.integer]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SiteLinks:
    """Links between sites.

    graph: each once, by rising site. links, pages: for every link of the graph, in the order of `graph.targets`, the
    number of page links behind it, and the number of linking pages; weights, float64.
    """

    graph: Graph
    links: FloatArray
    pages: FloatArray

    def linking(self) -> IntArray:
        """Number of other sites that link to each site, shape (sites,)."""
        return np.bincount(self.graph.targets, minlength=self.graph.size)


def site_links(graph: Graph, site: SiteArray, sites: int | None = None, weights: FloatArray | None = None) -> SiteLinks:
    """The links between sites. sites: their number, by default as many as `site` names. weights: of the graph's links,
    summed into `links`; None: 1 each. Raises ValueError."""
    size = _number(site, sites)
    site = site.astype(np.int64)
    pages, targets = _outward(graph, site, site)
    # First every page with every site it links to, then every site with every other one.
    ends, end, links = np.unique(pages * size + targets, return_inverse=True, return_counts=True)
    if weights is not None:
        links = np.bincount(end, weights=weights[site[graph.sources()] != site[graph.targets]], minlength=len(ends))
    pages, targets = np.divmod(ends, max(size, 1))
    pairs, where, linking = np.unique(site[pages] * size + targets, return_inverse=True, return_counts=True)
    sources, targets = np.divmod(pairs, max(size, 1))
    by_link: FloatArray = np.bincount(where, weights=links, minlength=len(pairs)).astype(np.float64)
    return SiteLinks(Graph.from_edges(sources, targets, size), by_link, linking.astype(np.float64))


def linking_domains(graph: Graph, site: SiteArray, domain: SiteArray, sites: int | None = None) -> IntArray:
    """Number of domains, other than its own, with a link to each site; shape (sites,). Raises ValueError.

    domain: that of every page, a coarser division of the pages than `site` or the same: an owner of many hosts has
    one voice.
    """
    size = _number(site, sites)
    pages, targets = _outward(graph, site, domain)
    voices = np.unique(domain[pages].astype(np.int64) * size + targets)
    return np.bincount(voices % max(size, 1), minlength=size)


def sums_by_site(values: FloatArray, site: SiteArray, sites: int | None = None) -> FloatArray:
    """Sum of a page value over each site, such as importance; shape (sites,). Raises ValueError."""
    return np.bincount(site, weights=values, minlength=_number(site, sites)).astype(np.float64)


def _number(site: SiteArray, sites: int | None) -> int:
    named = int(site.max(initial=-1)) + 1
    if named > (named if sites is None else sites) or site.min(initial=0) < 0:
        raise ValueError(f"sites are numbered from 0 to {(sites or named) - 1}; a page is on another one")
    return named if sites is None else sites


def _outward(graph: Graph, site: SiteArray, own: SiteArray) -> tuple[IntArray, IntArray]:
    """Page and target site of every link that leaves the page's own group in the division `own`."""
    if not len(site) == len(own) == graph.size:
        raise ValueError(f"every one of {graph.size} pages is on one site, but sites of {len(site)} are given")
    pages = graph.sources()
    leaves = own[pages] != own[graph.targets]
    return pages[leaves], site[graph.targets[leaves]].astype(np.int64)
