"""How much rankings change when pages are taken away.

Source: A. Ng, A. Zheng, M. Jordan, "Stable Algorithms for Link Analysis", SIGIR 2001, and "Link Analysis, Eigenvectors
and Stability", IJCAI 2001: a tenth to a third of the pages is deleted at random, and the places of the best pages are
looked at again. PageRank hardly moves; HITS does where its largest eigenvalues are near each other; subspace HITS is
to mend that.

The pages that are left are ranked in the whole graph and in what is left of it; figures compare these two rankings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from minicrawl.errors import SettingError
from minicrawl.lab.methods import H_BY_G, METHODS, X
from minicrawl.rank import Graph, hits, kendall_tau, overlap, pagerank
from minicrawl.rank.components import subgraph
from minicrawl.rank.hits import subspace_authorities
from minicrawl.rank.pagerank import FloatArray
from minicrawl.report import Claim, Curve, Panel, Result

PAGERANK, HITS, SUBSPACE, INLINKS, LEDGER, HISTORY = (
    "PageRank", "HITS", "subspace HITS", "in-links", "ledger", "history of cash",
)  # fmt: skip
_STEPS = 300
_VECTORS = 20
_TURNS = 3
_TOPS = (10, 100)
_BEST = 1000
_COLUMNS = (
    "ranking",
    "trial",
    "of the first 10",
    "of the first 100",
    "tau of the first 1000",
    "lowest place of the first 10",
)


def _after_turns(method: str, estimator: str) -> Callable[[Graph], FloatArray]:
    """What a method of ours says after _TURNS visits a page."""

    def ranks(graph: Graph) -> FloatArray:
        snapshot = next(METHODS[method](graph, np.random.default_rng(0), _TURNS * graph.size))
        return snapshot.estimates[estimator]

    return ranks


RANKINGS: dict[str, Callable[[Graph], FloatArray]] = {
    PAGERANK: pagerank,
    HITS: lambda graph: hits(graph, iterations=_STEPS).authorities,
    SUBSPACE: lambda graph: subspace_authorities(graph, _VECTORS),
    INLINKS: lambda graph: np.bincount(graph.targets, minlength=graph.size).astype(np.float64),
    LEDGER: _after_turns("sweeps, held", X),
    HISTORY: _after_turns("greedy", H_BY_G),
}


@dataclass(frozen=True)
class Kept:
    """How like two rankings of the same pages are. tops: by k, the share of the first k that stayed among them.

    tau: Kendall's, of the first 1,000. lowest: the worst place, from 1 on, of those that were the first ten.
    """

    tops: dict[int, float]
    tau: float
    lowest: int


def compared(before: FloatArray, after: FloatArray) -> Kept:
    """before, after: values of the same pages; equal ones rank by page number."""
    order = np.argsort(-before, kind="stable")
    places = np.empty(len(after), dtype=np.int64)
    places[np.argsort(-after, kind="stable")] = np.arange(1, len(after) + 1)
    best = order[:_BEST]
    tops = {k: overlap(before, after, k) for k in _TOPS}
    return Kept(tops, kendall_tau(before[best], after[best]), int(places[order[: _TOPS[0]]].max()))


def experiment(graph: Graph, seed: int, trials: int = 5, share: float = 0.3) -> Result:
    """Take `share` of the pages away, `trials` times. Raises SettingError where too few would be left."""
    stay = graph.size - round(share * graph.size)
    if stay < 2 * _TOPS[-1]:
        raise SettingError(f"{stay} pages would be left, too few to compare; take a larger graph, or a smaller --share")
    rng = np.random.default_rng(seed)
    kept = [np.sort(rng.choice(graph.size, stay, replace=False)) for _ in range(trials)]
    left = [subgraph(graph, pages) for pages in kept]
    found = {}
    for name, rank in RANKINGS.items():
        whole = rank(graph)
        found[name] = [compared(whole[pages], rank(part)) for pages, part in zip(kept, left, strict=True)]
    rows = [
        (name, trial, *one.tops.values(), one.tau, one.lowest)
        for name, ones in found.items()
        for trial, one in enumerate(ones, start=1)
    ]
    curves = [Curve(name, range(1, trials + 1), [one.tops[100] for one in ones]) for name, ones in found.items()]
    panel = Panel("the first 100 pages", "trial", "share that stayed among them", curves)
    title = f"Rankings after {share:.0%} of {graph.size:,} pages are taken away"
    return Result("stability", title, _COLUMNS, rows, [panel], _claims(found))


def _claims(found: dict[str, list[Kept]]) -> Sequence[Claim]:
    return [
        _steadier(found, "PageRank is steadier than HITS", PAGERANK, HITS),
        _steadier(found, "subspace HITS is steadier than HITS", SUBSPACE, HITS),
        _steadier(found, "PageRank is steadier than subspace HITS", PAGERANK, SUBSPACE),
        Claim(
            f"the ledger after {_TURNS} visits a page is as steady as PageRank, to .02",
            abs(_mean(found[LEDGER]) - _mean(found[PAGERANK])) <= 0.02,
            f"of the first 100 {_mean(found[LEDGER]):.3f} and {_mean(found[PAGERANK]):.3f} stayed",
        ),
        _steadier(
            found,
            f"the ledger is steadier than the history of cash, both after {_TURNS} visits a page",
            LEDGER,
            HISTORY,
        ),
    ]


def _steadier(found: dict[str, list[Kept]], sentence: str, one: str, other: str) -> Claim:
    figures = ", ".join(f"{name}: {_figures(found[name])}" for name in (one, other))
    return Claim(sentence, _mean(found[one]) > _mean(found[other]), figures)


def _figures(kept: Sequence[Kept]) -> str:
    lowest = max(one.lowest for one in kept)
    return f"{_mean(kept):.3f} of the first 100 stayed, one of the first 10 fell to place {lowest:,}"


def _mean(kept: Sequence[Kept]) -> float:
    return fmean(one.tops[100] for one in kept)
