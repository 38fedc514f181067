"""The nine worked examples of a lecture on link analysis, each figure as printed beside the value found by `rank`, and
what the lecture says of the rounds of HITS.

Scores are vectors of length 1. A figure is right to a unit of its last digit, a whole number if it is the same. The
lecture draws some of its graphs without naming their links: those here give its figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.experiment import Claim, Result
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, hits, pagerank
from minicrawl.rank.blocks import LinkRows, Plan, split
from minicrawl.rank.hits import adjacency

_EXACT = 9
"""Digits of a whole number that must be right."""
_ROUNDS = {
    1: (".267 0 0 .802 .535", ".645 .387 .645 .129 0"),
    2: (".061 0 0 .791 .609", ".656 .371 .656 .029 0"),
    5: (".000 0 0 .788 .615", ".657 .369 .657 .000 0"),
}
"""Rounds of HITS, then authorities and hubs of q1, q2, q3, p1, p2."""
_TABLE = LinkRows(np.arange(3), np.array([4, 3, 5]), np.array([12, 26, 58, 94, 5, 56, 69, 1, 9, 10, 36, 78]))
_BLOCKS = Plan(size=96, blocks=3, width=32, links=len(_TABLE.targets), bytes=0)
"""Links of three pages, and the blocks of pages that they lead to."""


@dataclass(frozen=True, eq=False)
class Example:
    """Figures as printed, with spaces between, and as found."""

    title: str
    printed: str
    found: FloatArray

    @property
    def stated(self) -> list[float]:
        return [float(figure) for figure in self.printed.split()]

    @property
    def errors(self) -> FloatArray:
        return np.abs(np.array(self.stated) - self.found)

    @property
    def agrees(self) -> bool:
        """True if every figure is right."""
        units = [10.0 ** -(len(figure.partition(".")[2]) or _EXACT) for figure in self.printed.split()]
        return bool((self.errors <= units).all())

    def claim(self) -> Claim:
        found = " ".join(f"{value:.4f}" for value in self.found)
        return Claim(f"{self.title}: {self.printed}", self.agrees, f"{found}; at most {self.errors.max():.1g} off")


def result() -> Result:
    """The examples, and what the lecture says of rounds, as claims."""
    found = examples()
    rows = [(one.title, *both) for one in found for both in zip(one.stated, one.found.tolist(), strict=True)]
    agree = sum(one.agrees for one in found)
    title = f"Link Analysis in Web Search: {agree} of {len(found)} examples agree"
    claims = [*(one.claim() for one in found), *rounds()]
    return Result("lecture", title, ("example", "lecture", "minicrawl"), rows, [], claims)


_APART = [[3], [3, 4], [3], [], [], [7], [7], [], []]
"""Pages 1 to 9 are 0 to 8: 1, 2 and 3 link to 4, and 2 to 5; 6 and 7 to 8."""


def rounds() -> list[Claim]:
    """Three claims about rounds of HITS, on a matrix M = A'A.

    The rounds' error shrinks by l2 / l1, of the two largest eigenvalues; M - l1 e1 e1' has l2 as its largest.
    """
    stars = Graph.from_links([[5], [5], [5], [6], [6], [], []])
    shares = [hits(stars, iterations=count).authorities for count in range(1, 6)]
    ratios = [float(share[6] / share[5]) for share in shares]
    a = adjacency(Graph.from_links([*_APART[:8], [3, 7]])).toarray()
    m = a.T @ a
    values, vectors = np.linalg.eigh(m)
    first, second = vectors[:, -1], vectors[:, -2]
    steps = [np.abs(_unit(np.linalg.matrix_power(m, count) @ np.ones(len(m)))) for count in range(29, 32)]
    shrinks = float(np.linalg.norm(steps[2] - steps[1]) / np.linalg.norm(steps[1] - steps[0]))
    gap = float(values[-2] / values[-1])
    printed, deflated = (m - scale * np.outer(first, first) for scale in (1.0, values[-1]))
    start = np.arange(1.0, len(m) + 1)
    found = _unit(np.linalg.matrix_power(deflated, 200) @ start)
    return [
        Claim(
            "after k rounds the smaller community's authority is (n/m)^k of the larger one's",
            bool(np.allclose(ratios, [(2 / 3) ** count for count in range(1, 6)])),
            f"n = 2, m = 3: {', '.join(f'{ratio:.4f}' for ratio in ratios)}",
        ),
        Claim(
            "the rate of convergence depends on the eigen gap",
            abs(shrinks - gap) < 0.01,
            f"a round leaves {shrinks:.4f} of the change before; l2 / l1 is {gap:.4f}",
        ),
        Claim(
            "power iteration on M - e1 e1' finds the second vector, as M2 e1 = 0",
            float(np.linalg.norm(printed @ first)) < 1e-9,
            f"as printed M2 e1 is {np.linalg.norm(printed @ first):.3g} e1; of M - l1 e1 e1' it is "
            f"{np.linalg.norm(deflated @ first):.1g}, and 200 rounds find e2 (cosine {abs(float(found @ second)):.6f})",
        ),
    ]


def examples() -> list[Example]:
    """All examples, computed."""
    q = Graph.from_links([[3, 4], [3], [3, 4], [0], []])
    bridged = Graph.from_links([*_APART[:8], [3, 7]])  # the bridge, page 9, links to 4 and 8
    pieces = [block * _BLOCKS.width + targets for block, (_, _, _, targets) in split(_TABLE, _BLOCKS)]
    return [
        *(_hits(f"HITS, rounds: {rounds}", q, " ".join(printed), rounds=rounds) for rounds, printed in _ROUNDS.items()),
        _hits("Tyranny of the majority: 4, 5, 8 as authorities, 1, 2, 3, 6, 7 as hubs", Graph.from_links(_APART),
              ".923 .382 0 .5 .7 .5 0 0", [3, 4, 7], [0, 1, 2, 5, 6]),
        _hits("Bridge: 4, 5, 8 as authorities, 1, 2, 3, 6, 7, 9 as hubs", bridged,
              ".853 .224 .47 .39 .49 .39 .21 .21 .6", [3, 4, 7], [0, 1, 2, 5, 6, 8]),
        _pagerank("PageRank, c = .8: A, B, C, D", [[2], [2], [3], [0, 1]], ".338 .338 .6367 .6052"),
        _pagerank("Before collusion: A, B, C", [[1], [2], [0]], ".5774 .5774 .5774"),
        _pagerank("Collusion of B and C", [[1], [2], [0, 1]], ".37 .6672 .6461"),
        Example("Block table: links to pages 0 to 31, then 32 to 63, then 64 to 95",
                "12 26 5 1 9 10 58 56 36 94 69 78", np.concatenate(pieces).astype(np.float64)),
    ]  # fmt: skip


def _hits(  # noqa: PLR0913 - pages of either kind, and rounds
    title: str, graph: Graph, printed: str, authorities: Sequence[int] = range(5), hubs: Sequence[int] = range(5),
    rounds: int | None = None,
) -> Example:  # fmt: skip
    found = hits(graph, iterations=rounds)
    sides = [_unit(found.authorities)[list(authorities)], _unit(found.hubs)[list(hubs)]]
    return Example(title, printed, np.concatenate(sides))


def _pagerank(title: str, links: list[list[int]], printed: str) -> Example:
    return Example(title, printed, _unit(pagerank(Graph.from_links(links), damping=0.8)))


def _unit(scores: FloatArray) -> FloatArray:
    """The vector of length 1."""
    unit: FloatArray = scores / np.linalg.norm(scores)
    return unit
