"""Holding a share of the fetches for pages never visited, on drawn webs that change, by several methods.

Abiteboul, Preda and Cobena (WWW 2003) steer a crawl by the virtual page. The live crawl keeps an account of fetches
instead (`opic.refresh.DiscoveryBudget`), which is never off by more than a fetch or two.

q    the target share                       v       the virtual page: every visit pays it a part of its cash
p    part of v's income that goes to pages never visited; the rest goes to visited ones

A crawl knows its seeds and finds other pages by links, while links change and pages are added. It starts like the live
crawl: seeds and new pages are granted cash, the page with the most cash is next; ties go to the one known longest.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.webs import Evolving, power_law
from minicrawl.opic import Adaptive, PageQueue
from minicrawl.opic.adaptive import PayOut
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.strategy import packed, unpacked
from minicrawl.rank import Graph

TOTAL = 2**58
"""Total cash."""
GRANT = 2**24
"""Cash granted to a page at its birth by the virtual page."""
SEED_GRANTS = 1000
"""Factor by which a seed's grant is larger."""
LEVER_GAIN = 0.01
"""Largest movement of the lever in one fetch."""
_ABSENT = -1


@dataclass(frozen=True)
class Method:
    """A way to hold a share.

    pay_out: the pages that v pays. steers: v pays pages never visited the part p of its income, where p is a lever u,
    from 0 to 1:

        u := u + gain (q - 1 if it was a discovery, else q) after a fetch that could have been of either kind

    reach: range of the lever beyond 0 and 1, where v takes a toll: so much of a page's cash, before its links get any.
    """

    name: str
    pay_out: PayOut
    steers: bool = False
    reach: float = 0.0


_WHEN_ASKED: PayOut = ("visited", math.inf)
NO_CONTROL = Method("no control", ("all", 0.0))
"""v pays all known pages alike."""
PAY_OUTS = Method("pay-outs", _WHEN_ASKED, steers=True)
"""v pays pages never visited the part p of its income, and visited ones the rest."""
SMALL_EDGES = Method("pay-outs and small edges", _WHEN_ASKED, steers=True, reach=0.9)
"""Like PAY_OUTS; if that does not suffice, more of the cash passes through v."""
METHODS = (NO_CONTROL, PAY_OUTS, SMALL_EDGES)


