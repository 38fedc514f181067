"""Everything together: a crawl finds a web, keeps it fresh and measures importance, while text and links change.

M      pages that the seeds reach; a crawl has 8 M fetches
rates  lognormal; half a change per page in M fetches in the mean, and half of the changes rewire a link
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.lab.compiled import crawl
from minicrawl.lab.due_pages import CASH, LEARNED
from minicrawl.lab.keeping_up import KeepingUp, Policy, changing_web
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Errors, Graph, l1, mean_error, overlap, pagerank
from minicrawl.rank.components import subgraph
from minicrawl.report import Claim, Curve, Panel, Result

PAPER = Policy("one queue by cash, interpolation (the paper)")
BY_CASH = Policy("ledger, share .3, order by cash", 0.3, CASH)
BY_RATE = Policy("ledger, share .3, importance and learned rate", 0.3, LEARNED)
POLICIES = (PAPER, BY_CASH, BY_RATE)
_TURNS = 8
_SEEDS = 10
_SPREAD = 1.5
_MEAN_RATE = 0.5
_TOP = 100
_FEWEST = 200
_EXACT = 1e-10
_COLUMNS = (
    "fetches in M",
    "policy",
    "freshness",
    "mean freshness in the second half",
    "error of all pages in %",
    "error of the top tenth in %",
    "L1 distance",
    f"share of the top {_TOP}",
    "importance fetched",
)


class Stand(NamedTuple):
    """How a crawl stands after some fetches, against the web of that moment.

    fresh: importance of the pages that are expected to be as they were fetched. mean_fresh: the mean of that in the
    second half of all time. mass: importance of all pages fetched.
    """

    fresh: float
    mean_fresh: float
    errors: Errors
    distance: float
    top: float
    mass: float


def experiment(graph: Graph, seed: int, turns: int = _TURNS) -> Result:
    """Every policy on what ten random pages of `graph` reach, M fetches at a time. Raises SettingError."""
    rng = np.random.default_rng(seed)
    web, seeds = reached(graph, rng)
    if web.size < _FEWEST:
        raise SettingError(f"ten pages of the graph reach {web.size} pages; the experiment needs at least {_FEWEST}")
    rates = rng.lognormal(0.0, _SPREAD, web.size)
    rates *= _MEAN_RATE / rates.mean()
    stands = {policy.name: _run(web, rates, seeds, policy, seed, turns) for policy in POLICIES}
    return Result(
        "together",
        f"Everything together: {turns} M fetches of {web.size:,} pages that change",
        _COLUMNS,
        [
            (turn, name, one.fresh, one.mean_fresh, *one.errors, one.distance, one.top, one.mass)
            for name, every in stands.items()
            for turn, one in enumerate(every, 1)
        ],
        _panels(stands),
        _claims({name: every[-1] for name, every in stands.items()}),
    )


def reached(graph: Graph, rng: np.random.Generator) -> tuple[Graph, npt.NDArray[np.int32]]:
    """The part of a graph that ten of its pages reach, drawn from those that have links, and these ten."""
    starts = np.flatnonzero(graph.outdegrees())
    if len(starts) < _SEEDS:
        raise SettingError(f"the graph has {len(starts)} pages with links; the experiment needs at least {_SEEDS}")
    seeds = rng.choice(starts, _SEEDS, replace=False).astype(np.int32)
    _, log = crawl(graph, seeds, graph.size)
    found = np.sort(log.pages).astype(np.int64)
    return subgraph(graph, found), np.searchsorted(found, seeds).astype(np.int32)


def _run(  # noqa: PLR0913 - parameters of the experiment
    graph: Graph, rates: FloatArray, seeds: npt.NDArray[np.int32], policy: Policy, seed: int, turns: int
) -> list[Stand]:
    rng = np.random.default_rng(seed)
    kept = KeepingUp(changing_web(graph, rates), seeds, policy, since=turns / 2, rng=rng)
    stands = []
    for _ in range(turns):
        kept.fetch(graph.size)
        stands.append(_stand(kept))
    return stands


def _stand(kept: KeepingUp) -> Stand:
    truth, importance = pagerank(kept.graph(), tolerance=_EXACT), kept.importance()
    return Stand(
        float(kept.fresh_now() @ truth),
        float(kept.fresh_shares() @ truth),
        mean_error(importance, truth),
        l1(importance, truth),
        overlap(importance, truth, _TOP),
        float(truth[np.unique(kept.pages)].sum()),
    )


def _panels(stands: dict[str, list[Stand]]) -> list[Panel]:
    def curves(values: dict[str, list[float]]) -> Sequence[Curve]:
        return [Curve(name, list(range(1, len(of) + 1)), of) for name, of in values.items()]

    fresh = {name: [one.fresh for one in every] for name, every in stands.items()}
    errors = {name: [one.errors.all for one in every] for name, every in stands.items()}
    return [
        Panel("freshness", "fetches / M", "freshness", curves(fresh)),
        Panel("error of importance", "fetches / M", "mean relative error in %", curves(errors), log=True),
    ]


def _claims(last: dict[str, Stand]) -> list[Claim]:
    ours, by_cash, paper = (last[policy.name] for policy in (BY_RATE, BY_CASH, PAPER))
    every = (ours, by_cash, paper)
    order = "importance and learned rate, order by cash, the paper"
    return [
        Claim(
            "importance and learned rate keep the web fresher than the order by cash, in two queues or in one",
            ours.fresh > max(by_cash.fresh, paper.fresh),
            f"{' / '.join(f'{one.fresh:.3f}' for one in every)} at the end, "
            f"{' / '.join(f'{one.mean_fresh:.3f}' for one in every)} in the second half ({order})",
        ),
        Claim(
            "the ledger is nearer to importance than the paper's cash, on all pages and on the top tenth",
            max(ours.errors.all, by_cash.errors.all) < paper.errors.all
            and max(ours.errors.top, by_cash.errors.top) < paper.errors.top,
            f"{' / '.join(f'{one.errors.all:.1f} and {one.errors.top:.1f} %' for one in every)}; "
            f"L1 {' / '.join(f'{one.distance:.3f}' for one in every)}",
        ),
        Claim(
            f"it has 95 of the truly {_TOP} most important pages",
            ours.top >= 0.95,
            f"{' / '.join(f'{one.top:.0%}' for one in every)}",
        ),
        Claim(
            "a share of its own for discovery fetches more importance than one queue",
            min(ours.mass, by_cash.mass) > paper.mass,
            f"{' / '.join(f'{one.mass:.3f}' for one in every)}",
        ),
    ]
