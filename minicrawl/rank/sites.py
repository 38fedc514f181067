"""Links between the sites of a graph."""

import numpy as np
import numpy.typing as npt

from minicrawl.rank.graph import Graph

SiteArray = npt.NDArray[np.integer]


def linking_domains(graph: Graph, site: SiteArray, domain: SiteArray, sites: int) -> npt.NDArray[np.int64]:
    """Number of domains, other than its own, with a link to each site; shape (sites,).

    site: number of each page's site: hosts, registrable domains or any other division of the pages. domain: that of
    every page, a coarser division than `site` or the same: an owner of many hosts has one voice.
    """
    pages = graph.sources()
    leaves = domain[pages] != domain[graph.targets]
    voices = np.unique(domain[pages[leaves]].astype(np.int64) * sites + site[graph.targets[leaves]])
    return np.bincount(voices % max(sites, 1), minlength=sites)
