"""Distances while a crawl goes on, against networkx after every page."""

import networkx
import numpy as np
import pytest

from minicrawl.analysis.growth import growth
from minicrawl.lab.webs import power_law
from minicrawl.rank import Graph


@pytest.mark.parametrize("seed", range(3))
def test_every_point_is_that_of_the_links_read_by_then(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = power_law(60, rng)
    order = rng.permutation(60)[:40]
    points = growth(graph, order)
    assert [point.read for point in points] == list(range(1, 41))
    web = networkx.DiGraph()
    for page, point in zip(order.tolist(), points, strict=True):
        web.add_node(page)
        web.add_edges_from((page, target) for target in graph.targets[graph.indptr[page] : graph.indptr[page + 1]])
        lengths = [n for _, ends in networkx.all_pairs_shortest_path_length(web) for n in ends.values() if n]
        assert (point.known, point.pairs, point.longest) == (len(web), len(lengths), max(lengths, default=0))
        assert point.average == pytest.approx(np.mean(lengths) if lengths else 0.0)


def test_points_are_evenly_apart_and_end_with_all() -> None:
    chain = Graph.from_links([[page + 1] for page in range(20)] + [[]])
    points = growth(chain, np.arange(21), points=4)
    assert [point.read for point in points] == [5, 10, 15, 21]
    assert [point.longest for point in points] == [5, 10, 15, 20]


def test_nothing_read_has_no_points() -> None:
    assert growth(Graph.from_links([[1], []]), np.zeros(0, dtype=np.int64)) == ()


def test_large_crawl_that_is_not_followed_costs_no_table_of_all_pairs() -> None:
    """That of a million pages would take two terabytes."""
    graph = Graph(np.zeros(10**6 + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    assert growth(graph, np.zeros(0, dtype=np.int64)) == ()
