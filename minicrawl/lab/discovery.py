"""Holding a share of the fetches for pages never visited, on drawn webs that change, by several methods.

Abiteboul, Preda and Cobena (WWW 2003) steer a crawl by the virtual page. The live crawl keeps an account of fetches
instead (`opic.refresh.DiscoveryBudget`), which is never off by more than a fetch or two.

q    the target share                       v       the virtual page: every visit pays it a part of its cash
p    part of v's income that goes to pages never visited; the rest goes to visited ones

A crawl knows its seeds and finds other pages by links, while links change and pages are added. It starts like the live
crawl: seeds and new pages are granted cash, the page with the most cash is next; ties go to the one known longest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.webs import Evolving, power_law
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.units import damped
from minicrawl.rank import Graph

TOTAL = 2**58
"""Total cash."""
GRANT = 2**24
"""Cash granted to a page at its birth by the virtual page."""
SEED_GRANTS = 1000
"""Factor by which a seed's grant is larger."""
_ABSENT = -1


@dataclass(frozen=True)
class Method:
    """A way to hold a share.

    steers: v pays pages never visited the part p of its income, where p is a lever u, from 0 to 1:

        u := u + gain (q - 1 if it was a discovery, else q) after a fetch that could have been of either kind

    else v pays all known pages alike. reach: range of the lever beyond 0 and 1, where v takes a toll: so much of a
    page's cash, before its links get any.
    """

    name: str
    steers: bool = True
    reach: float = 0.0


NO_CONTROL = Method("no control", steers=False)
PAY_OUTS = Method("pay-outs")
SMALL_EDGES = Method("pay-outs and small edges", reach=0.9)
"""Like PAY_OUTS; if that does not suffice, more of the cash passes through v."""
METHODS = (NO_CONTROL, PAY_OUTS, SMALL_EDGES)


