"""The steered crawls do what the plain code and a slow oracle do, to the unit."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from minicrawl.lab.discovery import SHARES, largest_deviation
from minicrawl.lab.steering import (
    CREDIT,
    DEMAND,
    METHODS,
    NO_CONTROL,
    PAY_OUTS,
    SMALL_EDGES,
    TOTAL,
    Log,
    Method,
    SteeredCrawl,
)
from minicrawl.lab.webs import Evolving, power_law
from minicrawl.opic import GRANT, SEED_GRANTS, Adaptive, Basic, DiscoveryBudget, PayOut
from minicrawl.rank import Graph

SEED_CASH = SEED_GRANTS * GRANT
SEEDS = np.array([7, 3, 11], dtype=np.int32)
NODES, BATCHES, COMING, FETCHES = 60, 6, 5, 60
ROOM = NODES + BATCHES * COMING
GAIN = 1 / 20


def webs(seed: int) -> Iterator[Graph]:
    """A small web that grows and changes. Many pages have no links and many tie."""
    rng = np.random.default_rng(seed)
    evolving = Evolving(power_law(NODES, rng), rng)
    for _ in range(BATCHES):
        yield evolving.graph()
        evolving.come(COMING)
        evolving.change(3)


def links(web: Graph, page: int) -> list[int]:
    found: list[int] = web.targets[web.indptr[page] : web.indptr[page + 1]].tolist()
    return found


def run(method: Method, share: float, seed: int) -> tuple[SteeredCrawl, Log]:
    crawl = SteeredCrawl(method, share, SEEDS, ROOM, GAIN)
    return crawl, Log.joined([crawl.fetch(web, FETCHES) for web in webs(seed)])


@pytest.mark.parametrize("share", [*SHARES, 0.37])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", [CREDIT, NO_CONTROL], ids=lambda method: method.name)
def test_crawl_is_that_of_the_plain_book(method: Method, seed: int, share: float) -> None:
    """`Adaptive`, with `DiscoveryBudget` or one queue for all pages: the same fetches and the same cash."""
    book = Adaptive(Basic(), PayOut("visited" if method is CREDIT else "all"), total=TOTAL)
    budget = DiscoveryBudget(share)
    page_of = SEEDS.tolist()
    book.discover([SEED_CASH] * len(page_of))
    fetched, discovers = [], []
    for web in webs(seed):
        for _ in range(FETCHES):
            read = book.visited[: book.size]
            candidates = list(range(book.size))
            if method is CREDIT:
                wanted = budget.discovers(not read.all(), bool(read.any()))
                candidates = np.flatnonzero(read != wanted).tolist()
            number = max(candidates, key=lambda page: (book.cash(page), -page))
            is_discovery = not read[number]
            budget.charge(discovers=is_discovery)
            outlinks = links(web, page_of[number])
            born = [page for page in outlinks if page not in page_of]
            page_of += born
            book.discover([GRANT] * len(born))
            book.visit(number, np.array([page_of.index(page) for page in outlinks], dtype=np.int32))
            fetched.append(page_of[number])
            discovers.append(is_discovery)
    crawl, log = run(method, share, seed)
    assert log.pages.tolist() == fetched
    assert log.discovers.tolist() == discovers
    assert crawl.cashes().tolist() == book.cashes().tolist()
    assert crawl.virtual == book.virtual


def plain_crawl(method: Method, share: float, seed: int) -> Iterator[tuple[int, list[int], int]]:
    """The slow way: cash is paid out page by page, and the best page is the largest of all.

    Yields after every fetch: the page, the cash of all pages in the order of their discovery, the cash of v.
    """
    cash = dict.fromkeys(SEEDS.tolist(), SEED_CASH)
    income, reserve = 0, TOTAL - sum(cash.values())
    read: set[int] = set()
    lever, discoveries = 0.5, 0
    budget = DiscoveryBudget(share)

    def best(pages: set[int]) -> int:
        return int(next(page for page in cash if page in pages and cash[page] == max(cash[page] for page in pages)))

    for fetch, web in enumerate(itertools.chain.from_iterable([web] * FETCHES for web in webs(seed))):
        never_read = cash.keys() - read
        if method is DEMAND and discoveries < share * fetch and never_read and read:
            missing = cash[best(read)] + 1 - cash[best(never_read)]
            if 0 < missing <= reserve:
                cash[best(never_read)] += missing
                reserve -= missing
        offered = set(cash)
        if method is CREDIT:
            offered = never_read if budget.discovers(bool(never_read), bool(read)) else read
        page = best(offered)
        discovers, contested = page not in read, bool(never_read and read)
        budget.charge(discovers=discovers)
        discoveries += discovers

        spent, cash[page] = cash[page], 0
        read.add(page)
        part = max(0.0, -lever, lever - 1) if method is SMALL_EDGES else 0.0
        passed = 17 * (spent - int(part * spent)) // 20
        outlinks = links(web, page)
        for target in outlinks:
            if target not in cash:
                cash[target] = GRANT
                reserve -= GRANT
            cash[target] += passed // len(outlinks)
        income += spent - (passed // len(outlinks) * len(outlinks) if outlinks else 0)

        if contested:
            lever += GAIN * (share - discovers)
            lever = min(max(lever, -method.reach), 1 + method.reach)
        never_read = cash.keys() - read
        if method in (NO_CONTROL, DEMAND):
            payments = [(set(cash), income)]
        else:
            p = min(max(lever, 0.0), 1.0) if method in (PAY_OUTS, SMALL_EDGES) and never_read else 0.0
            payments = [(never_read, int(p * income)), (read, income - int(p * income))]
        for payees, amount in payments:
            for payee in payees:
                cash[payee] += amount // len(payees)
                income -= amount // len(payees)
        yield page, list(cash.values()), income + reserve


@pytest.mark.parametrize(("share", "seed"), [(0.2, 0), (0.5, 1), (0.8, 2), (0.8, 3)])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_crawl_is_that_of_the_slow_oracle(method: Method, share: float, seed: int) -> None:
    """The same pages, and after every fetch the same cash; none is made or lost."""
    crawl = SteeredCrawl(method, share, SEEDS, ROOM, GAIN)
    oracle = plain_crawl(method, share, seed)
    for web in webs(seed):
        for page, cashes, virtual in itertools.islice(oracle, FETCHES):
            assert crawl.fetch(web, 1).pages.tolist() == [page]
            assert crawl.cashes().tolist() == cashes
            assert crawl.virtual == virtual
            assert sum(cashes) + virtual == TOTAL
            assert min(*cashes, virtual) >= 0


def test_fetches_may_be_cut_anywhere() -> None:
    whole, parts = (SteeredCrawl(SMALL_EDGES, 0.8, SEEDS, ROOM, GAIN) for _ in range(2))
    web = next(webs(5))
    log = Log.joined([parts.fetch(web, 80), parts.fetch(web, 1), parts.fetch(web, 119)])
    assert all((one == other).all() for one, other in zip(whole.fetch(web, 200), log, strict=True))


def test_demand_for_nothing_is_no_control() -> None:
    (crawl, log), (other, same) = run(DEMAND, 0.0, 1), run(NO_CONTROL, 0.0, 1)
    assert log.pages.tolist() == same.pages.tolist()
    assert crawl.cashes().tolist() == other.cashes().tolist()


def test_crawl_that_only_discovers_ends_when_all_is_read() -> None:
    web = Graph.from_links([[1, 2], [0], [3], [], [0]])
    crawl = SteeredCrawl(CREDIT, 1.0, np.array([0], dtype=np.int32), web.size, GAIN)
    log = crawl.fetch(web, 10)
    assert sorted(log.pages.tolist()) == [0, 1, 2, 3]
    assert crawl.fetch(web, 10).pages.tolist() == []


@pytest.mark.parametrize("share", [0.05, *SHARES, 0.95])
def test_credit_is_within_two_fetches(share: float) -> None:
    assert largest_deviation(run(CREDIT, share, 3)[1], share) <= 2


@pytest.mark.parametrize(
    ("method", "share", "held"),
    [(PAY_OUTS, 0.8, False), (SMALL_EDGES, 0.8, True), (SMALL_EDGES, 0.5, True), (NO_CONTROL, 0.8, False)],
    ids=lambda value: value.name if isinstance(value, Method) else str(value),
)
def test_what_holds_a_share(method: Method, share: float, held: bool) -> None:
    web = power_law(8000, np.random.default_rng(2))
    seeds = np.flatnonzero(web.outdegrees())[:10].astype(np.int32)
    log = SteeredCrawl(method, share, seeds, web.size, 1 / 50).fetch(web, 4000)
    assert (abs(log.discovers[400:].mean() - share) <= 0.05) == held
