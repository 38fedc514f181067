"""PageRank against networkx, and where a formula gives the answer; without dead ends against loops over sets."""

from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from support.link_webs import as_lists, by_networkx, heavy_graph

from minicrawl.rank import Graph, pagerank
from minicrawl.rank.pagerank import dangling_layers, power_steps, pruned_pagerank


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


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_result_is_within_tolerance(tolerance: float, damping: float) -> None:
    graph = heavy_graph(7, 60)
    exact = pagerank(graph, damping)
    assert np.abs(pagerank(graph, damping, tolerance=tolerance) - exact).sum() <= tolerance


def test_tolerance_below_rounding_ends() -> None:
    graph = heavy_graph(1, 60)
    assert pagerank(graph, tolerance=1e-30) == pytest.approx(pagerank(graph), abs=1e-12)


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


def random_links(seed: int, size: int = 60) -> list[list[int]]:
    """Many pages without links, links to oneself, links listed several times."""
    rng = np.random.default_rng(seed)
    outdegree = rng.integers(0, 6, size) * (rng.random(size) > 0.4)
    return [(size * rng.random(o) ** 2).astype(int).tolist() for o in outdegree]


def slow_layers(links: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    left, layers = set(range(len(links))), []
    while layer := [page for page in sorted(left) if not any(target in left for target in links[page])]:
        layers.append(layer)
        left -= set(layer)
    return layers, sorted(left)


def slow_ranks(
    links: list[list[int]], damping: float, preference: npt.NDArray[Any], weights: list[list[float]]
) -> npt.NDArray[Any]:
    layers, left = slow_layers(links)
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(left)
    for source in left:
        for target, weight in zip(links[source], weights[source], strict=True):
            if target in graph:
                before = graph.get_edge_data(source, target, {"weight": 0.0})["weight"]
                graph.add_edge(source, target, weight=before + weight)
    jump = {page: preference[page] for page in left}
    x = networkx.pagerank(graph, damping, personalization=jump, dangling=jump, tol=1e-15, max_iter=5000)
    for layer in reversed(layers):
        new = {page: (1 - damping) * preference[page] / sum(preference) for page in layer}
        for source, rank in x.items():
            for target, weight in zip(links[source], weights[source], strict=True):
                if target in new:
                    new[target] += damping * rank * weight / sum(weights[source])
        x |= new
    return np.array([x[page] for page in range(len(links))]) / sum(x.values())


@pytest.mark.parametrize("seed", range(5))
def test_layers_are_found_by_looking_again_and_again(seed: int) -> None:
    links = random_links(seed)
    assert [layer.tolist() for layer in dangling_layers(Graph.from_links(links))] == slow_layers(links)[0]


@pytest.mark.parametrize("damping", [0.3, 0.85])
@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_those_of_plain_loops(seed: int, damping: float) -> None:
    links, rng = random_links(seed), np.random.default_rng(seed)
    weights = [(0.1 + rng.random(len(targets))).tolist() for targets in links]
    preference = 0.1 + rng.random(len(links))
    found, _ = pruned_pagerank(
        Graph.from_links(links), damping, preference, weights=np.array([w for row in weights for w in row])
    )
    assert found.ranks == pytest.approx(slow_ranks(links, damping, preference, weights), abs=1e-9)
    assert found.ranks.sum() == pytest.approx(1.0)


def test_without_dead_ends_it_is_pagerank() -> None:
    graph = Graph.from_links([[1], [0, 2], [0]])
    found, layers = pruned_pagerank(graph)
    assert (found.ranks.tolist(), layers) == (pagerank(graph).tolist(), [])


def test_a_long_chain_to_nowhere_goes_page_by_page() -> None:
    links = [[1], [0, 2], *([page + 1] for page in range(2, 60)), []]
    assert [layer.tolist() for layer in dangling_layers(Graph.from_links(links))] == [[k] for k in range(60, 1, -1)]


@pytest.mark.parametrize(("links", "preference"), [([[1], [2], []], None), ([[0], [], []], np.array([0.0, 1.0, 1.0]))])
def test_nothing_left_to_rank_is_said(links: list[list[int]], preference: npt.NDArray[Any] | None) -> None:
    with pytest.raises(ValueError, match="nothing is left to rank"):
        pruned_pagerank(Graph.from_links(links), preference=preference)
