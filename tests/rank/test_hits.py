"""HITS against numpy's SVD and plain loops, and where a formula gives the answer."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.link_webs import ends, heavy_graph

from minicrawl.rank import Graph, hits
from minicrawl.rank.hits import (
    Hits,
    base_set,
    bridges,
    capped_weights,
    communities,
    intrinsic_weights,
    peeled_communities,
    with_self_links,
    within,
)

FIVE = [[1, 2, 3], [2], [0, 3], [2, 4], [2]]


def of_links(links: list[tuple[int, int]], size: int) -> Graph:
    sources, targets = np.array(links).T
    return Graph.from_edges(sources, targets, size)


def dense(graph: Graph, weights: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
    matrix = np.zeros((graph.size, graph.size))
    np.add.at(matrix, tuple(np.array(ends(graph)).T), 1.0 if weights is None else weights)
    return matrix


def by_hand(links: list[list[int]], steps: int) -> tuple[list[float], list[float]]:
    """Kleinberg's two operations in whole fractions, each vector then divided by its sum."""
    h = [Fraction(1)] * len(links)
    for _ in range(steps):
        a = [
            sum((h[p] for p, targets in enumerate(links) for t in targets if t == q), Fraction(0))
            for q in range(len(links))
        ]
        a = [x / sum(a) for x in a]
        h = [sum((a[t] for t in targets), Fraction(0)) for targets in links]
        h = [x / sum(h) for x in h]
    return [float(x) for x in h], [float(x) for x in a]


def bipartite(*sizes: Any) -> list[list[int]]:
    """Communities apart from each other: `hubs` pages that all link to the same `authorities` pages."""
    links, first = [], 0
    for hubs, authorities in sizes:
        links += [list(range(first + hubs, first + hubs + authorities))] * hubs + [[]] * authorities
        first += hubs + authorities
    return links


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_steps_are_the_two_operations(steps: int) -> None:
    expected = by_hand(FIVE, steps)
    for found, exact in zip(hits(Graph.from_links(FIVE), iterations=steps), expected, strict=True):
        assert found == pytest.approx(exact, abs=1e-15)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
@pytest.mark.parametrize("seed", range(4))
def test_hubs_are_within_tolerance(seed: int, tolerance: float) -> None:
    graph = heavy_graph(seed, 60)
    left = np.abs(np.linalg.svd(dense(graph))[0][:, 0])
    assert np.abs(hits(graph, tolerance=tolerance).hubs - left / left.sum()).sum() <= 1.01 * tolerance + 1e-13


def test_communities_that_tie_share() -> None:
    """sqrt(4 * 1) = sqrt(2 * 2): the first step's proportion, 4 to 2, stays; wherever the pages stand."""
    assert hits(Graph.from_links(bipartite((4, 1), (2, 2)))).authorities[[4, 7, 8]].tolist() == [0.5, 0.25, 0.25]
    assert hits(Graph.from_links(bipartite((2, 2), (4, 1)))).authorities[[2, 3, 8]].tolist() == [0.25, 0.25, 0.5]


