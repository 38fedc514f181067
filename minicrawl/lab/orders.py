"""Crawl orders compared by how early they read the important pages.

The curve of a crawl is the share of importance read over the share of pages read, both of the pages reached by the
seeds; importance is PageRank of the whole graph. The area under it is .5 for an order no better than chance. Areas
differ more between seed sets than between orders, so orders are compared in pairs on the same sets.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.experiment import Claim, Curve, Panel, Result, Stage, Tell, silent
from minicrawl.lab import frontiers
from minicrawl.lab.frontiers import PageArray
from minicrawl.opic import Coverage, Ledger
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.coverage import PageKind, bound_of_all
from minicrawl.rank import Graph, pagerank

_POINTS = 101
_CHECKS = 20
_DRAWS = 100
_LEAST_REACH = 0.1
_ROUNDING = 1e-9
_COLUMNS = ("order", "seed set", "pages reached", "area", "mass at 10 %", "mass at 30 %")


@dataclass(frozen=True, eq=False)
class Web:
    """A graph and its PageRank, shape (size,)."""

    graph: Graph
    importance: FloatArray


Order = Callable[[Web, PageArray, np.random.Generator], PageArray]
"""From seeds, the pages that they reach, in the order of their visits."""


def _hundredth(web: Web, seeds: PageArray) -> int:
    """A hundredth of the reachable pages, at least one."""
    return -(-len(frontiers.breadth_first(web.graph, seeds)) // 100)


GREEDY, OPIC, BREADTH_FIRST, OMNISCIENT = "greedy", "opic", "breadth-first", "omniscient"
_NO_RIVALS = (GREEDY, OMNISCIENT)
ORDERS: dict[str, Order] = {
    GREEDY: lambda web, seeds, rng: frontiers.greedy(web.graph, seeds),
    OPIC: lambda web, seeds, rng: frontiers.opic(web.graph, seeds),
    "RankMass": lambda web, seeds, rng: frontiers.rank_mass(web.graph, seeds),
    "batch PageRank": lambda web, seeds, rng: frontiers.batch_pagerank(web.graph, seeds, _hundredth(web, seeds)),
    "in-links": lambda web, seeds, rng: frontiers.by_inlinks(web.graph, seeds),
    BREADTH_FIRST: lambda web, seeds, rng: frontiers.breadth_first(web.graph, seeds),
    "random": lambda web, seeds, rng: frontiers.at_random(web.graph, seeds, rng),
    OMNISCIENT: lambda web, seeds, rng: frontiers.omniscient(web.graph, seeds, web.importance),
}


def collected(order: PageArray, mass: FloatArray) -> FloatArray:
    """Share of the total mass of `order` in its first k pages, for every k from 0 on."""
    held = np.concatenate([np.zeros(1), np.cumsum(mass[order])])
    shares: FloatArray = held / held[-1]
    return shares


def area(order: PageArray, mass: FloatArray) -> float:
    """The area under `collected` on axes from 0 to 1, by trapezoids."""
    held = collected(order, mass)
    return float((held[1:] + held[:-1]).mean() / 2)


def mass_at(share: float, order: PageArray, mass: FloatArray) -> float:
    """Share of the mass in the first `share` of the pages."""
    return float(collected(order, mass)[round(share * len(order))])


@dataclass(frozen=True)
class Setup:
    """Draw `seed_sets` sets of `seeds` pages for some of ORDERS; GREEDY is always among them. Raises SettingError."""

    seed_sets: int = 5
    seeds: int = 10
    orders: Sequence[str] = tuple(ORDERS)

    def __post_init__(self) -> None:
        if self.seed_sets < 2:
            raise SettingError(f"orders are compared over at least 2 seed sets, not {self.seed_sets}")
        for name in self.orders:
            if name not in ORDERS:
                raise SettingError(f"--orders are some of {', '.join(ORDERS)}, not {name!r}")

    @property
    def names(self) -> list[str]:
        """Names of the orders, in the order of ORDERS."""
        return [name for name in ORDERS if name in (GREEDY, *self.orders)]


def experiment(graph: Graph, seed: int = 0, setup: Setup | None = None, *, tell: Tell = silent) -> Result:
    """Crawl `graph` in every order from every set of randomly drawn seeds. Raises SettingError."""
    setup = setup or Setup()
    rng = np.random.default_rng(seed)
    web = Web(graph, pagerank(graph))
    runs: dict[str, list[_Run]] = {name: [] for name in setup.names}
    bounds: list[list[_Bound]] = []
    for number, drawn in enumerate([draw_seeds(graph, setup.seeds, rng) for _ in range(setup.seed_sets)], start=1):
        for name, of in runs.items():
            tell(Stage(f"seed set {number} of {setup.seed_sets}, {name}"))
            order = ORDERS[name](web, drawn, rng)
            of.append(_Run.of(order, web.importance))
            if name == GREEDY:
                bounds.append(_bounds(graph, order))
    return Result(
        "orders",
        f"Crawl orders: {graph.size:,} pages, {setup.seed_sets} sets of {setup.seeds} seeds",
        _COLUMNS,
        [run.row(name, number + 1) for name, of in runs.items() for number, run in enumerate(of)],
        [_order_panel(runs), _bound_panel(bounds)],
        [*_claims({name: [run.area for run in of] for name, of in runs.items()}), _bound_claim(bounds)],
    )


def draw_seeds(graph: Graph, count: int, rng: np.random.Generator) -> PageArray:
    """Random distinct pages that reach at least a tenth of the graph. Raises SettingError."""
    if not 1 <= count <= graph.size:
        raise SettingError(f"seeds of a graph of {graph.size} pages must be from 1 to {graph.size}, not {count}")
    for _ in range(_DRAWS):
        seeds = rng.choice(graph.size, count, replace=False).astype(np.int32)
        if len(frontiers.breadth_first(graph, seeds)) >= _LEAST_REACH * graph.size:
            return seeds
    raise SettingError(
        f"{count} pages drawn at random reached less than a tenth of the graph, {_DRAWS} times; draw more seeds"
    )


@dataclass(frozen=True)
class _Run:
    """One order from one seed set. curve: the share collected, shape (_POINTS,)."""

    reached: int
    area: float
    at_10: float
    at_30: float
    curve: FloatArray

    @classmethod
    def of(cls, order: PageArray, mass: FloatArray) -> "_Run":
        held = collected(order, mass)
        curve = np.interp(np.linspace(0.0, 1.0, _POINTS), np.linspace(0.0, 1.0, len(held)), held)
        return cls(len(order), area(order, mass), mass_at(0.1, order, mass), mass_at(0.3, order, mass), curve)

    def row(self, name: str, seed_set: int) -> tuple[str | int | float, ...]:
        return (name, seed_set, self.reached, self.area, self.at_10, self.at_30)


@dataclass(frozen=True)
class _Bound:
    """The coverage bound without and with virtual visits, and the true coverage, at one moment of a crawl."""

    plain: float
    virtual: float
    truth: float


def _bounds(graph: Graph, order: PageArray) -> list[_Bound]:
    """Coverage at each twentieth of a crawl whose pages are all known from the beginning.

    With virtual visits, all read pages pass on their cash after each twentieth.
    """
    (plain, of_plain), (virtual, of_virtual) = _books(graph), _books(graph)
    is_read = np.zeros(graph.size, dtype=np.bool_)
    bounds = []
    for pages in np.array_split(order, _CHECKS):
        for page in pages.tolist():
            outlinks = graph.targets[graph.indptr[page] : graph.indptr[page + 1]]
            for ledger, coverage in ((plain, of_plain), (virtual, of_virtual)):
                ledger.visit(page, outlinks)
                coverage.note(page, PageKind.PAGE, leads=len(outlinks) > 0)
        is_read[pages] = True
        links = _read_links(graph, is_read)
        virtual.visit_many(np.flatnonzero(is_read), links.indptr[np.append(is_read, True)], links.targets)
        importance = pagerank(links, tolerance=_ROUNDING / 10)
        bound, with_visits = (bound_of_all([coverage.sums()]) for coverage in (of_plain, of_virtual))
        bounds.append(_Bound(bound, with_visits, float(importance[is_read].sum())))
    return bounds


def _books(graph: Graph) -> tuple[Ledger, Coverage]:
    ledger = Ledger()
    ledger.discover(graph.size)
    coverage = Coverage(ledger)
    coverage.grow(graph.size)
    return ledger, coverage


def _read_links(graph: Graph, is_read: npt.NDArray[np.bool_]) -> Graph:
    """The graph without the links of unread pages."""
    outdegrees = graph.outdegrees()
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.where(is_read, outdegrees, 0))])
    return Graph(indptr, graph.targets[np.repeat(is_read, outdegrees)])


@dataclass(frozen=True)
class Compared:
    """Means of an order over the seed sets, and its gain of area over greedy on the same sets.

    deviation: standard deviation of the gain. better: the number of sets with a gain.
    """

    order: str
    area: float
    at_10: float
    at_30: float
    gain: float
    deviation: float
    better: int
    sets: int


def compared(result: Result) -> list[Compared]:
    """Every order of an experiment against greedy, by falling area."""
    rows: dict[str, list[tuple[float, ...]]] = {}
    for name, _, _, *figures in result.rows:
        rows.setdefault(name, []).append(tuple(figures))
    greedy = [area for area, *_ in rows[GREEDY]]
    gains = {name: [one[0] - base for one, base in zip(of, greedy, strict=True)] for name, of in rows.items()}
    found = []
    for name, of in rows.items():
        area, at_10, at_30 = (fmean(column) for column in zip(*of, strict=True))
        gain, better = fmean(gains[name]), sum(one > 0 for one in gains[name])
        found.append(Compared(name, area, at_10, at_30, gain, stdev(gains[name]), better, len(of)))
    return sorted(found, key=lambda one: -one.area)


def _order_panel(runs: dict[str, list[_Run]]) -> Panel:
    x = np.linspace(0.0, 1.0, _POINTS).tolist()
    curves = [Curve(name, x, np.mean([run.curve for run in of], axis=0).tolist()) for name, of in runs.items()]
    return Panel("importance collected", "share of reachable pages read", "share of their PageRank", curves)


def _bound_panel(bounds: Sequence[Sequence[_Bound]]) -> Panel:
    x = [step / _CHECKS for step in range(1, _CHECKS + 1)]
    means = _mean_bounds(bounds)
    curves = [
        Curve("pages read", x, [mean.truth for mean in means]),
        Curve("bound, with virtual visits", x, [mean.virtual for mean in means]),
        Curve("bound", x, [mean.plain for mean in means]),
    ]
    label = "share of the PageRank of the links read so far"
    return Panel("coverage of the greedy order", "share of reachable pages read", label, curves)


def _mean_bounds(bounds: Sequence[Sequence[_Bound]]) -> list[_Bound]:
    """The mean over the seed sets, check by check."""
    return [
        _Bound(
            fmean(one.plain for one in check), fmean(one.virtual for one in check), fmean(one.truth for one in check)
        )
        for check in zip(*bounds, strict=True)
    ]


def _claims(areas: dict[str, list[float]]) -> list[Claim]:
    """The claims that the chosen orders can decide."""
    gains = [
        ("a grant at birth gains at least .015 of area", 0.015, GREEDY, OPIC),
        ("cash gains at least .03 of area", 0.03, OPIC, BREADTH_FIRST),
    ]
    claims = [
        _gain(f"{sentence} ({better} over {worse})", least, areas[better], areas[worse])
        for sentence, least, better, worse in gains
        if better in areas and worse in areas
    ]
    means = {name: fmean(of) for name, of in areas.items()}
    rivals = {name: mean for name, mean in means.items() if name not in _NO_RIVALS}
    if not rivals:
        return claims
    best = max(rivals, key=rivals.__getitem__)
    return [
        *claims,
        Claim(
            "greedy has the largest area of all published orders that a crawl can follow",
            means[GREEDY] > rivals[best],
            f"{means[GREEDY]:.3f}; the best other one is {best} with {rivals[best]:.3f}, "
            f"{_paired(areas[GREEDY], areas[best])}"
            + (f"; omniscient {means[OMNISCIENT]:.3f}" if OMNISCIENT in means else ""),
        ),
    ]


def _gain(sentence: str, least: float, better: Sequence[float], worse: Sequence[float]) -> Claim:
    gain = fmean(better) - fmean(worse)
    return Claim(sentence, gain >= least, f"{fmean(better):.3f} and {fmean(worse):.3f}, {_paired(better, worse)}")


def _paired(one: Sequence[float], other: Sequence[float]) -> str:
    gains = [a - b for a, b in zip(one, other, strict=True)]
    positive = sum(gain > 0 for gain in gains)
    return f"gain {fmean(gains):+.4f}, sd {stdev(gains):.4f}, positive in {positive} of {len(gains)} seed sets"


def _bound_claim(bounds: Sequence[Sequence[_Bound]]) -> Claim:
    least = min(one.truth - max(one.plain, one.virtual) for of in bounds for one in of)
    steps = [
        f"{(step + 1) / _CHECKS:.0%} {mean.plain:.3f} {mean.virtual:.3f} {mean.truth:.3f}"
        for step, mean in enumerate(_mean_bounds(bounds))
    ]
    return Claim(
        "the coverage bound never exceeds the share of importance that the pages read have",
        least >= -_ROUNDING,
        f"bound, bound with virtual visits and truth, mean of the seed sets, at {', '.join(steps)} of the pages; "
        f"least distance {least:.4f}",
    )
