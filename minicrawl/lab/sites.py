"""Where walkers jump to, measured by the links of a crawl's store, with the code of the live crawl.

count  other sites that link to a page; of as many, PageRank with jumps to all pages alike
pages  that PageRank, damping .85
sites  importance by `--jump sites`, damping .5 (opic/sites.py)

agreement  a third of the sites that link to others are drawn as judges, and their links to other sites are hidden. A
           page has a point from each judge that links to it. NDCG@n of the n first pages of a ranking: their points by
           the logarithm of their places, as a share of the best; the mean of two draws
written    the same, without points for links that are GENERATED, which are not voices either
fronts     of the sites with three pages read or more, those whose best page is a seed or front page

Source of NDCG: K. Jarvelin, J. Kekalainen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 2002.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from minicrawl.experiment import Claim, Result
from minicrawl.opic.arrays import Flags, FloatArray, IntArray
from minicrawl.opic.sites import GENERATED, SiteBirths, SitePages
from minicrawl.opic.surfer import REASONABLE, Places
from minicrawl.rank import Graph, pagerank

_DRAWS, _PLACES = 2, (100, 1_000)


@dataclass(frozen=True, eq=False)
class SiteWeb:
    """Pages and their links. By page: site, from 0 on; the page that it stands for; whether it is a seed, an entrance,
    was read, is there at all. places: of the links on their pages; None: all alike."""

    graph: Graph
    site: IntArray
    stands_for: IntArray
    is_seed: Flags
    entrance: Flags
    is_read: Flags
    is_live: Flags
    places: Places | None = None

    @property
    def sites(self) -> int:
        """Number of sites."""
        return int(self.site.max(initial=-1)) + 1

    @property
    def is_alias(self) -> Flags:
        """True for each page that stands for another."""
        flags: Flags = self.stands_for != np.arange(len(self.stands_for))
        return flags

    def ranked(self, damping: float, jump: FloatArray) -> FloatArray:
        """Importance, shape (pages,), sum 1. Links and jumps to an alias are to the page that it stands for."""
        sources = self.graph.sources()
        own = ~self.is_alias[sources]
        weights = None if self.places is None else REASONABLE.weights[self.places[own]].astype(np.float64)
        graph = Graph.from_edges(sources[own], self.stands_for[self.graph.targets[own]], self.graph.size)
        folded = np.bincount(self.stands_for, jump, self.graph.size).astype(np.float64)
        ranks = pagerank(graph, damping, folded, weights=weights) * self.is_live
        shares: FloatArray = ranks / ranks.sum()
        return shares

    def voices(self) -> IntArray:
        """Every other site with a page that links to one, once: page and site, shape (2, voices)."""
        sources, linked = self.graph.sources(), self.stands_for[self.graph.targets]
        voices = np.unique(np.stack([linked, self.site[sources]])[:, ~self.is_alias[sources]], axis=1)
        return voices[:, self.site[voices[0]] != voices[1]]

    def births(self) -> SiteBirths:
        """Births of the pages, by the functions of the crawl."""
        inlinks = np.bincount(self.graph.targets, minlength=self.graph.size)
        site, alias, gone = self.site + 1, self.is_alias, ~self.is_live
        end = site[self.stands_for]
        pages = SitePages(site, self.stands_for, end, self.is_seed, self.entrance, self.is_read, inlinks, alias, gone)
        return pages.births(np.arange(self.graph.size), self.graph.indptr, self.graph.targets, self.places)


def by_sites(web: SiteWeb) -> FloatArray:
    """Importance as the crawl has it with `--jump sites`, shape (pages,)."""
    births, known = web.births(), slice(0, web.graph.size)
    jump = births.of(known, ~web.is_live, web.is_alias)
    return web.ranked(births.twentieths / 20, jump.astype(np.float64))


def by_pages(web: SiteWeb) -> FloatArray:
    """Importance as the crawl has it with `--jump pages`, shape (pages,)."""
    return web.ranked(0.85, (web.is_live & ~web.is_alias).astype(np.float64))


def by_count(web: SiteWeb) -> FloatArray:
    """Number of other sites that link to each page; ties by `by_pages`."""
    return np.bincount(web.voices()[0], minlength=web.graph.size) + by_pages(web)


RANKINGS: dict[str, Callable[[SiteWeb], FloatArray]] = {"count": by_count, "pages": by_pages, "sites": by_sites}


def agreement(web: SiteWeb, ranking: Callable[[SiteWeb], FloatArray], seed: int) -> list[float]:
    """NDCG at _PLACES against the links of judges drawn from `seed`; then against those that are written."""
    page, site = web.voices()
    judges = np.random.default_rng(seed).permutation(np.unique(site))[: max(1, len(np.unique(site)) // 3)]
    judged, pairs = np.isin(site, judges), site * web.sites + web.site[page]
    voices = judged, judged & (np.bincount(pairs)[pairs] <= GENERATED)
    points = np.array([np.bincount(page[some], minlength=web.graph.size) for some in voices]) * web.is_live
    sources, targets = web.graph.sources(), web.graph.targets
    kept = ~(np.isin(web.site[sources], judges) & (web.site[sources] != web.site[web.stands_for[targets]]))
    graph = Graph.from_edges(sources[kept], targets[kept], web.graph.size)
    found = ranking(replace(web, graph=graph, places=None if web.places is None else web.places[kept]))
    order, worth = np.argsort(-found, kind="stable"), 1.0 / np.log2(np.arange(2, len(found) + 2))
    gained, best = points[:, order] * worth, -np.sort(-points) * worth
    return [float(gained[by, :most].sum() / max(best[by, :most].sum(), 1e-9)) for by in range(2) for most in _PLACES]


def result(web: SiteWeb, seed: int = 0) -> Result:
    """A row for each ranking."""
    rows = []
    counts = np.bincount(web.site[web.is_read], minlength=web.sites)
    for name, ranking in RANKINGS.items():
        agreed = np.mean([agreement(web, ranking, seed + draw) for draw in range(_DRAWS)], axis=0).tolist()
        order = np.argsort(-ranking(web), kind="stable")
        sites, first = np.unique(web.site[order], return_index=True)
        best = web.entrance[order[first]][counts[sites] >= 3]
        rows.append((name, *agreed, float(best.mean()) if len(best) else None))
    at_100 = {name: agreed for name, agreed, *_ in rows}
    told = (" ".join([row[0], *(f"{agreed:.3f}" for agreed in row[1:-1])]) for row in rows)
    claim = Claim(
        "importance by jumps to sites agrees better with what other sites link to than by jumps to all pages",
        at_100["sites"] > at_100["pages"],
        ", ".join(told) + " (NDCG@100 and @1,000; of written links)",
    )
    columns = ("ranking", "ndcg_100", "ndcg_1000", "written_100", "written_1000", "fronts")
    return Result("sites", "Where walkers jump to", columns, rows, (), (claim,))
