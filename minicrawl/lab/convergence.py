"""Convergence on a fixed graph: error of every method against page visits.

Figures 2 and 3 of Abiteboul, Preda, Cobena (WWW 2003): all pages, and the most important tenth. Errors are
`rank.mean_error` in percent, means over the graphs.

N         pages of the graph
C, H, G   cash, history and clock of the cash book; C0 the initial cash of all pages, 1/N of the total
off-line  power iteration; a step costs as much as N visits

The paper's virtual page pays out to all pages; the book's holds its cash (`held`). Every page passes 1 - d of its cash
to it, as in PageRank; in the paper it is one more outlink of every page (`edge_errors`).

The book is exact in the limit, with two numbers per page: its error against visits, with the certificate beside it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from statistics import fmean

import numpy as np

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.visits import LAB_TOTAL, Links, greedy, in_order, links_of, make, paper_book, settling
from minicrawl.opic import Adaptive, Book
from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.rank import Errors, Graph, l1, mean_error, pagerank
from minicrawl.rank.pagerank import power_steps

H_BY_G, H_AND_C, X, POWER = "H/G", "(H+C)/(G+1)", "X", "power iteration"
"""Estimators; X = (H+C-C0)/G."""


@dataclass(frozen=True)
class Snapshot:
    """A method after some visits: estimates by estimator, and for the cash book the cash of its last visits.

    spent: mean cash of a visit since the last snapshot, in units of 1/N of all cash. clock: G, all cash being 1.
    certificate: the book's, once every page has been read.
    """

    estimates: Mapping[str, FloatArray]
    spent: float = 0.0
    clock: float = 0.0
    certificate: float | None = None


Method = Callable[[Graph, np.random.Generator, int], Iterator[Snapshot]]
"""A method on a graph: an endless iterator of snapshots, one after every `each` visits, a multiple of N."""


_Order = Callable[[Adaptive, Links, np.random.Generator], Iterator[int]]
"""Visits to the pages of a book, without end."""


def _cash_book(visits: _Order) -> Method:
    """The paper's cash book, with visits made by `visits`."""

    def run(graph: Graph, rng: np.random.Generator, each: int) -> Iterator[Snapshot]:
        book = paper_book(graph.size)
        initial = book.cashes()
        visited = visits(book, links_of(graph), rng)
        while True:
            before = book.clock
            make(visited, each)
            spent = (book.clock - before) / each * graph.size / LAB_TOTAL
            yield Snapshot(book.estimates(initial), spent, book.clock / LAB_TOTAL)

    return run


def _drawn(rng: np.random.Generator, size: int) -> Iterator[int]:
    """Any page, again and again."""
    while True:
        yield from rng.integers(0, size, size, dtype=np.int32).tolist()


def _held(graph: Graph, rng: np.random.Generator, each: int) -> Iterator[Snapshot]:
    """Greedy visits by residual, with the virtual page's cash held."""
    book = Book()
    book.discover(graph.size)
    unread: list[Pages] = [graph.targets[:0]] * graph.size
    visits = settling(book, links_of(graph), unread)
    while True:
        make(visits, each)
        bound = book.certificate() + book.rounding(len(graph.targets))
        yield Snapshot({X: book.importance()}, certificate=bound if book.forwarded[: book.size].all() else None)


def _off_line(graph: Graph, rng: np.random.Generator, each: int) -> Iterator[Snapshot]:
    steps = each // graph.size
    for x in islice(power_steps(graph), steps, None, steps):
        yield Snapshot({POWER: x})


ORDERS: dict[str, _Order] = {
    "greedy": lambda book, links, rng: greedy(book, links),
    "cycle": lambda book, links, rng: in_order(book, links, cycle(range(book.size))),
    "random": lambda book, links, rng: in_order(book, links, _drawn(rng, book.size)),
}
METHODS: dict[str, Method] = {
    **{name: _cash_book(visits) for name, visits in ORDERS.items()},
    "off-line": _off_line,
    "greedy, held": _held,
}


def edge_importance(graph: Graph) -> FloatArray:
    """Exact importance of every page where the virtual page is one more outlink of each, and leads to all: shape
    (size,), sum 1. A page with o links passes o / (o + 1) of its importance on along them."""
    passed, links = graph.outdegrees(), graph.transition()
    share = passed / (passed + 1.0)
    x, moved = np.full(graph.size, 1.0 / graph.size), 2.0
    while moved > EXACT:
        before, x = x, links @ (share * x)
        x += (1.0 - x.sum()) / graph.size
        moved = l1(before, x)
    return x


