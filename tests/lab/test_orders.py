"""Crawl orders: the compiled ones are held to slow ones, and the experiment to what can be derived."""

from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from plain import plain_loop
from sites import crawl, random_site, rows

from minicrawl.errors import SettingError
from minicrawl.lab import compiled, frontiers
from minicrawl.lab.generate import power_law
from minicrawl.lab.hosts import hosts_by_locality, hosts_of
from minicrawl.lab.orders import ORDERS, Web, area, collected, draw_seeds, experiment, mass_at
from minicrawl.opic import GRANT, Coverage
from minicrawl.opic.coverage import WALKERS
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
    known, read = list(seeds), []
    while waiting := [page for page in known if page not in read]:
        page = best(waiting, read)
        read.append(page)
        known += [target for target in links[page] if target not in known]
    return read


# The crawl's own order


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
    _, server = crawl(site, store, seeds, strategy=strategy, ignore_robots=True)
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


# The other orders, against the slow way


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
def test_larger_sites_first_reads_from_the_host_with_most_waiting_pages(seed: int) -> None:
    links, seeds = random_links(seed)
    hosts = np.random.default_rng(seed).integers(0, 6, len(links))

    def best(waiting: list[int], read: list[int]) -> int:
        known = list(dict.fromkeys(seeds + [target for page in read for target in links[page]]))
        in_line = [hosts[page] for page in waiting]
        host = max(dict.fromkeys(hosts[page] for page in known), key=in_line.count)
        return next(page for page in waiting if hosts[page] == host)

    fast = frontiers.larger_sites_first(Graph.from_links(links), array(seeds), hosts)
    assert fast.tolist() == slow_order(links, seeds, best)


@pytest.mark.parametrize("seed", range(6))
def test_rank_mass_is_coverage_visited_greedily(seed: int) -> None:
    links, seeds = random_links(seed)
    coverage = Coverage()
    coverage.grow(len(links))
    coverage.seed(array(seeds))

    def visit(page: int) -> None:
        before = coverage.walkers.sum()
        old = links[page] if coverage.kind[page] else []
        coverage.visit(page, array(links[page]), array(old))
        assert coverage.walkers.sum() <= before <= WALKERS
        assert 20 * coverage.walkers.sum() + 3 * coverage.stepped <= 20 * WALKERS

    def walkers(page: int) -> float:
        return float(coverage.walkers[page])

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


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_batch_pagerank_reads_by_pagerank_of_what_is_known(seed: int, batch: int) -> None:
    """With steps enough the ranks are exact; equals may go in any order here, a float's last bit tells them apart."""
    links, seeds = random_links(seed)
    order = frontiers.batch_pagerank(Graph.from_links(links), array(seeds), batch, steps=300).tolist()
    assert sorted(order) == sorted(slow_order(links, seeds, lambda waiting, read: waiting[0]))
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


@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("seed", range(3))
def test_every_order_reads_what_the_seeds_reach_and_each_page_once(order: str, seed: int) -> None:
    links, seeds = random_links(seed)
    graph = Graph.from_links(links)
    web = Web(graph, pagerank(graph), np.arange(graph.size) // 10)
    read = ORDERS[order](web, array(seeds), np.random.default_rng(0)).tolist()
    assert sorted(read) == sorted(slow_order(links, seeds, lambda waiting, read: waiting[0]))


# Hosts


def test_hosts_are_those_of_the_urls() -> None:
    graph = Graph.from_links([[1], [2], [0]])
    urls = ["http://b.test/1", "https://a.test:81/", "http://b.test/2"]
    assert hosts_of(graph, urls).tolist() == [0, 1, 0]
    assert hosts_of(graph, ["Rome", "Paris", "http://b.test/2"]).tolist() == [0, 0, 0]
    assert hosts_of(graph, None).tolist() == [0, 0, 0]


@pytest.mark.parametrize("sizes", [[50, 50], [400, 30, 120, 30], [600]])
def test_hosts_are_found_as_ranges_with_few_links_between_them(sizes: list[int]) -> None:
    """Five links a page, one in twenty of them to a page anywhere."""
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    begins = np.cumsum([0, *sizes])
    links = []
    for page, host in enumerate(truth):
        inside = rng.integers(begins[host], begins[host + 1], 5)
        targets = np.where(rng.random(5) < 0.05, rng.integers(0, len(truth), 5), inside)
        links.append(sorted(set(targets.tolist()) - {page}))
    assert (hosts_by_locality(Graph.from_links(links)) == truth).mean() > 0.98


def test_pages_without_links_are_one_host() -> None:
    assert hosts_by_locality(Graph.from_links([[], [], []])).tolist() == [0, 0, 0]


# Curves


def test_area_of_equal_pages_is_a_half() -> None:
    order = array([2, 0, 1, 3])
    assert area(order, np.full(5, 0.2)) == pytest.approx(0.5)
    assert mass_at(0.5, order, np.full(5, 0.2)) == pytest.approx(0.5)


def test_area_is_that_under_the_share_of_what_was_reached() -> None:
    """Page 3 is out of reach: its mass does not count."""
    mass = np.array([0.1, 0.3, 0.1, 0.5])
    assert collected(array([1, 0, 2]), mass).tolist() == pytest.approx([0.0, 0.6, 0.8, 1.0])
    assert area(array([1, 0, 2]), mass) == pytest.approx((0.6 / 2 + 0.7 + 0.9) / 3)
    assert area(array([1, 0, 2]), mass) > area(array([0, 1, 2]), mass)


# The experiment


def test_experiment_says_the_same_of_the_same_seed() -> None:
    graph = power_law(1000, np.random.default_rng(0))
    first, second = (experiment(graph, 7, seed_sets=2) for _ in range(2))
    assert first == second
    assert first.rows != experiment(graph, 8, seed_sets=2).rows


def test_experiment_has_a_row_per_order_and_seed_set_and_curves_that_end_at_one() -> None:
    result = experiment(power_law(1000, np.random.default_rng(1)), seed_sets=3)
    assert [row[:2] for row in result.rows] == [(name, number) for name in ORDERS for number in (1, 2, 3)]
    for curve in result.panels[0].curves:
        assert (curve.y[0], curve.y[-1]) == (0.0, pytest.approx(1.0))
        areas = [row[3] for row in result.rows if row[0] == curve.name]
        assert np.trapezoid(curve.y, curve.x) == pytest.approx(np.mean(areas), abs=0.002)
    truth, virtual, plain = (np.array(curve.y) for curve in result.panels[1].curves)
    assert (plain > 0).all()
    assert (plain <= virtual).all()
    assert (virtual <= truth + 1e-9).all()
    assert result.claims[-1].held
    assert "gain +" in result.claims[0].measured
    assert "of 3 seed sets" in result.claims[0].measured


def test_seeds_that_reach_hardly_anything_are_drawn_again() -> None:
    """Nine of ten pages lead nowhere; one leads to all."""
    graph = Graph.from_links([list(range(1, 40))] + [[]] * 39)
    assert 0 in draw_seeds(graph, 2, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("sets", "seeds", "message"),
    [
        (1, 2, "at least 2 seed sets, not 1"),
        (2, 41, "from 1 to 40, not 41"),
        (2, 0, "from 1 to 40, not 0"),
        (2, 1, "less than a tenth of the graph, 100 times"),
    ],
)
def test_settings_that_cannot_be_are_refused(sets: int, seeds: int, message: str) -> None:
    graph = Graph.from_links([[1]] + [[]] * 39)
    with pytest.raises(SettingError, match=message):
        experiment(graph, seed_sets=sets, seeds=seeds)
