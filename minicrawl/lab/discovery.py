"""Can a crawler hold a share of its fetches for pages it has never read, and by which rule?

q    the share asked for                    v       the virtual page: every visit pays it a part of its cash
p    part of v's income that goes to never-read pages; the rest goes to read ones
u    lever of an integral controller: after every fetch u := u + gain (q - 1 if it was a discovery, else q)

A crawl knows its seeds and finds other pages by links, while links change and pages come. Abiteboul, Preda and Cobena
(WWW 2003) propose to steer it by the virtual page; the crawl's own rule leaves the cash alone and keeps an account
of fetches (`opic.budget`). All methods run in one compiled loop, and start like the live crawl: seeds and newcomers
are granted cash, the page with the most cash is next, of equals the one known longest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from minicrawl.errors import SettingError
from minicrawl.lab.evolve import Evolving
from minicrawl.lab.generate import power_law
from minicrawl.lab.heap import ABSENT, Heap, add, compiled, empty_heap, first, pop, risen
from minicrawl.opic import GRANT, SEED_GRANTS
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.units import damped
from minicrawl.rank import Graph, pagerank
from minicrawl.report import Claim, Curve, Panel, Result

register_jitable(damped)

TOTAL = 2**58
"""All the cash there is: 17 times that, which `damped` takes, still fits into 64 bits."""
SHARES = (0.2, 0.5, 0.8)
_SEEDS = 10
_FEWEST_NODES = 100
"""So that enough pages have links to be seeds."""
_BATCHES = 20
"""So often, evenly spread over the fetches, the web changes."""
_CHANGED = 0.01
"""Pages per fetch whose in-degree halves or doubles: 1 % of them in N fetches."""
_COMING = 0.1
"""Pages that come in all, in N."""
_WINDOWS = 250
_DRAWN = 10
"""Windows that make one point of the picture."""
_WARM_UP = 25
"""Windows after which shares are measured."""

_EQUAL, _PARTS, _TOP_UPS, _ACCOUNT = range(4)
_INCOME, _RESERVE, _KNOWN, _FETCHES, _DISCOVERIES = range(5)
_NEVER_READ, _READ = range(2)
_NOTHING = -1


@dataclass(frozen=True)
class Method:
    """A way to hold a share.

    reach: how far the lever u goes beyond 0 and 1, where p ends. There a visit first gives v that part, -u or u - 1,
    of its cash, and only the rest goes the usual way: the small edges grow to 1 - d = 1 - .85 (1 - part).
    """

    name: str
    rule: int
    reach: float = 0.0


NO_CONTROL = Method("no control", _EQUAL)
"""v pays all known pages alike."""
PAY_OUTS = Method("pay-outs", _PARTS)
"""v pays never-read pages the part p of its income, read ones the rest."""
SMALL_EDGES = Method("pay-outs and small edges", _PARTS, reach=0.9)
"""As PAY_OUTS; where that does not do, more of the cash goes by way of v."""
DEMAND = Method("demand", _TOP_UPS)
"""v pays all alike; while discoveries are behind, it raises the best never-read page above the best read one.

