"""The ledger on a fixed and on a growing graph: exact in the limit, with two numbers per page.

Error against visits with the certificate beside it; the ranking of a crawl that read every page twice; the error of new
pages. N: pages of the graph.
"""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from minicrawl.experiment import Claim, Panel, Result
from minicrawl.lab.compiled import settle_greedily
from minicrawl.lab.convergence import (
    EXACT,
    LEVELS,
    POWER,
    Traces,
    X,
    traces,
)
from minicrawl.lab.webs import Evolving
from minicrawl.lab.windows import spliced
from minicrawl.opic import Book
from minicrawl.rank import Graph, pagerank

_METHODS = ("greedy", "off-line", "greedy, held", "sweeps, held", "rounds, held")
_COLUMNS = ("visits in N", "method", "estimator", "error of all pages in %", "error of the top tenth in %")
_PER_N = 4
_BOUNDS = {"greedy, held": (5.25, 8.0, 11.5), "sweeps, held": (3.5, 5.5, 7.75)}
"""Upper bounds of the visits in N for 1, 0.1 and 0.01 %."""


def figure(graphs: Sequence[Graph], seed: int, turns: int = 16) -> Result:
    """Error against visits if the virtual page holds its cash, of a crawl that revisits, and of new pages."""
    by_name = traces(graphs, _METHODS, seed, turns * _PER_N, _PER_N)
    errors = [newcomers(graph, seed) for graph in graphs]
    claims = [
        *(_arrives(by_name[name], bounds) for name, bounds in _BOUNDS.items()),
        _beats_power_iteration(by_name),
        _is_certified([by_name[name] for name in _METHODS[2:]]),
        Claim(
            "pages known for less than N visits are off by at most 25 % in the mean",
            fmean(errors) <= 25.0,
            f"{fmean(errors):.1f} % (5 % more pages per N visits)",
        ),
    ]
    rows = [row for one in by_name.values() for row in one.rows()]
    panels = [
        Panel(
            title,
            "page visits / N",
            "mean relative error in %",
            [by_name[name].curve(POWER if name == "off-line" else X, part) for name in _METHODS],
            log=True,
        )
        for part, title in (("all", "all pages"), ("top", "the most important tenth"))
    ]
    return Result("settle", "The ledger, its virtual page holding the cash", _COLUMNS, rows, panels, claims)


def newcomers(graph: Graph, seed: int, rate: float = 0.05, turns: int = 4, steps: int = 20) -> float:
    """Mean relative error in percent of pages added within the last N visits and linked from a read page.

    After 5 N visits, rate * N pages are added in each of `turns` N visits, in `steps` batches.
    """
    web = Evolving(graph, np.random.default_rng(seed))
    ledger, size = Book(), graph.size
    ledger.discover(size)
    settle_greedily(ledger, graph, 5 * size)
    as_read = graph
    born: list[int] = []
    for _ in range(turns * steps):
        coming = max(1, round(rate * size / steps))
        born.append(int(web.come(coming)[0]))
        ledger.discover(coming)
        now, as_read = web.graph(), _longer(as_read, coming)
        as_read = spliced(now, as_read, settle_greedily(ledger, now, size // steps, as_read))
    exact = pagerank(now, tolerance=EXACT)
    errors = 100.0 * np.abs(ledger.importance() - exact) / exact
    is_found = np.bincount(as_read.targets, minlength=now.size) > 0
    return float(errors[born[-steps] :][is_found[born[-steps] :]].mean())


def _longer(graph: Graph, pages: int) -> Graph:
    """The graph with `pages` additional pages without links."""
    return Graph(np.concatenate([graph.indptr, np.full(pages, graph.indptr[-1])]), graph.targets)


def _arrives(one: Traces, bounds: Sequence[float]) -> Claim:
    reached = [one.reaches(X, level) for level in LEVELS]
    return Claim(
        f"'{one.name}' reaches "
        + ", ".join(f"{level:g} % by {at:g}N" for level, at in zip(LEVELS, bounds, strict=True)),
        all(at is not None and at <= bound for at, bound in zip(reached, bounds, strict=True)),
        ", ".join(
            f"{level:g} % {'never' if at is None else f'at {at:g}N'}" for level, at in zip(LEVELS, reached, strict=True)
        ),
    )


def _beats_power_iteration(by_name: dict[str, Traces]) -> Claim:
    off_line = by_name["off-line"].errors(POWER)
    step = min(10 * _PER_N, len(off_line)) - 1
    held = {name: by_name[name].errors(X)[step].all for name in ("greedy, held", "sweeps, held")}
    return Claim(
        "with its cash held, greedy is ahead of power iteration on all pages, and sweeps are ahead of greedy",
        held["sweeps, held"] < held["greedy, held"] < off_line[step].all,
        ", ".join(f"{name} {error:.2g} %" for name, error in held.items())
        + f", power iteration {off_line[step].all:.2g} %, OPIC's X {by_name['greedy'].errors(X)[step].all:.2g} % "
        f"at {(step + 1) / _PER_N:g}N",
    )


def _is_certified(every: Sequence[Traces]) -> Claim:
    """The claim that the certificate bounds H/G once all pages are read; X is a step of power iteration closer."""
    pairs = [
        pair for one in every for traced in one.of for pair in zip(traced.distances, traced.certificates, strict=True)
    ]
    worst = max(distance / certificate for distance, certificate in pairs)
    return Claim(
        "the L1 distance of X is never above the certificate",
        all(distance <= certificate for distance, certificate in pairs),
        f"at most {worst:.2f} of it, at {len(pairs)} points of {len(_METHODS[2:])} methods",
    )
