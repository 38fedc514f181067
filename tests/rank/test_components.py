"""Components against networkx, by the definitions, and where the answer is plain."""

import networkx
import numpy as np
import pytest

from minicrawl.rank import Graph
from minicrawl.rank.distances import reverse
from minicrawl.rank.graph_stats import Components, strong_components, subgraph, weak_components


def random_links(seed: int, size: int = 60) -> list[list[int]]:
    """Few links, so that there are many components; some pages link to themselves or twice to another."""
    rng = np.random.default_rng(seed)
    return [rng.integers(size, size=rng.integers(4)).tolist() for _ in range(size)]


def as_networkx(links: list[list[int]]) -> "networkx.DiGraph[int]":
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(len(links)))
    graph.add_edges_from((source, target) for source, targets in enumerate(links) for target in targets)
    return graph


def as_sets(components: Components) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(components.of == number).tolist()) for number in range(components.count)}


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_of_networkx(seed: int) -> None:
    links = random_links(seed)
    graph, oracle = Graph.from_links(links), as_networkx(links)
    strong, weak = strong_components(graph), weak_components(graph)
    assert as_sets(strong) == set(map(frozenset, networkx.strongly_connected_components(oracle)))
    assert as_sets(weak) == set(map(frozenset, networkx.weakly_connected_components(oracle)))
    assert strong.sizes.tolist() == np.bincount(strong.of).tolist()


def test_of_equal_components_the_one_with_the_first_page_is_the_largest() -> None:
    assert strong_components(Graph.from_links([[], [3], [4], [1], [2]])).largest().tolist() == [1, 3]


def test_graph_without_pages_has_no_components() -> None:
    empty = Graph.from_links([])
    assert (strong_components(empty).count, weak_components(empty).largest().tolist()) == (0, [])


@pytest.mark.parametrize("seed", range(3))
def test_subgraph_keeps_links_within(seed: int) -> None:
    links = random_links(seed)
    pages = np.flatnonzero(np.random.default_rng(seed).random(60) < 0.5)
    number = {page: new for new, page in enumerate(pages.tolist())}
    part = subgraph(Graph.from_links(links), pages)
    for page, new in number.items():
        kept = sorted({number[target] for target in links[page] if target in number})
        assert sorted(set(part.targets[part.indptr[new] : part.indptr[new + 1]].tolist())) == kept


def test_reversed_graph_has_every_link_turned_round() -> None:
    links = random_links(5)
    turned = reverse(Graph.from_links(links))
    expected = [
        sorted(source for source in range(60) for target in links[source] if target == page) for page in range(60)
    ]
    assert [turned.targets[turned.indptr[page] : turned.indptr[page + 1]].tolist() for page in range(60)] == expected