class SteeredCrawl:
    """A crawl with a target share of discoveries. Pages are numbered in order of discovery.

    Invariant: total cash never changes: `cash` of all pages and `virtual`, that of the virtual page, is `TOTAL`.
    """

    def __init__(self, method: Method, share: float, seeds: npt.NDArray[np.int32], room: int, gain: float) -> None:
        """room: maximum number of pages of a graph. gain: largest movement of the lever in one fetch."""
        self._method, self._share = method, share
        self._lever, self._gain = 0.5, gain
        self.cash: IntArray = np.zeros(0, dtype=np.int64)
        self._visited: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._reserve, self._income = TOTAL, 0
        self._page_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._number_of: npt.NDArray[np.int32] = np.full(room, _ABSENT, dtype=np.int32)
        self._discover(seeds, SEED_GRANTS * GRANT)

    @property
    def virtual(self) -> int:
        """Grants to come, and income to be paid out."""
        return self._reserve + self._income

    def fetch(self, graph: Graph, fetches: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Make `fetches` further fetches on a web with the links of `graph`.

        Returns the pages, by their numbers in the graph, and a flag for each that had never been visited.
        """
        pages, discovers = np.zeros(fetches, dtype=np.int32), np.zeros(fetches, dtype=np.bool_)
        for at in range(fetches):
            number = int(self.cash.argmax())
            pages[at], discovers[at] = self._page_of[number], not self._visited[number]
            is_contested = 0 < np.count_nonzero(self._visited) < len(self._visited)
            self._visit(number, graph)
            if is_contested and self._method.steers:
                moved = self._lever + self._gain * (self._share - discovers[at])
                self._lever = min(max(moved, -self._method.reach), 1.0 + self._method.reach)
            self._pay()
        return pages, discovers

    def _visit(self, number: int, graph: Graph) -> None:
        """Spend the cash of a page, after the toll."""
        page, spent = self._page_of[number], self.cash.item(number)
        targets = graph.targets[graph.indptr[page] : graph.indptr[page + 1]]
        if len(new := targets[self._number_of[targets] == _ABSENT]):
            self._discover(new, GRANT)
        toll = int(max(0.0, -self._lever, self._lever - 1.0) * spent)
        each = damped(spent - toll) // max(len(targets), 1)
        self.cash[number] = 0
        self.cash[self._number_of[targets]] += each
        self._income += spent - each * len(targets)
        self._visited[number] = True

    def _discover(self, pages: npt.NDArray[np.int32], grant: int) -> None:
        self._number_of[pages] = np.arange(len(self.cash), len(self.cash) + len(pages))
        self._page_of = np.concatenate([self._page_of, pages])
        self.cash = np.concatenate([self.cash, np.full(len(pages), grant)])
        self._visited = np.concatenate([self._visited, np.zeros(len(pages), dtype=np.bool_)])
        self._reserve -= grant * len(pages)

    def _pay(self) -> None:
        """Pay out the income of v, the same whole number of units to every payee of a kind."""
        if not self._method.steers:
            paid = self._income // len(self.cash)
            self.cash += paid
            self._income -= paid * len(self.cash)
            return
        visited = int(np.count_nonzero(self._visited))
        never_visited = len(self._visited) - visited
        discovery = int(min(max(self._lever, 0.0), 1.0) * self._income) // never_visited if never_visited else 0
        self._income -= discovery * never_visited
        paid = self._income // visited
        self._income -= paid * visited
        self.cash += np.where(self._visited, paid, discovery)


SHARES = (0.2, 0.5, 0.8)
_SEEDS = 10
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
    """The result of a method. shares: of discoveries, per window."""

    method: Method
    asked: float
    shares: FloatArray

    @property
    def share(self) -> float:
        """Their mean after the warm-up."""
        return float(self.shares[_WARM_UP:].mean())

    @property
    def sd(self) -> float:
        return float(self.shares[_WARM_UP:].std())


def experiment(nodes: int, seed: int, fetches: int | None = None) -> Result:
    """Crawl a growing web of `nodes` pages at first, by every method with each of SHARES.

    fetches: by default half as many as pages, at least four times _WINDOWS.
    """
    fetches = nodes // 2 if fetches is None else fetches
    rng = np.random.default_rng(seed)
    start = power_law(nodes, rng)
    seeds = rng.choice(np.flatnonzero(start.outdegrees()), _SEEDS, replace=False).astype(np.int32)
    window, room = fetches // _WINDOWS, nodes + int(_COMING * nodes)
    # With share 0, pay-outs soon go to read pages alone; with share 1, to never-read ones alone.
    asked = [(PAY_OUTS, 0.0), (PAY_OUTS, 1.0)] + [(method, share) for share in SHARES for method in METHODS]
    # Other gains, up to 30 times as large: .5 and .8 come closer, .2 is held worse.
    crawls = [SteeredCrawl(method, share, seeds, room, gain=1 / window) for method, share in asked]
    logs: list[list[npt.NDArray[np.bool_]]] = [[] for _ in asked]
    for web, count in _batches(Evolving(start, rng), fetches):
        for crawl, log in zip(crawls, logs, strict=True):
            log.append(crawl.fetch(web, count)[1])
    outcomes = [Outcome(*held, _means(np.concatenate(log), window)) for held, log in zip(asked, logs, strict=True)]
    floor, ceiling, *held = outcomes
    columns = ("requested", "method", "share", "sd per window")
    return Result(
        "discovery",
        f"Discovery share: {fetches:,} fetches of {nodes:,} pages and those that come",
        columns,
        [(one.asked, one.method.name, one.share, one.sd) for one in held],
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


def _panel(share: float, outcomes: Sequence[Outcome], window: int) -> Panel:
    wide = _DRAWN * window
    curves = [
        Curve(outcome.method.name, [(k + 1) * wide for k in range(len(shares))], shares.tolist())
        for outcome in outcomes
        if outcome.asked == share and len(shares := _means(outcome.shares, _DRAWN))
    ]
    return Panel(f"asked for {share:g}", "fetches", f"share of discoveries, per {wide} fetches", curves)


def _means(values: FloatArray | npt.NDArray[np.bool_], width: int) -> FloatArray:
    """Means of consecutive groups of `width` values; an incomplete last group is dropped."""
    whole = len(values) // width
    means: FloatArray = values[: whole * width].reshape(whole, width).mean(axis=1)
    return means


def _claims(held: dict[tuple[Method, float], Outcome], floor: Outcome, ceiling: Outcome) -> list[Claim]:
    def listed(values: Sequence[float], spec: str) -> str:
        return " / ".join(format(value, spec) for value in values)

    edges = [held[SMALL_EDGES, share] for share in SHARES]
    asked = f"asked for {listed(SHARES, 'g')}"
    early, late = float(floor.shares[_WARM_UP : 2 * _WARM_UP].mean()), float(floor.shares[-_WARM_UP:].mean())
    return [
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
            f"{asked}: {listed([one.share for one in edges], '.3f')}, sd {listed([one.sd for one in edges], '.3f')}",
        ),
    ]