That takes cash it has not paid out yet. What it gave comes back too slowly, so v may run dry.
"""
CREDIT = Method("credit", _ACCOUNT)
"""`DiscoveryBudget` says which kind is next; v pays read pages."""
METHODS = (NO_CONTROL, PAY_OUTS, SMALL_EDGES, DEMAND, CREDIT)


class Log(NamedTuple):
    """Fetches in their order, each array of shape (fetches,).

    pages: their numbers in the graph. discovers: whether the page had never been read. contested: whether pages of
    both kinds were on offer.
    """

    pages: npt.NDArray[np.int32]
    discovers: npt.NDArray[np.bool_]
    contested: npt.NDArray[np.bool_]

    @classmethod
    def joined(cls, logs: Sequence["Log"]) -> "Log":
        return cls(*(np.concatenate(columns) for columns in zip(*logs, strict=True)))


class _State(NamedTuple):
    """A crawl as compiled code sees it. Pages are numbered as they were discovered.

    standing: cash less the level of the page's kind. level: by kind. till: cash of v (income, reserve) and counts.
    lever: u, or the credit of the account. page_of, number_of: from a page's number to the graph's and back.
    """

    standing: IntArray
    level: IntArray
    till: IntArray
    lever: FloatArray
    page_of: npt.NDArray[np.int32]
    number_of: npt.NDArray[np.int32]
    never_read: Heap
    read: Heap


class _Steering(NamedTuple):
    rule: int
    share: float
    gain: float
    reach: float


class Crawl:
    """A crawl that is asked for a share of discoveries.

    Invariant: total cash never changes: the cash of all pages and of the virtual page is always `TOTAL`.
    """

    def __init__(self, method: Method, share: float, seeds: npt.NDArray[np.int32], room: int, gain: float) -> None:
        """room: the most pages a graph will have. gain: how far the lever moves in one fetch, at most."""
        known = len(seeds)
        standing = np.zeros(room, dtype=np.int64)
        standing[:known] = SEED_GRANTS * GRANT
        page_of, number_of = np.zeros(room, dtype=np.int32), np.full(room, ABSENT, dtype=np.int32)
        page_of[:known], number_of[seeds] = seeds, np.arange(known)
        self._steering = _Steering(method.rule, share, gain, method.reach)
        self._state = _State(
            standing,
            level=np.zeros(2, dtype=np.int64),
            till=np.array([0, TOTAL - known * SEED_GRANTS * GRANT, known, 0, 0], dtype=np.int64),
            lever=np.array([0.5 if method.rule == _PARTS else 0.0]),
            page_of=page_of,
            number_of=number_of,
            never_read=empty_heap(standing),
            read=empty_heap(standing),
        )
        for number in range(known):
            add(self._state.never_read, number)

    @property
    def virtual(self) -> int:
        """Cash of the virtual page."""
        return int(self._state.till[_INCOME] + self._state.till[_RESERVE])

    def cashes(self) -> IntArray:
        """Cash of every known page, in the order of their discovery."""
        state = self._state
        known = int(state.till[_KNOWN])
        level = np.where(state.read.place[:known] == ABSENT, state.level[_NEVER_READ], state.level[_READ])
        cashes: IntArray = state.standing[:known] + level
        return cashes

    def fetch(self, graph: Graph, fetches: int) -> Log:
        """Go on by so many fetches, or fewer when nothing is left to fetch, on a web that now has these links."""
        log = Log(np.zeros(fetches, np.int32), np.zeros(fetches, np.bool_), np.zeros(fetches, np.bool_))
        done = _fetch(self._state, self._steering, graph.indptr, graph.targets, log)
        return Log(log.pages[:done], log.discovers[:done], log.contested[:done])


@dataclass(frozen=True)
class Outcome:
    """How a method did. shares: per window. share, sd: mean and deviation of those after the warm-up.

    deviation: see `largest_deviation`. mass: share of all importance that was read. left: share of all cash that the
    virtual page has at the end.
    """

    method: Method
    asked: float
    shares: FloatArray
    share: float
    sd: float
    deviation: float
    mass: float
    left: float

    def row(self) -> tuple[float | str, ...]:
        return (self.asked, self.method.name, self.share, self.sd, self.deviation, self.mass)


def experiment(nodes: int, seed: int, fetches: int | None = None) -> Result:
    """Crawl a growing web of `nodes` pages at first, by every method, asked for each of SHARES.

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
    # Asked for nothing, pay-outs soon go to read pages alone; asked for everything, to never-read ones alone.
    asked = [(PAY_OUTS, 0.0), (PAY_OUTS, 1.0)] + [(method, share) for share in SHARES for method in METHODS]
    # Tried up to 30 times that gain: .5 and .8 come closer, .2 is held worse.
    crawls = [Crawl(method, share, seeds, room, gain=1 / window) for method, share in asked]
    logs: list[list[Log]] = [[] for _ in asked]
    for web, count in _batches(Evolving(start, rng), fetches):
        for crawl, log in zip(crawls, logs, strict=True):
            log.append(crawl.fetch(web, count))
    importance = pagerank(web)
    outcomes = [
        _outcome(method, share, Log.joined(log), crawl, window, importance)
        for (method, share), crawl, log in zip(asked, crawls, logs, strict=True)
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
    """The web as it is for a while, and the fetches until it changes."""
    coming = np.diff(np.linspace(0, int(_COMING * evolving.size), _BATCHES).astype(int))
    changing = np.diff(np.linspace(0, round(_CHANGED * fetches), _BATCHES).astype(int))
    counts = np.diff(np.linspace(0, fetches, _BATCHES + 1).astype(int))
    yield evolving.graph(), int(counts[0])
    for born, changed, count in zip(coming, changing, counts[1:], strict=True):
        evolving.come(int(born))
        evolving.change(int(changed))
        yield evolving.graph(), int(count)


def largest_deviation(log: Log, share: float) -> float:
    """The largest |discoveries - q n| after n fetches with both kinds on offer; counted anew when one was missing."""
    if not log.contested.any():
        return 0.0
    excess = np.cumsum(log.contested * (log.discovers - share))
    starts = np.maximum.accumulate(np.where(log.contested, 0, np.arange(1, len(excess) + 1)))
    before = np.concatenate([[0.0], excess])[starts]
    return float(np.abs(excess - before).max())


def _outcome(method: Method, asked: float, log: Log, crawl: Crawl, window: int, importance: FloatArray) -> Outcome:
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
        crawl.virtual / TOTAL,
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
    """The means of so many values each; what is left over at the end is left out."""
    whole = len(values) // width
    means: FloatArray = values[: whole * width].reshape(whole, width).mean(axis=1)
    return means


def _claims(held: dict[tuple[Method, float], Outcome], floor: Outcome, ceiling: Outcome) -> list[Claim]:
    def of(method: Method) -> list[Outcome]:
        return [held[method, share] for share in SHARES]

    def listed(values: Sequence[float], spec: str) -> str:
        return " / ".join(format(value, spec) for value in values)

    credit, edges, demand = of(CREDIT), of(SMALL_EDGES), of(DEMAND)
    asked = f"asked for {listed(SHARES, 'g')}"
    natural = held[NO_CONTROL, SHARES[0]].share
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
            "top-ups on demand hold any share that is above the one without control",
            all(abs(one.share - max(one.asked, natural)) <= 0.05 for one in demand),
            f"{asked}: {listed([one.share for one in demand], '.3f')}, and {natural:.3f} without control; "
            f"the virtual page is left with {listed([one.left for one in demand], '.1%')} of all cash",
        ),
        Claim(
            "the credit rule costs no mass read (no more than .005 against small edges, which hold the same shares)",
            all(one.mass >= other.mass - 0.005 for one, other in zip(credit, edges, strict=True)),
            f"{asked}: {listed([one.mass for one in credit], '.3f')} against "
            f"{listed([one.mass for one in edges], '.3f')}",
        ),
    ]


