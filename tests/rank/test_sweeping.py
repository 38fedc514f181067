"""Prioritized sweeping against power iteration; what both promise; and what it takes where that can be counted."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.link_webs import heavy_graph

from minicrawl.rank import Graph, pagerank, settled_pagerank
from minicrawl.rank.sweeping import prioritized


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85, 0.99])
@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_those_of_power_iteration(damping: float, seed: int) -> None:
    graph, rng = heavy_graph(seed, 80), np.random.default_rng(seed)
    preference = rng.random(80) * (rng.random(80) > 0.5)
    weights = rng.random(len(graph.targets)) * (rng.random(len(graph.targets)) > 0.3)
    choices: tuple[dict[str, Any], ...] = ({}, {"preference": preference}, {"weights": weights})
    for options in choices:
        settled = prioritized(graph, damping, **options)
        assert np.abs(settled.ranks - pagerank(graph, damping, **options)).sum() <= 2e-12
        assert settled.ranks.min() >= 0.0


WAYS = pytest.mark.parametrize("way", [settled_pagerank, prioritized])


@WAYS
@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_result_is_within_tolerance(way: Callable[..., Any], tolerance: float, damping: float) -> None:
    graph = heavy_graph(7, 80)
    assert np.abs(way(graph, damping, tolerance=tolerance).ranks - pagerank(graph, damping)).sum() <= tolerance


@WAYS
def test_tolerance_below_rounding_ends(way: Callable[..., Any]) -> None:
    graph = heavy_graph(1, 80)
    assert way(graph, tolerance=1e-30).ranks == pytest.approx(pagerank(graph), abs=1e-12)


def test_only_pages_with_something_to_pass_on_are_visited() -> None:
    """From page 0 a walker gets to 1 and 2 alone; page 2 is dangling."""
    graph = Graph.from_links([[1], [2], [], [0], [3]])
    settled = prioritized(graph, preference=np.eye(5)[0])
    assert (settled.rounds, settled.visits, settled.links) == (2, 2, 2)
    y = np.array([1.0, 0.85, 0.85**2, 0, 0])
    assert settled.ranks == pytest.approx(y / y.sum(), abs=1e-15)


def test_visits_are_saved_where_most_has_settled() -> None:
    graph = heavy_graph(11, 80)
    assert prioritized(graph).visits < 0.7 * settled_pagerank(graph).visits


@WAYS
def test_graph_without_links_takes_no_visit(way: Callable[..., Any]) -> None:
    assert way(Graph.from_links([])).ranks.shape == (0,)
    assert way(Graph.from_links([[], []])).ranks.tolist() == [0.5, 0.5]
    settled = way(Graph.from_links({}, 2), preference=np.array([3.0, 1.0]))
    assert (settled.ranks.tolist(), settled.visits) == ([0.75, 0.25], 0)


@pytest.mark.parametrize("way", [pagerank, prioritized])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 1.0}, "damping must be at least 0 and below 1, not 1.0"),
        ({"tolerance": 0.0}, "tolerance must be more than 0, not 0.0"),
        ({"preference": np.zeros(2)}, "preference must be 2 numbers, none negative, not all 0"),
        ({"preference": np.ones(3)}, "preference must be 2 numbers, none negative, not all 0"),
        ({"weights": -np.ones(2)}, "weights must be 2 numbers, one per link, none negative"),
        ({"weights": np.ones(3)}, "weights must be 2 numbers, one per link, none negative"),
        ({"weights": np.array([1.0, np.nan])}, "weights must be 2 numbers, one per link, none negative"),
    ],
)
def test_what_cannot_be_meant_is_refused(way: Callable[..., Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        way(Graph.from_links([[1], [0]]), **options)


NEARLY_CERTAIN = Graph.from_links([[1], [0, 2], [3], [2]])
"""A walker who hardly ever jumps leaves pages 0 and 1 for good, but slowly."""


@WAYS
def test_every_way_ends_and_says_how_far_off_it_may_be(way: Callable[..., Any]) -> None:
    settled = way(NEARLY_CERTAIN, 0.999999)
    assert settled.rounds <= 10_000
    a = 0.999999 * NEARLY_CERTAIN.transition().toarray()
    exact = np.linalg.solve(np.eye(4) - a, np.full(4, 0.25))
    off = np.abs(settled.ranks - exact / exact.sum()).sum()
    assert off <= settled.error * 1.001 + 1e-9


@WAYS
@pytest.mark.parametrize("seed", range(3))
def test_stopped_early_the_ranks_are_within_what_is_said(way: Callable[..., Any], seed: int) -> None:
    graph, most = heavy_graph(seed, 80), "most_steps" if way is settled_pagerank else "most_rounds"
    exact, errors = pagerank(graph), []
    for rounds in (4, 8, 20):
        settled = way(graph, **{most: rounds})
        assert settled.rounds == rounds
        assert np.abs(settled.ranks - exact).sum() <= settled.error
        errors.append(settled.error)
    assert errors[0] > errors[-1] > 1e-9
    assert way(graph).error <= 1e-11


def test_no_round_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="most_steps must be at least 1, not 0"):
        prioritized(heavy_graph(1, 80), most_rounds=0)
