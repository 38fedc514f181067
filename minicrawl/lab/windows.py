"""Window policies on a web that changes: figures 4, 5 and 6 of Abiteboul, Preda, Cobena.

month   N page visits, N the number of pages; per month `rate` * N pages change, in 20 steps
T       size of a window on the clock; "4 months" is the advance of the clock in the last 4 months

A window does not affect the order of visits, so one run of visits serves all windows: its log.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.convergence import EXACT
from minicrawl.lab.visits import greedy, make, paper_book, settling
from minicrawl.lab.webs import Evolving
from minicrawl.opic import Adaptive, Book
from minicrawl.opic.arrays import FloatArray, IntArray, Pages
from minicrawl.opic.units import all_interpolated, interpolated
from minicrawl.rank import Graph, mean_error, pagerank

RATES = (0.0, 0.002, 0.01, 0.03, 0.1, 0.3)
_MODERATE = 0.1
"""Largest change rate covered by the paper's claims."""
_STEPS = 20
"""Batches of changes in a month."""
_COLUMNS = ("change rate", "policy", "measures per page", "error of all pages in %", "error of the top tenth in %")


Remembered = tuple[FloatArray, float]
"""The estimate of importance of a window at the end, shape (pages,), and the mean number of measures kept per page."""


class Past:
    """All visits of a run, page by page and oldest first; times are the clock's, in units.

    pages, cash, start, end: shape (visits,): `cash` was gathered from clock `start` on and spent before `end`.
    newer: number of later visits of the same page.
    """

    def __init__(self, visited: IntArray, clock: IntArray, pages: int) -> None:
        """visited, clock: the page of each visit, and the clock after it, both of shape (visits,)."""
        order = np.argsort(visited, kind="stable")
        spent = np.diff(clock, prepend=0)
        self.log = visited, spent
        self.size = pages
        self.pages = visited[order]
        self.cash = spent[order].astype(np.float64)
        self.clock = clock.astype(np.float64)
        self.end = self.clock[order]
        is_first = np.diff(self.pages, prepend=-1) != 0
        self.start = np.where(is_first, 0.0, np.roll(self.end, 1))
        after_last = np.cumsum(np.bincount(self.pages, minlength=pages))
        self.newer = after_last[self.pages] - 1 - np.arange(len(order))

    def since(self, visits: int) -> float:
        """The advance of the clock during the last `visits` visits, or since its start."""
        before = len(self.clock) - visits
        return float(self.clock[-1] - (self.clock[before - 1] if before > 0 else 0.0))

    def kept(self, turnovers: float, count: int, in_hand: float, *, compressed: bool = False) -> Remembered:
        """The estimate of an improved fixed window, which keeps the visits of the last T, T in `turnovers` of the cash
        in hand, and at least the last `count` of a page.

        compressed: older visits are merged, as they come, into measures of 2, 4, 8 ... visits, never more than two of a
        size; a measure counts as a whole while one of its visits does.
        """
        now = float(self.clock[-1])
        kept = (self.end > now - turnovers * in_hand) | (self.newer < count)
        measures = np.bincount(self.pages[kept], minlength=self.size)
        if compressed:
            last, measures = _merged(np.bincount(self.pages, minlength=self.size), measures)
            kept = self.newer < last[self.pages]
        oldest = np.full(self.size, now)
        np.minimum.at(oldest, self.pages[kept], self.start[kept])
        spent = np.bincount(self.pages[kept], self.cash[kept], self.size)
        stretch = now - oldest
        rates = np.divide(spent, stretch, out=np.zeros(self.size), where=stretch > 0)
        return rates / rates.sum(), float(measures.mean())


def _merged(visits: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray]:
    """Visits in the measures that have the last `wanted` of each page's `visits`, and the number of these measures.

    From the newest on there are one or two measures of 1 visit, then of 2, of 4 ...: the digits of `visits` to the base
    of two, written with 1 and 2.
    """
    covered, measures, rest, each = np.zeros_like(visits), np.zeros_like(visits), visits, 1
    while rest.any():
        digit = np.where(rest > 0, 2 - rest % 2, 0)
        for place in range(2):
            is_kept = (digit > place) & (covered < wanted)
            covered, measures = covered + each * is_kept, measures + is_kept
        rest, each = (rest - digit) // 2, 2 * each
    return covered, measures


