"""Quality of a ranking by endorsement: does it find the pages of a site that authors of other sites link to?

n       pages of the site
values  of every page, more being better, shape (n,); those that differ by no more than rounding are tied
gains   value of each page to its finder, none negative, shape (n,); more than 0: the page is endorsed

    gain = log2(1 + number of other sites that link to the page)

The order of pages that are tied is not known, so every figure is the mean over all orders they may stand in: none
depends on how pages are numbered. Sources: K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR
techniques", 2002; F. McSherry, M. Najork, "Computing information retrieval performance measures efficiently in the
presence of tied scores", 2008; B. Efron, "Bootstrap methods: another look at the jackknife", 1979.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.rank.compare import competition_ranks
from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import FloatArray

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EndorsedSite:
    """A site without the rest of the web, and the pages that the rest of the web links to.

    urls: of its pages, by their numbers. graph: the links between them. places: place of each link on its page,
    uint8, in the order of graph.targets: 0 in the text, 1 in a list, 2 in navigation. linking: number of other sites
    that link to each page, shape (graph.size,). fronts: pages that a visitor sees first, rising; may be empty.
    """

    name: str
    urls: tuple[str, ...]
    graph: Graph
    places: npt.NDArray[np.uint8]
    linking: IntArray
    fronts: IntArray

    def gains(self) -> FloatArray:
        """Gain of each page, see above."""
        gains: FloatArray = np.log2(1.0 + self.linking)
        return gains

    def endorsed(self) -> int:
        """Number of pages that other sites link to."""
        return int(np.count_nonzero(self.linking))


@dataclass(frozen=True, eq=False)
class Endorsements:
    """Counts of links from other sites.

    linking: number of other sites that link to each page, shape (n,). generated: pairs of sites not counted, as
    rows (linking site, linked site, pages linked to), rising; shape (pairs, 3).
    """

    linking: IntArray
    generated: IntArray


class Interval(NamedTuple):
    """A mean, and its bootstrap bounds, had other sites of the kind been drawn."""

    mean: float
    low: float
    high: float


def endorsements(linking: IntArray, pages: IntArray, site: IntArray, most: int = 100) -> Endorsements:
    """Count the sites that link to each page, from links between sites: linking[k], a site's number, links to pages[k].

    site: of every page, whole numbers from 0 on, shape (n,). most: a site with links to more pages of another site
    generates them, as documentation made from source does, and its links to that site do not count.
    """
    sites = int(max(site.max(initial=-1), linking.max(initial=-1))) + 1
    # First every site with every page it links to, then every site with every other one.
    voices = np.unique(linking * len(site) + pages)
    linking, pages = np.divmod(voices, max(len(site), 1))
    pairs, of_voice, linked = np.unique(linking * sites + site[pages], return_inverse=True, return_counts=True)
    is_generated = linked > most
    ends = np.divmod(pairs[is_generated], max(sites, 1))
    return Endorsements(
        np.bincount(pages[~is_generated[of_voice]], minlength=len(site)),
        np.stack([*ends, linked[is_generated]], axis=1),
    )


def area(values: FloatArray, gains: FloatArray) -> float:
    """The chance that an endorsed page stands above one that is not: .5 is no better than chance, 1 is perfect.

        (pairs with the endorsed page above + pairs tied / 2) / all pairs of an endorsed page and another

    This is the area under the ROC curve. nan where every page is endorsed, or none.
    """
    ranks, is_endorsed = competition_ranks(values), gains > 0.0
    endorsed = np.bincount(ranks, weights=is_endorsed)
    others = np.bincount(ranks, weights=~is_endorsed)
    pairs = endorsed.sum() * others.sum()
    if not pairs:
        return math.nan
    below = others.sum() - np.cumsum(others)
    return float((endorsed * (below + others / 2)).sum() / pairs)


def ndcg(values: FloatArray, gains: FloatArray, first: int = 20) -> float:
    """Normalised discounted cumulated gain of the first pages; later pages count for less.

        DCG = sum over p = 1 .. first of (gain of the page in position p) / log2(1 + p)
        NDCG = DCG of the ranking / DCG of the pages by falling gain

    nan where no page is endorsed.
    """
    best = _dcg(np.sort(gains)[::-1][:first])
    return _dcg(_in_order(values, gains)[:first]) / best if best else math.nan


def precision(values: FloatArray, gains: FloatArray, first: int = 20) -> float:
    """Share of the first pages that are endorsed; of all n where there are fewer. nan where there is no page."""
    return float(_in_order(values, (gains > 0.0).astype(np.float64))[:first].mean()) if len(gains) else math.nan


def mean_interval(
    differences: FloatArray, rng: np.random.Generator, level: float = 0.95, draws: int = 10_000
) -> Interval:
    """The mean of differences, one per site, and a bootstrap interval that holds a share `level` of drawn means.

    A draw is as many sites as there are, with replacement. The bounds leave out as many draws on either side.
    differences: shape (sites,), at least one.
    """
    if not len(differences):
        raise ValueError("an interval needs at least one difference")
    sums = np.zeros(draws)
    for _ in range(len(differences)):  # site by site: all draws of many sites would take much memory
        sums += differences[rng.integers(len(differences), size=draws)]
    low, high = np.quantile(sums / len(differences), [(1.0 - level) / 2, (1.0 + level) / 2])
    return Interval(float(differences.mean()), float(low), float(high))


def _dcg(gains: FloatArray) -> float:
    return float((gains / np.log2(2.0 + np.arange(len(gains)))).sum())


def _in_order(values: FloatArray, gains: FloatArray) -> FloatArray:
    """Expected gain in each position, from the first: tied pages share the mean of their gains."""
    ranks = competition_ranks(values)
    pages = np.bincount(ranks)
    shared = np.bincount(ranks, weights=gains) / np.maximum(pages, 1)
    in_order: FloatArray = np.repeat(shared, pages)
    return in_order
