"""Seeds for a next crawl: one hub of each of the densest cores of a crawled graph, and the pages such seeds reach.

Source: S. Daneshpajouh, M. Nasiri, M. Ghodsi, "A fast community based algorithm for generating web crawler seeds
set", WEBIST 2008. A core is a bipartite part of the links between hosts: hubs that link to the same authorities.

H, A        hubs and authorities of a core
h, a        hub and authority of every page, see hits.py
density     100 * (links from H to A) / (|H| * |A|)

    A = {the best authority}, H = {}
    repeat: H += the page with the best h of those that link to A, if any is left
            A += the page with the best a of those that H links to, if any is left

until the core has its size, or an addition lowers the density too far, which is then undone: at density 100 every
hub links to every authority. The paper's figure has both additions the other way round, which would start from no
hub at all, and keeps the last one. Pages that tie go by number.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from minicrawl.opic.arrays import FloatArray, IntArray, Pages
from minicrawl.rank.distances import distances_from, reverse
from minicrawl.rank.graph import Graph
from minicrawl.rank.hits import hits

_MOST_HUBS = 999


@dataclass(frozen=True, eq=False)
class Core:
    """Hubs that link to common authorities. hubs, authorities: page numbers, in the order of admission.

    seed: one of the hubs. density: the share of the possible links from hubs to authorities, in percent. A page may
    be on both sides where that is below 100.
    """

    seed: int
    hubs: IntArray
    authorities: IntArray
    density: float

    def pages(self) -> IntArray:
        """Hubs and authorities, each once, rising."""
        return np.union1d(self.hubs, self.authorities)


# Seeds


def extract_seeds(  # noqa: PLR0913 - parameters of the method, with defaults
    graph: Graph,
    hosts: Pages,
    count: int,
    *,
    density: float = 100.0,
    size: tuple[int, int] | None = None,
    one_per_host: bool = True,
    iterations: int = 60,
    weights: FloatArray | None = None,
) -> list[Core]:
    """The first `count` cores of the links between hosts, the best first, each with a seed; fewer if links run out.

    hosts: a number per page, shape (size,); links within a host do not count. After each core, its pages are removed
    with their links, and HITS runs again, in `iterations` steps. The seed is the hub admitted first.
    density: the least, in percent. size: most hubs and authorities of a core; instead of density.
    one_per_host: a host with a seed provides no more hubs, so every seed is on another host. In the paper it does,
    and a host may get several seeds.
    weights: of the links in HITS, shape (links,), none negative; None: 1 each. Density counts links alike.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count}")
    if not 0.0 < density <= 100.0:
        raise ValueError(f"density must be more than 0 and at most 100, not {density}")
    if size is not None and min(size) < 1:
        raise ValueError(f"a core has at least 1 hub and 1 authority, not {size[0]} and {size[1]}")
    sources, targets, weights = links_between(graph, hosts, weights)
    # Most pages have no link that counts: continue with those that have.
    pages, ends = np.unique(np.concatenate([sources, targets]), return_inverse=True)
    sources, targets = ends[: len(sources)], ends[len(sources) :]
    _, host = np.unique(hosts[pages], return_inverse=True)
    is_out = np.zeros(len(pages), dtype=np.bool_)
    is_hub_host = np.ones(len(pages), dtype=np.bool_)
    cores: list[Core] = []
    while len(cores) < count and len(sources):
        core = _best_core(Graph.from_edges(sources, targets, len(pages)), iterations, weights, density, size)
        cores.append(Core(int(pages[core.seed]), pages[core.hubs], pages[core.authorities], core.density))
        is_out[core.pages()] = True
        if one_per_host:
            is_hub_host[host[core.seed]] = False
        stays = ~is_out[sources] & ~is_out[targets] & is_hub_host[host[sources]]
        sources, targets = sources[stays], targets[stays]
        weights = None if weights is None else weights[stays]
    return cores


