"""The web that graph stats are of."""

from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np
import pytest
from support.sites import Site, crawl, rows

from minicrawl.analysis.web_graph import growth, web_of_file, web_of_store
from minicrawl.lab.webs import power_law
from minicrawl.rank import Graph
from minicrawl.store.reader import open_store


def test_every_point_is_that_of_the_links_read_by_then() -> None:
    rng = np.random.default_rng(1)
    graph = power_law(60, rng)
    order = rng.permutation(60)[:40]
    points = growth(graph, order)
    assert [point.read for point in points] == list(range(1, 41))
    web: networkx.DiGraph[int] = networkx.DiGraph()
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


HOME = "http://a.test/"
SITE: Site = {HOME: ["/b", "/moved", "/gone", HOME], HOME + "b": [HOME], HOME + "moved": HOME + "b"}


def test_of_a_crawl_aliases_are_folded_and_what_failed_was_never_read(tmp_path: Path) -> None:
    """A link to the page itself, and a second one to the same page, do not count."""
    crawl(SITE, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        web = web_of_store(store)
    assert web.names == (HOME, HOME + "b", HOME + "gone")
    rows_of_links = [web.graph.targets[first:last].tolist() for first, last in pairwise(web.graph.indptr)]
    assert rows_of_links == [[1, 2], [0], []]
    assert web.never_read() == 1
    importance = dict(rows(tmp_path / "crawl.db", "SELECT url, importance FROM ranks"))
    assert web.importance.tolist() == pytest.approx([importance[url] for url in web.names])


def test_of_a_file_all_links_are_known(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("0 1\n1 2\n2 0\n")
    web = web_of_file(tmp_path / "links.txt")
    assert web.never_read() is None
    assert web.importance.tolist() == pytest.approx([1 / 3] * 3)
