"""Searches and all pairs against networkx and closed forms."""

import numpy as np
import pytest
from support.link_webs import all_distances, cycle, random_graph

from minicrawl.rank import Graph
from minicrawl.rank.distances import counters, distances_from, estimates, hyperball, neighbourhood


@pytest.mark.parametrize("seed", range(5))
def test_search_finds_the_distance_from_the_nearest_page(seed: int) -> None:
    graph = random_graph(seed)
    expected = all_distances(graph)[[3, 40]].min(axis=0)
    expected[np.isinf(expected)] = -1
    assert distances_from(graph, np.array([3, 40])).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [70, 1100])
def test_all_pairs_are_those_of_scipy(size: int) -> None:
    graph = random_graph(size, size)
    expected = all_distances(graph)
    found = neighbourhood(graph)
    longest = int(expected[np.isfinite(expected)].max())
    assert found.pairs.tolist() == [np.count_nonzero(expected <= distance) for distance in range(longest + 1)]
    assert found.average() == pytest.approx(expected[np.isfinite(expected) & (expected > 0)].mean())
    assert (found.longest, found.error) == (longest, 0.0)


@pytest.mark.parametrize("links", [[[], []], []], ids=["no links", "no pages"])
def test_without_links_there_are_no_distances(links: list[list[int]]) -> None:
    found = neighbourhood(Graph.from_links(links))
    assert (found.longest, found.average()) == (0, 0.0)


def test_effective_diameter_lies_on_the_line_between_two_distances() -> None:
    """A cycle of 10: N(t) = 10 (t + 1) of 100 pairs, so nine tenths at 8 and .85 at 7.5."""
    found = neighbourhood(Graph.from_links(cycle(10)))
    assert found.effective_diameter() == pytest.approx(8.0)
    assert found.effective_diameter(0.85) == pytest.approx(7.5)
    assert found.effective_diameter(0.05) == 0.0


@pytest.mark.parametrize("registers", [16, 64, 256])
@pytest.mark.parametrize("size", [1, 10, 100, 3000, 20_000])
def test_counter_is_as_exact_as_it_says(registers: int, size: int) -> None:
    """The root mean square error of 60 counters is 1.04 / sqrt(registers), within the chance of 60."""
    rng = np.random.default_rng(size)
    balls = np.stack([counters(size, rng, registers).max(axis=0) for _ in range(60)])
    error = np.sqrt(np.mean((estimates(balls) / size - 1) ** 2))
    assert error < 1.4 * 1.04 / np.sqrt(registers)


@pytest.mark.parametrize("seed", range(4))
def test_hyperball_is_near_the_exact_distances(seed: int) -> None:
    graph = random_graph(seed, 2000, 7)
    exact, found = neighbourhood(graph), hyperball(graph, np.random.default_rng(seed), 1024)
    assert found.error == pytest.approx(1.04 / 32)
    assert found.average() == pytest.approx(exact.average(), rel=0.02)
    assert found.effective_diameter() == pytest.approx(exact.effective_diameter(), rel=0.04)
    assert found.pairs[-1] == pytest.approx(exact.pairs[-1], rel=4 * found.error)
    assert found.longest <= exact.longest


def test_hyperball_draws_from_its_generator_only() -> None:
    graph = random_graph(0)
    one, other = (hyperball(graph, np.random.default_rng(5), 16) for _ in range(2))
    assert one.pairs.tolist() == other.pairs.tolist()


@pytest.mark.parametrize("registers", [0, 8, 100])
def test_number_of_registers_is_a_power_of_two(registers: int) -> None:
    with pytest.raises(ValueError, match="registers must be a power of two and at least 16"):
        hyperball(random_graph(0), np.random.default_rng(0), registers)


def test_hyperball_of_no_pages_is_empty() -> None:
    found = hyperball(Graph.from_links([]), np.random.default_rng(0))
    assert (found.average(), found.effective_diameter(), found.longest) == (0.0, 0.0, 0)
