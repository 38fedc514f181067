"""Other errors than the mean one, and other costs than visits: do the orders of figures 2 and 3 depend on either?

Section 6 of Abiteboul, Preda, Cobena (WWW 2003) names them in passing: the error weighted by importance, that of the
order, how much pages differ; graphs of other sizes; and that off-line and on-line should be compared at the same cost.

X, Imp      an estimate, and the truth, both with sum 1          N    pages
mean        100 * mean_j |X_j - Imp_j| / Imp_j                   weighted   the same, page j counting Imp_j: 100 * L1
order       percent of the pairs of two pages of the most important tenth that stand the wrong way round
spread      standard deviation of the relative errors of pages, in percent
passes      links followed, in links of the graph: what a method costs where a visit reads its page's links
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from minicrawl.lab.convergence import EXACT
from minicrawl.lab.methods import H_AND_C, H_BY_G, METHODS, POWER, X
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, kendall_tau, pagerank
from minicrawl.report import Claim, Curve, Panel, Result

_ON_LINE, _OFF_LINE = ("greedy", "cycle", "random"), "off-line"
_SHOWN = (H_BY_G, H_AND_C, X, POWER)
_COLUMNS = (
    *("pages", "graph", "visits in N", "passes", "method", "estimator"),
    *("mean error in %", "weighted error in %", "pairs in the wrong order in %", "spread in %"),
)
_MEASURES = ("mean", "weighted", "order", "spread")
_SAME = 1.5
"""Errors that differ by no more than this factor count as alike."""


@dataclass(frozen=True)
class Measured:
    """The errors of an estimate; see above."""

    mean: float
    weighted: float
    order: float
    spread: float


def measured(estimate: FloatArray, truth: FloatArray) -> Measured:
    """estimate: of any scale; truth: sum 1, and above 0 everywhere."""
    x = estimate / estimate.sum()
    errors = np.abs(x - truth) / truth
    top = np.argsort(-truth, kind="stable")[: -(-len(truth) // 10)]
    tau = kendall_tau(x[top], truth[top])
    return Measured(
        100.0 * float(errors.mean()),
        100.0 * float(np.abs(x - truth).sum()),
        50.0 * (1.0 - tau),
        100.0 * float(errors.std()),
    )


@dataclass(frozen=True)
class Point:
    """A method after some visits on one graph. passes: see above."""

    size: int
    graph: int
    visits: int
    passes: float
    method: str
    errors: dict[str, Measured]

    def rows(self) -> list[tuple[float | str, ...]]:
        return [
            (
                *(self.size, self.graph, self.visits, self.passes, self.method, estimator),
                *(one.mean, one.weighted, one.order, one.spread),
            )
            for estimator, one in self.errors.items()
        ]


def course(graph: Graph, number: int, seed: int, turns: int) -> list[Point]:
    """Every method on one graph, after 1 N to `turns` N visits."""
    truth = pagerank(graph, tolerance=EXACT)
    points = []
    for name in (*_ON_LINE, _OFF_LINE):
        method = METHODS[name](graph, np.random.default_rng(seed), graph.size)
        links = 0
        for turn, snapshot in zip(range(1, turns + 1), method, strict=False):
            links += snapshot.links or 0
            found = {name: measured(snapshot.estimates[name], truth) for name in _SHOWN if name in snapshot.estimates}
            points.append(Point(graph.size, number, turn, links / len(graph.targets), name, found))
    return points


def experiment(
    graphs: Sequence[Graph], seed: int, turns: int = 10, *, smaller: Sequence[Graph] = (), name: str = "drawn webs"
) -> Result:
    """All errors of all methods. smaller: graphs of the same kind with fewer pages, to compare sizes with."""
    points = [point for number, graph in enumerate(graphs) for point in course(graph, number, seed, turns)]
    less = [point for number, graph in enumerate(smaller) for point in course(graph, number, seed, turns)]
    means = {
        (method, estimator, measure): _at(points, method, estimator, measure, turns)
        for method in (*_ON_LINE, _OFF_LINE)
        for estimator in _estimators(method)
        for measure in _MEASURES
    }
    claims = [
        *(_same_order(means, measure, words, turns) for measure, words in _WORDS.items()),
        _least_spread(means, turns),
        _at_the_same_cost(points),
    ]
    if less:
        claims.append(_size(points, less, turns))
    rows = [row for point in (*points, *less) for row in point.rows()]
    panels = [_panel(points, measure) for measure in ("weighted", "order")]
    return Result("errors", f"Other errors, on {name}", _COLUMNS, rows, [*panels, _cost_panel(points)], claims)


_WORDS = {
    "weighted": "weighted by importance",
    "order": "by pairs of important pages in the wrong order",
}


def _estimators(method: str) -> tuple[str, ...]:
    return (POWER,) if method == _OFF_LINE else (H_BY_G, H_AND_C, X)


def _at(points: Sequence[Point], method: str, estimator: str, measure: str, turn: int) -> float:
    """The mean over the graphs."""
    return fmean(
        getattr(point.errors[estimator], measure) for point in points if (point.method, point.visits) == (method, turn)
    )


def _same_order(means: dict[tuple[str, str, str], float], measure: str, words: str, turns: int) -> Claim:
    orders = [[means[method, estimator, measure] for method in _ON_LINE] for estimator in (H_BY_G, H_AND_C, X)]
    figures = "; ".join(
        f"{estimator} {' / '.join(f'{error:.3g}' for error in errors)} %"
        for estimator, errors in zip((H_BY_G, H_AND_C, X), orders, strict=True)
    )
    return Claim(
        f"{words}, too, greedy is better than cycle, and cycle than random, by every estimator",
        all(errors == sorted(errors) for errors in orders),
        f"at {turns}N {figures}; off-line {means[_OFF_LINE, POWER, measure]:.3g} %",
    )


def _least_spread(means: dict[tuple[str, str, str], float], turns: int) -> Claim:
    spreads = [means[method, H_BY_G, "spread"] for method in _ON_LINE]
    return Claim(
        "with greedy the errors of pages differ the least, with random the most",
        spreads == sorted(spreads),
        f"H/G at {turns}N: standard deviation of greedy {spreads[0]:.3g}, cycle {spreads[1]:.3g}, "
        f"random {spreads[2]:.3g} %",
    )


def _at_the_same_cost(points: Sequence[Point]) -> Claim:
    """Off-line passes against greedy visits that follow as many links, by what is in between of two steps."""
    off_line = [(p.passes, p.errors[POWER].mean) for p in points if (p.method, p.graph) == (_OFF_LINE, 0)]
    greedy = [(p.passes, p.errors[X].mean) for p in points if (p.method, p.graph) == ("greedy", 0)]
    costs = [passes for passes, _ in off_line if greedy[0][0] <= passes <= greedy[-1][0]]
    pairs = [(cost, _between(greedy, cost), _between(off_line, cost)) for cost in costs]
    return Claim(
        "where as many links are followed, greedy (X) is better than off-line",
        bool(pairs) and all(ours < theirs for _, ours, theirs in pairs),
        ", ".join(f"{cost:.0f} passes {ours:.3g} and {theirs:.3g} %" for cost, ours, theirs in pairs)
        or f"greedy follows {greedy[0][0]:.1f} times all links in its first N visits",
    )


def _between(course: Sequence[tuple[float, float]], cost: float) -> float:
    """The error at a cost between two steps, by a straight line through the logarithms."""
    costs, errors = zip(*course, strict=True)
    return float(np.exp(np.interp(cost, costs, np.log(errors))))


def _size(points: Sequence[Point], less: Sequence[Point], turns: int) -> Claim:
    some = {estimator: (_at(less, "greedy", estimator, "mean", turns), _at(points, "greedy", estimator, "mean", turns))
            for estimator in (H_BY_G, X)}  # fmt: skip
    return Claim(
        f"the error does not depend on the size of the graph (within a factor of {_SAME:g})",
        all(1 / _SAME <= after / before <= _SAME for before, after in some.values()),
        f"greedy at {turns}N on {less[0].size:,} and {points[0].size:,} pages: "
        + ", ".join(f"{name} {before:.3g} and {after:.3g} %" for name, (before, after) in some.items()),
    )


def _panel(points: Sequence[Point], measure: str) -> Panel:
    turns = sorted({point.visits for point in points})
    curves = [
        Curve(
            method if method == _OFF_LINE else f"{method}, {estimator}",
            turns,
            [_at(points, method, estimator, measure, turn) for turn in turns],
        )
        for method in (*_ON_LINE, _OFF_LINE)
        for estimator in _estimators(method)
        if estimator != H_AND_C
    ]
    return Panel(measure, "page visits / N", "error in %", curves, log=True)


def _cost_panel(points: Sequence[Point]) -> Panel:
    first = [point for point in points if point.graph == 0]
    curves = []
    for method in (*_ON_LINE, _OFF_LINE):
        estimator = _estimators(method)[-1]
        some = [(p.passes, p.errors[estimator].mean) for p in first if p.method == method]
        curves.append(Curve(f"{method}, {estimator}", *map(list, zip(*some, strict=True))))
    return Panel("at the same cost", "links followed / links", "mean error in %", curves, log=True)
