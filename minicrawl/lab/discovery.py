"""Holding a share of the fetches for pages never visited, on drawn webs that change.

Abiteboul, Preda and Cobena (WWW 2003) steer a crawl by the virtual page; the live crawl keeps an account of fetches
(`opic.refresh`) by default. The methods are in `steering`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.errors import SettingError
from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.steering import (
    CREDIT,
    METHODS,
    PAY_OUTS,
    SMALL_EDGES,
    Log,
    Method,
    SteeredCrawl,
)
from minicrawl.lab.webs import Evolving, power_law
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, pagerank

SHARES = (0.2, 0.5, 0.8)
_SEEDS = 10
_FEWEST_NODES = 100
"""Minimum, so that enough pages have links to be seeds."""
_BATCHES = 20
"""Number of changes of the web, evenly spread over the fetches."""
_CHANGED = 0.01
"""Pages per fetch whose in-degree halves or doubles: 1 % of them in N fetches."""
_COMING = 0.1
"""Total number of new pages, in N."""
_WINDOWS = 250
_DRAWN = 10
"""Windows per point of the picture."""
_WARM_UP = 25
"""Windows before shares are measured."""


@dataclass(frozen=True)
class Outcome:
    """The result of a method. shares: per window. share, sd: mean and deviation of those after the warm-up.

    deviation: see `largest_deviation`. mass: share of all importance that was read.
    """

    method: Method
    asked: float
    shares: FloatArray
    share: float
    sd: float
    deviation: float
    mass: float

    def row(self) -> tuple[float | str, ...]:
        return (self.asked, self.method.name, self.share, self.sd, self.deviation, self.mass)


def experiment(nodes: int, seed: int, fetches: int | None = None) -> Result:
    """Crawl a growing web of `nodes` pages at first, by every method with each of SHARES.

    fetches: by default half as many as pages. Raises SettingError.
    """
    fetches = nodes // 2 if fetches is None else fetches
    if fetches < 4 * _WINDOWS:
        raise SettingError(f"the discovery experiment needs at least {4 * _WINDOWS} fetches, not {fetches}")
    if nodes < _FEWEST_NODES:
        raise SettingError(f"the discovery experiment needs at least {_FEWEST_NODES} nodes, not {nodes}")
    rng = np.random.default_rng(seed)
    start = power_law(nodes, rng)
    seeds = rng.choice(np.flatnonzero(start.outdegrees()), _SEEDS, replace=False).astype(np.int32)
    window, room = fetches // _WINDOWS, nodes + int(_COMING * nodes)
    # With share 0, pay-outs soon go to read pages alone; with share 1, to never-read ones alone.
    asked = [(PAY_OUTS, 0.0), (PAY_OUTS, 1.0)] + [(method, share) for share in SHARES for method in METHODS]
    # Other gains, up to 30 times as large: .5 and .8 come closer, .2 is held worse.
    crawls = [SteeredCrawl(method, share, seeds, room, gain=1 / window) for method, share in asked]
    logs: list[list[Log]] = [[] for _ in asked]
    for web, count in _batches(Evolving(start, rng), fetches):
        for crawl, log in zip(crawls, logs, strict=True):
            log.append(crawl.fetch(web, count))
    importance = pagerank(web)
    outcomes = [
        _outcome(method, share, Log.joined(log), window, importance)
        for (method, share), log in zip(asked, logs, strict=True)
    ]
    floor, ceiling, *held = outcomes
    columns = ("requested", "method", "share", "sd per window", "largest deviation in fetches", "mass read")
    return Result(
        "discovery",
        f"Discovery share: {fetches:,} fetches of {nodes:,} pages and those that come",
        columns,
        [outcome.row() for outcome in held],
        [_panel(share, held, window) for share in SHARES],
        _claims({(outcome.method, outcome.asked): outcome for outcome in held}, floor, ceiling),
    )


def _batches(evolving: Evolving, fetches: int) -> Iterator[tuple[Graph, int]]:
    """The web between changes, and the number of fetches in that time."""
    coming = np.diff(np.linspace(0, int(_COMING * evolving.size), _BATCHES).astype(int))
    changing = np.diff(np.linspace(0, round(_CHANGED * fetches), _BATCHES).astype(int))
    counts = np.diff(np.linspace(0, fetches, _BATCHES + 1).astype(int))
    yield evolving.graph(), int(counts[0])
    for born, changed, count in zip(coming, changing, counts[1:], strict=True):
        evolving.come(int(born))
        evolving.change(int(changed))
        yield evolving.graph(), int(count)


def largest_deviation(log: Log, share: float) -> float:
    """The largest |discoveries - q n| after n fetches with both kinds on offer; restarts when one was missing."""
    if not log.contested.any():
        return 0.0
    excess = np.cumsum(log.contested * (log.discovers - share))
    starts = np.maximum.accumulate(np.where(log.contested, 0, np.arange(1, len(excess) + 1)))
    before = np.concatenate([[0.0], excess])[starts]
    return float(np.abs(excess - before).max())


def _outcome(method: Method, asked: float, log: Log, window: int, importance: FloatArray) -> Outcome:
    whole = len(log.pages) // window
    shares = log.discovers[: whole * window].reshape(whole, window).mean(axis=1)
    settled = shares[_WARM_UP:]
    return Outcome(
        method,
        asked,
        shares,
        float(settled.mean()),
        float(settled.std()),
        largest_deviation(log, asked),
        float(importance[np.unique(log.pages)].sum()),
    )


def _panel(share: float, outcomes: Sequence[Outcome], window: int) -> Panel:
    wide = _DRAWN * window
    curves = [
        Curve(outcome.method.name, [(k + 1) * wide for k in range(len(shares))], shares.tolist())
        for outcome in outcomes
        if outcome.asked == share and len(shares := _means(outcome.shares, _DRAWN))
    ]
    return Panel(f"asked for {share:g}", "fetches", f"share of discoveries, per {wide} fetches", curves)


def _means(values: FloatArray, width: int) -> FloatArray:
    """Means of consecutive groups of `width` values; an incomplete last group is dropped."""
    whole = len(values) // width
    means: FloatArray = values[: whole * width].reshape(whole, width).mean(axis=1)
    return means


def _claims(held: dict[tuple[Method, float], Outcome], floor: Outcome, ceiling: Outcome) -> list[Claim]:
    def of(method: Method) -> list[Outcome]:
        return [held[method, share] for share in SHARES]

    def listed(values: Sequence[float], spec: str) -> str:
        return " / ".join(format(value, spec) for value in values)

    credit, edges = of(CREDIT), of(SMALL_EDGES)
    asked = f"asked for {listed(SHARES, 'g')}"
    early, late = float(floor.shares[_WARM_UP : 2 * _WARM_UP].mean()), float(floor.shares[-_WARM_UP:].mean())
    return [
        Claim(
            "the credit rule is within 2 fetches of the asked share while both kinds are on offer",
            all(one.deviation <= 2.0 for one in credit),
            f"{asked}: at most {listed([one.deviation for one in credit], '.2f')} fetches off",
        ),
        Claim(
            "paying never-read pages alone cannot hold 0.8",
            ceiling.share < 0.75 and held[PAY_OUTS, 0.8].share < 0.75,
            f"{held[PAY_OUTS, 0.8].share:.3f}; {ceiling.share:.3f} with all pay-outs to never-read pages throughout",
        ),
        Claim(
            "nor can it go below what the links alone feed",
            floor.share > 0.05,
            f"{floor.share:.3f} without any pay-out to never-read pages, from {early:.3f} to {late:.3f}; "
            f"{held[PAY_OUTS, 0.2].share:.3f} asked for 0.2",
        ),
        Claim(
            "with small edges too, the shares are held within several percent (.05)",
            all(abs(one.share - one.asked) <= 0.05 for one in edges),
            f"{asked}: {listed([one.share for one in edges], '.3f')}, sd {listed([one.sd for one in edges], '.3f')}, "
            f"at most {listed([one.deviation for one in edges], '.0f')} fetches off",
        ),
        Claim(
            "the credit rule costs no mass read (no more than .005 against small edges, which hold the same shares)",
            all(one.mass >= other.mass - 0.005 for one, other in zip(credit, edges, strict=True)),
            f"{asked}: {listed([one.mass for one in credit], '.3f')} against "
            f"{listed([one.mass for one in edges], '.3f')}",
        ),
    ]