class SteeredCrawl:
    """A crawl with a target share of discoveries. Pages are numbered in order of discovery.

    Invariant: total cash never changes: the cash of all pages and of the virtual page is always `TOTAL`.
    """

    def __init__(
        self, method: Method, share: float, seeds: npt.NDArray[np.int32], room: int, gain: float = LEVER_GAIN
    ) -> None:
        """room: maximum number of pages of a graph. gain: of the lever."""
        self._method, self._share = method, share
        self._book = Adaptive(None, method.pay_out, total=TOTAL)
        self._lever, self._gain = 0.5, gain
        self._level = 0  # what each page never visited was paid, as its standing lacks it
        self._page_of: npt.NDArray[np.int32] = np.zeros(room, dtype=np.int32)
        self._number_of: npt.NDArray[np.int32] = np.full(room, _ABSENT, dtype=np.int32)
        self._book.grow(room)
        self._never_visited = PageQueue(lambda entry: self._is_current(entry, visited=False))
        self._visited = PageQueue(lambda entry: self._is_current(entry, visited=True))
        self._discover(seeds, SEED_GRANTS * GRANT)
        for number in range(len(seeds)):
            self._never_visited.add(self._entry(number))

    @property
    def virtual(self) -> int:
        """Cash of the virtual page."""
        return self._book.virtual

    def cashes(self) -> IntArray:
        """Cash of every known page, in order of discovery."""
        cashes: IntArray = self._book.cashes() + self._level * ~self._book.visited[: self._book.size]
        return cashes

    def fetch(self, graph: Graph, fetches: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Make `fetches` further fetches, or fewer if nothing is left, on a web with the links of `graph`.

        Returns the pages, by their numbers in the graph, and a flag for each that had never been visited.
        """
        pages: list[int] = []
        discovers: list[bool] = []
        while len(pages) < fetches and (discovery := self._choice()) is not None:
            is_contested = self._is_contested()
            discovers.append(discovery)
            pages.append(self._turn(graph, discovery))
            self._steer(discovery, is_contested)
        return np.array(pages, np.int32), np.array(discovers, np.bool_)

    def _choice(self) -> bool | None:
        """The kind of the next page. True: never visited; False: visited; None: nothing to fetch."""
        if not self._is_contested():
            return self._never_visited.waiting > 0 or (False if self._visited.waiting else None)
        best, other = self._first(self._visited), self._first(self._never_visited)
        lead = self._book.cash(best) - self._book.cash(other) - self._level
        return lead < 0 or (lead == 0 and other < best)

    def _is_contested(self) -> bool:
        return self._never_visited.waiting > 0 and self._visited.waiting > 0

    def _turn(self, graph: Graph, discovers: bool) -> int:
        """Fetch the best page of a kind, and spend its cash. Returns the page."""
        book = self._book
        number = (self._never_visited if discovers else self._visited).pop()
        assert number is not None
        known = book.size
        outlinks = self._outlinks(graph, int(self._page_of[number]))
        if discovers:
            book.standing[number] += self._level
        toll = int(max(0.0, -self._lever, self._lever - 1.0) * book.cash(number))
        book.standing[number] -= toll
        book.income += toll
        book.visit(number, outlinks)
        self._visited.add(self._entry(number))
        for target in outlinks.tolist():
            if target < known and not book.visited[target]:
                self._never_visited.rise(self._entry(target))
            elif target < known:
                self._visited.rise(self._entry(target))
        for target in range(known, book.size):
            self._never_visited.add(self._entry(target))
        return int(self._page_of[number])

    def _outlinks(self, graph: Graph, page: int) -> npt.NDArray[np.int32]:
        """Numbers of a page's targets; new ones are discovered."""
        targets = graph.targets[graph.indptr[page] : graph.indptr[page + 1]]
        new = targets[self._number_of[targets] == _ABSENT]
        if len(new):
            self._discover(new, GRANT)
        return self._number_of[targets]

    def _discover(self, pages: npt.NDArray[np.int32], grant: int) -> None:
        born = self._book.discover([grant] * len(pages))
        self._book.standing[born.start : born.stop] -= self._level
        self._page_of[born.start : born.stop] = pages
        self._number_of[pages] = born

    def _steer(self, discovers: bool, contested: bool) -> None:
        """Report a fetch to the method, and let v pay the amounts that wait for that."""
        if self._method.steers:
            if contested:
                moved = self._lever + self._gain * (self._share - discovers)
                self._lever = min(max(moved, -self._method.reach), 1.0 + self._method.reach)
            self._pay_never_visited()
            self._book.pay()

    def _pay_never_visited(self) -> None:
        book = self._book
        payees = book.size - book.payees
        each = int(min(max(self._lever, 0.0), 1.0) * book.income) // payees if payees else 0
        self._level += each
        book.income -= each * payees

    def _first(self, queue: PageQueue) -> int:
        entry = queue.peek()
        assert entry is not None
        return unpacked(entry)

    def _entry(self, number: int) -> int:
        # Within a kind standing is in the order of cash.
        return packed(number, self._book.standing.item(number))

    def _is_current(self, entry: int, *, visited: bool) -> bool:
        number = unpacked(entry)
        return bool(self._book.visited[number]) is visited and self._entry(number) == entry


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
    """The result of a method. shares: per window. share, sd: mean and deviation of those after the warm-up."""

    method: Method
    asked: float
    shares: FloatArray
    share: float
    sd: float

    def row(self) -> tuple[float | str, ...]:
        return (self.asked, self.method.name, self.share, self.sd)


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
    outcomes = [
        _outcome(method, share, np.concatenate(log), window) for (method, share), log in zip(asked, logs, strict=True)
    ]
    floor, ceiling, *held = outcomes
    columns = ("requested", "method", "share", "sd per window")
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


def _outcome(method: Method, asked: float, discovers: npt.NDArray[np.bool_], window: int) -> Outcome:
    shares = _means(discovers, window)
    settled = shares[_WARM_UP:]
    return Outcome(method, asked, shares, float(settled.mean()), float(settled.std()))


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
