"""Webs drawn from a seed, and their changes, after section 6 of Abiteboul, Preda, Cobena (WWW 2003).

A page's in-degree is drawn from a law, then every link's source. A web changes by halving and doubling in-degrees and
by adding pages; a change takes time in proportion to all links, so change many pages at once. Links are
kept as keys (`graphs.keys`), one array.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from minicrawl.graphs.graph_files import graph_of_keys, keys_of, sources_of, targets_of
from minicrawl.rank import Graph

IN_EXPONENT = 2.1
FEWEST_NODES = 10  # The largest in-degree is a tenth of the pages.

_PAGES = 1 << 17  # with about a million inlinks


def power_law(nodes: int, rng: np.random.Generator) -> Graph:
    """A web in which P(in-degree = n) is proportional to n**-2.1, for n from 1 to nodes / 10.

    Links come from any page, so that out-degrees are Poisson; those drawn twice or to oneself are dropped.
    """
    return _drawn(power_law_numbers(nodes, IN_EXPONENT, nodes // 10, rng), rng)


def poisson(nodes: int, rng: np.random.Generator, mean: float = 4.0) -> Graph:
    """A web with Poisson in-degrees and uniform sources; links drawn twice, or from a page to itself, are dropped."""
    return _drawn(rng.poisson(mean, nodes).astype(np.int32), rng)


MODELS: Final[dict[str, Callable[[int, np.random.Generator], Graph]]] = {"power-law": power_law, "poisson": poisson}
"""Models by name on the command line."""


def power_law_numbers(count: int, exponent: float, largest: int, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """Numbers drawn by the law P(n) = n**-exponent / (sum of k**-exponent), n from 1 to `largest`."""
    table = np.cumsum(np.arange(1, largest + 1, dtype=np.float64) ** -exponent)
    table /= table[-1]
    return (np.searchsorted(table, rng.random(count), side="right") + 1).astype(np.int32)


def _drawn(indegree: npt.NDArray[np.int32], rng: np.random.Generator) -> Graph:
    """The web with links to page i from indegree[i] drawn sources; those drawn twice or to oneself are dropped."""
    keys = np.empty(int(indegree.sum()), dtype=np.int64)
    kept = 0
    for first in range(0, len(indegree), _PAGES):
        some = indegree[first : first + _PAGES]
        targets = np.repeat(np.arange(first, first + len(some)), some)
        sources = rng.integers(0, len(indegree), len(targets))
        drawn = keys_of(sources, targets)[sources != targets]
        keys[kept : kept + len(drawn)] = drawn
        kept += len(drawn)
    return graph_of_keys(np.unique(keys[:kept]), len(indegree))


class Evolving:
    """A changing graph.

    Invariant: links are distinct, and none leads from a page to itself.
    """

    def __init__(self, graph: Graph, rng: np.random.Generator) -> None:
        """Double links and links from a page to itself are dropped."""
        self.size = graph.size
        """Number of pages."""
        sources = graph.sources()
        self._keys = np.unique(keys_of(sources, graph.targets)[sources != graph.targets])
        self._rng = rng

    def graph(self) -> Graph:
        """The present links, among `size` pages; the rows are sorted."""
        return graph_of_keys(self._keys, self.size)

    def change(self, count: int) -> npt.NDArray[np.int64]:
        """Halve or double, with equal probability, the in-degrees of `count` pages drawn uniformly.

        A page may be drawn more than once. Halved, a page loses a random half of its inlinks; the middle one of an odd
        number goes with probability 1/2, so that the half is exact in the mean, also of one. Doubled, it gets as many
        again from random pages that do not link to it yet, or all of these if they are fewer. One change
        multiplies an in-degree by 1.25 on average, so that a web with many changes grows denser.

        Returns the pages in the order of their changes.
        """
        if not count:
            return np.zeros(0, dtype=np.int64)
        pages = self._rng.choice(self.size, count)
        is_doubled = self._rng.random(count) < 0.5
        places, inlinks = self._inlinks(np.unique(pages))
        for page, doubled in zip(pages.tolist(), is_doubled.tolist(), strict=True):
            inlinks[page] = self._doubled(page, inlinks[page]) if doubled else self._halved(inlinks[page])
        self._keys = np.delete(self._keys, places)
        self._insert([keys_of(sources, page) for page, sources in inlinks.items()])
        return pages

    def come(self, count: int) -> None:
        """Add `count` new pages, with in-degrees by the law of `power_law` for the number of pages.

        The inlinks come from, and the outlinks lead to, uniformly drawn pages of before; links drawn twice are dropped.
        A new page's out-degree is Poisson with the mean of the others.
        """
        born = np.arange(self.size, self.size + count)
        indegree = power_law_numbers(count, IN_EXPONENT, max(self.size, FEWEST_NODES) // 10, self._rng)
        outdegree = self._rng.poisson(len(self._keys) / self.size, count)
        sources = self._rng.choice(self.size, indegree.sum())
        targets = self._rng.choice(self.size, outdegree.sum())
        self._insert([keys_of(sources, np.repeat(born, indegree)), keys_of(np.repeat(born, outdegree), targets)])
        self.size += count

    def _inlinks(self, pages: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], dict[int, npt.NDArray[np.int64]]]:
        """Places of the keys of all links to `pages` (rising), and each page's sources."""
        places = np.flatnonzero(np.isin(targets_of(self._keys), pages))
        found = self._keys[places]
        targets = targets_of(found)
        order = np.argsort(targets, kind="stable")
        cuts = np.searchsorted(targets[order], pages[1:])
        return places, dict(zip(pages.tolist(), np.split(sources_of(found[order]), cuts), strict=True))

    def _halved(self, sources: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        half = len(sources) // 2 + (len(sources) % 2 and int(self._rng.random() < 0.5))
        kept: npt.NDArray[np.int64] = self._rng.choice(sources, half, replace=False)
        return kept

    def _doubled(self, page: int, sources: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        goal = min(2 * len(sources), self.size - 1)
        taken = np.append(sources, page)
        if 2 * goal > self.size:
            # Few sources are left: blind draws would mostly hit taken ones.
            strangers = np.setdiff1d(np.arange(self.size), taken)
            return np.append(sources, self._rng.choice(strangers, goal - len(sources), replace=False))
        while missing := goal + 1 - len(taken):
            taken = np.union1d(taken, self._rng.choice(self.size, missing))
        return np.setdiff1d(taken, page)

    def _insert(self, keys: list[npt.NDArray[np.int64]]) -> None:
        """Add links that are not there yet; the keys may have repeats."""
        new = np.unique(np.concatenate(keys))
        self._keys = np.insert(self._keys, np.searchsorted(self._keys, new), new)


def small_sites(sites: int, rng: np.random.Generator) -> tuple[Graph, npt.NDArray[np.int64]]:
    """A web of small sites with few links between them, and the site of every page.

    A site is a tree of 3 to 120 pages with links back to its front page and a few to others of it; one of two links to
    another site, drawn by a random popularity.
    """
    sizes = np.minimum(3 + (4 * rng.pareto(1.3, sites)).astype(np.int64), 120)
    fronts = np.cumsum(sizes) - sizes
    site = np.repeat(np.arange(sites), sizes)
    inner = np.setdiff1d(np.arange(len(site)), fronts)
    depth = inner - fronts[site[inner]]
    parents = fronts[site[inner]] + (rng.random(len(inner)) * depth).astype(np.int64)
    writers = rng.choice(inner, 2 * len(inner))
    within = fronts[site[writers]] + (rng.random(len(writers)) ** 2 * sizes[site[writers]]).astype(np.int64)
    popularity = 0.1 + rng.pareto(1.1, sites)
    linking = rng.integers(0, len(site), sites // 2)
    linked = rng.choice(sites, sites // 2, p=popularity / popularity.sum())
    across = fronts[linked] + np.where(rng.random(len(linked)) < 0.6, 0.0, rng.random(len(linked)) ** 2 * sizes[linked])
    sources = np.concatenate([parents, inner, writers, linking])
    targets = np.concatenate([inner, fronts[site[inner]], within, across.astype(np.int64)])
    keys = keys_of(sources, targets)[sources != targets]
    return graph_of_keys(np.unique(keys), len(site)), site


def communities(sites: int, rng: np.random.Generator) -> tuple[Graph, npt.NDArray[np.int64]]:
    """A web of small sites that fall into communities of some forty, and the site of every page.

    A community has a few authorities, front pages of its sites, and hubs: pages of its sites, a number drawn by a
    power law, each of which links to an authority with chance .8.
    """
    graph, site = small_sites(sites, rng)
    fronts, of = np.unique(site, return_index=True)[1], rng.integers(max(sites // 40, 1), size=sites)
    keys = [keys_of(graph.sources(), graph.targets)]
    for community in range(int(of.max()) + 1):
        members, pages = np.flatnonzero(of == community), np.flatnonzero(of[site] == community)
        authorities = fronts[rng.permutation(members)[: 3 + rng.poisson(4)]]
        hubs = rng.permutation(pages)[: min(4 + int(6 * rng.pareto(1.1)), len(pages) // 4)]
        at, to = np.nonzero((rng.random((len(hubs), len(authorities))) < 0.8) & (hubs[:, None] != authorities))
        keys.append(keys_of(hubs[at], authorities[to]))
    return graph_of_keys(np.unique(np.concatenate(keys)), graph.size), site