@pytest.mark.parametrize("links", [[], [[], []]], ids=["no page", "no link"])
def test_without_links_nobody_is_anything(links: list[list[Any]]) -> None:
    graph = Graph.from_links(links)
    assert [scores.tolist() for scores in hits(graph)] == [[0.0] * len(links)] * 2
    assert communities(graph, 2) == peeled_communities(graph, 2) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.0}, "tolerance must be more than 0, not 0.0"),
        ({"iterations": 0}, "iterations must be at least 1, not 0"),
        ({"weights": np.ones(3)}, "weights must be 9 numbers, one per link, none negative"),
        ({"weights": -np.ones(9)}, "weights must be 9 numbers, one per link, none negative"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hits(Graph.from_links(FIVE), **options)


# The pages of a topic


@pytest.mark.parametrize("most", [0, 1, 3, 50])
@pytest.mark.parametrize("seed", range(4))
def test_base_set_is_the_root_with_its_neighbours(seed: int, most: int) -> None:
    graph = heavy_graph(seed, 60)
    root = np.random.default_rng(seed).choice(graph.size, 5, replace=False)
    expected = set(root.tolist())
    for page in root.tolist():
        expected |= {target for source, target in ends(graph) if source == page}
        expected |= set(sorted({s for s, t in ends(graph) if t == page and s != page})[:most])
    assert base_set(graph, root, most).tolist() == sorted(expected)


def test_links_within_a_set_are_those_of_the_subgraph() -> None:
    graph, pages = heavy_graph(3, 60), np.arange(5, 40)
    number = {page: place for place, page in enumerate(pages.tolist())}
    links = [(number[s], number[t]) for s, t in ends(graph) if s in number and t in number]
    expected = hits(of_links(links, len(pages)))
    found = hits(graph, weights=within(graph, pages))
    for scores, exact in zip(found, expected, strict=True):
        assert scores[pages] == pytest.approx(exact)
        assert scores.sum() == pytest.approx(1.0)


# Links that say less


@pytest.mark.parametrize("seed", range(4))
def test_links_of_a_site_are_weighed_as_by_counting(seed: int) -> None:
    graph = heavy_graph(seed, 60)
    sites = np.random.default_rng(seed).integers(0, 6, graph.size)
    votes: dict[tuple[int, int], list[int]] = {}
    intrinsic, capped = [], []
    for source, target in ends(graph):
        votes.setdefault((sites[source], target), []).append(source)
        intrinsic.append(0.3 if sites[source] == sites[target] else 1.0)
        capped.append(float(len(votes[sites[source], target]) <= 4))
    assert intrinsic_weights(graph, sites, 0.3).tolist() == intrinsic
    assert capped_weights(graph, sites, 4).tolist() == capped


# Communities


@pytest.mark.parametrize(("seed", "size"), [(0, 40), (1, 40), (2, 40), (3, 110)])
def test_communities_are_the_ends_of_singular_vectors(seed: int, size: int) -> None:
    """Of a matrix that is decomposed whole, and of one that is too large for it."""
    graph = heavy_graph(seed, size)
    weights = 1.0 + np.random.default_rng(seed).random(len(graph.targets))
    left, _, right = np.linalg.svd(dense(graph, weights))
    expected = [hits(graph, weights=weights)]
    for u, v in zip(left.T[1:4], right[1:4], strict=True):
        sides = [(np.maximum(sign * u, 0), np.maximum(sign * v, 0)) for sign in (1, -1)]
        expected += [Hits(*side) for side in sorted(sides, key=lambda side: -np.square(side[1]).sum())]
    found = communities(graph, 4, weights=weights)
    assert len(found) == len(expected) == 7
    for community, scores_of in zip(found, expected, strict=True):
        for scores, side in zip(community, scores_of, strict=True):
            assert scores == pytest.approx(side / side.sum(), abs=1e-8)


def test_communities_that_nothing_joins_are_one_vector_each() -> None:
    graph = Graph.from_links(bipartite((3, 3), (2, 2), (1, 1)))
    found = communities(graph, 5)
    assert [np.flatnonzero(community.hubs).tolist() for community in found] == [[0, 1, 2], [6, 7], [10]]
    assert found[1].authorities == pytest.approx([0] * 8 + [0.5, 0.5, 0, 0])


def test_minority_appears_once_the_links_to_the_majority_are_gone() -> None:
    graph = Graph.from_links(bipartite((4, 3), (3, 2)))
    found = peeled_communities(graph, 5, top=3)
    assert [np.flatnonzero(community.authorities > 1e-9).tolist() for community in found] == [[4, 5, 6], [10, 11]]
    assert len(peeled_communities(graph, 5, top=1)) == 5
    assert len(peeled_communities(graph, 1, top=3)) == 1


# Pages that link to themselves


@pytest.mark.parametrize("seed", range(4))
def test_self_links_add_the_unit_matrix(seed: int) -> None:
    """K = W + I on some pages, decomposed whole."""
    graph, rng = heavy_graph(seed, 60), np.random.default_rng(seed)
    weights, pages = 1.0 + rng.random(len(graph.targets)), np.sort(rng.choice(graph.size, 40, replace=False))
    unit = np.zeros(graph.size)
    unit[pages] = 1.0
    left, _, right = np.linalg.svd(dense(graph, weights) + np.diag(unit))
    joined, heavier = with_self_links(graph, pages, weights)
    assert dense(joined, heavier) == pytest.approx(dense(graph, weights) + np.diag(unit), abs=1e-15)
    for found, vector in zip(hits(joined, weights=heavier), (left[:, 0], right[0]), strict=True):
        assert found == pytest.approx(np.abs(vector) / np.abs(vector).sum(), abs=1e-9)


# Bridges


def slowly_bridged(graph: Graph, communities: list[Hits], weights: npt.NDArray[Any]) -> list[float]:
    best = []
    for community in communities:
        leads = [0.0] * graph.size
        for (source, target), weight in zip(ends(graph), weights, strict=True):
            leads[source] += weight * community.authorities[target]
        best.append([x / max(leads) if max(leads) else 0.0 for x in leads])
    return [sorted(page, reverse=True)[1] for page in zip(*best, strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_bridges_lead_to_the_two_communities_they_lead_to_most(seed: int) -> None:
    graph, weights = heavy_graph(seed, 60), np.random.default_rng(seed).random(400)
    weights = weights[: len(graph.targets)]
    found = communities(graph, 3, weights=weights)
    assert bridges(graph, found, weights=weights) == pytest.approx(slowly_bridged(graph, found, weights), abs=1e-12)


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_communities_have_no_bridge(count: int) -> None:
    graph = Graph.from_links(FIVE)
    assert bridges(graph, communities(graph, 5)[:count]).tolist() == [0.0] * 5