def links_between(
    graph: Graph, hosts: Pages, weights: FloatArray | None = None
) -> tuple[IntArray, IntArray, FloatArray | None]:
    """Sources, targets and weights of the links between hosts, each link once, sorted by source and target.

    weights: of the links of `graph`; parallel links have the largest of theirs. None: as before, 1 each.
    """
    if len(hosts) != graph.size:
        raise ValueError(f"every one of {graph.size} pages has one host, but {len(hosts)} are given")
    sources = graph.sources()
    leaves = hosts[sources] != hosts[graph.targets]
    keys = sources[leaves] * graph.size + graph.targets[leaves]
    links, largest = np.unique(keys), None
    if weights is not None:
        largest = np.zeros(len(links))
        np.maximum.at(largest, np.searchsorted(links, keys), weights[leaves])
    sources, targets = np.divmod(links, max(graph.size, 1))
    return sources, targets, largest


def _best_core(
    graph: Graph, iterations: int, weights: FloatArray | None, density: float, size: tuple[int, int] | None
) -> Core:
    h, a = hits(graph, weights=weights, iterations=iterations)
    hubs, authorities = _Side(h, graph), _Side(a, reverse(graph))
    hubs.offer(authorities.add(int(a.argmax())))
    links = idle = 0
    for growing, other in cycle(((hubs, authorities), (authorities, hubs))):
        if idle == 2 or (growing is hubs and len(hubs.pages) == _MOST_HUBS):
            break
        is_full = size is not None and len(growing.pages) >= size[growing is authorities]
        page = None if is_full else growing.best()
        if page is None:
            idle += 1
            continue
        more = int(np.count_nonzero(other.is_in[growing.linked(page)]))
        possible = (len(growing.pages) + 1) * len(other.pages)
        if size is None and 100.0 * (links + more) < density * possible:
            break
        links, idle = links + more, 0
        other.offer(growing.add(page))
    found = 100.0 * links / (len(hubs.pages) * len(authorities.pages))
    return Core(hubs.pages[0], np.array(hubs.pages), np.array(authorities.pages), found)


class _Side:
    """One side of a core, hubs or authorities: its members, and the candidates for the next one, which are linked with
    the other side, by their places in the order of the scores."""

    def __init__(self, scores: FloatArray, links: Graph) -> None:
        self.pages: list[int] = []
        self.is_in = np.zeros(len(scores), dtype=np.bool_)
        self._links = links
        self._page_at = np.argsort(-scores, kind="stable")
        self._place = np.argsort(self._page_at)
        self._was_offered = np.zeros(len(scores), dtype=np.bool_)
        self._candidates: list[int] = []

    def linked(self, page: int) -> Pages:
        """Pages linked with a page of this side."""
        return self._links.targets[self._links.indptr[page] : self._links.indptr[page + 1]]

    def add(self, page: int) -> Pages:
        """Admit a page; returns the pages linked with it."""
        self.pages.append(page)
        self.is_in[page] = self._was_offered[page] = True
        return self.linked(page)

    def offer(self, pages: Pages) -> None:
        """Add pages to the candidates."""
        new = pages[~self._was_offered[pages]]
        self._was_offered[new] = True
        for place in self._place[new].tolist():
            heapq.heappush(self._candidates, place)

    def best(self) -> int | None:
        """Take the best candidate; None: there are none left."""
        return int(self._page_at[heapq.heappop(self._candidates)]) if self._candidates else None


# Pages reached from seeds


def reach(graph: Graph, seeds: Pages, ranks: FloatArray, depths: int) -> tuple[FloatArray, FloatArray]:
    """Pages that a breadth-first crawl reads at each depth, seeds being at depth 0: their number, and the sum of their
    ranks, each of shape (depths + 1,). ranks: per page, shape (size,)."""
    depth = distances_from(graph, seeds)
    reached = np.flatnonzero((depth >= 0) & (depth <= depths))
    mass = np.bincount(depth[reached], weights=ranks[reached], minlength=depths + 1)
    return np.bincount(depth[reached], minlength=depths + 1).astype(np.float64), mass.astype(np.float64)


def core_distances(graph: Graph, cores: Sequence[Pages]) -> IntArray:
    """Fewest links from a page of each core to a page of each other, shape (cores, cores); -1 if no path exists."""
    distances = np.full((len(cores), len(cores)), -1, dtype=np.int64)
    for source, pages in enumerate(cores):
        depth = distances_from(graph, pages)
        for target, others in enumerate(cores):
            reached = depth[others][depth[others] >= 0]
            if len(reached):
                distances[source, target] = reached.min()
    return distances