@compiled
def _fetch(state, steering, indptr, targets, log):  # type: ignore[no-untyped-def]
    """Fill the log; returns how many fetches there were."""
    never_read, read, till = state.never_read, state.read, state.till
    outlinks = np.zeros(len(state.page_of), dtype=np.int32)
    for fetch in range(len(log.pages)):
        if steering.rule == _TOP_UPS and till[_DISCOVERIES] < steering.share * till[_FETCHES]:
            _top_up(state)
        decided = _decided(state, steering)
        if decided == _NOTHING:
            return fetch
        discovers = decided == 1
        contested = never_read.size[0] > 0 and read.size[0] > 0
        number = pop(never_read) if discovers else pop(read)
        page = state.page_of[number]
        known, degree = till[_KNOWN], 0
        for target in targets[indptr[page] : indptr[page + 1]]:
            if state.number_of[target] == ABSENT:
                _discover(state, target)
            outlinks[degree] = state.number_of[target]
            degree += 1
        _spend(state, number, outlinks[:degree], known, discovers, _toll(state, steering))
        add(read, number)
        for target in range(known, till[_KNOWN]):
            add(never_read, target)
        log.pages[fetch], log.discovers[fetch], log.contested[fetch] = page, discovers, contested
        till[_FETCHES] += 1
        till[_DISCOVERIES] += discovers
        _steer(state, steering, discovers, contested)
        _pay(state, steering)
    return len(log.pages)


@compiled
def _lead(state):  # type: ignore[no-untyped-def]
    """The cash that the best read page has more than the best never-read one."""
    best, other = first(state.read), first(state.never_read)
    return state.standing[best] + state.level[_READ] - state.standing[other] - state.level[_NEVER_READ]