def edge_errors(graph: Graph, name: str, seed: int, turns: int) -> list[tuple[float, float]]:
    """Errors of H/G and of (H+C)/(G+1) on all pages, in percent, after 1N to `turns` N visits in an order of ORDERS,
    where the virtual page is one more outlink."""
    truth, book = edge_importance(graph), paper_book(graph.size, has_edge=True)
    initial, visits = book.cashes(), ORDERS[name](book, links_of(graph), np.random.default_rng(seed))
    found = []
    for _ in range(turns):
        make(visits, graph.size)
        estimates = book.estimates(initial)
        found.append((mean_error(estimates[H_BY_G], truth).all, mean_error(estimates[H_AND_C], truth).all))
    return found


_ESTIMATORS = (H_BY_G, H_AND_C, X)
_PAPER = (*ORDERS, "off-line")
_COLUMNS = ("visits in N", "method", "estimator", "error of all pages in %", "error of the top tenth in %")
LEVELS = (1.0, 0.1, 0.01)
EXACT = 1e-13
"""L1 error of the reference importance."""


@dataclass
class Trace:
    """Errors of a method after each step, by estimator; lists in step with the checkpoints of `trace`.

    limits: L1 change of H/G by one step of power iteration, times G: at most 1 by the paper's theorem.
    deviations, outliers: standard deviation of the relative errors in %, and share of pages with more than twice the
    mean error; of the first estimator.
    """

    errors: dict[str, list[Errors]] = field(default_factory=dict)
    spent: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    deviations: list[float] = field(default_factory=list)
    outliers: list[float] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)
    certificates: list[float] = field(default_factory=list)


def trace(graph: Graph, truth: FloatArray, name: str, seed: int, steps: int) -> Trace:
    """Run a method for `steps` steps of N visits each, and compare with the truth after each."""
    traced = Trace()
    method = METHODS[name](graph, np.random.default_rng(seed), graph.size)
    for _, snapshot in zip(range(steps), method, strict=False):
        for estimator, estimate in snapshot.estimates.items():
            traced.errors.setdefault(estimator, []).append(mean_error(estimate, truth))
        if snapshot.clock:
            traced.spent.append(snapshot.spent)
            traced.clock.append(snapshot.clock)
            shares = snapshot.estimates[H_BY_G]
            _, after = islice(power_steps(graph, start=shares), 2)
            traced.limits.append(l1(shares, after) * snapshot.clock)
            errors = np.abs(shares / shares.sum() - truth) / truth
            traced.deviations.append(float(100.0 * errors.std()))
            traced.outliers.append(float((errors > 2 * errors.mean()).mean()))
        if snapshot.certificate is not None:
            traced.distances.append(l1(snapshot.estimates[X], truth))
            traced.certificates.append(snapshot.certificate)
    return traced


@dataclass(frozen=True)
class Traces:
    """A method's traces on several graphs. A step is N visits."""

    name: str
    of: Sequence[Trace]

    def mean(self, series: str) -> list[float]:
        """Mean over the graphs of one list of a trace, step by step."""
        return [fmean(values) for values in zip(*(getattr(one, series) for one in self.of), strict=True)]

    def errors(self, estimator: str) -> list[Errors]:
        """Mean errors over the graphs, step by step."""
        steps = zip(*(one.errors[estimator] for one in self.of), strict=True)
        return [Errors(fmean(e.all for e in step), fmean(e.top for e in step)) for step in steps]

    @property
    def estimators(self) -> list[str]:
        return list(self.of[0].errors)

    def rows(self) -> list[tuple[float | str, ...]]:
        return [
            (visits, self.name, estimator, errors.all, errors.top)
            for estimator in self.estimators
            for visits, errors in enumerate(self.errors(estimator), start=1)
        ]

    def curve(self, estimator: str, part: str) -> Curve:
        name = self.name if len(self.estimators) == 1 else f"{self.name}, {estimator}"
        errors = [getattr(step, part) for step in self.errors(estimator)]
        return Curve(name, range(1, 1 + len(errors)), errors)

    def reaches(self, estimator: str, level: float) -> int | None:
        """Visits in N after which the error of all pages stays at most `level` percent; None if it never does."""
        steps = self.errors(estimator)
        first = 1 + max((visits for visits, errors in enumerate(steps, start=1) if errors.all > level), default=0)
        return first if first <= len(steps) else None


def traces(graphs: Sequence[Graph], names: Sequence[str], seed: int, steps: int) -> dict[str, Traces]:
    """The traces of some methods on some graphs."""
    webs = [(graph, pagerank(graph, tolerance=EXACT)) for graph in graphs]
    return {name: Traces(name, [trace(*web, name, seed, steps) for web in webs]) for name in names}


