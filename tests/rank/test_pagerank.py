"""PageRank against networkx, and where a formula gives the answer."""

from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from minicrawl.rank import Graph, pagerank
from minicrawl.rank.pagerank import power_steps


def random_links(seed: int, size: int = 60) -> dict[int, list[int]]:
    """A digraph with pages without links, links to oneself and heavy in-degrees."""
    rng = np.random.default_rng(seed)
    outdegree = rng.integers(0, 8, size) * (rng.random(size) > 0.2)
    return {i: sorted(set((size * rng.random(o) ** 3).astype(int).tolist())) for i, o in enumerate(outdegree)}


def oracle(links: dict[int, list[int]], size: int, **options: Any) -> npt.NDArray[Any]:
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from((source, target) for source, targets in links.items() for target in targets)
    ranks = networkx.pagerank(graph, tol=1e-15, max_iter=1000, **options)
    return np.array([ranks[page] for page in range(size)])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_ranks_are_those_of_networkx(seed: int, damping: float) -> None:
    links = random_links(seed)
    ranks = pagerank(Graph.from_links(links, 60), damping)
    assert ranks == pytest.approx(oracle(links, 60, alpha=damping), abs=1e-11)
    assert ranks.sum() == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_jumps_and_dangling_pages_go_where_preference_says(seed: int) -> None:
    links = random_links(seed)
    preference = np.random.default_rng(seed).random(60) * (np.arange(60) % 3 == 0)
    ranks = pagerank(Graph.from_links(links, 60), preference=preference)
    expected = oracle(links, 60, alpha=0.85, personalization=dict(enumerate(preference)))
    assert ranks == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_weights_say_how_likely_a_link_is_taken(seed: int, damping: float) -> None:
    graph = Graph.from_links(random_links(seed), 60)
    rng = np.random.default_rng(seed)
    weights = rng.random(len(graph.targets)) * (rng.random(len(graph.targets)) > 0.3)
    web: networkx.DiGraph[int] = networkx.DiGraph()
    web.add_nodes_from(range(60))
    sources = np.repeat(np.arange(60), graph.outdegrees()).tolist()
    web.add_weighted_edges_from(zip(sources, graph.targets.tolist(), weights.tolist(), strict=True))
    expected = networkx.pagerank(web, damping, tol=1e-15, max_iter=3000)
    assert pagerank(graph, damping, weights=weights) == pytest.approx([expected[page] for page in range(60)], abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("damping", [0.0, 0.3, 0.85, 0.999])
def test_ranks_solve_the_dense_equation(seed: int, damping: float) -> None:
    """x = (I - damping * M)**-1 @ p, divided by its sum: what dangling pages do only scales it."""
    graph = Graph.from_links(random_links(seed), 60)
    p = np.random.default_rng(seed).random(60)
    y = np.linalg.solve(np.eye(60) - damping * graph.transition().toarray(), p)
    assert pagerank(graph, damping, p) == pytest.approx(y / y.sum(), abs=2e-12)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 50])
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_circle_has_closed_form(length: int, damping: float) -> None:
    """A walker who jumps to the first page only: each page further on has damping times the rank."""
    circle = [[(page + 1) % length] for page in range(length)]
    ranks = pagerank(Graph.from_links(circle), damping, np.eye(length)[0])
    expected = damping ** np.arange(length) * (1 - damping) / (1 - damping**length)
    assert np.abs(ranks - expected).sum() <= 1e-12 * (1 + 1e-2)


def test_no_rank_is_negative_where_no_walker_comes() -> None:
    links = {**random_links(2), 59: [0, 1], 58: [57]}
    graph = Graph.from_links({i: [t for t in targets if t < 50] for i, targets in links.items()}, 60)
    ranks = pagerank(graph, 0.99, np.eye(60)[0], tolerance=1e-3)
    assert ranks.min() >= 0.0
    assert ranks[50:].tolist() == [0.0] * 10


def test_steps_go_on_from_any_start_and_end_at_the_ranks() -> None:
    graph = Graph.from_links(random_links(5), 60)
    start = np.eye(60)[7]
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


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_result_is_within_tolerance(tolerance: float, damping: float) -> None:
    graph = Graph.from_links(random_links(7), 60)
    exact = pagerank(graph, damping)
    assert np.abs(pagerank(graph, damping, tolerance=tolerance) - exact).sum() <= tolerance


def test_tolerance_below_rounding_ends() -> None:
    ranks = pagerank(Graph.from_links(random_links(1), 60), tolerance=1e-30)
    assert ranks == pytest.approx(pagerank(Graph.from_links(random_links(1), 60)), abs=1e-12)


def test_empty_graph_has_no_ranks() -> None:
    assert pagerank(Graph.from_links([])).shape == (0,)


def test_pages_without_any_links_rank_as_preferred() -> None:
    assert pagerank(Graph.from_links([[], []])).tolist() == [0.5, 0.5]
    assert pagerank(Graph.from_links({}, 2), preference=np.array([3.0, 1.0])).tolist() == [0.75, 0.25]


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


def test_link_outside_the_graph_is_refused() -> None:
    with pytest.raises(ValueError, match="the pages of a graph of size 2 are 0 to 1"):
        Graph.from_links([[1], [2]], 2)
