"""Searches, all pairs, diameter and HyperBall against networkx and closed forms."""

import networkx
import numpy as np
import pytest
from scipy import sparse

from minicrawl.rank import Graph
from minicrawl.rank.components import strong_components, subgraph
from minicrawl.rank.diameter import diameter
from minicrawl.rank.distances import distances_from, neighbourhood
from minicrawl.rank.hyperball import counters, estimates, hyperball


def random_graph(seed, size=70, degree=3):
    rng = np.random.default_rng(seed)
    return Graph.from_links([rng.integers(size, size=rng.integers(degree + 1)).tolist() for _ in range(size)])


def core(graph):
    return subgraph(graph, strong_components(graph).largest())


def all_distances(graph):
    """By scipy, shape (size, size); inf where no path leads."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    return sparse.csgraph.shortest_path(matrix, unweighted=True)


def cycle(n):
    return [[(page + 1) % n] for page in range(n)]


def path(n):
    return [[page + 1] for page in range(n - 1)] + [[]]


def star(n):
    """A centre and n - 1 leaves, linked both ways."""
    return [list(range(1, n))] + [[0]] * (n - 1)


def complete(n):
    return [[other for other in range(n) if other != page] for page in range(n)]


def dumbbell(n):
    """Two cliques of n pages, and a bridge both ways between their last and first."""
    links = complete(n) + [[other + n for other in row] for row in complete(n)]
    links[n - 1].append(n)
    links[n].append(n - 1)
    return links


@pytest.mark.parametrize("seed", range(5))
def test_search_finds_the_distance_from_the_nearest_page(seed):
    graph = random_graph(seed)
    expected = all_distances(graph)[[3, 40]].min(axis=0)
    expected[np.isinf(expected)] = -1
    assert distances_from(graph, np.array([3, 40])).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [70, 1100])
def test_all_pairs_are_those_of_scipy(size):
    graph = random_graph(size, size)
    expected = all_distances(graph)
    found = neighbourhood(graph)
    longest = int(expected[np.isfinite(expected)].max())
    assert found.pairs.tolist() == [np.count_nonzero(expected <= distance) for distance in range(longest + 1)]
    assert found.average() == pytest.approx(expected[np.isfinite(expected) & (expected > 0)].mean())
    assert (found.longest, found.error) == (longest, 0.0)
    np.fill_diagonal(expected, np.inf)
    assert found.harmonic == pytest.approx((1 / expected).sum(axis=0))


def test_harmonic_centrality_is_that_of_networkx():
    graph = random_graph(3)
    oracle = networkx.DiGraph(list(zip(np.repeat(np.arange(70), graph.outdegrees()), graph.targets, strict=True)))
    expected = networkx.harmonic_centrality(oracle)
    harmonic = neighbourhood(graph).harmonic
    assert [harmonic[page] for page in oracle] == pytest.approx([expected[page] for page in oracle])


@pytest.mark.parametrize(
    ("links", "longest", "average"),
    [
        (cycle(9), 8, 9 / 2),
        (path(9), 8, 10 / 3),  # (n + 1) / 3
        (star(9), 2, 2 * 8 / 9),  # 2 (n - 1) / n
        (complete(9), 1, 1),
        (dumbbell(5), 3, (2 * 5 * 4 + 2 * (1 + 2 * 4 * 2 + 4 * 4 * 3)) / 90),
        ([[], []], 0, 0),
        ([], 0, 0),
    ],
    ids=["cycle", "path", "star", "complete", "two cliques and a bridge", "no links", "no pages"],
)
def test_distances_have_closed_forms(links, longest, average):
    found = neighbourhood(Graph.from_links(links))
    assert (found.longest, found.average()) == (longest, pytest.approx(average))


def test_effective_diameter_lies_on_the_line_between_two_distances():
    """A cycle of 10: N(t) = 10 (t + 1) of 100 pairs, so nine tenths at 8 and .85 at 7.5."""
    found = neighbourhood(Graph.from_links(cycle(10)))
    assert found.effective_diameter() == pytest.approx(8.0)
    assert found.effective_diameter(0.85) == pytest.approx(7.5)
    assert found.effective_diameter(0.05) == 0.0


@pytest.mark.parametrize("seed", range(12))
def test_diameter_is_the_largest_of_all_distances(seed):
    graph = core(random_graph(seed, 50 + 40 * seed, 2 + seed % 4))
    found = diameter(graph)
    assert (found.lower, found.upper) == (all_distances(graph).max(),) * 2


@pytest.mark.parametrize(
    ("links", "expected"),
    [(cycle(40), 39), (star(40), 2), (complete(20), 1), (dumbbell(20), 3), ([[]], 0), ([], 0)],
    ids=["cycle", "star", "complete", "two cliques and a bridge", "one page", "no pages"],
)
def test_diameter_has_closed_forms(links, expected):
    found = diameter(Graph.from_links(links))
    assert found.is_exact
    assert found.lower == expected


def test_diameter_takes_few_searches():
    graph = core(random_graph(1, 3000, 8))
    found = diameter(graph)
    assert found.lower == neighbourhood(graph).longest
    assert found.searches < graph.size / 10


def test_searches_that_are_limited_leave_bounds():
    graph = core(random_graph(1, 3000, 8))
    exact, limited = diameter(graph).lower, diameter(graph, most_searches=8)
    assert limited.lower <= exact <= limited.upper
    assert limited.searches <= 10


def test_diameter_needs_a_strongly_connected_graph():
    with pytest.raises(ValueError, match="some pages are not reached"):
        diameter(Graph.from_links(path(3)))


@pytest.mark.parametrize("registers", [16, 64, 256])
@pytest.mark.parametrize("size", [1, 10, 100, 3000, 20_000])
def test_counter_is_as_exact_as_it_says(registers, size):
    """The root mean square error of 60 counters is 1.04 / sqrt(registers), within the chance of 60."""
    rng = np.random.default_rng(size)
    balls = np.stack([counters(size, rng, registers).max(axis=0) for _ in range(60)])
    error = np.sqrt(np.mean((estimates(balls) / size - 1) ** 2))
    assert error < 1.4 * 1.04 / np.sqrt(registers)


@pytest.mark.parametrize("seed", range(4))
def test_hyperball_is_near_the_exact_distances(seed):
    graph = random_graph(seed, 2000, 7)
    exact, found = neighbourhood(graph), hyperball(graph, np.random.default_rng(seed), 1024)
    assert found.error == pytest.approx(1.04 / 32)
    assert found.average() == pytest.approx(exact.average(), rel=0.02)
    assert found.effective_diameter() == pytest.approx(exact.effective_diameter(), rel=0.04)
    assert found.pairs[-1] == pytest.approx(exact.pairs[-1], rel=4 * found.error)
    assert found.longest <= exact.longest
    top = np.argsort(-exact.harmonic)[:100]
    assert found.harmonic[top] == pytest.approx(exact.harmonic[top], rel=4 * found.error)


def test_hyperball_draws_from_its_generator_only():
    graph = random_graph(0)
    one, other = (hyperball(graph, np.random.default_rng(5), 16) for _ in range(2))
    assert one.pairs.tolist() == other.pairs.tolist()


@pytest.mark.parametrize("registers", [0, 8, 100])
def test_number_of_registers_is_a_power_of_two(registers):
    with pytest.raises(ValueError, match="registers must be a power of two and at least 16"):
        hyperball(random_graph(0), np.random.default_rng(0), registers)


def test_hyperball_of_no_pages_is_empty():
    found = hyperball(Graph.from_links([]), np.random.default_rng(0))
    assert (found.average(), found.effective_diameter(), found.longest) == (0.0, 0.0, 0)