def figure_2(graphs: Sequence[Graph], seed: int, turns: int = 10) -> Result:
    """Error on all pages after 1N to `turns` N visits."""
    by_name = traces(graphs, _PAPER, seed, turns)
    last = {name: {e: by_name[name].errors(e)[-1] for e in by_name[name].estimators} for name in _PAPER}
    greedy, cycle, random = (last[name] for name in ORDERS)
    off_line = last["off-line"][POWER]
    spent, clock, deviations, outliers = (
        {name: by_name[name].mean(series)[-1] for name in ORDERS}
        for series in ("spent", "clock", "deviations", "outliers")
    )
    limits = {name: max(limit for one in by_name[name].of for limit in one.limits) for name in spent}
    at_end = f"at {turns}N"

    def all_pages(estimator: str) -> str:
        values = " / ".join(f"{one[estimator].all:.3g}" for one in (greedy, cycle, random))
        return f"{estimator} {values} %"

    claims = [
        Claim(
            "greedy is better than cycle, and cycle than random, by every estimator",
            all(greedy[e].all < cycle[e].all < random[e].all for e in _ESTIMATORS),
            f"{at_end} " + "; ".join(map(all_pages, _ESTIMATORS)),
        ),
        Claim(
            "on all pages greedy is about as good as cycle (within a factor of two)",
            0.5 <= greedy[H_AND_C].all / cycle[H_AND_C].all <= 2.0,
            f"(H+C)/(G+1) {greedy[H_AND_C].all:.3g} and {cycle[H_AND_C].all:.3g} % {at_end}",
        ),
        Claim(
            "random is significantly worse (by half at least)",
            random[H_AND_C].all >= 1.5 * max(cycle[H_AND_C].all, greedy[H_AND_C].all),
            f"(H+C)/(G+1) {random[H_AND_C].all:.3g} % {at_end}",
        ),
        Claim(
            "the off-line algorithm converges almost like cycle and greedy (within a factor of two)",
            off_line.all * 2 >= min(cycle[H_AND_C].all, greedy[H_AND_C].all),
            f"power iteration {off_line.all:.3g} % {at_end}, (H+C)/(G+1) of greedy {greedy[H_AND_C].all:.3g} %",
        ),
        _better_by_cash_in_hand(graphs, seed, turns),
        Claim(
            "(H+C)/(G+1) is a little better than H/G, also where pages pass 1 - d to the virtual page",
            all(one[H_AND_C].all <= one[H_BY_G].all for one in (greedy, cycle, random)),
            "; ".join(
                f"{name} {last[name][H_AND_C].all:.3g} against {last[name][H_BY_G].all:.3g} %" for name in ORDERS
            ),
        ),
        Claim(
            "X = (H+C-C0)/G is better than both",
            all(one[X].all < min(one[H_AND_C].all, one[H_BY_G].all) for one in (greedy, cycle, random)),
            f"{at_end} {all_pages(X)}",
        ),
        Claim(
            "the cash at a greedy visit tends to 2/N (within a tenth)",
            abs(spent["greedy"] - 2.0) <= 0.2,
            f"mean of the last N visits, times N: greedy {spent['greedy']:.2f}, cycle {spent['cycle']:.2f}, "
            f"random {spent['random']:.2f}",
        ),
        Claim(
            "the error factor 1/G falls at least twice as fast for greedy as for random",
            clock["greedy"] >= 2.0 * clock["random"],
            f"G {at_end}: greedy {clock['greedy']:.1f}, cycle {clock['cycle']:.1f}, random {clock['random']:.1f}",
        ),
        Claim(
            "a step of power iteration moves H/G by less than 1/G in L1, whatever is visited",
            max(limits.values()) < 1.0,
            "at most, over graphs and steps: " + ", ".join(f"{name} {limit:.2f}/G" for name, limit in limits.items()),
        ),
        Claim(
            "the variance is roughly the same for all strategies (deviations within a factor of two)",
            max(deviations.values()) <= 2.0 * min(deviations.values()),
            f"H/G {at_end}: " + ", ".join(f"{name} {one:.3g} %" for name, one in deviations.items()),
        ),
        Claim(
            "almost no page (at most one in a hundred) has more than twice the mean error",
            max(outliers.values()) <= 0.01,
            f"H/G {at_end}: " + ", ".join(f"{name} {one:.1%} of the pages" for name, one in outliers.items()),
        ),
    ]
    return _result("figure2", "Figure 2: error on all pages", by_name, ("all",), claims)


