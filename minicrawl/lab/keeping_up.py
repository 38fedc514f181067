"""Discovery, refresh and importance together, while text and links of the web change.

M      pages that the seeds reach; the unit of time is that of M fetches, and a crawl has 8 M of them
q      share of the fetches that discover a page
rates  lognormal; half a change per page and unit of time

The books, the credit rule, due times and learned rates are those of `opic`: its functions, compiled, or steps that
tests compare with them. Pages are numbered in order of discovery.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.compiled import (
    CLOCK,
    INCOME,
    LAB_TOTAL,
    LEVEL,
    PAYEES,
    RESERVE,
    TO_ALL,
    VIRTUAL,
    Held,
    crawl,
    credit,
    forward,
    links_of,
    opened,
    spend,
)
from minicrawl.lab.heap import ABSENT, add, compiled, empty_heap, first, moved, pop, risen
from minicrawl.lab.refresh import CASH, LEARNED, fresh_time, in_ticks
from minicrawl.opic import GRANT, SEED_GRANTS, UNIT, Adaptive, Basic, Interpolation, Ledger, PayOut
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.cash_book import NEWCOMERS
from minicrawl.opic.refresh import PRIOR_SHAPE, interval, learned
from minicrawl.opic.window import interpolated
from minicrawl.rank import Errors, Graph, l1, mean_error, overlap, pagerank
from minicrawl.rank.components import subgraph

REWIRED = 0.5
"""Share of changes that turn a link of the page to another page; the others change its text."""
PRICE_GAIN = 4.0
"""The price of a fetch moves by a factor of 1 +- PRICE_GAIN / n with every fetch among n pages."""
_TRIES = 8
_MOST_DISCOVERIES = 2.0
"""Upper bound of the credit for discoveries."""
_PRICE, _CREDIT = range(2)
_KNOWN, _NEVER_VISITED, _IN_ALL = range(3)
_ONE_QUEUE = -1


class Policy(NamedTuple):
    """The choices of a crawl. share: q; schedule: of refreshes, CASH or LEARNED.

    With schedule None there is one queue by cash, of all pages, as in the paper; importance is then that of the cash
    book with the window of interpolation, else that of the ledger.
    """

    name: str
    share: float = 1.0
    schedule: int | None = None


class Web(NamedTuple):
    """A changing web. targets: the present links, in rows; rates: changes of each page per unit of time.

    drawn: time up to which the changes of each page have been drawn. is_stale: it has changed since its fetch. read:
    the links as fetched, in the rows of `targets`.
    """

    indptr: IntArray
    targets: npt.NDArray[np.int32]
    rates: FloatArray
    drawn: FloatArray
    is_stale: npt.NDArray[np.bool_]
    read: npt.NDArray[np.int32]


class _Known(NamedTuple):
    """Known pages, by number except for `number_of`. sums: known pages; B + R of unvisited ones; B + R of all."""

    page_of: npt.NDArray[np.int32]
    number_of: npt.NDArray[np.int32]
    last: FloatArray
    rate: FloatArray
    information: FloatArray
    fresh: FloatArray
    sums: IntArray
    prices: FloatArray


def changing_web(graph: Graph, rates: FloatArray) -> Web:
    """A web with these links at time 0."""
    still = np.zeros(graph.size)
    targets = graph.targets.astype(np.int32)
    return Web(graph.indptr, targets, rates, still, np.zeros(graph.size, dtype=np.bool_), targets.copy())


class KeepingUp:
    """A crawl by a policy, and its web."""

    def __init__(
        self, web: Web, seeds: npt.NDArray[np.int32], policy: Policy, *, since: float, rng: np.random.Generator
    ) -> None:
        """seeds: distinct pages. since: the time from which freshness is measured.

        Before its second fetch, a page is assumed to change at the median rate. In the paper all cash is with the
        pages, so the seeds have it.
        """
        size, is_paper = len(web.rates), policy.schedule is None
        self.web, self.policy = web, policy
        self.fetches = 0
        self.pages: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """Pages fetched, in order."""
        self._since, self._rng = since, rng
        self._book = Adaptive(Basic(), PayOut("all" if is_paper else "visited"), total=LAB_TOTAL)
        self._book.discover([LAB_TOTAL // len(seeds) if is_paper else SEED_GRANTS * GRANT] * len(seeds))
        self._book.grow(size)
        self._held = Held(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(2, np.int64))
        self._held.received[: len(seeds)] = UNIT
        self._known = _Known(
            page_of=np.zeros(size, np.int32),
            number_of=np.full(size, ABSENT, np.int32),
            last=np.zeros(size),
            rate=np.full(size, np.median(web.rates)),
            information=np.full(size, PRIOR_SHAPE),
            fresh=np.zeros(size),
            sums=np.array([len(seeds), UNIT * len(seeds), UNIT * len(seeds)]),
            prices=np.array([1.0 / size, 0.0]),
        )
        self._known.page_of[: len(seeds)] = seeds
        self._known.number_of[seeds] = np.arange(len(seeds))
        self._waiting = empty_heap(self._book.standing)
        for number in range(len(seeds)):
            add(self._waiting, number)
        self._due = empty_heap(np.zeros(size, np.int64))

    @property
    def now(self) -> float:
        return self.fetches / len(self.web.rates)

    def fetch(self, fetches: int) -> None:
        """Make `fetches` further fetches."""
        pages = np.zeros(fetches, dtype=np.int32)
        schedule = _ONE_QUEUE if self.policy.schedule is None else self.policy.schedule
        with opened(self._book, len(self.web.rates)) as cash:
            _fetch(
                self.web,
                self._known,
                (cash, self._held),
                (self._waiting, self._due),
                (schedule, self.policy.share, Interpolation().turnovers, self._since, self.fetches),
                pages,
                self._rng,
            )
        self._book.size = int(self._known.sums[_KNOWN])
        self.fetches += fetches
        self.pages = np.append(self.pages, pages)

    def importance(self) -> FloatArray:
        """The crawl's estimate of importance, in the web's order; 0 for unknown pages."""
        size = self._book.size
        if self.policy.schedule is None:
            self._book.window = Interpolation()
            found = self._book.shares()
            self._book.window = Basic()
        else:
            found = self.ledger().importance()
        importance = np.zeros(len(self.web.rates))
        importance[self._known.page_of[:size]] = found
        return importance

    def ledger(self) -> Ledger:
        """The crawl's ledger of known pages."""
        size, never = self._book.size, np.zeros(len(self.web.rates), dtype=np.bool_)
        return Ledger.of(
            self._held.received[:size] - UNIT,
            self._held.forwarded[:size].copy(),
            never[:size],
            never[:size].copy(),
            int(self._held.till[VIRTUAL]),
        )

    def graph(self) -> Graph:
        """The present links."""
        change_all(self.web, self._rng, self.now)
        return Graph(self.web.indptr, self.web.targets)

    def fresh_shares(self) -> FloatArray:
        """Expected share of the time from `since` to now in which each page was fresh, in the web's order."""
        if self.now <= self._since:
            return self.fresh_now()
        size, fresh = self._book.size, np.zeros(len(self.web.rates))
        pages, last = self._known.page_of[:size], self._known.last[:size]
        rates, begin = self.web.rates[pages], np.maximum(last, self._since)
        ahead = (np.exp(-rates * (begin - last)) - np.exp(-rates * (self.now - last))) / rates
        fresh[pages] = self._known.fresh[:size] + np.where(self._book.visited[:size], ahead, 0.0)
        return fresh / (self.now - self._since)

    def fresh_now(self) -> FloatArray:
        """Probability that each page is fresh now, in the web's order."""
        size, fresh = self._book.size, np.zeros(len(self.web.rates))
        pages = self._known.page_of[:size]
        age = self.now - self._known.last[:size]
        fresh[pages] = np.where(self._book.visited[:size], np.exp(-self.web.rates[pages] * age), 0.0)
        return fresh