def remember(window: float, book: Adaptive, past: Past) -> Remembered:
    """The estimate of `book` as if it had used this window, interpolated, during all its visits."""
    size = window * book.in_hand()
    history, last, clock = [0.0] * past.size, [0] * past.size, 0
    for page, cash in zip(*(column.tolist() for column in past.log), strict=True):
        history[page] = interpolated(history[page], cash, clock - last[page], size)
        last[page] = clock = clock + cash
    now = all_interpolated(np.array(history), book.cashes(), book.clock - np.array(last, dtype=np.float64), size)
    return now / now.sum(), 1.0


@dataclass(frozen=True)
class Run:
    """Greedy visits while links changed. truth: PageRank of the links at the end.

    book: importance by the book on the same web. floor: the best ranking possible without further reading, PageRank
    of the links as last read.
    """

    truth: FloatArray
    cash_book: Adaptive
    past: Past
    book: FloatArray
    floor: FloatArray


def run(graph: Graph, rate: float, seed: int, months: int = 10, *, with_book: bool = False) -> Run:
    """Visit greedily for some months with the paper's cash book, and with `Book` on request."""
    cash_book, book = paper_book(graph.size), Book()
    book.discover(graph.size)
    as_read: list[Pages] = [graph.targets[:0]] * graph.size
    now = graph

    def links(page: int) -> Pages:
        return now.targets[now.indptr[page] : now.indptr[page + 1]]

    visits, reads = greedy(cash_book, links), settling(book, links, as_read)
    log = []
    for now, count in changing(graph, rate, seed, months):  # noqa: B007 - `links` reads it
        made = ((page, cash_book.clock) for page in islice(visits, count))
        log.append(np.fromiter(made, np.dtype((np.int64, 2)), count))
        if with_book:
            make(reads, count)
    visited, clock = np.concatenate(log).T
    read = Graph.from_links([row.tolist() for row in as_read])
    truth, floor = (pagerank(one, tolerance=EXACT) for one in (now, read))
    return Run(truth, cash_book, Past(visited, clock, graph.size), book.importance(), floor)


def changing(graph: Graph, rate: float, seed: int, months: int) -> Iterator[tuple[Graph, int]]:
    """The web after each change, and the visits until the next one."""
    web = Evolving(graph, np.random.default_rng(seed))
    visits, changes = _shared_out(graph.size, _STEPS * months), _shared_out(rate * graph.size, _STEPS * months)
    for count, changed in zip(visits, changes, strict=True):
        if changed:
            web.change(changed)
            graph = web.graph()
        yield graph, count


def _shared_out(per_month: float, steps: int) -> list[int]:
    """Whole numbers for each of `steps` steps that sum up to `per_month` per month, as even as possible."""
    sums = [round(per_month * step / _STEPS) for step in range(steps + 1)]
    return [after - before for before, after in pairwise(sums)]


Policies = Mapping[str, Callable[[Run], Remembered]]
"""Window policies by name; a window of some months depends on the speed of the run's clock."""


def _months(run: Run, months: float) -> float:
    """The length of `months` months in turnovers of the cash in hand."""
    return run.past.since(round(months * run.past.size)) / run.cash_book.in_hand()


def _kept(months: int, least: int = 1, *, compressed: bool = False) -> Callable[[Run], Remembered]:
    """The visits of the last `months`, and at least the last `least` of a page; compressed: see `Past.kept`."""

    def remembered(run: Run) -> Remembered:
        return run.past.kept(_months(run, months), least, run.cash_book.in_hand(), compressed=compressed)

    return remembered