def _better_by_cash_in_hand(graphs: Sequence[Graph], seed: int, turns: int) -> Claim:
    """The paper's claim, with its own virtual page."""
    figures, ahead = [], 0
    for name in ORDERS:
        by_history, by_both = np.mean([edge_errors(graph, name, seed, turns) for graph in graphs], axis=0).T
        better = int((by_both <= by_history).sum())
        ahead += better
        errors = f"{name} {by_both[-1]:.3g} against {by_history[-1]:.3g} %"
        figures.append(f"{errors} at {turns}N, better at {better} of {turns}")
    return Claim(
        f"(H+C)/(G+1) is a little better than H/G from 1N to {turns}N, the virtual page being one more outlink",
        ahead == turns * len(ORDERS),
        "; ".join(figures),
    )


def figure_3(graphs: Sequence[Graph], seed: int, turns: int = 10) -> Result:
    """Error on the most important tenth after 1N to `turns` N visits."""
    by_name = traces(graphs, _PAPER, seed, turns)
    tops = {name: [e.top for e in by_name[name].errors(by_name[name].estimators[0])] for name in _PAPER}
    ends = {name: series[-1] for name, series in tops.items()}
    ahead = [turn + 1 for turn in range(turns) if tops["greedy"][turn] < tops["off-line"][turn]]
    greedy = by_name["greedy"]
    claims = [
        Claim(
            "on the most important pages greedy is better than cycle, and cycle than random",
            ends["greedy"] < ends["cycle"] < ends["random"],
            f"H/G at {turns}N: {ends['greedy']:.3g}, {ends['cycle']:.3g}, {ends['random']:.3g} %",
        ),
        Claim(
            "there greedy is better than the off-line algorithm",
            len(ahead) == turns,
            f"H/G is ahead of power iteration at {', '.join(f'{turn}N' for turn in ahead) or 'no'} "
            f"visits; at {turns}N {ends['greedy']:.3g} against {ends['off-line']:.3g} %",
        ),
        Claim(
            "on the most important pages (H+C)/(G+1) is no better than H/G for greedy, and X is better than both",
            greedy.errors(X)[-1].top < greedy.errors(H_BY_G)[-1].top <= greedy.errors(H_AND_C)[-1].top,
            ", ".join(f"{e} {greedy.errors(e)[-1].top:.3g} %" for e in _ESTIMATORS) + f" at {turns}N",
        ),
    ]
    return _result("figure3", "Figure 3: error on the most important tenth", by_name, ("top",), claims)


def on_graph(graphs: Sequence[Graph], seed: int, turns: int = 20) -> Result:
    """Error of every method against visits; visits until 1, 0.1 and 0.01 %; and two visits per page."""
    by_name = traces(graphs, tuple(METHODS), seed, turns)
    claims = [*(_race(by_name, level) for level in LEVELS), _is_certified(by_name["greedy, held"])]
    return _result("convergence", f"Convergence on {graphs[0].size:,} pages", by_name, ("all", "top"), claims)


def _race(by_name: dict[str, Traces], level: float) -> Claim:
    """The claim that holding the virtual page's cash reaches an error with fewer visits than power iteration."""
    visits = {name: one.reaches(one.estimators[-1], level) for name, one in by_name.items()}
    far = float("inf")
    return Claim(
        f"greedy visits with the cash held reach {level:g} % on all pages before power iteration",
        (visits["greedy, held"] or far) < (visits["off-line"] or far),
        ", ".join(f"{name} {'never' if at is None else f'{at:g}N'}" for name, at in visits.items()),
    )


def _result(name: str, title: str, by_name: dict[str, Traces], parts: Sequence[str], claims: Sequence[Claim]) -> Result:
    rows = [row for one in by_name.values() for row in one.rows()]
    titles = {"all": "all pages", "top": "the most important tenth"}
    panels = []
    for part in parts:
        curves = [one.curve(estimator, part) for one in by_name.values() for estimator in one.estimators]
        panels.append(Panel(titles[part], "page visits / N", "mean relative error in %", curves, log=True))
    return Result(name, title, _COLUMNS, rows, panels, claims)


def _is_certified(one: Traces) -> Claim:
    """The claim that the certificate bounds H/G once all pages are read; X is a step of power iteration closer."""
    pairs = [pair for traced in one.of for pair in zip(traced.distances, traced.certificates, strict=True)]
    return Claim(
        "the L1 distance of X is never above the certificate of the book",
        all(distance <= certificate for distance, certificate in pairs),
        f"at most {max(distance / certificate for distance, certificate in pairs):.2f} of it, at {len(pairs)} points",
    )
