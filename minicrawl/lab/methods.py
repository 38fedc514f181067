"""The ways to work importance out, visit by visit, on a graph that stays as it is.

N         pages of the graph
C, H, G   cash, history and clock of the cash book; C0 the cash all pages started with, 1/N of all there is
off-line  power iteration; a step costs as much as N visits

The virtual page of the paper pays all pages; that of the ledger holds what it gets (`held`).
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from minicrawl.lab.compiled import (
    LAB_TOTAL,
    Sweep,
    VisitLog,
    paper_book,
    settle_by_sweeps,
    settle_greedily,
    visit_greedily,
    visit_pages,
)
from minicrawl.opic import Adaptive, Ledger
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph
from minicrawl.rank.pagerank import power_steps
from minicrawl.store.links import LinkGraph

H_BY_G, H_AND_C, X, POWER = "H/G", "(H+C)/(G+1)", "X", "power iteration"
"""Estimators; X = (H+C-C0)/G."""


@dataclass(frozen=True)
class Snapshot:
    """A method after some visits: its estimates by estimator, and (the cash book) what its last visits spent.

    spent: mean cash of a visit since the last snapshot, in units of 1/N of all cash. clock: G, all cash being 1.
    certificate: of the ledger, once every page has been read. links: how many were followed since the last snapshot;
    None where that is not counted.
    """

    estimates: Mapping[str, FloatArray]
    spent: float = 0.0
    clock: float = 0.0
    certificate: float | None = None
    links: int | None = None


Method = Callable[[Graph, np.random.Generator, int], Iterator[Snapshot]]
"""A method on a graph: snapshots without end, one each so many visits."""


def _cash_book(visits: Callable[[Adaptive, Graph, np.random.Generator, int, int], VisitLog]) -> Method:
    """The method that visits as `visits` says, with the paper's book."""

    def run(graph: Graph, rng: np.random.Generator, each: int) -> Iterator[Snapshot]:
        book, outdegrees = paper_book(graph), graph.outdegrees()
        initial = book.cashes()
        done = 0
        while True:
            log = visits(book, graph, rng, done, each)
            done += each
            spent = float(log.cash.mean()) * graph.size / LAB_TOTAL
            links = int(outdegrees[log.pages].sum())
            yield Snapshot(book.estimates(initial), spent, book.clock / LAB_TOTAL, links=links)

    return run


def _held(start: Callable[[Ledger, Graph], Callable[[int], object]]) -> Method:
    """The method that holds the virtual page's cash. start: given ledger and graph, what makes so many visits."""

    def run(graph: Graph, rng: np.random.Generator, each: int) -> Iterator[Snapshot]:
        ledger = Ledger()
        ledger.discover(graph.size)
        visit = start(ledger, graph)
        while True:
            visit(each)
            yield Snapshot({X: ledger.importance()}, certificate=_certified(ledger, graph))

    return run


def _by_residual(ledger: Ledger, graph: Graph) -> Callable[[int], object]:
    return lambda visits: settle_greedily(ledger, graph, visits)


def _by_sweeps(ledger: Ledger, graph: Graph) -> Callable[[int], object]:
    sweep = Sweep()
    return lambda visits: settle_by_sweeps(ledger, graph, visits, sweep)


def _certified(ledger: Ledger, graph: Graph) -> float | None:
    if not ledger.forwarded[: ledger.size].all():
        return None
    return ledger.certificate() + ledger.rounding(len(graph.targets))


def _rounds(graph: Graph, rng: np.random.Generator, each: int) -> Iterator[Snapshot]:
    """Visits all at once, vectorised, as the crawl settles; a round counts once all its visits are paid for."""
    ledger = Ledger()
    ledger.discover(graph.size)
    links = LinkGraph(np.arange(graph.size), graph.indptr, graph.targets, graph.size)
    due, paid = links.sources, 0
    while True:
        paid += each
        while 0 < len(due) <= paid:
            paid -= len(due)
            rows = links.rows(due)
            ledger.visit_many(rows.sources, rows.indptr, rows.targets)
            least = ledger.least_worth(error=0.0)
            due = ledger.unsettled(links.sources, math.inf if least is None else least)
        yield Snapshot({X: ledger.importance()}, certificate=_certified(ledger, graph))


def _off_line(graph: Graph, rng: np.random.Generator, each: int) -> Iterator[Snapshot]:
    paid = 0
    steps = power_steps(graph)
    x = next(steps)
    while True:
        paid += each
        links = 0
        while paid >= graph.size:
            x = next(steps)
            paid -= graph.size
            links += len(graph.targets)
        yield Snapshot({POWER: x}, links=links)


def _cycle(book: Adaptive, graph: Graph, rng: np.random.Generator, done: int, each: int) -> VisitLog:
    return visit_pages(book, graph, (np.arange(done, done + each) % graph.size).astype(np.int32))


def _at_random(book: Adaptive, graph: Graph, rng: np.random.Generator, done: int, each: int) -> VisitLog:
    return visit_pages(book, graph, rng.integers(0, graph.size, each, dtype=np.int32))


METHODS: dict[str, Method] = {
    "greedy": _cash_book(lambda book, graph, rng, done, each: visit_greedily(book, graph, each)),
    "cycle": _cash_book(_cycle),
    "random": _cash_book(_at_random),
    "off-line": _off_line,
    "greedy, held": _held(_by_residual),
    "sweeps, held": _held(_by_sweeps),
    "rounds, held": _rounds,
}
