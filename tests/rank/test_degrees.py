"""The power law of a tail is found again in samples of one; the likeliest exponent is that of a plain search."""

import math

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from scipy import special, stats

from minicrawl.rank import Graph, graph_stats
from minicrawl.rank.distances import reverse
from minicrawl.rank.graph_stats import (
    Components,
    PowerLaw,
    degree_distribution,
    fitted,
    strong_components,
    subgraph,
    weak_components,
)


def drawn(alpha: float, size: int, seed: int) -> npt.NDArray[np.int64]:
    return np.asarray(stats.zipf(alpha).rvs(size, random_state=seed), dtype=np.int64)


def law_of(degrees: npt.NDArray[np.int64], xmin: int) -> PowerLaw:
    return fitted(*np.unique(degrees[degrees >= xmin], return_counts=True), xmin)


@pytest.mark.parametrize("alpha", [1.8, 2.1, 2.72, 3.5])
def test_exponent_of_samples_is_within_three_standard_errors(alpha: float) -> None:
    degrees = drawn(alpha, 50_000, 1)
    law = law_of(degrees[degrees < 2**62], 1)
    assert abs(law.alpha - alpha) < 3 * law.error
    assert law.distance < 0.01


def test_standard_error_is_the_spread_of_repeated_fits() -> None:
    fits = [law_of(drawn(2.5, 2000, seed), 1) for seed in range(60)]
    assert np.std([law.alpha for law in fits]) == pytest.approx(fits[0].error, rel=0.25)


def test_tail_begins_where_the_law_does() -> None:
    """Degrees below 10 are all as frequent; from 10 on they follow a law of exponent 2.5."""
    rng = np.random.default_rng(0)
    values = np.arange(10, 1_000_000)
    tail = rng.choice(values, 20_000, p=values**-2.5 / (values**-2.5).sum())
    law = degree_distribution(np.append(tail, rng.integers(0, 10, 20_000))).law
    assert law is not None
    assert 8 <= law.xmin <= 14
    assert abs(law.alpha - 2.5) < 4 * law.error


def test_exponent_is_the_likeliest() -> None:
    degrees = drawn(2.3, 500, 3)
    law = law_of(degrees, 2)
    tail = degrees[degrees >= 2]

    def likelihood(alpha: float) -> float:
        return -len(tail) * math.log(special.zeta(alpha, 2)) - alpha * float(np.log(tail).sum())

    assert law.tail == len(tail)
    assert all(likelihood(law.alpha) >= likelihood(law.alpha + step) for step in (-0.1, -1e-3, 1e-3, 0.1))


def test_distance_is_the_largest_difference_of_shares() -> None:
    degrees = drawn(2.3, 300, 4)
    law = law_of(degrees, 1)
    every = np.arange(1, degrees.max() + 2)
    ours = np.array([(degrees >= value).mean() for value in every])
    assert law.distance == pytest.approx(
        np.abs(ours - special.zeta(law.alpha, every) / special.zeta(law.alpha, 1)).max(), abs=1e-12
    )


def test_distribution_counts_pages_of_every_degree() -> None:
    degrees = degree_distribution(np.array([0, 3, 3, 1, 0]))
    assert (degrees.values.tolist(), degrees.counts.tolist()) == ([0, 1, 3], [2, 1, 2])
    assert (degrees.mean, degrees.largest, degrees.law) == (1.4, 3, None)


@pytest.mark.parametrize("degrees", [[], [0] * 100, [7] * 100, [1] * 48 + [2]])
def test_without_a_tail_there_is_no_law(degrees: list[int]) -> None:
    assert degree_distribution(np.array(degrees, dtype=np.int64)).law is None


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


# Two pages that link to each other, one that leads to them, two behind them, one apart.
WEB = Graph.from_links([[1, 3], [0, 4], [0], [], [], []])


def test_figures_of_a_small_web() -> None:
    found = graph_stats(WEB, np.random.default_rng(0))
    assert (found.pages, found.links, found.dangling) == (6, 5, 3)
    assert (found.strong.count, found.weak.count) == (5, 2)
    assert (found.indegrees.largest, found.outdegrees.largest) == (2, 2)
    assert found.indegrees.mean == found.outdegrees.mean == pytest.approx(5 / 6)
    # 2 -> 0 -> 1 -> 4
    assert (found.distances.longest, found.distances.error) == (3, 0.0)
    assert (found.core_links, found.core_distances.longest, found.core_distances.average()) == (2, 1, 1.0)


def test_distances_of_a_large_web_are_estimated_and_say_so() -> None:
    found = graph_stats(WEB, np.random.default_rng(0), exact_work=4.0, registers=64)
    assert found.distances.error == pytest.approx(0.13)
    # Two pages with two links are few enough.
    assert found.core_distances.error == 0.0


def test_web_without_pages_has_figures() -> None:
    found = graph_stats(Graph.from_links([]), np.random.default_rng(0))
    assert (found.pages, found.strong.count, found.core_distances.longest) == (0, 0, 0)
    assert (found.weak.count, found.weak.largest().tolist()) == (0, [])
    assert (found.indegrees.mean, found.indegrees.largest, found.indegrees.law) == (0.0, 0, None)
