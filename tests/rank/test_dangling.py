"""PageRank without dead ends, against loops over sets and dictionaries, and networkx for the pages that stay."""

from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import pytest

from minicrawl.rank import Graph, pagerank
from minicrawl.rank.pagerank import dangling_layers, pruned_pagerank


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
