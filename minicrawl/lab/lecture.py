"""Worked examples of link analysis, each figure beside the value found by `rank`.

Two are a lecture's, with the figures as printed, two to four digits. It does not name its graphs: of all with four and
three pages and no link from a page to itself, these alone give them, up to renumbering of the pages. The others stand
for its other subjects: rounds of HITS, tyranny of the majority, bridges, minorities, collusion, sinks. They are small
enough to be solved by hand, in fractions or as explained by a comment at each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, hits, pagerank
from minicrawl.rank.hits import bridges, capped_weights, communities, with_self_links

LECTURE, BY_HAND = "printed", "by hand"
_GOLDEN = (1.0 + 5.0**0.5) / 2.0
_EXACT = 1e-9
_FIVE = [[1, 2, 3], [2], [0, 3], [2, 4], [2]]


@dataclass(frozen=True, eq=False)
class Example:
    """Stated and found values of some pages. source: LECTURE or BY_HAND.

    units: unit of the last digit printed of each; none: all digits.
    """

    title: str
    source: str
    stated: Sequence[float]
    found: FloatArray
    units: Sequence[float] = ()

    @property
    def error(self) -> float:
        """The largest difference."""
        return float(self._differences.max())

    @property
    def agrees(self) -> bool:
        """True if every figure is the same, to a unit of its last digit."""
        return bool((self._differences <= np.asarray(self.units or _EXACT)).all())

    @property
    def _differences(self) -> FloatArray:
        return np.abs(np.asarray(self.stated) - self.found)


def examples() -> list[Example]:
    """All examples, computed."""
    return [*_pageranks(), *_hits()]


def _pageranks() -> list[Example]:
    farm = Graph.from_links([[], [0], [0], [0], [0], [6], []])
    sink = _walked([[1, 2], [3], [0], [4], [3]], 80)
    one_a_site = capped_weights(farm, np.array([0, 1, 1, 1, 1, 5, 6]), 1)
    return [
        _pagerank("PageRank, c = .8, four pages", [[1], [2, 3], [0], [0]], ["0.6367", "0.6052", "0.338", "0.338"]),
        _pagerank("PageRank, c = .8, collusion of pages 0 and 2", [[1, 2], [2], [0]], ["0.6461", "0.37", "0.6672"]),
        # x0 = 1/15 + .8 x2, x1 = 1/15 + .4 x0, x2 = 1/15 + .4 x0 + .8 x1
        Example("PageRank by hand, the same graph", BY_HAND, [61 / 159, 35 / 159, 63 / 159],
                pagerank(Graph.from_links([[1, 2], [2], [0]]), damping=0.8)),
        # Four pages of a site link to one page, an honest page to another: 1 + 4c and 1 + c times the rank of the five.
        Example("PageRank, c = .8, collusion of a site for page 0, page 6 is honest", BY_HAND, [4.2 / 11, 1.8 / 11],
                pagerank(farm, damping=0.8)[[0, 6]]),
        Example("PageRank, c = .8, the same with one link of a site to a page", BY_HAND, [1.8 / 8.6] * 2,
                pagerank(farm, damping=0.8, weights=one_a_site)[[0, 6]]),
        Example("Sink: without jumps all rank is in the circle of pages 3 and 4", BY_HAND, [0.0, 0.0, 0.0, 1.0],
                np.array([*sink[:3], sink[3:].sum()])),
        # From 0 half the rank goes to 1, which gives it back, and half to 2, where it is lost: 2/3, 1/2, 1/3, 1/4.
        Example("Leak: after four steps without jumps a quarter is left", BY_HAND, [1 / 12] * 3,
                _walked([[1, 2], [0], []], 4)),
    ]  # fmt: skip


def _walked(links: list[list[int]], steps: int) -> FloatArray:
    """Ranks after steps along links only, from all pages alike."""
    walks: FloatArray = np.linalg.matrix_power(Graph.from_links(links).transition().toarray(), steps).mean(axis=1)
    return walks


def _pagerank(title: str, links: list[list[int]], printed: list[str]) -> Example:
    """Vectors of length 1."""
    ranks = pagerank(Graph.from_links(links), damping=0.8)
    units = [10.0 ** -len(figure.partition(".")[2]) for figure in printed]
    return Example(title, LECTURE, [float(figure) for figure in printed], ranks / np.linalg.norm(ranks), units)


def _hits() -> list[Example]:
    rounds = []
    for count in (1, 2, 5):
        found, exact = hits(Graph.from_links(_FIVE), iterations=count), _in_fractions(_FIVE, count)
        for name, stated, values in zip(("authorities", "hubs"), exact, (found.authorities, found.hubs), strict=True):
            rounds.append(Example(f"HITS, {name}, rounds: {count}", BY_HAND, stated, values))
    # Four hubs of three authorities beside three of two: each authority has 4 * 12**4 and 3 * 6**4 after five steps.
    apart = Graph.from_links(_bipartite((4, 3), (3, 2)))
    large, small = 4 * 12**4, 3 * 6**4
    both = 3 * large + 2 * small
    majority = hits(apart, iterations=5).authorities
    minority = communities(apart, 2)[1].authorities
    # A page links to all five: a step is [[15, 2], [3, 8]] on an authority of each, of eigenvalue (23 + 73**.5) / 2.
    bridge = hits(Graph.from_links([*_bipartite((4, 3), (3, 2)), [4, 5, 6, 10, 11]])).authorities
    kept = (73**0.5 - 7.0) / 4.0
    # Two communities alike and a page that links to both: the second vector is + on one and - on the other.
    alike = Graph.from_links([*_bipartite((2, 2), (2, 2)), [2, 3, 6, 7]])
    leads = bridges(alike, communities(alike, 2)[1:])
    # W = [[4, 1, 0], [0, 1, 2]], so W W' = [[17, 1], [1, 5]], whose largest eigenvalue is 11 + sqrt(37).
    words = hits(Graph.from_links([[2, 3], [3, 4], [], [], []]), weights=np.array([4.0, 1.0, 1.0, 2.0])).hubs
    h = np.array([37**0.5 + 6.0, 1.0])
    # One link: L tells nothing but its source. K = L + I has K'K = [[1, 1], [1, 2]]: the golden ratio.
    joined, weights = with_self_links(Graph.from_links([[1], []]), np.arange(2))
    with_self = hits(joined, weights=weights).authorities
    return [
        *rounds,
        Example("Tyranny of the majority: authorities of two communities after five rounds of HITS", BY_HAND,
                [large / both] * 3 + [small / both] * 2, majority[[4, 5, 6, 10, 11]]),
        Example("Tyranny with a bridge: the minority keeps a share", BY_HAND,
                [k / (3 + 2 * kept) for k in (1, 1, 1, kept, kept)], bridge[[4, 5, 6, 10, 11]]),
        Example("Bridges: hubs of one community, and the page that leads to both", BY_HAND, [0.0] * 4 + [1.0],
                leads[[0, 1, 4, 5, 8]]),
        Example("Minorities: the smaller community, by the second vector", BY_HAND, [0.5, 0.5], minority[[10, 11]]),
        Example("HITS, hubs, 3 words of the query near the first link and 1 near the last", BY_HAND,
                (h / h.sum()).tolist(), words[:2]),
        Example("HITS, authorities by L + I, one link", BY_HAND, [1 / (1 + _GOLDEN), _GOLDEN / (1 + _GOLDEN)],
                with_self),
    ]  # fmt: skip


def _in_fractions(links: list[list[int]], rounds: int) -> tuple[list[float], list[float]]:
    """Authorities and hubs, each of sum 1, from hubs of 1."""
    h = [Fraction(1)] * len(links)
    for _ in range(rounds):
        a = [sum(h[hub] * targets.count(page) for hub, targets in enumerate(links)) for page in range(len(links))]
        h = [sum((Fraction(a[page]) for page in targets), Fraction(0)) for targets in links]
    return [float(each / sum(a)) for each in a], [float(each / sum(h)) for each in h]


def _bipartite(*sizes: tuple[int, int]) -> list[list[int]]:
    """Separate communities: pairs (hubs, authorities) in which every hub links to every authority."""
    links: list[list[int]] = []
    for hubs, authorities in sizes:
        first = len(links) + hubs
        links += [list(range(first, first + authorities))] * hubs + [[]] * authorities
    return links
