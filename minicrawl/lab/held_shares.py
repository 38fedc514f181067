"""How well does each `--discovery-by` hold its share on a graph, and what does that cost?

A crawl has as many fetches as its seeds reach pages. Its curve is the share of importance that it has read, over the
share of its fetches; the area under it says how early important pages came. Seeds differ more than rules, so rules are
compared on the same seeds. Shares are measured in the second half, once levers have moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from minicrawl.lab.discovery import largest_deviation
from minicrawl.lab.frontiers import PageArray, breadth_first
from minicrawl.lab.orders import draw_seeds
from minicrawl.lab.steering import CREDIT, PAY_OUTS, PAY_OUTS_ONCE, SMALL_EDGES, Log, SteeredCrawl
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, pagerank
from minicrawl.report import Claim, Curve, Panel, Result

SHARES = (0.3, 0.5, 0.8)
_POINTS = 101
_BY = {"credit": CREDIT, "income": PAY_OUTS, "edges": SMALL_EDGES}
_ASKED = [(name, share) for share in SHARES for name in _BY] + [("credit", 1.0), ("income", 1.0)]
"""Where no page is fetched twice, there is nothing for small edges to do."""
_COLUMNS = ("discovery by", "share asked for", "seed set", "share", "largest deviation in fetches", "area", "read")


@dataclass(frozen=True, eq=False)
class _Run:
    """share: of discoveries among the later fetches. curve: importance read at even steps, shape (_POINTS,)."""

    share: float
    deviation: float
    area: float
    curve: FloatArray


def experiment(graph: Graph, seed: int = 0, seed_sets: int = 5, seeds: int = 10) -> Result:
    """Crawl from `seed_sets` draws of `seeds` pages, by every rule. Raises SettingError."""
    rng, importance = np.random.default_rng(seed), pagerank(graph)
    runs: dict[tuple[str, float], list[_Run]] = {asked: [] for asked in _ASKED}
    for drawn in [draw_seeds(graph, seeds, rng) for _ in range(seed_sets)]:
        reached = breadth_first(graph, drawn)
        for (name, share), of in runs.items():
            of.append(_run(crawled(graph, name, share, drawn, len(reached)), share, importance, reached))
    return Result(
        "discovery-by",
        f"Discovery by credit, income and edges: {graph.size:,} pages, {seed_sets} sets of {seeds} seeds",
        _COLUMNS,
        [
            (name, share, number + 1, run.share, run.deviation, run.area, float(run.curve[-1]))
            for (name, share), of in runs.items()
            for number, run in enumerate(of)
        ],
        [_panel(share, runs) for share in (*SHARES, 1.0)],
        [_claim(name, share, runs[name, share], runs["credit", share]) for name, share in _ASKED if name != "credit"],
    )


def crawled(graph: Graph, name: str, share: float, seeds: PageArray, fetches: int) -> Log:
    """The fetches of a crawl by a rule, its lever at the share at first as in the live crawl."""
    method = PAY_OUTS_ONCE if name == "income" and share >= 1.0 else _BY[name]
    return SteeredCrawl(method, share, seeds, graph.size, lever=None).fetch(graph, fetches)


def _run(log: Log, share: float, importance: FloatArray, reached: PageArray) -> _Run:
    later = log.discovers[len(log.discovers) // 2 :]
    held = np.cumsum(np.where(log.discovers, importance[log.pages], 0.0)) / importance[reached].sum()
    held = np.concatenate([[0.0], held])
    steps = np.linspace(0, len(held) - 1, _POINTS).astype(int)
    area = float((held[1:] + held[:-1]).mean() / 2)
    return _Run(float(later.mean()), largest_deviation(log, share), area, held[steps])


def _panel(share: float, runs: dict[tuple[str, float], list[_Run]]) -> Panel:
    curves = [
        Curve(name, np.linspace(0, 1, _POINTS).tolist(), np.mean([run.curve for run in of], axis=0).tolist())
        for (name, asked), of in runs.items()
        if asked == share
    ]
    return Panel(f"asked for {share:g}", "share of the fetches", "share of the importance read", curves)


def _claim(name: str, share: float, runs: Sequence[_Run], by_credit: Sequence[_Run]) -> Claim:
    gains = [run.area - other.area for run, other in zip(runs, by_credit, strict=True)]
    wins = sum(gain > 0 for gain in gains)
    return Claim(
        f"{name} reads important pages sooner than credit, asked for {share:g}",
        fmean(gains) > 0 and wins > len(gains) // 2,
        f"area {fmean(run.area for run in runs):.4f} against {fmean(run.area for run in by_credit):.4f}: "
        f"{fmean(gains):+.4f} (sd {stdev(gains):.4f}), more in {wins} of {len(gains)} sets; share held "
        f"{fmean(run.share for run in runs):.3f}, {max(run.deviation for run in runs):.0f} fetches off at most",
    )
