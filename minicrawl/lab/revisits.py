"""A crawl that has asked for every page twice: how good its ranking is."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from minicrawl.lab.compiled import crawl, settle_greedily, settle_in_order
from minicrawl.opic import Ledger
from minicrawl.rank import Graph, kendall_tau, l1, overlap, pagerank
from minicrawl.rank.components import subgraph
from minicrawl.report import Claim

_SEEDS = 10


class Agreement(NamedTuple):
    """A ranking against the exact one: Kendall's tau, share of the top 100, L1 distance."""

    tau: float
    top: float
    distance: float


def ranking_after_revisits(graph: Graph, seed: int) -> Agreement:
    """A crawl from ten random pages that reads every page it finds, and then as many again by their residual.

    The truth is PageRank of the part of the graph that can be reached.
    """
    seeds = np.random.default_rng(seed).choice(graph.size, min(_SEEDS, graph.size), replace=False)
    _, log = crawl(graph, seeds.astype(np.int32), graph.size)
    found = np.sort(log.pages).astype(np.int64)
    known = subgraph(graph, found)
    ledger = Ledger()
    ledger.discover(known.size)
    settle_in_order(ledger, known, np.searchsorted(found, log.pages).astype(np.int32))
    settle_greedily(ledger, known, known.size)
    ours, exact = ledger.importance(), pagerank(known)
    return Agreement(kendall_tau(ours, exact), overlap(ours, exact, 100), l1(ours, exact))


def claim_of(agreements: Sequence[Agreement]) -> Claim:
    """What the mean over some graphs says."""
    mean = Agreement(*(fmean(values) for values in zip(*agreements, strict=True)))
    return Claim(
        "asked for twice, the pages are in about the exact order (tau 0.90, 88 of the top 100)",
        mean.tau >= 0.90 and mean.top >= 0.88,
        f"tau {mean.tau:.3f}, {mean.top:.0%} of the top 100, L1 distance {mean.distance:.3f}",
    )
