"""The compiled order by anticipated cash is held to a slow one, and to the live crawl's."""

from itertools import count
from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, random_site

from minicrawl.lab import anticipated_order, frontiers
from minicrawl.opic import GRANT, TOTAL, Adaptive, Basic, seed_grant
from minicrawl.opic.anticipated import key, rate
from minicrawl.opic.strategy import Greedy
from minicrawl.rank import Graph

pytestmark = pytest.mark.slow  # all of them wait for compiled loops

Links = list[list[int]]


def slow_crawl(links: Links, seeds: list[int], hosts: list[int], sites: list[int]) -> tuple[list[int], list[int]]:
    """The pages in their order, and the cash of all known pages in the order of their discovery.

    Everything but cash is counted anew from the list of visits.
    """
    book = Adaptive(Basic())
    known = list(seeds)
    seeded = seed_grant(Greedy(), book, len(seeds))
    book.discover([seeded] * len(seeds))
    sent: list[tuple[int, int, int]] = []  # from, to, cash
    read: dict[int, int] = {}  # what each visit spent

    def rate_now(host: int) -> float:
        waiting = sum(book.cash(known.index(each)) for each in known if each not in read and hosts[each] == host)
        spent = [cash for each, cash in read.items() if hosts[each] == host]
        came = sum(cash for source, target, cash in sent if hosts[target] == host and is_foreign(source, target))
        came += seeded * sum(hosts[seed] == host for seed in seeds)
        return rate(waiting, sum(spent), came, len(spent))

    def is_foreign(source: int, target: int) -> bool:
        return sites[hosts[source]] != sites[hosts[target]]

    def key_of(page: int, by: float) -> int:
        came = sum(cash for source, target, cash in sent if target == page and is_foreign(source, target))
        return key(book.cash(known.index(page)), came, by)

    while waiting := [each for each in known if each not in read]:
        best: dict[int, int] = {}
        for page in waiting:
            host = hosts[page]
            if host not in best or book.cash(known.index(page)) > book.cash(known.index(best[host])):
                best[host] = page
        page = max(best.values(), key=lambda each: (key_of(each, rate_now(hosts[each])), -known.index(each)))
        new = [target for target in links[page] if target not in known]
        book.discover([GRANT] * len(new))
        known += new
        outlinks = np.array([known.index(target) for target in links[page]], dtype=np.int32)
        visit = book.visit(known.index(page), outlinks)
        read[page] = visit.cash
        sent += [(page, target, int(np.max(visit.each))) for target in links[page]]
    return list(read), book.cashes().tolist()


@pytest.mark.parametrize("seed", range(12))
def test_compiled_order_is_the_slow_one_and_keeps_all_cash(seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = [[int(t) for t in rng.permutation(50)[: rng.integers(0, 6)] if t != page] for page in range(50)]
    hosts, seeds = rng.integers(0, 5, 50), rng.permutation(50)[:3].astype(np.int32)
    hosts[0] = 4  # the largest number
    sites = np.array([0, 1, 2, 3, 3])
    book, log = anticipated_order.crawl(Graph.from_links(links), seeds, hosts, sites)
    pages, cash = slow_crawl(links, seeds.tolist(), hosts.tolist(), sites.tolist())
    assert log.pages.tolist() == pages
    assert book.cashes().tolist() == cash
    assert sum(cash) + book.virtual == TOTAL


@pytest.mark.parametrize("seed", range(6))
def test_order_is_that_of_the_live_crawl(tmp_path: Path, seed: int) -> None:
    """One request at a time and without delay; every host of its own site."""
    site, seeds = random_site(seed, pages=150, hosts=6)
    settings = {"strategy": "anticipated", "ignore_robots": True, "merge_duplicates": False, "probe": False}
    _, server = crawl(site, tmp_path / "crawl.db", seeds, **settings)
    number = dict(zip(site, count(), strict=False))
    links = [[number[url] for url in dict.fromkeys(site[page]) if url != page] for page in site]
    hosts = np.array([int(url.removeprefix("http://h").partition(".")[0]) for url in site])
    numbers = np.array([number[url] for url in seeds], dtype=np.int32)
    _, log = anticipated_order.crawl(Graph.from_links(links), numbers, hosts)
    urls = list(site)
    assert [urls[page] for page in log.pages.tolist()] == server.asked


def test_cash_from_another_host_counts_for_more() -> None:
    """Page 0 links to 1 and 2 alike; 1 is on another host."""
    graph = Graph.from_links([[1, 2], [], []])
    for hosts, pages in (([0, 1, 0], [0, 1, 2]), ([0, 0, 1], [0, 2, 1])):
        _, log = anticipated_order.crawl(graph, np.array([0], dtype=np.int32), np.array(hosts))
        assert log.pages.tolist() == pages


@pytest.mark.parametrize("seed", range(3))
def test_farm_that_circulates_what_it_was_granted_comes_hardly_earlier_than_by_cash(seed: int) -> None:
    """Ten sites of 200 pages, linked to each other here and there, and a farm of 300 with a few links to it."""
    rng = np.random.default_rng(seed)
    size, farm = 2000, 300
    popular = np.minimum(rng.pareto(1.0, (size, 8)).astype(int), 199)
    links = [[*{int(each) for each in page // 200 * 200 + popular[page]}] for page in range(size)]
    links = [[*row, int(rng.integers(size))] if rng.random() < 0.2 else row for row in links]
    links += [[size, *(size + rng.permutation(farm)[:10]).tolist()] for _ in range(farm)]
    for door in range(0, 1000, 200):
        links[door].append(size + int(rng.integers(farm)))
    graph = Graph.from_links([sorted({each for each in row if each != page}) for page, row in enumerate(links)])
    hosts = np.minimum(np.arange(size + farm) // 200, 10)
    seeds = rng.choice(size, 5, replace=False).astype(np.int32)

    def place(order: np.ndarray) -> float:  # type: ignore[type-arg]
        return float(np.flatnonzero(order >= size).mean())

    _, log = anticipated_order.crawl(graph, seeds, hosts)
    assert place(log.pages) >= 0.8 * place(frontiers.greedy(graph, seeds))
