"""The compiled crawl orders are held to slow ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.plain import plain_loop
from support.sites import crawl, random_site, rows

from minicrawl.lab import compiled, frontiers
from minicrawl.lab.orders import ORDERS, Web
from minicrawl.opic import GRANT
from minicrawl.rank import Graph, pagerank

pytestmark = pytest.mark.slow  # all of them wait for compiled loops

Links = list[list[int]]


def random_links(seed: int, size: int = 40) -> tuple[Links, list[int]]:
    """Few links, so that many pages have none and many tie; and three seeds."""
    rng = np.random.default_rng(seed)
    links = [[int(t) for t in rng.permutation(size)[: rng.integers(0, 6)] if t != page] for page in range(size)]
    return links, rng.permutation(size)[:3].tolist()


def array(pages: list[int]) -> frontiers.PageArray:
    return np.array(pages, dtype=np.int32)


def slow_order(links: Links, seeds: list[int], best: Callable[[list[int], list[int]], int]) -> list[int]:
    """Read all that the seeds reach; `best` says which of the waiting pages, given those read, is next."""
    known = list(seeds)
    read: list[int] = []
    while waiting := [page for page in known if page not in read]:
        page = best(waiting, read)
        read.append(page)
        known += [target for target in links[page] if target not in known]
    return read


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("strategy", "grant"), [("greedy", GRANT), ("greedy", 10 * GRANT), ("opic", 0)])
def test_compiled_crawl_is_the_plain_loop(seed: int, strategy: str, grant: int) -> None:
    links, seeds = random_links(seed)
    visits, cash, _ = plain_loop(dict(enumerate(links)), seeds, strategy, grant)
    book, log = compiled.crawl(Graph.from_links(links), array(seeds), len(links), grant=grant)
    assert log.pages.tolist() == visits
    assert book.cashes().tolist() == list(cash.values())  # both in the order of discovery


@pytest.mark.parametrize("strategy", ["greedy", "opic"])
@pytest.mark.parametrize("seed", range(2))
def test_compiled_crawl_is_the_live_one(tmp_path: Path, seed: int, strategy: str) -> None:
    site, seeds = random_site(seed)
    urls = list(site)
    number = {url: page for page, url in enumerate(urls)}
    links = [[number[target] for target in dict.fromkeys(site[url]) if target != url] for url in urls]
    grant = GRANT if strategy == "greedy" else 0
    book, log = compiled.crawl(Graph.from_links(links), array([number[url] for url in seeds]), len(urls), grant=grant)
    store = tmp_path / "crawl.db"
    _, server = crawl(site, store, seeds, strategy=strategy, ignore_robots=True, jump="pages")
    assert [urls[page] for page in log.pages] == server.asked
    assert book.cashes().tolist() == [cash for (cash,) in rows(store, "SELECT cash FROM ranks ORDER BY id")]


@pytest.mark.parametrize("seed", range(3))
def test_breadth_first_reads_the_page_known_longest(seed: int) -> None:
    links, seeds = random_links(seed)
    slow = slow_order(links, seeds, lambda waiting, read: waiting[0])
    assert frontiers.breadth_first(Graph.from_links(links), array(seeds)).tolist() == slow


def test_random_order_draws_from_the_waiting_pages_alike() -> None:
    """A centre, two leaves, and two pages behind the first leaf: five orders, of known probability."""
    graph = Graph.from_links([[1, 2], [3, 4], [], [], []])
    rng = np.random.default_rng(0)
    orders = [tuple(frontiers.at_random(graph, array([0]), rng).tolist()) for _ in range(3000)]
    expected = {(0, 2, 1, 3, 4): 1 / 4, (0, 2, 1, 4, 3): 1 / 4} | {
        (0, 1, *rest): 1 / 12 for rest in [(2, 3, 4), (2, 4, 3), (3, 2, 4), (3, 4, 2), (4, 2, 3), (4, 3, 2)]
    }
    assert set(orders) == set(expected)
    for order, probability in expected.items():
        assert orders.count(order) / len(orders) == pytest.approx(probability, abs=0.03)


@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("seed", range(3))
def test_every_order_reads_what_the_seeds_reach_and_each_page_once(order: str, seed: int) -> None:
    links, seeds = random_links(seed)
    graph = Graph.from_links(links)
    web = Web(graph, pagerank(graph))
    read = ORDERS[order](web, array(seeds), np.random.default_rng(0)).tolist()
    assert sorted(read) == sorted(slow_order(links, seeds, lambda waiting, read: waiting[0]))
