"""PageRank against networkx, and where a formula gives the answer; without dead ends against loops over sets."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from support.link_webs import as_lists, by_networkx, heavy_graph

from minicrawl.rank import Graph, pagerank
from minicrawl.rank.pagerank import power_steps


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85, 0.99])
def test_ranks_are_those_of_networkx(seed: int, damping: float) -> None:
    """Jumps, also from pages without links, go where the preference says; links are taken by their weights."""
    graph, rng = heavy_graph(seed, 60), np.random.default_rng(seed)
    preference = rng.random(60) * (np.arange(60) % 3 == 0)
    weights = rng.random(len(graph.targets)) * (rng.random(len(graph.targets)) > 0.3)
    choices: tuple[dict[str, Any], ...] = ({}, {"preference": preference}, {"weights": weights})
    for options in choices:
        ranks = pagerank(graph, damping, **options)
        assert ranks == pytest.approx(by_networkx(graph, damping, **options), abs=1e-11)
        assert ranks.sum() == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 50])
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_circle_has_closed_form(length: int, damping: float) -> None:
    """A walker who jumps to the first page only: each page further on has damping times the rank."""
    circle = [[(page + 1) % length] for page in range(length)]
    ranks = pagerank(Graph.from_links(circle), damping, np.eye(length)[0])
    expected = damping ** np.arange(length) * (1 - damping) / (1 - damping**length)
    assert np.abs(ranks - expected).sum() <= 1e-12 * (1 + 1e-2)


def test_no_rank_is_negative_where_no_walker_comes() -> None:
    links = dict(enumerate(as_lists(heavy_graph(2, 50)))) | {59: [0, 1], 58: [57]}
    ranks = pagerank(Graph.from_links(links, 60), 0.99, np.eye(60)[0], tolerance=1e-3)
    assert ranks.min() >= 0.0
    assert ranks[50:].tolist() == [0.0] * 10


def test_steps_go_on_from_any_start_and_end_at_the_ranks() -> None:
    graph, start = heavy_graph(5, 60), np.eye(60)[7]
    steps = power_steps(graph, start=start)
    assert next(steps) is start
    after = next(steps)
    m, dangling = graph.transition(), graph.dangling()
    assert after == pytest.approx(0.85 * (m @ start + start[dangling].sum() / 60) + 0.15 / 60, abs=1e-15)
    for _ in range(200):
        last = next(steps)
    assert last == pytest.approx(pagerank(graph), abs=1e-13)


def test_reversed_links_keep_their_weights() -> None:
    graph = Graph.from_links([[1, 2], [0], [0, 2]])
    turned, weights = graph.reverse(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert weights is not None
    m, back = (
        sparse.csr_array((w, g.targets, g.indptr), shape=(3, 3)).toarray()
        for g, w in ((graph, np.array([1.0, 2.0, 3.0, 4.0, 5.0])), (turned, weights))
    )
    assert back.tolist() == m.T.tolist()
    assert graph.reverse()[1] is None


def test_a_target_listed_twice_gets_two_shares() -> None:
    column = Graph.from_links([[1, 1, 2], [0], []]).transition().toarray()[:, 0]
    assert column == pytest.approx([0, 2 / 3, 1 / 3])


def test_edges_in_any_order_make_the_same_graph() -> None:
    graph = Graph.from_edges(np.array([2, 0, 2, 0]), np.array([1, 2, 0, 1]), 4)
    same = Graph.from_links({0: [2, 1], 2: [1, 0]}, 4)
    for built in (graph, same):
        assert built.indptr.tolist() == [0, 2, 2, 4, 4]
        assert built.targets.tolist() == [2, 1, 1, 0]
        assert (built.indptr.dtype, built.targets.dtype, built.size) == (np.dtype(np.int64), np.dtype(np.int32), 4)
