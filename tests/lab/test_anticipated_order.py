"""The compiled order by anticipated cash is held to a slow one."""

from collections import Counter

import numpy as np
import pytest

from minicrawl.lab import anticipated_order
from minicrawl.opic import GRANT, TOTAL, Adaptive, Basic, seed_grant
from minicrawl.opic.anticipated import anticipated, has_fallen
from minicrawl.opic.strategy import Greedy
from minicrawl.rank import Graph

pytestmark = pytest.mark.slow  # all of them wait for compiled loops

Links = list[list[int]]


def slow_crawl(links: Links, seeds: list[int], hosts: list[int]) -> tuple[list[int], list[int]]:
    """The pages in their order, and the cash of all known pages in the order of their discovery.

    Everything but cash is counted anew from the list of visits.
    """
    book = Adaptive(Basic())
    known = list(seeds)
    book.discover([seed_grant(Greedy(), book, len(seeds))] * len(seeds))
    sent: list[tuple[int, int, int]] = []  # from, to, cash
    read: dict[int, int] = {}  # what each visit spent

    def key(page: int) -> int:
        host = hosts[page]
        waiting = [each for each in known if each not in read and hosts[each] == host]
        spent = [cash for each, cash in read.items() if hosts[each] == host]
        got: Counter[bool] = Counter()
        for source, target, cash in sent:
            got[hosts[source] == host] += cash if target == page else 0
        host_cash = sum(book.cash(known.index(each)) for each in waiting)
        return anticipated(book.cash(known.index(page)), got[True], got[False], host_cash, sum(spent), len(spent))

    keys = {page: key(page) for page in known}
    keyed_at = 1
    while keys:
        page = max(keys, key=lambda each: (keys[each], -known.index(each)))
        if has_fallen(key(page), keys[page]):
            keys[page] = key(page)
            continue
        del keys[page]
        new = [target for target in links[page] if target not in known]
        book.discover([GRANT] * len(new))
        known += new
        number = known.index(page)
        outlinks = np.array([known.index(target) for target in links[page]], dtype=np.int32)
        visit = book.visit(number, outlinks)
        read[page] = visit.cash
        share = 17 * visit.cash // 20 // max(len(outlinks), 1)
        sent += [(page, target, share) for target in links[page]]
        for target in links[page]:
            if target not in read:
                keys[target] = key(target)
        if len(read) >= 2 * keyed_at:
            keyed_at = len(read)
            keys = {each: key(each) for each in keys}
    return list(read), book.cashes().tolist()


@pytest.mark.parametrize("seed", range(12))
def test_compiled_order_is_the_slow_one_and_keeps_all_cash(seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = [[int(t) for t in rng.permutation(50)[: rng.integers(0, 6)] if t != page] for page in range(50)]
    hosts, seeds = rng.integers(0, 5, 50), rng.permutation(50)[:3].astype(np.int32)
    book, log = anticipated_order.crawl(Graph.from_links(links), seeds, hosts)
    pages, cash = slow_crawl(links, seeds.tolist(), hosts.tolist())
    assert log.pages.tolist() == pages
    assert book.cashes().tolist() == cash
    assert sum(cash) + book.virtual == TOTAL


def test_cash_from_another_host_counts_for_more() -> None:
    """Page 0 links to 1 and 2 alike; 1 is on another host."""
    graph = Graph.from_links([[1, 2], [], []])
    for hosts, pages in (([0, 1, 0], [0, 1, 2]), ([0, 0, 1], [0, 2, 1])):
        _, log = anticipated_order.crawl(graph, np.array([0], dtype=np.int32), np.array(hosts))
        assert log.pages.tolist() == pages
