"""Agreement of surfers with people: a uniform surfer against one that prefers links in the text.

Pages of a site are ranked by the links inside it, and judged by two criteria unknown to the ranking:

endorsed     pages linked by authors of other sites
front pages  pages linked by the site's own front pages, which are taken out of the graph

The first measures citation, the second navigation. Figures are per site, and compared by their mean over sites, in
pairs, so that a site that is hard for every surfer has the same weight as another. The first surfer is also tried with
less trust in pages that programs generate, by their URLs: a share of what they have goes along links, the rest jumps.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.opic.surfer import Surfer
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.endorsement import EndorsedSite, Interval, area, mean_interval, ndcg, precision
from minicrawl.rank.pagerank import FloatArray

FEWEST = 5
"""Minimum of pages to be found, and of others: smaller sites say little."""


FOLLOWED = (0.5, 0.25, 0.0)
"""Shares that generated pages pass along links, other pages passing all."""
_GENERATED = re.compile(
    r"[?]|[/_.-](?:genindex|search|tags?|categor(?:y|ies)|archives?|calendar|browse|modindex|allclasses|allpackages|sitemap"
    r"|hierarchy|annotated|functions|globals|_modules|index-(?:files|all)|class-use|(?:package|overview)-tree)(?![^\W\d_])",
    re.IGNORECASE,
)

Places = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Figures:
    """Scores of a ranking against the pages to be found. See `minicrawl.rank.endorsement`."""

    area: float
    ndcg: float
    precision: float


@dataclass(frozen=True)
class JudgedSite:
    """A site: its pages, the number of pages to be found, and the scores of each surfer."""

    site: str
    pages: int
    wanted: int
    figures: Mapping[str, Figures]

    def gain(self, surfer: str, other: str) -> float:
        """Area of one surfer minus that of another."""
        return self.figures[surfer].area - self.figures[other].area


@dataclass(frozen=True)
class Comparison:
    """A surfer against the first one, over sites. better, worse: numbers of sites with more, with less area."""

    surfer: str
    mean: Figures
    area_gain: Interval
    ndcg_gain: Interval
    better: int
    worse: int


@dataclass(frozen=True)
class Judgement:
    """Sites by falling number of pages, and each surfer over all of them, in the given order."""

    sites: tuple[JudgedSite, ...]
    surfers: tuple[Comparison, ...]

    def losers(self, surfer: str, more_than: float = 0.02) -> list[tuple[str, float]]:
        """Sites where a surfer loses more than `more_than` of area to the first, with the (negative) gain."""
        first = self.surfers[0].surfer
        gains = [(each.site, each.gain(surfer, first)) for each in self.sites]
        return sorted((each for each in gains if each[1] < -more_than), key=lambda each: each[1])


def by_other_sites(sites: Sequence[EndorsedSite], surfers: Mapping[str, Surfer], seed: int = 0) -> Judgement | None:
    """Judge surfers by the pages that other sites link to; None if no site has enough of them.

    surfers: by name; the others are compared with the first. seed: for the intervals.
    """
    questions = (_Question(site.name, site.urls, site.graph, site.places, site.gains()) for site in sites)
    return _judged(questions, surfers, seed)


def by_front_pages(sites: Sequence[EndorsedSite], surfers: Mapping[str, Surfer], seed: int = 0) -> Judgement | None:
    """Judge surfers by the pages that front pages of the site link to."""
    return _judged((_without_fronts(site) for site in sites if len(site.fronts)), surfers, seed)


@dataclass(frozen=True, eq=False)
class _Question:
    """A graph with the places of its links, and the URL of each page and the gain of finding it."""

    site: str
    urls: Sequence[str]
    graph: Graph
    places: Places
    gains: FloatArray

    def can_be_judged(self) -> bool:
        wanted = int(np.count_nonzero(self.gains))
        return min(wanted, self.graph.size - wanted) >= FEWEST

    def figures(self, surfer: Surfer, followed: float) -> Figures:
        n, sources, weights = self.graph.size, self.graph.sources(), surfer.weights.astype(np.float64)[self.places]
        is_generated = np.array([_GENERATED.search(url, url.find("/", 8)) is not None for url in self.urls])
        away = is_generated * np.bincount(sources, weights, n) * (1.0 - followed)
        weights[is_generated[sources]] *= followed
        doubted, every = np.flatnonzero(away), np.arange(n)  # page n: leads to all pages, doubted ones lead there
        rows = np.concatenate([sources, doubted, np.full(n, n)])
        graph = Graph.from_edges(rows, np.concatenate([self.graph.targets, np.full(len(doubted), n), every]), n + 1)
        weights = np.concatenate([weights, away[doubted], np.ones(n)])[np.argsort(rows, kind="stable")]
        values = pagerank(graph, weights=weights)[:n]
        return Figures(area(values, self.gains), ndcg(values, self.gains), precision(values, self.gains))


def _without_fronts(site: EndorsedSite) -> _Question:
    """The pages that front pages link to, in the graph without the front pages."""
    is_front = np.zeros(site.graph.size, dtype=np.bool_)
    is_front[site.fronts] = True
    sources, targets = site.graph.sources(), site.graph.targets
    wanted = np.bincount(targets[is_front[sources]], minlength=site.graph.size) > 0
    stays = ~(is_front[sources] | is_front[targets])
    number = np.cumsum(~is_front) - 1
    graph = Graph.from_edges(number[sources[stays]], number[targets[stays]], int(np.count_nonzero(~is_front)))
    urls = [url for url, front in zip(site.urls, is_front, strict=True) if not front]
    return _Question(site.name, urls, graph, site.places[stays], wanted[~is_front].astype(np.float64))


def _judged(questions: Iterable[_Question], surfers: Mapping[str, Surfer], seed: int) -> Judgement | None:
    first = next(iter(surfers))
    trials = {name: (surfer, 1.0) for name, surfer in surfers.items()}
    trials |= {f"{first}, generated {share:g}": (surfers[first], share) for share in FOLLOWED}
    sites = tuple(
        JudgedSite(
            question.site,
            question.graph.size,
            int(np.count_nonzero(question.gains)),
            {name: question.figures(*trial) for name, trial in trials.items()},
        )
        for question in questions
        if question.can_be_judged()
    )
    if not sites:
        return None
    return Judgement(sites, tuple(_comparison(sites, name, first, seed) for name in trials))


def _comparison(sites: Sequence[JudgedSite], surfer: str, first: str, seed: int) -> Comparison:
    def of(name: str, figure: str) -> FloatArray:
        return np.array([getattr(site.figures[name], figure) for site in sites])

    def gain(figure: str) -> Interval:
        return mean_interval(of(surfer, figure) - of(first, figure), np.random.default_rng(seed))

    gains = [site.gain(surfer, first) for site in sites]
    return Comparison(
        surfer,
        Figures(*(float(of(surfer, figure).mean()) for figure in ("area", "ndcg", "precision"))),
        gain("area"),
        gain("ndcg"),
        sum(each > 0.0 for each in gains),
        sum(each < 0.0 for each in gains),
    )