@compiled
def change(web, rng, page, now):  # type: ignore[no-untyped-def]
    """Draw the changes of a page until `now`. A link turns to any page that the page does not link to yet."""
    links = links_of(web.indptr, web.targets, page)
    count = rng.poisson(web.rates[page] * (now - web.drawn[page]))
    web.drawn[page] = now
    web.is_stale[page] |= count > 0
    for _ in range(count):
        if len(links) and rng.random() < REWIRED:
            target, place = rng.integers(0, len(web.rates)), rng.integers(0, len(links))
            if target != page and not (links == target).any():
                links[place] = target


@compiled
def change_all(web, rng, now):  # type: ignore[no-untyped-def]
    for page in range(len(web.rates)):
        change(web, rng, page, now)


@compiled
def _fetch(web, known, books, queues, how, pages, rng):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    schedule, share, turnovers, since, done = how
    cash, held = books
    waiting, due = queues
    for fetch in range(len(pages)):
        now = (done + fetch) / len(web.rates)
        number = _chosen(known, held, waiting, due, schedule, share, now)
        page = known.page_of[number]
        pages[fetch] = page
        change(web, rng, page, now)
        if cash.visited[number]:
            _learn(web, known, number, schedule, now, since)
        web.is_stale[page] = False
        known.last[number] = now
        size = known.sums[_KNOWN]
        links = links_of(web.indptr, web.targets, page)
        outlinks = _discovered(known, cash, held, links)
        old = outlinks[:0]
        if cash.visited[number]:
            old = known.number_of[links_of(web.indptr, web.read, page)]
        _measure(known, held, cash.visited, number, outlinks, old)
        links_of(web.indptr, web.read, page)[:] = links
        given = _steer(cash, number, len(outlinks), turnovers if schedule == _ONE_QUEUE else 0.0)
        if schedule == _ONE_QUEUE:
            moved(waiting, number)
        for target in outlinks:
            cash.standing[target] += given
            if waiting.place[target] != ABSENT:
                risen(waiting, target)
        for target in range(size, known.sums[_KNOWN]):
            add(waiting, target)
        if schedule != _ONE_QUEUE:
            due.key[number] = -in_ticks(_due(known, held, schedule, number))
            if due.place[number] == ABSENT:
                add(due, number)
            else:
                moved(due, number)


