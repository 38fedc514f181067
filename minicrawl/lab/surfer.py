"""Agreement of surfers with people: a uniform surfer against one that prefers links in the text.

Pages of a site are ranked by the links inside it, and judged by two criteria unknown to the ranking:

endorsed     pages linked by authors of other sites
front pages  pages linked by the site's own front pages, which are taken out of the graph

The first measures citation, the second navigation. Figures are per site, and compared by their mean over sites, in
pairs, so that a site that is hard for every surfer has the same weight as another.
"""

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
    return _judged((_Question(site.name, site.graph, site.places, site.gains()) for site in sites), surfers, seed)


def by_front_pages(sites: Sequence[EndorsedSite], surfers: Mapping[str, Surfer], seed: int = 0) -> Judgement | None:
    """Judge surfers by the pages that front pages of the site link to."""
    return _judged((_without_fronts(site) for site in sites if len(site.fronts)), surfers, seed)


@dataclass(frozen=True, eq=False)
class _Question:
    """A graph with the places of its links, and the gain of finding each page."""

    site: str
    graph: Graph
    places: Places
    gains: FloatArray

    def can_be_judged(self) -> bool:
        wanted = int(np.count_nonzero(self.gains))
        return min(wanted, self.graph.size - wanted) >= FEWEST

    def figures(self, surfer: Surfer) -> Figures:
        values = pagerank(self.graph, weights=surfer.weights.astype(np.float64)[self.places])
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
    return _Question(site.name, graph, site.places[stays], wanted[~is_front].astype(np.float64))


def _judged(questions: Iterable[_Question], surfers: Mapping[str, Surfer], seed: int) -> Judgement | None:
    sites = tuple(
        JudgedSite(
            question.site,
            question.graph.size,
            int(np.count_nonzero(question.gains)),
            {name: question.figures(surfer) for name, surfer in surfers.items()},
        )
        for question in questions
        if question.can_be_judged()
    )
    if not sites:
        return None
    first = next(iter(surfers))
    return Judgement(sites, tuple(_comparison(sites, name, first, seed) for name in surfers))


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