_LAST_VISITS: Policies = {f"last {visits} visits": _kept(0, visits) for visits in (4, 8, 16)}
_INTERPOLATION: Policies = {"interpolation, 4 months": lambda run: remember(_months(run, 4), run.cash_book, run.past)}
_BOOKS: Policies = {"book": lambda run: (run.book, 2.0), "links as last read": lambda run: (run.floor, 2.0)}
_BOOK, _FLOOR = _BOOKS
_TYPES: Policies = {
    "last 8 visits": _kept(0, 8),
    "fixed, 8 months": _kept(8),
    "fixed, 4 months": _kept(4),
    "improved fixed, 4 months, 3 visits": _kept(4, 3),
    **_INTERPOLATION,
    "fixed, 8 months, compressed": _kept(8, compressed=True),
}
_M4, _M8, _M16 = _LAST_VISITS
_VARIABLE, _FIXED_8, _FIXED_4, _IMPROVED, _INTERPOLATED, _COMPRESSED = _TYPES


class Measured(NamedTuple):
    """Means over the graphs, of one policy at one change rate: errors as in `rank.Errors`, and measures per page."""

    all: float
    top: float
    measures: float

    def __str__(self) -> str:
        return f"{self.all:.3g} / {self.top:.3g}"


Table = dict[tuple[float, str], Measured]


def measure(graphs: Sequence[Graph], rates: Sequence[float], policies: Policies, seed: int, months: int) -> Table:
    """Every policy at every change rate; mean over the graphs."""
    table: Table = {}
    for rate in rates:
        found: dict[str, list[Measured]] = {name: [] for name in policies}
        for number, graph in enumerate(graphs):
            done = run(graph, rate, seed + number, months, with_book=_BOOK in policies)
            for name, policy in policies.items():
                importance, measures = policy(done)
                found[name].append(Measured(*mean_error(importance, done.truth), measures))
        for name, every in found.items():
            table[rate, name] = Measured(*map(fmean, zip(*every, strict=True)))
    return table


def figure_4(graphs: Sequence[Graph], seed: int, rates: Sequence[float] = RATES, months: int = 10) -> Result:
    """Windows of the last 4, 8 and 16 visits and interpolation, against the rate of change."""
    windows = {**_LAST_VISITS, **_INTERPOLATION}
    table = measure(graphs, rates, {**windows, **_BOOKS}, seed, months)
    still, few, many = rates[0], [rate for rate in rates if rate <= 0.002], [rate for rate in rates if rate > 0.01]
    claims = [
        Claim(
            "8 visits come reasonably close (10 %), and 4 make a more important error",
            table[still, _M8].all <= 10.5 and table[still, _M4].top > 1.5 * table[still, _M8].top,
            f"without change {_M8}: {table[still, _M8]} % and {_M4}: {table[still, _M4]} %",
        ),
        Claim(
            "with few changes interpolation is about as good as 16 visits",
            all(table[rate, _INTERPOLATED].all <= 1.1 * table[rate, _M16].all for rate in few),
            _against(table, few, _INTERPOLATED, _M16),
        ),
        Claim(
            "above 1 % of change interpolation adapts better than 16 visits",
            all(table[rate, _INTERPOLATED].all < table[rate, _M16].all for rate in many),
            f"{_against(table, many, _INTERPOLATED, _M16)} (brought to now)",
        ),
        Claim(
            "it does so on the most important tenth, too",
            all(table[rate, _INTERPOLATED].top < table[rate, _M16].top for rate in many),
            _against(table, many, _INTERPOLATED, _M16),
        ),
        Claim(
            "the book is better than every window, and near what the links as last read allow (a factor of 1.8)",
            all(
                table[rate, _BOOK].all
                <= min(1.8 * table[rate, _FLOOR].all if rate else 0.06, *(table[rate, n].all for n in windows))
                for rate in rates
            ),
            _against(table, rates, _BOOK, _FLOOR),
        ),
    ]
    return _result("figure4", "Figure 4: windows against the rate of change", table, claims)


