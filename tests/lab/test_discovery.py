"""The discovery experiment says honestly what the steered crawls hold."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from minicrawl.lab.discovery import (
    GRANT,
    METHODS,
    NO_CONTROL,
    PAY_OUTS,
    SEED_GRANTS,
    SHARES,
    SMALL_EDGES,
    TOTAL,
    Method,
    SteeredCrawl,
    experiment,
)
from minicrawl.lab.webs import Evolving, power_law
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


def plain_crawl(method: Method, share: float, seed: int) -> Iterator[tuple[int, list[int], int]]:
    """The slow way: cash is paid out page by page, and the best page is the largest of all.

    Yields after every fetch: the page, the cash of all pages in the order of their discovery, the cash of v.
    """
    cash = dict.fromkeys(SEEDS.tolist(), SEED_CASH)
    income, reserve = 0, TOTAL - sum(cash.values())
    read: set[int] = set()
    lever = 0.5

    def best(pages: set[int]) -> int:
        return int(next(page for page in cash if page in pages and cash[page] == max(cash[page] for page in pages)))

    for web in itertools.chain.from_iterable([web] * FETCHES for web in webs(seed)):
        never_read = cash.keys() - read
        page = best(set(cash))
        discovers, contested = page not in read, bool(never_read and read)

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
        if method is NO_CONTROL:
            payments = [(set(cash), 1.0)]
        else:
            p = min(max(lever, 0.0), 1.0) if method in (PAY_OUTS, SMALL_EDGES) and never_read else 0.0
            payments = [(never_read, p), (read, 1.0)]
        for payees, part in payments:
            amount = int(part * income)
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
            assert crawl.fetch(web, 1)[0].tolist() == [page]
            assert crawl.cash.tolist() == cashes
            assert crawl.virtual == virtual
            assert sum(cashes) + virtual == TOTAL
            assert min(*cashes, virtual) >= 0


@pytest.mark.slow
def test_experiment_says_what_it_measured() -> None:
    result = experiment(8000, seed=1)
    asked = [(share, method.name) for share in SHARES for method in METHODS]
    assert [(row[0], row[1]) for row in result.rows] == asked
    assert all(type(value) in {float, str} for row in result.rows for value in row)
    assert {len(row) for row in result.rows} == {len(result.columns)}
    by_name = {row[:2]: row[2:] for row in result.rows}
    for share in SHARES:
        reached, sd = by_name[share, SMALL_EDGES.name]
        assert reached == pytest.approx(share, abs=0.05)
        assert sd < 0.2
        assert by_name[share, "no control"][0] == by_name[0.2, "no control"][0]
    assert [len(panel.curves) for panel in result.panels] == [len(METHODS)] * 3
    assert [claim.held for claim in result.claims[:2]] == [True, True]
    assert result == experiment(8000, seed=1, fetches=4000)
