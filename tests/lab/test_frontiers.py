"""The compiled crawl orders are held to slow ones."""

from collections.abc import Callable
from pathlib import Path

import networkx as nx
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


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("strategy", "grant"), [("greedy", GRANT), ("greedy", 10 * GRANT), ("opic", 0)])
def test_compiled_crawl_is_the_plain_loop(seed: int, strategy: str, grant: int) -> None:
    links, seeds = random_links(seed)
    visits, cash, _ = plain_loop(dict(enumerate(links)), seeds, strategy, grant)
    book, log = compiled.crawl(Graph.from_links(links), array(seeds), len(links), grant=grant)
    assert log.pages.tolist() == visits
    assert book.cashes().tolist() == list(cash.values())  # both in the order of discovery


@pytest.mark.parametrize("strategy", ["greedy", "opic"])
@pytest.mark.parametrize("seed", range(4))
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


@pytest.mark.parametrize("seed", range(4))
def test_greedy_and_opic_are_orders_of_the_compiled_crawl(seed: int) -> None:
    links, seeds = random_links(seed)
    graph = Graph.from_links(links)
    assert frontiers.greedy(graph, array(seeds)).tolist() == plain_loop(dict(enumerate(links)), seeds, "greedy")[0]
    assert frontiers.opic(graph, array(seeds)).tolist() == plain_loop(dict(enumerate(links)), seeds, "opic")[0]


def test_opic_tells_pages_apart_to_which_little_cash_comes() -> None:
    """Eight steps from the seed, a 21st part passed on each time: 1000 grants would not reach that far."""
    steps, last = 8, 300
    links: Links = [[step + 1, *range(100 + 20 * step, 120 + 20 * step)] for step in range(steps)]
    links += [[] for _ in range(last + 5 - steps)]
    links[steps] = [last, last + 1, last + 2]
    links[last], links[last + 1], links[last + 2] = [last + 3], [last + 4], [last + 4]
    graph = Graph.from_links(links)
    known_longest, twice_the_cash = last + 3, last + 4
    assert frontiers.opic(graph, array([0])).tolist()[-2:] == [twice_the_cash, known_longest]


@pytest.mark.parametrize("seed", range(6))
def test_breadth_first_reads_the_page_known_longest(seed: int) -> None:
    links, seeds = random_links(seed)
    slow = slow_order(links, seeds, lambda waiting, read: waiting[0])
    assert frontiers.breadth_first(Graph.from_links(links), array(seeds)).tolist() == slow


@pytest.mark.parametrize("seed", range(6))
def test_inlinks_are_those_of_read_pages(seed: int) -> None:
    links, seeds = random_links(seed)

    def best(waiting: list[int], read: list[int]) -> int:
        return max(waiting, key=lambda page: sum(page in links[source] for source in read))

    assert frontiers.by_inlinks(Graph.from_links(links), array(seeds)).tolist() == slow_order(links, seeds, best)


@pytest.mark.parametrize("seed", range(6))
def test_omniscient_reads_the_most_important_page(seed: int) -> None:
    links, seeds = random_links(seed)
    importance = np.random.default_rng(seed).integers(1, 5, len(links)) / 7.0  # many ties
    slow = slow_order(links, seeds, lambda waiting, read: max(waiting, key=lambda page: importance[page]))
    assert frontiers.omniscient(Graph.from_links(links), array(seeds), importance).tolist() == slow


@pytest.mark.parametrize("seed", range(6))
def test_rank_mass_lets_most_walkers_step_on(seed: int) -> None:
    links, seeds = random_links(seed)
    waiting_at = dict.fromkeys(seeds, 1.0 / len(seeds))

    def visit(page: int) -> None:
        stepping, waiting_at[page] = waiting_at[page], 0.0
        for target in links[page]:
            waiting_at[target] = waiting_at.get(target, 0.0) + 0.85 * stepping / len(links[page])

    def walkers(page: int) -> float:
        return waiting_at.get(page, 0.0)

    def best(waiting: list[int], read: list[int]) -> int:
        known = list(dict.fromkeys(seeds + [target for page in read for target in links[page]]))
        again = max((page for page in known if page in read), key=walkers, default=None)
        if again is not None and walkers(again) > max(map(walkers, waiting)):
            visit(again)
        page = max(waiting, key=walkers)
        visit(page)
        return page

    assert frontiers.rank_mass(Graph.from_links(links), array(seeds)).tolist() == slow_order(links, seeds, best)


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


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_batch_pagerank_reads_by_pagerank_of_what_is_known(seed: int, batch: int) -> None:
    """With steps enough the ranks are exact; equals may go in any order here, a float's last bit tells them apart."""
    links, seeds = random_links(seed)
    order = frontiers.batch_pagerank(Graph.from_links(links), array(seeds), batch, steps=300).tolist()
    for start in range(0, len(order), batch):
        read = order[:start]
        known = list(dict.fromkeys(seeds + [target for page in read for target in links[page]]))
        web = nx.DiGraph([(page, target) for page in read for target in links[page]])
        web.add_nodes_from(known)
        ranks = nx.pagerank(web, tol=1e-13, max_iter=1000)
        waiting = sorted((ranks[page] for page in known if page not in read), reverse=True)
        got = [ranks.get(page, 0.0) for page in order[start : start + batch]]
        assert got == pytest.approx((waiting + [0.0] * batch)[: len(got)], abs=1e-9)


def test_pages_without_a_rank_yet_come_last_in_the_order_of_discovery() -> None:
    links = [[3, 2], [], [], [1]]
    assert frontiers.batch_pagerank(Graph.from_links(links), array([0]), batch=9).tolist() == [0, 3, 2, 1]