@compiled
def _top_up(state):  # type: ignore[no-untyped-def]
    """Raise the best never-read page to one unit above the best read one, if v has that much."""
    if state.never_read.size[0] and state.read.size[0]:
        missing = _lead(state) + 1
        if 0 < missing <= state.till[_RESERVE]:
            state.standing[first(state.never_read)] += missing
            state.till[_RESERVE] -= missing


@compiled
def _decided(state, steering):  # type: ignore[no-untyped-def]
    """1: a never-read page is next, 0: a read one, or _NOTHING."""
    never_read_ready, read_ready = state.never_read.size[0] > 0, state.read.size[0] > 0
    if steering.rule == _ACCOUNT:
        return _discovers(state.lever[0], steering.share, never_read_ready, read_ready)
    if never_read_ready and read_ready:
        lead = _lead(state)
        return int(lead < 0 or (lead == 0 and first(state.never_read) < first(state.read)))
    return int(never_read_ready) if never_read_ready or read_ready else _NOTHING


@compiled
def _discovers(credit, share, never_read_ready, read_ready):  # type: ignore[no-untyped-def]
    """`DiscoveryBudget.discovers`: 1, 0 or _NOTHING for True, False or None."""
    if not never_read_ready:
        return 0 if read_ready and share < 1.0 else _NOTHING
    return int(_with_income(credit, share) >= 1.0 or not read_ready)


@compiled
def _charged(credit, share, discovers):  # type: ignore[no-untyped-def]
    """The credit that `DiscoveryBudget.charge` leaves."""
    return max(_with_income(credit, share) - (1.0 if discovers else 0.0), 0.0)


@compiled
def _with_income(credit, share):  # type: ignore[no-untyped-def]
    return min(credit + share, 2.0)


@compiled
def _discover(state, page):  # type: ignore[no-untyped-def]
    number = state.till[_KNOWN]
    state.number_of[page], state.page_of[number] = number, page
    granted = min(GRANT, state.till[_RESERVE])
    state.till[_RESERVE] -= granted
    state.standing[number] = granted - state.level[_NEVER_READ]
    state.till[_KNOWN] += 1


@compiled
def _toll(state, steering):  # type: ignore[no-untyped-def]
    """The part of its cash that a visit gives v before anything else."""
    return max(0.0, -state.lever[0], state.lever[0] - 1.0) if steering.rule == _PARTS else 0.0


@compiled
def _spend(state, number, outlinks, known, discovers, toll):  # type: ignore[no-untyped-def]
    """`Adaptive.visit`, less history and pay-out. Pages from `known` on are new: they do not wait yet."""
    cash = state.standing[number] + state.level[_NEVER_READ if discovers else _READ]
    passed = damped(cash - int(toll * cash))
    share = passed // len(outlinks) if len(outlinks) else 0
    for target in outlinks:
        state.standing[target] += share
        # At once: a heap can mend one page out of place, not several.
        if target < known:
            risen(state.never_read if state.never_read.place[target] != ABSENT else state.read, target)
    state.standing[number] = -state.level[_READ]
    state.till[_INCOME] += cash - share * len(outlinks)


@compiled
def _steer(state, steering, discovers, contested):  # type: ignore[no-untyped-def]
    if steering.rule == _ACCOUNT:
        state.lever[0] = _charged(state.lever[0], steering.share, discovers)
    elif contested:
        moved = state.lever[0] + steering.gain * (steering.share - (1.0 if discovers else 0.0))
        state.lever[0] = min(max(moved, -steering.reach), 1.0 + steering.reach)


@compiled
def _pay(state, steering):  # type: ignore[no-untyped-def]
    """Pay v's income out, the same whole number of units to every page of a kind."""
    till, level = state.till, state.level
    never_read, read = state.never_read.size[0], state.read.size[0]
    income = till[_INCOME]
    if steering.rule in (_EQUAL, _TOP_UPS):
        per_never_read = per_read = income // till[_KNOWN]
    else:
        p = min(max(state.lever[0], 0.0), 1.0) if steering.rule == _PARTS else 0.0
        meant = int(p * income) if never_read else 0
        per_never_read = meant // max(never_read, 1)
        per_read = (income - meant) // read
    level[_NEVER_READ] += per_never_read
    level[_READ] += per_read
    till[_INCOME] -= per_never_read * never_read + per_read * read
