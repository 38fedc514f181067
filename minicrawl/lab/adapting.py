"""On a web that changes: windows too small and too large, which pages become more important, and new pages.

Section 6 of Abiteboul, Preda, Cobena (WWW 2003): a window that is too small makes too large an error, one that is too
large adapts too slowly; and by keeping more than one number a page one can see which pages rise.

month      N page visits, as in `windows`
rise       of a page: log(Imp now / Imp some months ago)
"""

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np
import numpy.typing as npt

from minicrawl.lab.compiled import VisitLog, paper_book, settle_greedily, visit_greedily
from minicrawl.lab.convergence import EXACT
from minicrawl.lab.newcomers import DEFAULT, NO_DEFAULT, OWN, errors_of_newcomers
from minicrawl.lab.settling import newcomers
from minicrawl.lab.windows import Past, Policies, Run, Table, changing, measure, remember, spliced
from minicrawl.opic import Interpolation, Ledger
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.window import Window
from minicrawl.rank import Graph, kendall_tau, pagerank
from minicrawl.report import Claim, Curve, Panel, Result

MONTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Sizes of the window."""
RATES = (0.0, 0.01, 0.1, 0.3)
_SINCE = 3
"""Months over which pages rise or fall."""
_RISEN = np.log(1.5)
_SHORT, _LONG = 0.5, 4.0
_COLUMNS = ("question", "change rate", "window in months", "error of all pages in %", "error of the top tenth in %")
_LEDGER = "ledger"
_RISING = ("rising: short window against long one", "rising: ledger now against then")


def experiment(  # noqa: PLR0913 - parameters of the experiment
    graphs: Sequence[Graph],
    small: Sequence[Graph],
    seed: int,
    rates: Sequence[float] = RATES,
    lasting: int = 20,
    since: int = _SINCE,
) -> Result:
    """Windows of every size and how well risen pages are found, at every change rate; new pages, on small graphs.

    lasting: months; since: of these, those over which pages rise.
    """
    policies: Policies = {_name(months): _window(months) for months in MONTHS}
    table = measure(graphs, rates, policies, seed, lasting)
    risen = {
        rate: [rising(graph, rate, seed + number, lasting, since) for number, graph in enumerate(graphs)]
        for rate in rates
        if rate
    }
    rows: list[tuple[object, ...]] = [
        ("window", rate, months, *table[rate, _name(months)].errors) for rate in rates for months in MONTHS
    ]
    rows += [
        (name, rate, "", fmean(pair[way].auc for pair in pairs), fmean(pair[way].tau for pair in pairs))
        for rate, pairs in risen.items()
        for way, name in enumerate(_RISING)
    ]
    new = [errors_of_newcomers(graph, seed) | {_LEDGER: newcomers(graph, seed)} for graph in small]
    rows += [(f"new pages: {name}", "", "", fmean(one[name] for one in new), "") for name in new[0]]
    curves = [
        Curve(f"{rate:.0%} of change", MONTHS, [table[rate, _name(months)].errors.all for months in MONTHS])
        for rate in rates
    ]
    panel = Panel("windows of visits", "size in months", "error of all pages in %", curves, log=True)
    claims = [_neither_end(table, rates), _faster_smaller(table, rates), *_rises(risen), *_new_pages(new)]
    return Result("adapting", "A web that changes: windows, and pages that rise", _COLUMNS, rows, [panel], claims)


def _name(months: float) -> str:
    return f"{months:g} months"


def _window(months: float) -> Callable[[Run], Window]:
    def of(run: Run) -> Interpolation:
        return Interpolation(run.past.since(round(months * run.past.size)) / run.book.in_hand())

    return of


# Windows


def _best(table: Table, rate: float) -> float:
    """The size with the least error of all pages."""
    return min(MONTHS, key=lambda months: table[rate, _name(months)].errors.all)


def _neither_end(table: Table, rates: Sequence[float]) -> Claim:
    changing_rates = [rate for rate in rates if rate]
    figures = []
    for rate in changing_rates:
        best = _best(table, rate)
        least, mid, most = (table[rate, _name(months)].errors.all for months in (MONTHS[0], best, MONTHS[-1]))
        figures.append(f"{rate:.0%} of change: {MONTHS[0]:g} months {least:.3g}, {best:g} {mid:.3g}, "
                       f"{MONTHS[-1]:g} {most:.3g} %")  # fmt: skip
    return Claim(
        "where links change, a window can be too small, and too large",
        all(MONTHS[0] < _best(table, rate) < MONTHS[-1] for rate in changing_rates),
        "; ".join(figures),
    )


def _faster_smaller(table: Table, rates: Sequence[float]) -> Claim:
    best = [_best(table, rate) for rate in rates]
    return Claim(
        "the faster links change, the smaller is the best window",
        best == sorted(best, reverse=True) and best[0] > best[-1],
        ", ".join(f"{rate:.1%} {months:g} months" for rate, months in zip(rates, best, strict=True)),
    )


# Pages that rise


class Found:
    """How well a guess of the rises finds those that rose by half and more.

    auc: the chance that it is higher for such a page than for another one; tau: Kendall's, of the pages that moved.
    """

    def __init__(self, guess: FloatArray, rise: FloatArray) -> None:
        self.auc = _auc(guess, rise >= _RISEN)
        moved = np.abs(rise) >= np.log(1.1)
        self.tau = kendall_tau(guess[moved], rise[moved])


def _auc(guess: FloatArray, is_one: npt.NDArray[np.bool_]) -> float:
    """The chance that a page that is one has a higher guess than a page that is none; half where they are equal."""
    values, number = np.unique(guess, return_inverse=True)
    ones, others = (np.bincount(number[mask], minlength=len(values)) for mask in (is_one, ~is_one))
    below = np.cumsum(others) - others
    return float((ones @ (below + others / 2)) / max(ones.sum() * others.sum(), 1))


def rising(graph: Graph, rate: float, seed: int, lasting: int, since: int) -> tuple[Found, Found]:
    """How well two windows, and the ledger, tell which pages have risen in the last months."""
    book, ledger = paper_book(graph), Ledger()
    ledger.discover(graph.size)
    as_read = Graph(np.zeros(graph.size + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    logs: list[VisitLog] = []
    then, before, visited = graph, ledger.importance(), 0
    for now, visits in changing(graph, rate, seed, lasting):
        if visited <= (lasting - since) * graph.size < visited + visits:
            then, before = now, ledger.importance()
        logs.append(visit_greedily(book, now, visits))
        as_read = spliced(now, as_read, settle_greedily(ledger, now, visits, as_read))
        visited += visits
    log = VisitLog(*map(np.concatenate, zip(*logs, strict=True)))
    run = Run(pagerank(now, tolerance=EXACT), book, Past(log, graph.size))
    rise = np.log(run.truth / pagerank(then, tolerance=EXACT))
    short, long = (remember(_window(months)(run), book, run.past).importance for months in (_SHORT, _LONG))
    least = np.finfo(np.float64).tiny
    by_windows = np.log(np.maximum(short, least) / np.maximum(long, least))
    return Found(by_windows, rise), Found(np.log(ledger.importance() / before), rise)


def _rises(risen: dict[float, list[tuple[Found, Found]]]) -> list[Claim]:
    claims = []
    for way, words in enumerate(
        (
            f"a window of {_SHORT:g} months against one of {_LONG:g} tells which pages have risen by half (area .9)",
            "the ledger against itself some months ago does (area .9)",
        )
    ):
        areas = {rate: fmean(pair[way].auc for pair in pairs) for rate, pairs in risen.items()}
        taus = {rate: fmean(pair[way].tau for pair in pairs) for rate, pairs in risen.items()}
        figures = ", ".join(f"{rate:.0%} of change: {areas[rate]:.3f}, tau {taus[rate]:.2f}" for rate in risen)
        claims.append(Claim(words, all(area >= 0.9 for area in areas.values()), figures))
    return claims


def _new_pages(new: Sequence[dict[str, float]]) -> list[Claim]:
    means = {name: fmean(one[name] for one in new) for name in new[0]}
    figures = ", ".join(f"{name} {means[name]:.3g} %" for name in (DEFAULT, NO_DEFAULT, OWN, _LEDGER))
    return [
        Claim(
            "the history of pages introduced recently tells more of a new page than none does",
            means[DEFAULT] < means[NO_DEFAULT],
            figures,
        ),
        Claim("it tells more than what the page itself has spent since", means[DEFAULT] < means[OWN], figures),
        Claim("the ledger tells more than all of these", means[_LEDGER] == min(means.values()), figures),
    ]