@compiled
def _chosen(known, held, waiting, due, schedule, share, now):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    """The page to fetch next. A discovery is removed from its queue, any other page stays in its queue."""
    if schedule == _ONE_QUEUE:
        return first(waiting)
    credited = min(known.prices[_CREDIT] + share, _MOST_DISCOVERIES)
    discovers = waiting.size[0] > 0 and (credited >= 1.0 or due.size[0] == 0)
    known.prices[_CREDIT] = max(credited - (1.0 if discovers else 0.0), 0.0)
    if discovers:
        return pop(waiting)
    # The price has moved since the pages were ordered: check a few times.
    for _ in range(_TRIES):
        number = first(due)
        at = in_ticks(_due(known, held, schedule, number))
        if at <= max(-due.key[number], in_ticks(now)):
            break
        due.key[number] = -at
        moved(due, number)
    number = first(due)
    is_overdue = -due.key[number] <= in_ticks(now)
    known.prices[_PRICE] = repriced(known.prices[_PRICE], PRICE_GAIN / due.size[0], is_overdue)
    return number


@compiled
def repriced(price, share, is_overdue):  # type: ignore[no-untyped-def]
    """The price after one fetch more: it rises while pages are due before they can be fetched. share: of the price."""
    moved = min(share, 0.5)
    return price * (1.0 + moved if is_overdue else 1.0 - moved)


@compiled
def _due(known, held, schedule, number):  # type: ignore[no-untyped-def]
    """The due time of a page by its current share of importance in the ledger."""
    pages, never_visited, in_all = known.sums
    floating = held.till[VIRTUAL] + never_visited
    x = held.received[number] - UNIT + floating / pages
    importance = x / (in_all - UNIT * pages + floating)
    if schedule == CASH:
        return known.last[number] + known.prices[_PRICE] / importance
    return known.last[number] + interval(known.prices[_PRICE], importance, known.rate[number])


@compiled
def _learn(web, known, number, schedule, now, since):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    page, last = known.page_of[number], known.last[number]
    known.fresh[number] += fresh_time(web.rates[page], last, now, since)
    if schedule == LEARNED:
        known.rate[number], known.information[number] = learned(
            known.rate[number], known.information[number], now - last, web.is_stale[page]
        )


@compiled
def _discovered(known, cash, held, links):  # type: ignore[no-untyped-def]
    """Numbers of the linked pages; new ones are granted cash, as in `Adaptive.discover`."""
    till, sums = cash.till, known.sums
    for target in links:
        if known.number_of[target] == ABSENT:
            number = sums[_KNOWN]
            known.number_of[target], known.page_of[number] = number, target
            granted = min(GRANT, till[RESERVE])
            till[RESERVE] -= granted
            cash.standing[number] = granted
            cash.history[number] = cash.newcomer_history[0]
            cash.last[number] = till[CLOCK]
            if cash.paid == TO_ALL:
                cash.standing[number] -= till[LEVEL]
                till[PAYEES] += 1
            held.received[number] = UNIT
            sums[_KNOWN] += 1
            sums[_NEVER_VISITED] += UNIT
            sums[_IN_ALL] += UNIT
    return known.number_of[links]


@compiled
def _measure(known, held, visited, number, outlinks, old):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    """`Ledger.visit`."""
    if not visited[number]:
        known.sums[_NEVER_VISITED] -= held.received[number]
    sent, taken = forward(held, number, outlinks, old)
    _credit_all(known, held, visited, number, old, -taken)
    _credit_all(known, held, visited, number, outlinks, sent)


@compiled
def _credit_all(known, held, visited, number, targets, units):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - compiled
    for target in targets:
        credit(held, target, units)
        if not visited[target] and target != number:
            known.sums[_NEVER_VISITED] += units
    known.sums[_IN_ALL] += units * len(targets)


@compiled
def _steer(cash, number, degree, turnovers):  # type: ignore[no-untyped-def]
    """`Adaptive.visit` except for the credits. turnovers: the window of interpolation; 0: the whole past."""
    till = cash.till
    past, last, clock = cash.history[number], cash.last[number], till[CLOCK]
    is_newcomer, newcomers = not cash.visited[number], cash.newcomer_history[0]
    in_hand = cash.total - till[RESERVE] - till[INCOME]
    spent, given = spend(cash, number, degree)
    if turnovers:
        cash.history[number] = interpolated(past, float(spent), float(clock - last), turnovers * in_hand)
        if is_newcomer:
            cash.newcomer_history[0] = newcomers + (cash.history[number] - newcomers) / NEWCOMERS
    return given


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
    """State of a crawl after some fetches, compared with the web at that moment.

    fresh: importance of the pages expected to be fresh. mean_fresh: its mean in the second half of all time. mass:
    importance of all pages fetched.
    """

    fresh: float
    mean_fresh: float
    errors: Errors
    distance: float
    top: float
    mass: float


def experiment(graph: Graph, seed: int, turns: int = _TURNS) -> Result:
    """Run every policy on the part reached from ten random pages, M fetches at a time. Raises SettingError."""
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
    """The part of a graph that ten random pages with links reach, and these ten."""
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
