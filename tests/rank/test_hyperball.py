"""HyperBall against the exact distances, and its counters against what they count."""

import numpy as np
import pytest
from support.link_webs import random_graph

from minicrawl.rank import Graph
from minicrawl.rank.distances import counters, estimates, hyperball, neighbourhood


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