def figure_5(graphs: Sequence[Graph], seed: int, rates: Sequence[float] = RATES, months: int = 10) -> Result:
    """Measures per page kept by each window policy."""
    table = measure(graphs, rates, _TYPES, seed, months)
    published = {_FIXED_8: 8.4, _FIXED_4: 4.0, _IMPROVED: 6.1, _INTERPOLATED: 1.0}
    moderate = [rate for rate in rates if rate <= _MODERATE]
    claims = [
        Claim(
            f"'{name}' keeps {measures:g} measures per page, up to 10 % of change",
            all(abs(table[rate, name].measures - measures) <= 0.1 for rate in moderate),
            ", ".join(f"{table[rate, name].measures:.2f} at {rate:.1%}" for rate in rates),
        )
        for name, measures in published.items()
    ]
    claims.append(
        Claim(
            "'last 8 visits' keeps no more than 8",
            all(table[rate, _VARIABLE].measures <= 8.0 for rate in rates),
            ", ".join(f"{table[rate, _VARIABLE].measures:.2f} at {rate:.1%}" for rate in rates),
        )
    )
    # The rows of the paper's table, and ours beside them.
    types = {_VARIABLE: 8.0, **{name: published[name] for name in (_FIXED_8, _IMPROVED, _INTERPOLATED)}}
    places = range(1, len(types) + 1)
    ours = [table[rates[0], name].measures for name in types]
    curves = [Curve("the paper", places, list(types.values())), Curve("ours, without change", places, ours)]
    panel = Panel("; ".join(f"{at} {name}" for at, name in enumerate(types, start=1)), "window type and size",
                  "measures per page", curves)  # fmt: skip
    return Result("figure5", "Figure 5: storage per time window", _COLUMNS, _rows(table), [panel], claims)


def figure_6(graphs: Sequence[Graph], seed: int, rates: Sequence[float] = RATES, months: int = 10) -> Result:
    """Types of windows, against the rate of change."""
    table = measure(graphs, rates, _TYPES, seed, months)
    moderate, few = [rate for rate in rates if rate <= _MODERATE], [rate for rate in rates if rate <= 0.03]
    others = (_VARIABLE, _FIXED_8, _FIXED_4, _IMPROVED)
    claims = [
        Claim(
            "a window of visits is better than one of time, up to 10 % of change",
            all(table[rate, _VARIABLE].all < table[rate, _FIXED_8].all for rate in moderate),
            _against(table, moderate, _VARIABLE, _FIXED_8),
        ),
        Claim(
            "the improved fixed window is significantly better than the fixed one, up to 10 % of change",
            all(table[rate, _IMPROVED].all < table[rate, _FIXED_4].all for rate in moderate),
            _against(table, rates, _IMPROVED, _FIXED_4),
        ),
        Claim(
            "interpolation is the best, with the least storage",
            all(table[rate, _INTERPOLATED].all < min(table[rate, n].all for n in others) for rate in few),
            "all pages "
            + ", ".join(
                f"{table[rate, _INTERPOLATED].all:.3g} against {min(table[rate, n].all for n in others):.3g} % "
                f"at {rate:.1%}"
                for rate in rates
            ),
        ),
        Claim(
            "a compressed window is as good as a whole one (within a tenth), with half the measures",
            all(table[rate, _COMPRESSED].all <= 1.1 * table[rate, _FIXED_8].all for rate in rates)
            and all(2 * table[rate, _COMPRESSED].measures <= table[rate, _FIXED_8].measures for rate in rates),
            _against(table, rates, _COMPRESSED, _FIXED_8),
        ),
    ]
    return _result("figure6", "Figure 6: types of windows", table, claims)


def _against(table: Table, rates: Sequence[float], one: str, other: str) -> str:
    """Errors of both policies on all pages and the top tenth, at every rate, as text."""
    return f"{one} against {other}, all / top: " + ", ".join(
        f"{table[rate, one]} against {table[rate, other]} % at {rate:.1%}" for rate in rates
    )


def _rows(table: Table) -> list[tuple[float | str, ...]]:
    return [(rate, name, measures, error, top) for (rate, name), (error, top, measures) in table.items()]


def _result(name: str, title: str, table: Table, claims: Sequence[Claim]) -> Result:
    rates, policies = (list(dict.fromkeys(keys)) for keys in zip(*table, strict=True))
    panels = []
    for where, part in (("all pages", "all"), ("the most important tenth", "top")):
        curves = [
            Curve(policy, [100 * rate for rate in rates], [getattr(table[rate, policy], part) for rate in rates])
            for policy in policies
        ]
        panels.append(Panel(where, "pages that change per month in %", "mean relative error in %", curves))
    return Result(name, title, _COLUMNS, _rows(table), panels, claims)
