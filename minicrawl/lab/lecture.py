"""Worked examples of link analysis, each figure beside the value found by `rank`.

Two are a lecture's, with the figures as printed, two to four digits. It does not name its graphs: of all with four and
three pages and no link from a page to itself, these alone give them, up to renumbering of the pages. The others are
small enough to be solved by hand, as explained by a comment at each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.rank import Graph, hits, pagerank
from minicrawl.rank.hits import communities, with_self_links
from minicrawl.rank.pagerank import FloatArray

LECTURE, BY_HAND = "the lecture", "by hand"
_GOLDEN = (1.0 + 5.0**0.5) / 2.0
_EXACT = 1e-9


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
    return [
        _pagerank("PageRank, c = .8, four pages", [[1], [2, 3], [0], [0]], ["0.6367", "0.6052", "0.338", "0.338"]),
        _pagerank("PageRank, c = .8, collusion of pages 0 and 2", [[1, 2], [2], [0]], ["0.6461", "0.37", "0.6672"]),
    ]


def _pagerank(title: str, links: list[list[int]], printed: list[str]) -> Example:
    """Vectors of length 1."""
    ranks = pagerank(Graph.from_links(links), damping=0.8)
    units = [10.0 ** -len(figure.partition(".")[2]) for figure in printed]
    return Example(title, LECTURE, [float(figure) for figure in printed], ranks / np.linalg.norm(ranks), units)


def _hits() -> list[Example]:
    # The first authorities are in-degrees, 9 in all; the first hubs sums over their targets, 23 in all.
    first = hits(Graph.from_links([[1, 2, 3], [2], [0, 3], [2, 4], [2]]), iterations=1)
    # Four hubs of three authorities beside three of two: each authority has 4 * 12**4 and 3 * 6**4 after five steps.
    apart = Graph.from_links(_bipartite((4, 3), (3, 2)))
    large, small = 4 * 12**4, 3 * 6**4
    both = 3 * large + 2 * small
    majority = hits(apart, iterations=5).authorities
    minority = communities(apart, 2)[1].authorities
    # W = [[4, 1, 0], [0, 1, 2]], so W W' = [[17, 1], [1, 5]], whose largest eigenvalue is 11 + sqrt(37).
    words = hits(Graph.from_links([[2, 3], [3, 4], [], [], []]), weights=np.array([4.0, 1.0, 1.0, 2.0])).hubs
    h = np.array([37**0.5 + 6.0, 1.0])
    # One link: L tells nothing but its source. K = L + I has K'K = [[1, 1], [1, 2]]: the golden ratio.
    joined, weights = with_self_links(Graph.from_links([[1], []]), np.arange(2))
    with_self = hits(joined, weights=weights).authorities
    return [
        Example("HITS, authorities after a step", BY_HAND, [k / 9 for k in (1, 1, 4, 2, 1)], first.authorities),
        Example("HITS, hubs after a step", BY_HAND, [k / 23 for k in (7, 4, 3, 5, 4)], first.hubs),
        Example("HITS, authorities of two communities after five steps", BY_HAND,
                [large / both] * 3 + [small / both] * 2, majority[[4, 5, 6, 10, 11]]),
        Example("HITS, the minority, by the second singular vector", BY_HAND, [0.5, 0.5], minority[[10, 11]]),
        Example("HITS, hubs, 3 words of the query near the first link and 1 near the last", BY_HAND,
                (h / h.sum()).tolist(), words[:2]),
        Example("HITS, authorities by L + I, one link", BY_HAND, [1 / (1 + _GOLDEN), _GOLDEN / (1 + _GOLDEN)],
                with_self),
    ]  # fmt: skip


def _bipartite(*sizes: tuple[int, int]) -> list[list[int]]:
    """Separate communities: pairs (hubs, authorities) in which every hub links to every authority."""
    links: list[list[int]] = []
    for hubs, authorities in sizes:
        first = len(links) + hubs
        links += [list(range(first, first + authorities))] * hubs + [[]] * authorities
    return links
